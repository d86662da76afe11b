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

// outcome is an Outcome with a reward of two components.
func outcome(p float64, mode envs.Mode, correct bool, r0, r1 float64) Outcome {
	return Outcome{p, envs.Verdict{Mode: mode, Correct: correct, Reward: []float64{r0, r1}}}
}

var testWeights = []float64{1, 0.5}

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

// byName indexes values, failing on a repeated name.
func byName(t testing.TB, values []Value, err error) map[string]float64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]float64{}
	for _, v := range values {
		if _, twice := m[v.Name]; twice {
			t.Fatalf("%s appears twice", v.Name)
		}
		m[v.Name] = v.Mean
	}
	return m
}

// eachTuple calls f with every k-tuple of outcomes and its probability.
func eachTuple(d Distribution, k int, f func(p float64, tuple []envs.Verdict)) {
	var extend func(p float64, tuple []envs.Verdict)
	extend = func(p float64, tuple []envs.Verdict) {
		if len(tuple) == k {
			f(p, tuple)
			return
		}
		for _, o := range d.Outcomes {
			extend(p*o.P, append(tuple[:len(tuple):len(tuple)], o.Verdict))
		}
	}
	extend(1, nil)
}

// enumerated holds the expectations over all k-tuples, from definitions.
type enumerated struct{ pass, best, coverage, distinctCorrect, distinctIncorrect float64 }

func enumerate(d Distribution, k int) (e enumerated) {
	eachTuple(d, k, func(p float64, tuple []envs.Verdict) {
		best := math.Inf(-1)
		correct, incorrect := map[envs.Mode]bool{}, map[envs.Mode]bool{}
		solved := false
		for _, v := range tuple {
			best = math.Max(best, testWeights[0]*v.Reward[0]+testWeights[1]*v.Reward[1])
			solved = solved || v.Correct
			if v.Mode != envs.Degenerate && v.Correct {
				correct[v.Mode] = true
			}
			if v.Mode != envs.Degenerate && !v.Correct {
				incorrect[v.Mode] = true
			}
		}
		if solved {
			e.pass += p
		}
		e.best += p * best
		e.coverage += p * float64(len(correct)) / float64(min(k, d.Modes))
		e.distinctCorrect += p * float64(len(correct))
		e.distinctIncorrect += p * float64(len(incorrect))
	})
	return e
}

func TestExactAgainstAllTuples(t *testing.T) {
	d := small()
	for k := 1; k <= 5; k++ {
		values, err := d.Metrics(testWeights, []int{k}, k)
		got := byName(t, values, err)
		want := enumerate(d, k)
		near(t, atK("pass", k), got[atK("pass", k)], want.pass, 1e-12)
		near(t, atK("best", k), got[atK("best", k)], want.best, 1e-12)
		near(t, atK("coverage", k), got[atK("coverage", k)], want.coverage, 1e-12)
		near(t, "distinct_correct", got["distinct_correct"], want.distinctCorrect, 1e-12)
		near(t, "distinct_incorrect", got["distinct_incorrect"], want.distinctIncorrect, 1e-12)
		near(t, "accuracy", got["accuracy"], 0.53, 1e-15)
		near(t, "reward", got["reward"], enumerate(d, 1).best, 1e-15)
	}
}

func TestExactByHand(t *testing.T) {
	values, err := small().Metrics(testWeights, nil, 1)
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
	if diff := cmp.Diff(want, small().Shares()); diff != "" {
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
	values, err := d.Metrics(testWeights, nil, 1)
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
			values, err := d.Metrics(testWeights, []int{k}, k)
			got := byName(t, values, err)
			for _, name := range []string{atK("pass", k), atK("best", k), atK("coverage", k), "distinct_correct"} {
				if relative := math.Abs(got[name]/want - 1); !(relative < 1e-15) {
					t.Errorf("p %g, %s: got %v, want %v (relative error %.2g)", p, name, got[name], want, relative)
				}
			}
		}
	}
}

