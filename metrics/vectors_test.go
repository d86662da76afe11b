package metrics

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"modebench/envs"
)

// vectorPool draws a pool of chains whose rewards have d components, with ties.
func vectorPool(t *rapid.T, d int) Pool {
	m := rapid.IntRange(1, 3).Draw(t, "m")
	p := Pool{Modes: -1}
	for range rapid.IntRange(1, 20).Draw(t, "n") {
		var chain []*envs.Verdict
		for range m {
			v := &envs.Verdict{Correct: rapid.Bool().Draw(t, "correct"), Mode: envs.Mode(rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "mode"))}
			for range d {
				v.Reward = append(v.Reward, rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 0.1, -3}), rapid.Float64Range(-10, 10)).Draw(t, "r"))
			}
			chain = append(chain, v)
		}
		p.Chains = append(p.Chains, chain)
	}
	return p
}

func flatten(chains [][]*envs.Verdict) []*envs.Verdict {
	var all []*envs.Verdict
	for _, chain := range chains {
		all = append(all, chain...)
	}
	return all
}

func TestRewardDistanceAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 5).Draw(t, "d")
		p := vectorPool(t, d)
		values, err := measure(Options{Weights: envs.UniformWeights(d)}, func(t *Table) error { return t.Add(p) })
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, v := range values {
			got[v.Name] = v.Mean
		}
		all := flatten(p.Chains)
		for _, name := range []string{"reward_l1", "reward_l1_correct"} {
			sum, pairs := 0.0, 0.0
			for i, v := range all {
				for _, u := range all[:i] {
					if name == "reward_l1" || v.Correct && u.Correct {
						for j := range d {
							sum += math.Abs(u.Reward[j] - v.Reward[j])
						}
						pairs++
					}
				}
			}
			value, defined := got[name]
			if defined != (pairs > 0) {
				t.Fatalf("%s: defined is %v with %v pairs", name, defined, pairs)
			}
			if defined {
				near(t, name, value, sum/pairs, 1e-13)
			}
		}
	})
}

// TestRhoBarAgainstGonum flattens pools of one size by hand and takes gonum's
// correlations.
func TestRhoBarAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 5).Draw(t, "d")
		constant := rapid.IntRange(-1, d-1).Draw(t, "constant")
		n := rapid.IntRange(2, 10).Draw(t, "n")
		table, err := NewTable(Options{Weights: envs.UniformWeights(d), Samples: 1})
		if err != nil {
			t.Fatal(err)
		}
		columns := make([][]float64, d)
		for problem := range rapid.IntRange(1, 5).Draw(t, "problems") {
			p, exactly := Pool{Modes: -1}, Distribution{Modes: -1}
			for range n {
				v := &envs.Verdict{}
				for j := range d {
					x := rapid.Float64Range(-1, 1).Draw(t, "r") + 100
					if j == constant {
						x = 0.1
					}
					v.Reward = append(v.Reward, x)
					columns[j] = append(columns[j], x)
				}
				p.Chains = append(p.Chains, []*envs.Verdict{v})
				exactly.Outcomes = append(exactly.Outcomes, Outcome{P: 1 / float64(n), Chain: []*envs.Verdict{v}})
			}
			if problem%2 == 0 { // a distribution weighs as much as a pool
				err = table.Add(p)
			} else {
				err = table.AddExact(exactly)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sum, pairs := 0.0, 0.0
		for i := range d {
			for j := range i {
				if i == constant || j == constant {
					continue
				}
				if stat.Variance(columns[i], nil) < 1e-12 || stat.Variance(columns[j], nil) < 1e-12 {
					t.Skip("another component hardly varies")
				}
				sum += stat.Correlation(columns[i], columns[j], nil)
				pairs++
			}
		}
		for _, v := range table.Values() {
			if v.Name == "rho_bar" {
				near(t, "rho_bar", v.Mean, sum/pairs, 1e-7)
				pairs = 0
			}
		}
		if pairs > 0 {
			t.Error("rho_bar is missing")
		}
	})
}

