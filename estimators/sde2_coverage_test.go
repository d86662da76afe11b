package estimators

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
)

// SD-E2 sec. 2 has "our coverage objective is monotone submodular". These tests show how much of that
// holds. As a function of the strategies appended to a chain, Uniq is monotone and has diminishing
// returns. As a function of the set of strategies it is neither, because the greedy choice depends
// on who came first, and g = Uniq Div, the reward, is not even monotone in appended
// strategies, because one more copy lowers the mean distance.

// hOf is H of strategies with these embeddings.
func hOf(t failer, vectors ...[]float32) *reasonings {
	t.Helper()
	h := &reasonings{}
	var candidates []*envs.Verdict
	for _, v := range vectors {
		candidates = append(candidates, &envs.Verdict{Mode: "A", Embedding: v})
	}
	if err := h.gather(candidates); err != nil {
		t.Fatalf("%v", err)
	}
	return h
}

func uniq(t failer, delta float64, vectors ...[]float32) int {
	t.Helper()
	return hOf(t, vectors...).unique(delta)
}

func drawReasonings(t *rapid.T) [][]float32 {
	var out [][]float32
	for range rapid.IntRange(2, 9).Draw(t, "reasonings") {
		v := []float32{1, 0, 0}
		for i := range v {
			v[i] += float32(rapid.IntRange(-3, 3).Draw(t, "entry"))
		}
		if v[0] != 0 || v[1] != 0 || v[2] != 0 {
			out = append(out, v)
		}
	}
	return out
}

// TestUniqAlongAChain: each strategy a chain appends adds 0 or 1 to Uniq, and never
// more to a longer beginning of the chain than to a shorter one.
func TestUniqAlongAChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawReasonings(t)
		delta := rapid.Float64Range(-0.5, 1).Draw(t, "delta")
		extra := []float32{1, float32(rapid.IntRange(-2, 2).Draw(t, "extra")), 1}
		before, least := 0, 1
		for n := range len(h) + 1 {
			now := uniq(t, delta, h[:n]...)
			if n > 0 && now != before && now != before+1 {
				t.Errorf("strategy %d takes Uniq from %d to %d", n, before, now)
			}
			gain := uniq(t, delta, append(slices.Clone(h[:n]), extra)...) - now
			if gain < 0 || gain > least {
				t.Errorf("another strategy adds %d after %d, and %d after fewer", gain, n, least)
			}
			before, least = now, gain
		}
	})
}

// TestUniqIsNoFunctionOfTheSet shows the three ways in which it is not a monotone
// submodular one, with a strategy in the middle of others.
func TestUniqIsNoFunctionOfTheSet(t *testing.T) {
	left, middle, right := []float32{1, 0}, []float32{3, 3}, []float32{0, 1} // cosines 0, 0.71, 0.71
	const delta = 0.6
	if a, b := uniq(t, delta, left, middle, right), uniq(t, delta, middle, left, right); a != 2 || b != 1 {
		t.Errorf("not symmetric: want 2 and, the middle first, 1; got %d and %d", a, b)
	}
	if a, b := uniq(t, delta, left, right), uniq(t, delta, middle, left, right); a != 2 || b != 1 {
		t.Errorf("not monotone: inserting the middle before the two takes 2 to 1; got %d to %d", a, b)
	}
	// The gain of the right one is 0 after the middle, and 1 after the left and the middle.
	few := uniq(t, delta, middle, right) - uniq(t, delta, middle)
	more := uniq(t, delta, left, middle, right) - uniq(t, delta, left, middle)
	if few != 0 || more != 1 {
		t.Errorf("not submodular: want a gain of 0 with fewer and 1 with more strategies in place; got %d and %d", few, more)
	}
}

