package metrics

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
)

// The reward vectors of the tests' candidates: two on the front, the others
// dominated, with ties under testWeights and a negative component.
var (
	testFront = [][]float64{{0, 2}, {1, 1}}
	alphabet  = []*envs.Verdict{
		verdict("A", true, 1, 1),
		verdict("B", true, 0, 2),
		verdict("A", false, 0, 0.5),
		verdict(envs.Degenerate, false, -1, 0),
		verdict("B", true, 0, 2),
		verdict("C", true, 1, 0), // ties with B under testWeights
		verdict(envs.Degenerate, true, 0.25, 1),
		verdict("C", false, 0, 0.5),
	}
)

// exactOptions measures everything at all k up to most.
func exactOptions(most, samples int) Options {
	o := Options{Weights: testWeights, Samples: samples, Draws: Scalarisations(2, 3)}
	for k := 1; k <= most; k++ {
		o.K = append(o.K, k)
	}
	return o
}

// testChains draws n chains of m candidates of the alphabet.
func testChains(t *rapid.T, n, m int) [][]*envs.Verdict {
	chains := make([][]*envs.Verdict, n)
	for i := range chains {
		chains[i] = rapid.SliceOfN(rapid.SampledFrom(alphabet), m, m).Draw(t, fmt.Sprint("chain", i))
	}
	return chains
}

// shown holds the metrics of k candidates by their definitions.
type shown struct {
	pass, coverage, front float64
	best                  []float64 // under testWeights and each of the draws
	distinct              [2]float64
}

func show(candidates []*envs.Verdict, modes int, draws [][]float64) shown {
	var s shown
	found := [2]map[envs.Mode]bool{{}, {}}
	front := map[int]bool{}
	for _, v := range candidates {
		if v.Correct {
			s.pass = 1
		}
		side := 0
		if !v.Correct {
			side = 1
		}
		if v.Mode != envs.Degenerate {
			found[side][v.Mode] = true
		}
		if at := slices.IndexFunc(testFront, func(u []float64) bool { return slices.Equal(u, v.Reward) }); at >= 0 {
			front[at] = true
		}
	}
	s.distinct = [2]float64{float64(len(found[0])), float64(len(found[1]))}
	s.coverage = s.distinct[0] / float64(min(len(candidates), modes))
	s.front = float64(len(front)) / float64(min(len(candidates), len(testFront)))
	for _, w := range append([][]float64{testWeights}, draws...) {
		best := math.Inf(-1)
		for _, v := range candidates {
			best = math.Max(best, v.Scalar(w))
		}
		s.best = append(s.best, best)
	}
	return s
}

// expected collects weighted sums of shown by metric name, exactly.
type expected map[string]*big.Rat

func (e expected) add(name string, weight *big.Rat, value float64) {
	if e[name] == nil {
		e[name] = new(big.Rat)
	}
	term := new(big.Rat).SetFloat64(value)
	e[name].Add(e[name], term.Mul(term, weight))
}

func (e expected) addShown(weight *big.Rat, k int, s shown) {
	e.add(atK("pass", k), weight, s.pass)
	e.add(atK("coverage", k), weight, s.coverage)
	e.add(atK("front_coverage", k), weight, s.front)
	e.add(atK("best", k), weight, s.best[0])
	e.add(atK("regret", k), weight, 1.5-s.best[0])
	each := new(big.Rat).Quo(weight, big.NewRat(int64(len(s.best)-1), 1))
	for _, best := range s.best[1:] {
		e.add(atK("ew_best", k), each, best)
	}
}

// eachOrderedChoice calls f with every ordered choice of some of n things.
func eachOrderedChoice(n, some int, f func(choice []int)) {
	var extend func(choice []int)
	extend = func(choice []int) {
		if len(choice) == some {
			f(choice)
			return
		}
		for i := range n {
			if !slices.Contains(choice, i) {
				extend(append(choice[:len(choice):len(choice)], i))
			}
		}
	}
	extend(nil)
}

// TestPoolsAgainstAllOrderedChoices holds the closed forms against the average
// over all ordered choices of whole chains and a beginning, in rationals.
func TestPoolsAgainstAllOrderedChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 3).Draw(t, "m")
		n := rapid.IntRange(1, 4).Draw(t, "n")
		pool := Pool{Modes: 5, Front: testFront, Chains: testChains(t, n, m)}
		o := exactOptions(n*m, 0)
		values, err := measure(o, func(t *Table) error { return t.Add(pool) })
		if err != nil {
			t.Fatal(err)
		}
		want := expected{}
		for _, k := range o.K {
			chosen := (k + m - 1) / m
			orders := int64(1)
			for i := range chosen {
				orders *= int64(n - i)
			}
			eachOrderedChoice(n, chosen, func(choice []int) {
				var candidates []*envs.Verdict
				for _, chain := range choice {
					candidates = append(candidates, pool.Chains[chain]...)
				}
				want.addShown(big.NewRat(1, orders), k, show(candidates[:k], pool.Modes, o.Draws))
			})
		}
		compared := 0
		for _, v := range values {
			if r := want[v.Name]; r != nil {
				x, _ := r.Float64()
				near(t, v.Name, v.Mean, x, 1e-14)
				compared++
			}
		}
		if compared != len(want) {
			t.Errorf("%d metrics compared, want %d", compared, len(want))
		}
	})
}

