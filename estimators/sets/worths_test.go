package sets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/estimators"
)

// kindlyGroup has rollouts of a few kinds, which differ in everything that an expression
// may read, or in the sign of a zero alone.
func kindlyGroup(r *rand.Rand, size, kinds int) estimators.Group {
	zero := 0.0
	var all []estimators.Rollout
	for k := range kinds {
		v := &envs.Verdict{Reward: []float64{float64(k) / 4, float64(k % 2)}, Correct: k%2 == 0, Mode: envs.Mode('A' + rune(k%3)), Answer: fmt.Sprint(k % 4)}
		if k%4 == 3 {
			v.Reward[1] = -zero
			v.Mode, v.Err = envs.Degenerate, errTried
		}
		all = append(all, estimators.Rollout{Tokens: 1 + k%3, Train: true, Candidates: []*envs.Verdict{v}})
	}
	g := estimators.Group{Problem: "kinds"}
	for range size {
		g.Rollouts = append(g.Rollouts, all[r.IntN(kinds)])
	}
	return g
}

var errTried = fmt.Errorf("tried")

// evaluated is the marginal advantage by its definition: every set is evaluated, and drawn
// as in groups of any size.
func evaluated(t *testing.T, e *SetRL, b *estimators.Batch) []float64 {
	t.Helper()
	_, x, err := e.chosen()
	if err != nil {
		t.Fatal(err)
	}
	var s setAdvantage
	g := &b.Groups[0]
	rewards, rollouts, err := s.Gather(g, b.Weights)
	if err != nil {
		t.Fatal(err)
	}
	size, draw := len(rewards), e.Sets
	if draw == 0 {
		draw = maxListed
	}
	x.begin(b.Context, rewards, rollouts, e.N)
	all := s.pass.All(size, e.N)
	if drawsSome(size, e.N, draw) {
		all = s.pass.Drawn(size, e.N, draw, s.stream.Of(b, "set-rl", g))
	}
	largest := 1.0
	for set := range all {
		f, err := x.worth(set)
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, f, -f)
		s.pass.Add(set, f)
	}
	out := make([]float64, size)
	s.pass.Marginal(out)
	estimators.ZeroBelow(out, estimators.Tiny*largest)
	estimators.ZeroBelow(out, estimators.Tiny)
	return out
}

// TestWorthsEqualEvaluation: worths that are remembered give the bits that evaluating every set
// gives, for expressions that depend on the order too, over all sets and drawn ones, whether kinds
// and sizes of sets are those of the groups before or not. Batches use their vectors again.
func TestWorthsEqualEvaluation(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	remembered := 0
	for _, text := range []string{
		"mean(reward) * distinct(mode) / n", "reward[0] - 0.3 * reward[n - 1]", "sum(map(vector, #[1])) + tokens[0]",
		`distinct(answer) + count(valid) / 7`, "any(correct, #)", "1 / (1 + len(filter(mode, # == mode[0])))",
	} {
		e := build(t, "set-rl", "objective="+text).Estimator.(*SetRL)
		for step := range 60 {
			size := 3 + r.IntN(38)
			b := batchOf(kindlyGroup(r, size, 1+r.IntN([]int{6, 6, 90}[r.IntN(3)])))
			b.Weights, b.Step = []float64{1, 0.5}, step
			e.Sets = []int{0, 1 + r.IntN(3000)}[step%2]
			if step%4 == 0 || e.N >= size {
				e.N = 1 + r.IntN(min(size-1, 9))
			}
			got, want := slices.Clone(advantages(t, e, b)[0]), evaluated(t, e, b)
			if _, x, _ := e.chosen(); x.worths.kind != nil {
				remembered++
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, sets of %d of %d: %v, want %v", text, e.N, size, got, want)
			}
			for _, rollout := range b.Groups[0].Rollouts {
				rollout.Candidates[0].Reward[1] = 99
			}
		}
	}
	if remembered < 100 {
		t.Errorf("worths were remembered in %d groups of 360 alone", remembered)
	}
}

// TestExpressionIsEvaluatedOncePerKind: an evaluation allocates, and over all groups of
// answers of four kinds there are 4^4 sets to evaluate, of twelve 12^4, which is more than
// the 4096 of one group, and of 70 all.
func TestExpressionIsEvaluatedOncePerKind(t *testing.T) {
	allocations := func(kinds int) float64 {
		e := build(t, "set-rl", "objective="+expressed["polychromic"]).Estimator
		r := rand.New(rand.NewPCG(14, 2))
		var batches []*estimators.Batch
		for step := range 40 {
			b := batchOf(kindlyGroup(r, 80, kinds))
			b.Weights, b.Step = []float64{1, 0.5}, step
			batches = append(batches, b)
		}
		dst := estimators.NewAdvantages(batches[0])
		return testing.AllocsPerRun(1, func() {
			e.(*SetRL).text = "" // the worths of the warm-up are forgotten
			for _, b := range batches {
				if err := e.Advantages(dst, b); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	four, twelve, many := allocations(4), allocations(12), allocations(70)
	if four > many/100 || twelve > many/5 {
		t.Errorf("%v allocations where answers are of 4 kinds, %v of 12, %v of 70: want a hundredth and a fifth of the last", four, twelve, many)
	}
}
