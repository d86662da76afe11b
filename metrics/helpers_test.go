package metrics

import (
	"math"
	"testing"

	"modebench/envs"
)

// testWeights is the w* of the tests' rewards of two components.
var testWeights = []float64{1, 0.5}

// verdict is a Verdict with a reward of two components.
func verdict(mode envs.Mode, correct bool, r0, r1 float64) *envs.Verdict {
	return &envs.Verdict{Mode: mode, Correct: correct, Reward: []float64{r0, r1}}
}

// outcome is an Outcome of one candidate.
func outcome(p float64, mode envs.Mode, correct bool, r0, r1 float64) Outcome {
	return Outcome{P: p, Chain: []*envs.Verdict{verdict(mode, correct, r0, r1)}}
}

// chainsOfOne makes a chain of each verdict.
func chainsOfOne(verdicts ...*envs.Verdict) [][]*envs.Verdict {
	chains := make([][]*envs.Verdict, len(verdicts))
	for i, v := range verdicts {
		chains[i] = []*envs.Verdict{v}
	}
	return chains
}

// measurePool returns the metrics of one pool under testWeights.
func measurePool(p Pool, ks []int) ([]Value, error) {
	return measure(Options{Weights: testWeights, K: ks}, func(t *Table) error { return t.Add(p) })
}

// measureExact returns the metrics of one distribution under testWeights.
func measureExact(d Distribution, ks []int, samples int) ([]Value, error) {
	return measure(Options{Weights: testWeights, K: ks, Samples: samples}, func(t *Table) error { return t.AddExact(d) })
}

func measure(o Options, add func(t *Table) error) ([]Value, error) {
	t, err := NewTable(o)
	if err != nil {
		return nil, err
	}
	if err := add(t); err != nil {
		return nil, err
	}
	return t.Values(), nil
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

// reporter has the methods that *testing.T and *rapid.T share.
type reporter interface {
	Helper()
	Errorf(string, ...any)
}

// near fails unless got is within tolerance of want, relative where want
// exceeds 1.
func near(t reporter, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.17g, want %.17g (within %g)", what, got, want, tolerance)
	}
}
