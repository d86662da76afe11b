package envs_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// group makes rollouts of two answers each: modes A A B B, a degenerate answer and one
// without a parse, correct by turns.
func group() [][]*envs.Verdict {
	var out [][]*envs.Verdict
	for i, mode := range []envs.Mode{"A", "A", "B", "B", envs.Degenerate, envs.Degenerate} {
		v := &envs.Verdict{Mode: mode, Correct: i%2 == 0, Reward: []float64{0.25, float64(i % 2)}, Embedding: []float32{1}, Variant: "v"}
		if i == 5 {
			v = &envs.Verdict{Reward: []float64{0, 0}, Err: errors.New("does not parse")}
		}
		if i%2 == 0 {
			out = append(out, nil)
		}
		out[i/2] = append(out[i/2], v)
	}
	return out
}

func flat(group [][]*envs.Verdict) []*envs.Verdict { return slices.Concat(group...) }

func TestNoNoise(t *testing.T) {
	g := group()
	before := slices.Clone(flat(g))
	noise := envs.Noise{Formal: []bool{true, false}}
	noise.Disturb(g, rng.New(1))
	if !slices.Equal(before, flat(g)) || !noise.None() {
		t.Error("without noise a verdict was replaced")
	}
}

// A tally counts what noise did to an answer.
type tally map[string]int

func (c tally) add(what string, happened bool) {
	if happened {
		c[what]++
	}
}

// TestNoiseRates holds frequencies against probabilities. Of the group's six
// numbers two are clusters it has and four are new, so a label is replaced by its
// own one in six times. Answers, groups and components err independently of each
// other: the streams of any two have nothing in common.
func TestNoiseRates(t *testing.T) {
	const n = 20000
	noise := envs.Noise{Judge: 0.3, Reward: 0.1}
	got, fresh := tally{}, map[envs.Mode]int{}
	last := false
	for i := range uint64(n) {
		g := group()
		noise.Disturb(g, rng.New(7).Int(i))
		after := flat(g)
		a, b := after[1], after[3] // of modes A and B; both wrong, with the rewards 0.25 and 1
		moved, first, second := a.Mode != "A", a.Reward[0] == 0.75, a.Reward[1] == 0
		got.add("labels that changed", moved)
		got.add("labels of the other cluster", a.Mode == "B")
		got.add("labels of a new cluster", a.Mode == "\x003")
		got.add("flips of the first component", first)
		got.add("flips of the second component", second)
		got.add("flips of both components", first && second)
		got.add("a label and a flip", moved && first)
		got.add("flips of two answers", first && b.Reward[0] == 0.75)
		got.add("labels of two answers", moved && b.Mode != "B")
		got.add("flips in two groups", first && last)
		last = first
		if a.Correct != first {
			t.Fatal("an answer is not correct as its first component says")
		}
		if moved {
			fresh[a.Mode]++
		}
		if a.Variant != "v" || len(a.Embedding) != 1 {
			t.Fatalf("noise changed more than label and reward: %+v", a)
		}
		if after[4].Mode != envs.Degenerate || after[5].Err == nil || after[5].Correct || after[5].Reward[0] != 0 {
			t.Fatal("noise gave a degenerate answer a strategy, or flipped one that does not parse")
		}
	}
	const label, flip = 0.3 * 5 / 6, 0.1
	for what, p := range map[string]float64{
		"labels that changed":           label,
		"labels of the other cluster":   0.3 / 6,
		"labels of a new cluster":       0.3 / 6,
		"flips of the first component":  flip,
		"flips of the second component": flip,
		"flips of both components":      flip * flip,
		"a label and a flip":            label * flip,
		"flips of two answers":          flip * flip,
		"labels of two answers":         label * label,
		"flips in two groups":           flip * flip,
	} {
		// Five standard deviations; the streams are fixed.
		if spread := 5 * math.Sqrt(n*p*(1-p)); math.Abs(float64(got[what])-n*p) > spread {
			t.Errorf("%s: %d of %d, want %.0f within %.0f", what, got[what], n, n*p, spread)
		}
	}
	if len(fresh) != 5 {
		t.Errorf("replaced labels are %v, want those of five clusters", fresh)
	}
}

// TestFormIsSpared: a component that judges the form alone does not err.
func TestFormIsSpared(t *testing.T) {
	g := group()
	(&envs.Noise{Reward: 1, Formal: []bool{false, true}}).Disturb(g, rng.New(2))
	for i, want := range flat(group()) {
		if got := flat(g)[i]; want.Err == nil && (got.Reward[0] != 1-want.Reward[0] || got.Reward[1] != want.Reward[1] || got.Correct == want.Correct) {
			t.Errorf("answer %d: %+v became %+v", i, want, got)
		}
	}
}

// TestNoiseKinds: one kind of noise does not move the draws of the other, and the
// key alone decides.
func TestNoiseKinds(t *testing.T) {
	labels := func(n envs.Noise) string {
		var out strings.Builder
		for i := range uint64(50) {
			g := group()
			n.Disturb(g, rng.New(i))
			for _, v := range flat(g) {
				fmt.Fprintf(&out, "%q ", v.Mode)
			}
		}
		return out.String()
	}
	if alone := labels(envs.Noise{Judge: 0.5}); alone != labels(envs.Noise{Judge: 0.5, Reward: 0.5}) || alone == labels(envs.Noise{}) {
		t.Error("the labels depend on the noise of rewards, or not on their own")
	}
}

// TestNoiseCopies: verdicts are shared, so the noise must not write to them.
func TestNoiseCopies(t *testing.T) {
	g := group()
	before := slices.Clone(flat(g))
	(&envs.Noise{Judge: 1, Reward: 1}).Disturb(g, rng.New(3))
	for i, want := range flat(group()) {
		v := before[i]
		if v.Mode != want.Mode || v.Correct != want.Correct || !slices.Equal(v.Reward, want.Reward) {
			t.Errorf("verdict %d was written to: %+v, want %+v", i, v, want)
		}
		if want.Err == nil && flat(g)[i] == v {
			t.Errorf("verdict %d was not flipped", i)
		}
	}
}