// rationalDistribution draws a few distinct chains with probabilities that are
// binary fractions, so that floats hold them exactly.
func rationalDistribution(t *rapid.T, m int) Distribution {
	d := Distribution{Modes: 4, Front: testFront}
	chains := testChains(t, 3, m)
	first := rapid.IntRange(1, 30).Draw(t, "p0")
	second := rapid.IntRange(1, 31-first).Draw(t, "p1")
	for i, p := range []int{first, second, 32 - first - second} {
		d.Outcomes = append(d.Outcomes, Outcome{P: float64(p) / 32, Chain: chains[i]})
	}
	return d
}

// eachPool calls f with every sequence of n chains and its probability.
func eachPool(d Distribution, n int, f func(p *big.Rat, chains [][]*envs.Verdict)) {
	var extend func(p *big.Rat, chains [][]*envs.Verdict)
	extend = func(p *big.Rat, chains [][]*envs.Verdict) {
		if len(chains) == n {
			f(p, chains)
			return
		}
		for _, o := range d.Outcomes {
			q := new(big.Rat).SetFloat64(o.P)
			extend(q.Mul(q, p), append(chains[:len(chains):len(chains)], o.Chain))
		}
	}
	extend(big.NewRat(1, 1), nil)
}

// distances is the sum of the L1 distances of all pairs, and their number.
func distances(candidates []*envs.Verdict, correct bool) (sum, pairs float64) {
	for i, v := range candidates {
		for _, u := range candidates[:i] {
			if !correct || v.Correct && u.Correct {
				sum += math.Abs(u.Reward[0]-v.Reward[0]) + math.Abs(u.Reward[1]-v.Reward[1])
				pairs++
			}
		}
	}
	return sum, pairs
}

// TestExactAgainstAllPools holds every exact metric of k candidates against the
// sum over all sequences of chains.
func TestExactAgainstAllPools(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 3).Draw(t, "m")
		k := rapid.IntRange(1, 4*m).Draw(t, "k")
		d := rationalDistribution(t, m)
		o := exactOptions(0, k)
		o.K = []int{k}
		values, err := measure(o, func(t *Table) error { return t.AddExact(d) })
		if err != nil {
			t.Fatal(err)
		}
		want := expected{}
		correctPairs := new(big.Rat)
		eachPool(d, (k+m-1)/m, func(p *big.Rat, chains [][]*envs.Verdict) {
			candidates := slices.Concat(chains...)[:k]
			s := show(candidates, d.Modes, o.Draws)
			want.addShown(p, k, s)
			want.add(atK("best_first", k), p, s.best[0])
			want.add("distinct_correct", p, s.distinct[0])
			want.add("distinct_incorrect", p, s.distinct[1])
			if sum, pairs := distances(candidates, false); pairs > 0 {
				want.add("reward_l1", p, sum/pairs)
			}
			sum, pairs := distances(candidates, true)
			want.add("reward_l1_correct", p, sum)
			correctPairs.Add(correctPairs, new(big.Rat).Mul(p, new(big.Rat).SetFloat64(pairs)))
		})
		if correctPairs.Sign() > 0 {
			want["reward_l1_correct"].Quo(want["reward_l1_correct"], correctPairs)
		} else {
			delete(want, "reward_l1_correct")
		}
		for _, o := range d.Outcomes {
			for _, v := range o.Chain {
				p := new(big.Rat).SetFloat64(o.P)
				p.Quo(p, big.NewRat(int64(m), 1))
				want.add("reward", p, v.Scalar(testWeights))
				right := 0.0
				if v.Correct {
					right = 1
				}
				want.add("accuracy", p, right)
			}
		}
		compareExpected(t, values, want, "entropy_mode entropy_sequence modes_alive correct_modes_alive rho_bar headroom")
	})
}

