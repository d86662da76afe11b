package metrics

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
)

// small has everything the metrics tell apart: modes with correct and incorrect
// answers (A), several answers (B), only incorrect ones (C), correct and
// incorrect degenerate answers, tied and negative scores.
func small() Distribution {
	return Distribution{Modes: 3, Outcomes: []Outcome{
		outcome(0.30, "B", true, 1, 0),
		outcome(0.25, envs.Degenerate, false, 0, -1),
		outcome(0.15, "A", true, 0, 2),
		outcome(0.12, "A", false, 0, 0.5),
		outcome(0.10, "C", false, 0.25, 0),
		outcome(0.05, "B", true, 1, 1),
		outcome(0.03, envs.Degenerate, true, 1, 0),
	}}
}

func TestExactByHand(t *testing.T) {
	values, err := measureExact(small(), nil, 1)
	got := byName(t, values, err)
	entropy := func(ps ...float64) (h float64) {
		for _, p := range ps {
			h -= p * math.Log(p)
		}
		return h
	}
	near(t, "entropy_mode", got["entropy_mode"], entropy(0.35, 0.27, 0.10, 0.28), 1e-15)
	near(t, "entropy_sequence", got["entropy_sequence"], entropy(0.30, 0.25, 0.15, 0.12, 0.10, 0.05, 0.03), 1e-15)
	near(t, "modes_alive", got["modes_alive"], 3, 0)
	near(t, "correct_modes_alive", got["correct_modes_alive"], 2, 0)

	want := []Share{
		{envs.Degenerate, true, 0.03}, {"A", true, 0.15}, {"B", true, 0.30 + 0.05},
		{envs.Degenerate, false, 0.25}, {"A", false, 0.12}, {"C", false, 0.10},
	}
	if diff := cmp.Diff(want, small().shares()); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
}

func TestAliveThreshold(t *testing.T) {
	d := Distribution{Modes: 4, Outcomes: []Outcome{
		outcome(AliveMass, "exactly at the threshold: collapsed", true, 1, 0),
		outcome(0.03, "correct just below, alive with its incorrect answers", false, 0, 0),
		outcome(0.015, "correct just below, alive with its incorrect answers", true, 1, 0),
		outcome(0.5, "alive", true, 1, 0),
		outcome(1-0.5-0.045-AliveMass, envs.Degenerate, true, 1, 0),
	}}
	values, err := measureExact(d, nil, 1)
	got := byName(t, values, err)
	if got["modes_alive"] != 2 || got["correct_modes_alive"] != 1 {
		t.Errorf("alive %v, correct alive %v; want 2 and 1", got["modes_alive"], got["correct_modes_alive"])
	}
}

// TestRareEventsKeepTheirDigits compares with 200-digit arithmetic: computed as
// written, 1-(1-p)^k has no digit left at p = 1e-17.
func TestRareEventsKeepTheirDigits(t *testing.T) {
	for _, p := range []float64{1e-17, 1e-12, 1e-6, 0.01, 0.3, 0.999} {
		for _, k := range []int{1, 2, 16, 1024} {
			one := new(big.Float).SetPrec(700).SetInt64(1)
			base := new(big.Float).SetPrec(700).Sub(one, big.NewFloat(p))
			power := new(big.Float).SetPrec(700).Copy(one)
			for range k {
				power.Mul(power, base)
			}
			want, _ := new(big.Float).Sub(one, power).Float64()

			d := Distribution{Modes: 1, Outcomes: []Outcome{
				outcome(1-p, "wrong", false, 0, 0), outcome(p, "right", true, 1, 0),
			}}
			values, err := measureExact(d, []int{k}, k)
			got := byName(t, values, err)
			for _, name := range []string{atK("pass", k), atK("best", k), atK("coverage", k), "distinct_correct"} {
				if relative := math.Abs(got[name]/want - 1); !(relative < 1e-15) {
					t.Errorf("p %g, %s: got %v, want %v (relative error %.2g)", p, name, got[name], want, relative)
				}
			}
		}
	}
}