func TestRhoBarByHand(t *testing.T) {
	for _, test := range []struct {
		reason  string
		rewards [][]float64
		want    float64
		defined bool
	}{
		{"one component is twice the other", [][]float64{{1, 2}, {2, 4}, {5, 10}}, 1, true},
		{"opposite", [][]float64{{1, -1}, {0.3, -0.3}, {0.25, -0.25}}, -1, true},
		{"uncorrelated", [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, 0, true},
		{"means 2 and 7/3, covariance 3/3, variances 2/3 and 14/9", [][]float64{{1, 1}, {2, 2}, {3, 4}}, 1 / math.Sqrt(2./3*14./9), true},
		{"the third component has no variance", [][]float64{{1, 2, 0.1}, {2, 4, 0.1}, {5, 10, 0.1}}, 1, true},
		{"nor a variance that is not rounding", [][]float64{{1, 2, 0.3}, {2, 4, 0.1 + 0.2}, {5, 10, 0.3}}, 1, true},
		{"two of three pairs are opposite", [][]float64{{1, 1, 0}, {0, 0, 1}}, -1. / 3, true},
		{"one component is left", [][]float64{{1, 2}, {1, 4}}, 0, false},
		{"none is left", [][]float64{{1, 2}, {1, 2}}, 0, false},
		{"a single candidate", [][]float64{{1, 2}}, 0, false},
		{"one component", [][]float64{{1}, {2}}, 0, false},
		{"large numbers with a small spread", [][]float64{{1e8, 1e8}, {1e8 + 1, 1e8 + 1}, {1e8 + 2, 1e8 + 2}}, 1, true},
		{"the squares are the largest that exist", [][]float64{{1e150, 1e150}, {-1e150, -1e150}}, 1, true},
	} {
		p := Pool{Modes: -1}
		for _, r := range test.rewards {
			p.Chains = append(p.Chains, []*envs.Verdict{{Reward: r}})
		}
		values, err := measure(Options{Weights: envs.UniformWeights(len(test.rewards[0]))}, func(t *Table) error { return t.Add(p) })
		got, defined := byName(t, values, err)["rho_bar"]
		if defined != test.defined {
			t.Errorf("%s: defined is %v", test.reason, defined)
		}
		near(t, test.reason, got, test.want, 1e-15)
	}
}

// TestRhoBarFlattens: components that never vary together within a problem may
// do so across problems, and each problem weighs the same whatever its pool.
func TestRhoBarFlattens(t *testing.T) {
	table, err := NewTable(Options{Weights: testWeights})
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range []Pool{
		{Modes: -1, Chains: chainsOfOne(verdict("", false, 0, 0), verdict("", false, 0, 1))},
		{Modes: -1, Chains: chainsOfOne(verdict("", false, 1, 1), verdict("", false, 1, 2), verdict("", false, 1, 1), verdict("", false, 1, 2))},
	} {
		if err := table.Add(pool); err != nil {
			t.Fatal(err)
		}
	}
	got := byName(t, table.Values(), nil)["rho_bar"]
	// Means 1/2 and 1; mean squares 1/2 and (1/2 + 5/2)/2; mean product 3/4.
	near(t, "rho_bar", got, (3./4-1./2)/math.Sqrt(1./4*(3./2-1)), 1e-15)
	if _, defined := byName(t, func() []Value {
		values, err := measurePool(Pool{Modes: -1, Chains: chainsOfOne(verdict("", false, 0, 0), verdict("", false, 0, 1))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return values
	}(), nil)["rho_bar"]; defined {
		t.Error("rho_bar of the first problem alone is not defined")
	}
}

func TestPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 4).Draw(t, "d")
		var pools []Pool
		for range rapid.IntRange(1, 4).Draw(t, "problems") {
			p := vectorPool(t, d)
			p.Modes = rapid.SampledFrom([]int{-1, 3, 7}).Draw(t, "modes")
			if rapid.Bool().Draw(t, "truth known") {
				var vectors [][]float64
				for _, v := range flatten(p.Chains) {
					vectors = append(vectors, v.Reward)
				}
				p.Front = envs.ParetoFront(vectors)
			}
			pools = append(pools, p)
		}
		run := func(pools []Pool) []Value {
			table, err := NewTable(Options{Weights: envs.UniformWeights(d), K: []int{1}, Draws: Scalarisations(d, 5)})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pools {
				if err := table.Add(p); err != nil {
					t.Fatal(err)
				}
			}
			return table.Values()
		}
		values := run(pools)
		most := 0
		var reordered []Pool
		for _, p := range pools {
			most = max(most, len(flatten(p.Chains)))
			p.Chains = rapid.Permutation(p.Chains).Draw(t, "chains")
			reordered = append(reordered, p)
		}
		for i, v := range run(reordered) {
			if v != values[i] && v.Name != "best_first@1" {
				t.Errorf("the draw order changed %+v to %+v", values[i], v)
			}
		}
		for i, v := range run(rapid.Permutation(pools).Draw(t, "pools")) {
			near(t, v.Name+" in another order of problems", v.Mean, values[i].Mean, 1e-12)
			if v.Name != values[i].Name || v.Problems != values[i].Problems {
				t.Errorf("the order of problems changed %+v to %+v", values[i], v)
			}
		}
		for _, v := range values {
			if why := outOfRange(v, most); why != "" {
				t.Errorf("%s: %+v", why, v)
			}
		}
	})
}