// TestSampledIsUnbiased takes the expectation of the sampled metrics over every
// possible pool of n answers: it is the exact metric, but for the entropy,
// whose plug-in estimate is documented to be low.
func TestSampledIsUnbiased(t *testing.T) {
	const n = 5
	d := Distribution{Modes: 2, Outcomes: []Outcome{
		outcome(0.4, "A", true, 1, 0), outcome(0.25, "A", false, 0, 0.5),
		outcome(0.2, "B", true, 0.75, 1), outcome(0.15, envs.Degenerate, false, -1, 0),
	}}
	ks := []int{1, 2, 3, n}
	values, err := d.Metrics(testWeights, ks, n)
	want := byName(t, values, err)
	mean := map[string]float64{}
	eachTuple(d, n, func(p float64, tuple []envs.Verdict) {
		values, err := Sampled(Pool{d.Modes, tuple}, testWeights, ks)
		for name, x := range byName(t, values, err) {
			mean[name] += p * x
		}
	})
	for name, x := range mean {
		if name == "entropy_mode" {
			if !(x < want[name]-0.05) {
				t.Errorf("mean plug-in entropy %v, expected clearly below %v", x, want[name])
			}
			continue
		}
		near(t, name, x, want[name], 1e-12)
	}
	if len(mean) != 3*len(ks)+5 {
		t.Errorf("%d metrics, want %d", len(mean), 3*len(ks)+5)
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
		{"mass is missing", Distribution{[]Outcome{outcome(0.5, "A", true, 1, 0)}, -1}, nil, 1,
			"the probabilities of 1 outcomes add up to 0.5, want 1 within 1e-09"},
		{"negative mass", Distribution{[]Outcome{good, outcome(-0.1, "A", true, 1, 0)}, -1}, nil, 1,
			"outcome 1: probability -0.1, want a number in [0, 1]"},
		{"NaN is no probability", Distribution{[]Outcome{outcome(math.NaN(), "A", true, 1, 0)}, -1}, nil, 1,
			"outcome 0: probability NaN, want a number in [0, 1]"},
		{"reward and weights differ", Distribution{[]Outcome{{1, envs.Verdict{Reward: []float64{1}}}}, -1}, nil, 1,
			"outcome 0: reward: 1 entries, want 2 (one per weight)"},
		{"reward is NaN", Distribution{[]Outcome{outcome(1, "A", true, math.NaN(), 0)}, -1}, nil, 1,
			"outcome 0: w.r: got NaN, want a number within 1e+300 of 0"},
		{"truth contradicted", Distribution{[]Outcome{good}, 0}, nil, 1,
			"1 distinct correct modes, but modes says that 0 exist"},
		{"k = 0", Distribution{[]Outcome{good}, 1}, []int{1, 0}, 1, "k[1]: 0, want at least 1"},
		{"k twice", Distribution{[]Outcome{good}, 1}, []int{1, 1}, 1, "k[1]: 1 is listed twice"},
		{"no samples", Distribution{[]Outcome{good}, 1}, nil, 0, "samples is 0, want at least 1"},
	} {
		if _, err := test.d.Metrics(testWeights, test.ks, test.samples); err == nil || err.Error() != test.want {
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
		values, err := d.Metrics(testWeights, []int{1, 2, 4, 8, 64, 4096}, 16)
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
		shuffled := Distribution{rapid.Permutation(d.Outcomes).Draw(t, "shuffled"), d.Modes}
		again, err := shuffled.Metrics(testWeights, []int{1, 2, 4, 8, 64, 4096}, 16)
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
	want, err := small().Metrics(testWeights, []int{1, 4}, 8)
	if err != nil {
		t.Fatal(err)
	}
	got, err := with.Metrics(testWeights, []int{1, 4}, 8)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-without +with):\n%s", diff)
	}
}

// TestMetricBits pins the bits of every metric of one distribution and one pool
// through a hash: they must not depend on GOAMD64 or on the architecture.
func TestMetricBits(t *testing.T) {
	d := small()
	ks := []int{1, 3, 7}
	exactly, err := d.Metrics(testWeights, ks, 8)
	if err != nil {
		t.Fatal(err)
	}
	pool := Pool{Modes: d.Modes}
	for _, o := range d.Outcomes {
		pool.Verdicts = append(pool.Verdicts, o.Verdict)
	}
	sampled, err := Sampled(pool, testWeights, ks)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		values []Value
		want   uint64
	}{{"exact", exactly, 0x90db9c927b79ad64}, {"sampled", sampled, 0x6c1325e1b9469f7b}} {
		h := fnv.New64a()
		for _, v := range test.values {
			fmt.Fprintf(h, "%s %x\n", v.Name, math.Float64bits(v.Mean))
		}
		if got := h.Sum64(); got != test.want {
			t.Errorf("%s: hash %#x, want %#x", test.name, got, test.want)
		}
	}
}