// TestNoveltyIsNotMonotone: three copies beside another strategy are worth less than
// one, so that padding a chain does not pay.
func TestNoveltyIsNotMonotone(t *testing.T) {
	x, y := []float32{1, 0}, []float32{0, 1}
	var got []float64
	for _, vectors := range [][][]float32{{x, y}, {x, y, x}, {x, y, x, x}} {
		h := hOf(t, vectors...)
		got = append(got, float64(h.unique(0.8))*h.diversity())
	}
	near(t, "2, then 2 times 2/3, then 2 times 1/2", got, []float64{2, 4. / 3, 1}, 1e-15)
}

// TestDivAndUniqOfFew: the conventions of sec. 3.2, and copies.
func TestDivAndUniqOfFew(t *testing.T) {
	x, scaled, y, opposite := []float32{1, 2}, []float32{3, 6}, []float32{2, -1}, []float32{-1, -2}
	for _, c := range []struct {
		reason  string
		vectors [][]float32
		unique  int
		div     float64
	}{
		{"none: 0", nil, 0, 0},
		{"only an embedding without a direction, which is left out", [][]float32{{0, 0}, nil}, 0, 0},
		{"one: 1", [][]float32{x}, 1, 1},
		{"one and one without a direction", [][]float32{{0, 0}, x}, 1, 1},
		{"copies: exactly 0", [][]float32{x, x, x}, 1, 0},
		{"another length is no difference", [][]float32{x, scaled}, 1, 0},
		{"orthogonal", [][]float32{x, y}, 2, 1},
		{"opposite: clamped to 1", [][]float32{x, opposite}, 2, 1},
	} {
		h := hOf(t, c.vectors...)
		if got := h.unique(0.8); got != c.unique {
			t.Errorf("%s: Uniq is %d, want %d", c.reason, got, c.unique)
		}
		near(t, c.reason+": Div", []float64{h.diversity()}, []float64{c.div}, 0)
	}
}

// TestUniqAtTheThreshold: a cosine equal to delta is different enough, to the last
// bit, and a cosine of a vector with itself is never above 1.
func TestUniqAtTheThreshold(t *testing.T) {
	for _, c := range []struct {
		u, v  []float32
		delta float64
	}{
		{[]float32{1, 0}, []float32{4, 3}, 0.8},
		{[]float32{5, 12}, []float32{12, 5}, 120. / 169},
		{[]float32{1, 1, 0}, []float32{0, 1, 1}, 0.5},
		{[]float32{0.1, 0.3, 0.7}, []float32{0.1, 0.3, 0.7}, 1},
	} {
		if got := uniq(t, c.delta, c.u, c.v); got != 2 {
			t.Errorf("%v and %v at their own cosine %v: Uniq is %d, want 2", c.u, c.v, c.delta, got)
		}
		if got := uniq(t, c.delta-1e-9, c.u, c.v); got != 1 {
			t.Errorf("%v and %v just below their cosine: Uniq is %d, want 1", c.u, c.v, got)
		}
	}
}

// TestValidStrategies: the definition (eqs. 8-9), and that an outcome is correct
// after any reasoning (eq. 42).
func TestValidStrategies(t *testing.T) {
	for _, c := range []struct {
		reason string
		v      envs.Verdict
		valid  int
		solved bool
	}{
		{"reasoning and outcome", envs.Verdict{Mode: "A", Answer: "7"}, 1, false},
		{"a correct one", envs.Verdict{Mode: "A", Answer: "7", Correct: true}, 1, true},
		{"no reasoning", envs.Verdict{Mode: envs.Degenerate, Answer: "7"}, 0, false},
		{"no reasoning, but correct", envs.Verdict{Mode: envs.Degenerate, Answer: "7", Correct: true}, 0, true},
		{"no outcome", envs.Verdict{Mode: "A"}, 0, false},
		{"does not parse", envs.Verdict{Mode: envs.Degenerate, Err: fmt.Errorf("no")}, 0, false},
	} {
		got := readChain(&Rollout{}, []*envs.Verdict{&c.v}, nil)
		if got.strategies != c.valid || got.solved != c.solved {
			t.Errorf("%s: %+v, want %d valid, solved: %v", c.reason, got, c.valid, c.solved)
		}
	}
}