// compareExpected compares all values but those named.
func compareExpected(t *rapid.T, values []Value, want expected, others string) {
	compared := 0
	for _, v := range values {
		r := want[v.Name]
		if r == nil {
			if !slices.Contains(strings.Fields(others), v.Name) {
				t.Errorf("%s: unexpected", v.Name)
			}
			continue
		}
		x, _ := r.Float64()
		near(t, v.Name, v.Mean, x, 1e-12)
		compared++
	}
	if compared != len(want) {
		t.Errorf("%d metrics compared, want %d: %v", compared, len(want), values)
	}
}

// TestSampledIsUnbiased takes the expectation of the sampled metrics over every
// possible pool of n chains: it is the exact metric, but for the entropy, whose
// plug-in estimate is low, and for metrics that some pools lack.
func TestSampledIsUnbiased(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 3).Draw(t, "m")
		n := rapid.IntRange(1, 4).Draw(t, "n")
		d := rationalDistribution(t, m)
		o := exactOptions(n*m, n*m)
		exactly, err := measure(o, func(t *Table) error { return t.AddExact(d) })
		if err != nil {
			t.Fatal(err)
		}
		mean, mass := expected{}, expected{}
		eachPool(d, n, func(p *big.Rat, chains [][]*envs.Verdict) {
			values, err := measure(o, func(t *Table) error { return t.Add(Pool{Modes: d.Modes, Front: d.Front, Chains: chains}) })
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				mean.add(v.Name, p, v.Mean)
				mass.add(v.Name, p, 1)
			}
		})
		for _, v := range exactly {
			switch v.Name {
			case "entropy_sequence", "modes_alive", "correct_modes_alive", "rho_bar":
				continue
			case "reward_l1_correct":
				// Given that there are two correct answers, unbiased for m = 1 only.
				if m > 1 {
					continue
				}
				mean[v.Name].Quo(mean[v.Name], mass[v.Name])
			}
			if mean[v.Name] == nil {
				t.Fatalf("%s has an exact value and no estimate", v.Name)
			}
			got, _ := mean[v.Name].Float64()
			if v.Name == "entropy_mode" {
				if got > v.Mean+1e-12 {
					t.Errorf("mean plug-in entropy %v above the entropy %v", got, v.Mean)
				}
				continue
			}
			near(t, v.Name, got, v.Mean, 1e-12)
		}
	})
}

// TestLargePoolsApproachTheExactDistances: for chains the distance of correct
// pairs is a ratio estimate, which tends to the exact form.
func TestLargePoolsApproachTheExactDistances(t *testing.T) {
	d := Distribution{Modes: 4, Outcomes: []Outcome{
		{P: 0.5, Chain: []*envs.Verdict{alphabet[0], alphabet[1]}},
		{P: 0.25, Chain: []*envs.Verdict{alphabet[2], alphabet[5]}},
		{P: 0.25, Chain: []*envs.Verdict{alphabet[3], alphabet[2]}},
	}}
	p := Pool{Modes: 4}
	for i := range 4000 {
		p.Chains = append(p.Chains, d.Outcomes[[]int{0, 1, 0, 2}[i%4]].Chain)
	}
	values, err := measurePool(p, nil)
	got := byName(t, values, err)
	values, err = measureExact(d, nil, 8000)
	want := byName(t, values, err)
	for _, name := range []string{"reward_l1", "reward_l1_correct"} {
		near(t, name, got[name], want[name], 1e-3)
	}
}

// TestWholeChainsAndBeginnings is a chain pool by hand: two chains of two.
func TestWholeChainsAndBeginnings(t *testing.T) {
	p := Pool{Modes: 2, Front: testFront, Chains: [][]*envs.Verdict{
		{verdict("A", false, 0, 0), verdict("A", true, 1, 1)},
		{verdict("B", true, 0, 2), verdict("A", false, 0, 0)},
	}}
	values, err := measurePool(p, []int{1, 2, 3, 4})
	got := byName(t, values, err)
	for name, want := range map[string]float64{
		"pass@1": 1. / 2, "coverage@1": 1. / 2, "best@1": 1. / 2, "best_first@1": 0, // first candidates only
		"pass@2": 1, "coverage@2": 1. / 2, "best@2": 1.25, "best_first@2": 1.5, // one whole chain: 1.5 or 1
		// The first chain and the beginning of the second, or the other way round.
		"pass@3": 1, "coverage@3": 3. / 4, "best@3": 1.25, "best_first@3": 1.5,
		"pass@4": 1, "coverage@4": 1, "best@4": 1.5, "best_first@4": 1.5,
		"front_coverage@3": 3. / 4, "regret@3": 0.25, "regret@4": 0,
		"accuracy": 0.5, "reward": 2.5 / 4,
		"reward_l1": (2 + 2 + 0 + 2 + 2 + 2) / 6., "reward_l1_correct": 2,
		"hypervolume": 1,
	} {
		near(t, name, got[name], want, 1e-15)
	}
}
