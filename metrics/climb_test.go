package metrics

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// plainTails is climb as its comment defines it: the masses of chains by their best
// rank among the first candidates of each length, in the order of the chains, then sums from
// the top.
func plainTails(a *answers, lengths []int, scores []float64) ([]float64, tails) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	var ascending []float64
	for _, i := range order {
		ascending = append(ascending, scores[i])
	}
	out := tails{len(scores), make([]float64, len(lengths)*len(scores))}
	for at, length := range lengths {
		row := out.within(at)
		for chain, mass := range a.mass {
			best := 0
			for _, number := range a.vector[chain*a.m : chain*a.m+length] {
				best = max(best, slices.Index(order, int(number)))
			}
			row[best] += mass
		}
		for i := len(row) - 2; i >= 0; i-- {
			row[i] += row[i+1]
		}
	}
	return ascending, out
}

// TestClimb compares climb with the plain version, to the bit, for single answers and
// chains of pools and of distributions, under many weights for one table: tails that are kept
// for other weights and problems are not mixed up.
func TestClimb(t *testing.T) {
	r := rng.New(11).Rand()
	table, err := NewTable(Options{Weights: testWeights, K: []int{1, 2, 4, 5, 7}, Samples: 8})
	if err != nil {
		t.Fatal(err)
	}
	draws := Scalarisations(2, 40)
	for problem := range 60 {
		m, n := 1+problem%3, 8+r.IntN(80)
		p, d := Pool{Modes: -1}, Distribution{Modes: -1}
		for range n {
			var chain []*envs.Verdict
			for range m {
				chain = append(chain, verdict("mode", false, float64(r.IntN(3)), float64(r.IntN(4))/3))
			}
			p.Chains = append(p.Chains, chain)
			d.Outcomes = append(d.Outcomes, Outcome{P: r.Float64(), Chain: chain})
		}
		sum := 0.0
		for _, o := range d.Outcomes {
			sum += o.P
		}
		for i := range d.Outcomes {
			d.Outcomes[i].P /= sum
		}
		add := func() error { return table.Add(p) }
		if problem/3%2 == 1 {
			add = func() error { return table.AddExact(d) }
		}
		if err := add(); err != nil {
			t.Fatal(err)
		}
		a := &table.answers
		for i, w := range draws {
			scores := make([]float64, len(a.vectors))
			for number, v := range a.vectors {
				scores[number] = dot(w, v)
			}
			ascending, got := table.climb(a, scores)
			plain, want := plainTails(a, table.plan.lengths, scores)
			if !slices.Equal(ascending, plain) || got.events != want.events {
				t.Fatalf("problem %d, draw %d: scores %v, want %v", problem, i, ascending, plain)
			}
			if !slices.EqualFunc(got.data, want.data, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
				t.Fatalf("problem %d, draw %d: tails %v, want %v", problem, i, got.data, want.data)
			}
		}
	}
}