func TestImpossibleDistributions(t *testing.T) {
	good := outcome(1, "A", true, 1, 0)
	for _, test := range []struct {
		reason  string
		d       Distribution
		ks      []int
		samples int
		want    string
	}{
		{"no outcomes", Distribution{}, nil, 1, "the probabilities of 0 outcomes add up to 0, want 1 within 1e-09"},
		{"mass is missing", Distribution{Outcomes: []Outcome{outcome(0.5, "A", true, 1, 0)}, Modes: -1}, nil, 1,
			"the probabilities of 1 outcomes add up to 0.5, want 1 within 1e-09"},
		{"negative mass", Distribution{Outcomes: []Outcome{good, outcome(-0.1, "A", true, 1, 0)}, Modes: -1}, nil, 1,
			"outcome 1: probability -0.1, want a number in [0, 1]"},
		{"NaN is no probability", Distribution{Outcomes: []Outcome{outcome(math.NaN(), "A", true, 1, 0)}, Modes: -1}, nil, 1,
			"outcome 0: probability NaN, want a number in [0, 1]"},
		{"reward and weights differ", Distribution{Outcomes: []Outcome{{P: 1, Chain: []*envs.Verdict{{Reward: []float64{1}}}}}, Modes: -1}, nil, 1,
			"outcome 0: candidate 0: reward: 1 entries, want 2 (one per weight)"},
		{"reward is NaN", Distribution{Outcomes: []Outcome{outcome(1, "A", true, math.NaN(), 0)}, Modes: -1}, nil, 1,
			"outcome 0: candidate 0: w.r: got NaN, want a number within 1e+300 of 0"},
		{"truth contradicted", Distribution{Outcomes: []Outcome{good}, Modes: 0}, nil, 1,
			"1 distinct correct modes, but modes is 0"},
		{"an outcome without candidates", Distribution{Outcomes: []Outcome{{P: 1}}}, nil, 1, "outcome 0: empty, want at least 1 candidate"},
		{"chains of two lengths, one of them impossible", Distribution{Outcomes: []Outcome{good, {P: 0, Chain: append(good.Chain, good.Chain...)}}}, nil, 1,
			"outcome 1: 2 candidates, want 1 as in outcome 0"},
		{"no verdict", Distribution{Outcomes: []Outcome{{P: 1, Chain: []*envs.Verdict{nil}}}}, nil, 1, "outcome 0: candidate 0: nil, want a verdict"},
		{"the number of an outcome after impossible ones", Distribution{Outcomes: []Outcome{
			outcome(0, "A", true, 1, 0), outcome(1, "A", true, math.Inf(1), 0)}, Modes: -1}, nil, 1,
			"outcome 1: candidate 0: w.r: got +Inf, want a number within 1e+300 of 0"},
		{"k = 0", Distribution{Outcomes: []Outcome{good}, Modes: 1}, []int{1, 0}, 1, "k[1]: 0, want at least 1"},
		{"k twice", Distribution{Outcomes: []Outcome{good}, Modes: 1}, []int{1, 1}, 1, "k[1]: 1 is listed twice"},
		{"no samples", Distribution{Outcomes: []Outcome{good}, Modes: 1}, nil, 0, "samples is 0, want at least 1"},
	} {
		if _, err := measureExact(test.d, test.ks, test.samples); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
}

func TestExactProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		masses := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 30).Draw(t, "masses")
		total := 1e-3 * float64(len(masses))
		for _, m := range masses {
			total += m
		}
		d := Distribution{Modes: 6}
		for i, m := range masses {
			mode := envs.Mode([]string{"", "a", "b", "c", "d", "e", "f"}[rapid.IntRange(0, 6).Draw(t, "mode")])
			r := rapid.Float64Range(-3, 3).Draw(t, "r")
			d.Outcomes = append(d.Outcomes, outcome((m+1e-3)/total, mode, i%3 == 0, r, 1))
		}
		values, err := measureExact(d, []int{1, 2, 4, 8, 64, 4096}, 16)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]float64{}
		for _, v := range values {
			m[v.Name] = v.Mean
		}
		if math.Abs(m["best@1"]-m["reward"]) > 1e-12 || m["pass@1"] != m["accuracy"] {
			t.Errorf("best@1 %v, reward %v; pass@1 %v, accuracy %v", m["best@1"], m["reward"], m["pass@1"], m["accuracy"])
		}
		for i, k := range []int{2, 4, 8, 64, 4096} {
			before := []int{1, 2, 4, 8, 64}[i]
			for _, name := range []string{"pass", "best"} {
				if m[atK(name, k)] < m[atK(name, before)] {
					t.Errorf("%s falls from %d to %d", name, before, k)
				}
			}
			if c := m[atK("coverage", k)]; c < 0 || c > 1 {
				t.Errorf("coverage@%d is %v", k, c)
			}
		}
		if m["entropy_mode"] > m["entropy_sequence"]+1e-12 || m["entropy_mode"] < 0 {
			t.Errorf("entropies %v, %v: a mode is a function of the answer", m["entropy_mode"], m["entropy_sequence"])
		}
		// Another order of the outcomes moves the last bits at most.
		shuffled := Distribution{Outcomes: rapid.Permutation(d.Outcomes).Draw(t, "shuffled"), Modes: d.Modes}
		again, err := measureExact(shuffled, []int{1, 2, 4, 8, 64, 4096}, 16)
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			near(t, fmt.Sprint("shuffled ", values[i].Name), again[i].Mean, values[i].Mean, 1e-12)
		}
	})
}

