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

// group makes rollouts of two answers each: modes A A B B, a degenerate one and
// one that does not parse, correct by turns.
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
	g, same := group(), group()
	before := slices.Clone(flat(g))
	envs.Noise{}.Disturb(g, rng.New(1))
	if !slices.Equal(before, flat(g)) {
		t.Error("without noise a verdict was replaced")
	}
	if fmt.Sprintf("%+v", *g[0][0]) != fmt.Sprintf("%+v", *same[0][0]) {
		t.Error("without noise a verdict was changed")
	}
}

// TestNoiseRates holds the frequencies against the probabilities: of six numbers
// two are clusters of the group and four are new; a label is replaced by its own
// one in six times.
func TestNoiseRates(t *testing.T) {
	const n = 20000
	noise := envs.Noise{Judge: 0.3, Reward: 0.1}
	relabelled, fresh, flipped, both := 0, map[envs.Mode]int{}, 0, 0
	for i := range uint64(n) {
		g := group()
		before := flat(group())
		noise.Disturb(g, rng.New(7).Int(i))
		after := flat(g)
		v := after[1] // mode A, wrong
		if v.Mode != "A" {
			relabelled++
			fresh[v.Mode]++
		}
		if v.Correct {
			flipped++
			if v.Mode != "A" {
				both++
			}
			if v.Reward[0] != 0.75 || v.Reward[1] != 0 {
				t.Fatalf("flipped reward %v, want 1 less what it was", v.Reward)
			}
		}
		if v.Variant != "v" || len(v.Embedding) != 1 {
			t.Fatalf("noise changed more than label and reward: %+v", v)
		}
		if after[4].Mode != envs.Degenerate || after[5].Err == nil || after[5].Correct || after[5].Reward[0] != 0 {
			t.Fatal("noise gave a degenerate answer a strategy, or flipped one that does not parse")
		}
		for k, u := range after {
			if u.Correct == before[k].Correct && !slices.Equal(u.Reward, before[k].Reward) {
				t.Fatal("a reward flipped by itself")
			}
		}
	}
	for what, c := range map[string]struct {
		got  int
		want float64
	}{
		"labels that changed":         {relabelled, 0.3 * 5 / 6},
		"labels of the other cluster": {fresh["B"], 0.3 / 6},
		"labels of a new cluster":     {fresh["\x003"], 0.3 / 6},
		"flips":                       {flipped, 0.1},
		"both":                        {both, 0.1 * 0.3 * 5 / 6}, // independent
	} {
		// Five standard deviations; the streams are fixed.
		if spread := 5 * math.Sqrt(n*c.want*(1-c.want)); math.Abs(float64(c.got)-n*c.want) > spread {
			t.Errorf("%s: %d of %d, want %.0f within %.0f", what, c.got, n, n*c.want, spread)
		}
	}
	if len(fresh) != 5 {
		t.Errorf("replaced labels are %v, want those of five clusters", fresh)
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
	kept := slices.Clone(flat(g))
	envs.Noise{Judge: 1, Reward: 1}.Disturb(g, rng.New(3))
	for i, want := range flat(group()) {
		v := kept[i]
		if v.Mode != want.Mode || v.Correct != want.Correct || !slices.Equal(v.Reward, want.Reward) {
			t.Errorf("verdict %d was written to: %+v, want %+v", i, v, want)
		}
		if want.Err == nil && flat(g)[i] == v {
			t.Errorf("verdict %d was not flipped", i)
		}
	}
}