func TestImpossibleOutcomesChangeNothing(t *testing.T) {
	with := small()
	with.Outcomes = append(with.Outcomes, outcome(0, "D", true, 9, 9), outcome(0, "E", false, -9, 0))
	want, err := measureExact(small(), []int{1, 4}, 8)
	if err != nil {
		t.Fatal(err)
	}
	got, err := measureExact(with, []int{1, 4}, 8)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-without +with):\n%s", diff)
	}
}

// TestMetricBits pins the bits of every metric of distributions and pools, of
// single answers and of chains, through a hash: they must not depend on GOAMD64
// or on the architecture.
func TestMetricBits(t *testing.T) {
	chained := small()
	chained.Outcomes = nil
	pool, chains := Pool{Modes: 3}, Pool{Modes: 3, Front: [][]float64{{0, 2}, {1, 1}}}
	for i, o := range small().Outcomes {
		pool.Chains = append(pool.Chains, o.Chain)
		next := small().Outcomes[(i+3)%7].Chain
		chains.Chains = append(chains.Chains, append(o.Chain, next...))
		chained.Outcomes = append(chained.Outcomes, Outcome{P: o.P, Chain: chains.Chains[i]})
	}
	for _, test := range []struct {
		name string
		add  func(t *Table) error
		want uint64
	}{
		{"distribution", func(t *Table) error { return t.AddExact(small()) }, 0xcc1224bab9fc4f4b},
		{"pool", func(t *Table) error { return t.Add(pool) }, 0x3eef0f8549e3de61},
		{"distribution of chains", func(t *Table) error { return t.AddExact(chained) }, 0xb017ee556f4f935f},
		{"pool of chains", func(t *Table) error { return t.Add(chains) }, 0x3fc81aaecba10394},
		{"optimum", func(t *Table) error { return t.AddOptimum(3, chains.Front) }, 0x8e0176077afae0d9},
	} {
		o := Options{Weights: testWeights, K: []int{1, 3, 7}, Samples: 8, Draws: Scalarisations(2, 5)}
		values, err := measure(o, test.add)
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		for _, v := range values {
			if v.Name == HeadroomMetric { // a difference of two of the others
				continue
			}
			fmt.Fprintf(h, "%s %x\n", v.Name, math.Float64bits(v.Mean))
		}
		if got := h.Sum64(); got != test.want {
			t.Errorf("%s: hash %#x, want %#x", test.name, got, test.want)
		}
	}
}

// TestRareEventsOfChains compares chances of 3 candidates from chains of two
// with 200-digit arithmetic: 1 - (1-C)(1-C_1).
func TestRareEventsOfChains(t *testing.T) {
	wrong, right := verdict("wrong", false, 0, 0), verdict("right", true, 1, 0)
	for _, p := range []float64{1e-17, 1e-12, 1e-6, 0.01, 0.3} {
		d := Distribution{Modes: 1, Outcomes: []Outcome{
			{P: 1 - 2*p, Chain: []*envs.Verdict{wrong, wrong}}, {P: p, Chain: []*envs.Verdict{right, wrong}}, {P: p, Chain: []*envs.Verdict{wrong, right}},
		}}
		values, err := measureExact(d, []int{3}, 3)
		got := byName(t, values, err)
		big1 := func(x float64) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(x) }
		whole := new(big.Float).Mul(big1(2), big1(p))
		miss := new(big.Float).Mul(new(big.Float).Sub(big1(1), whole), new(big.Float).Sub(big1(1), big1(p)))
		want, _ := new(big.Float).Sub(big1(1), miss).Float64()
		for _, name := range []string{"pass@3", "best@3", "coverage@3", "distinct_correct"} {
			if relative := math.Abs(got[name]/want - 1); !(relative < 1e-15) {
				t.Errorf("p %g, %s: got %v, want %v (relative error %.2g)", p, name, got[name], want, relative)
			}
		}
	}
}
