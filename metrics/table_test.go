package metrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

func TestImpossibleOptions(t *testing.T) {
	for _, test := range []struct {
		reason string
		o      Options
		want   string
	}{
		{"no weights", Options{}, "weights: none, want one per reward component"},
		{"a weight that is no number", Options{Weights: []float64{1, math.NaN()}}, "weights[1]: got NaN, want a finite number"},
		{"k = 0", Options{Weights: testWeights, K: []int{0}}, "k[0]: 0, want at least 1"},
		{"k twice", Options{Weights: testWeights, K: []int{2, 3, 2}}, "k[2]: 2 is listed twice"},
		{"a draw of another dimension", Options{Weights: testWeights, Draws: [][]float64{{1}}}, "draws[0]: 1 entries, want 2 (one per weight)"},
		{"no cosine is above 1", Options{Weights: testWeights, Delta: 1.5}, "delta: got 1.5, want a cosine in [-1, 1]"},
		{"nor is NaN one", Options{Weights: testWeights, Delta: math.NaN()}, "delta: got NaN, want a cosine in [-1, 1]"},
		{"a draw off the simplex", Options{Weights: testWeights, Draws: [][]float64{{1, 0}, {2, -1}}}, "draws[1][0]: got 2, want a number in [0, 1]"},
	} {
		if _, err := NewTable(test.o); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestTable averages over problems of different kinds: each metric over those
// that have it.
func TestTable(t *testing.T) {
	table, err := NewTable(Options{Weights: []float64{1, 1}, K: []int{1}, Samples: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Values()) != 0 {
		t.Errorf("a table of no problems: %v", table.Values())
	}
	pool := Pool{Modes: -1, Chains: chainsOfOne(verdict("A", true, 1, 0), verdict("", false, 0, 0))}
	if err := table.Add(pool); err != nil {
		t.Fatal(err)
	}
	bad := Pool{Modes: -1, Chains: chainsOfOne(verdict("A", true, 1, 0), verdict("", false, 0, math.NaN()))}
	if err := table.Add(bad); err == nil {
		t.Fatal("a reward of NaN is no error")
	}
	table.AddValue("modes_alive", 3)
	table.AddValue("tokens", 10)
	exactly := Distribution{Modes: 1, Front: [][]float64{{1, 1}}, Outcomes: []Outcome{outcome(1, "A", true, 1, 1)}}
	if err := table.AddExact(exactly); err != nil {
		t.Fatal(err)
	}
	table.AddValue("tokens", 20)
	table.AddValue("entropy_token", 0.5)
	want := []Value{
		{"pass@1", 0.75, 2}, {"best@1", 1.25, 2}, {"best_first@1", 1.5, 2}, {"regret@1", 0, 1}, {"coverage@1", 1, 1}, {"front_coverage@1", 1, 1},
		{"accuracy", 0.75, 2}, {"reward", 1.25, 2}, {"distinct_correct", 1, 2}, {"distinct_incorrect", 0, 2},
		{"entropy_mode", math.Log(2) / 2, 2}, {"entropy_sequence", 0, 1},
		{"modes_alive", 2, 2}, {"correct_modes_alive", 1, 1}, // of AddValue and AddExact alike
		{"reward_l1", 0.5, 2}, {"reward_l1_correct", 0, 1},
		// Weights 1/4, 1/4, 1/2 on (1,0), (0,0), (1,1): covariance 1/8, variances 3/16 and 1/4.
		{"rho_bar", 1. / 8 / math.Sqrt(3./16*1./4), 2},
		{"headroom", 0, 2}, {"entropy_token", 0.5, 1}, {"tokens", 15, 2},
	}
	if diff := cmp.Diff(want, table.Values(), cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(table.Values(), table.Values()); diff != "" {
		t.Errorf("asking again changes the values:\n%s", diff)
	}
}

// A metric that is registered and that no function adds has no value.
func TestTablesGiveEveryMetricOfAnswers(t *testing.T) {
	o := Options{Weights: testWeights, K: []int{1}, Samples: 2, Draws: Scalarisations(2, 2), Variants: true,
		Answers: true, Measure: []string{MeasureVotes, MeasureRollouts, MeasureEmbeddings}, Delta: 0.8}
	table, err := NewTable(o)
	if err != nil {
		t.Fatal(err)
	}
	front := [][]float64{{1, 0.5}, {0.5, 1}}
	a, b := verdict("A", true, 1, 0.5), verdict("B", true, 0.5, 1)
	a.Variant, b.Variant = "a", "b"
	a.Answer, b.Answer = "1", "2"
	a.Embedding, b.Embedding = []float32{1, 0}, []float32{0, 1}
	chains := [][]*envs.Verdict{{a, b}, {b, a}}
	if err := table.Add(Pool{Modes: 2, Front: front, Chains: chains}); err != nil {
		t.Fatal(err)
	}
	if err := table.AddExact(Distribution{Modes: 2, Front: front, Outcomes: []Outcome{{P: 0.5, Chain: chains[0]}, {P: 0.5, Chain: chains[1]}}}); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, v := range table.Values() {
		got = append(got, strings.Replace(v.Name, "@1", "@k", 1))
	}
	// Those of the policy come from AddValue and AddExact.
	for _, m := range All() {
		if !m.Policy || slices.Contains(got, m.Name) {
			want = append(want, m.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-listed +measured):\n%s", diff)
	}
}

func TestScalarisations(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 64} {
		draws := Scalarisations(d, 4000)
		mean, square := 0.0, 0.0
		for _, w := range draws {
			near(t, "sum", total(w), 1, 1e-14)
			if slices.Min(w) < 0 || len(w) != d {
				t.Fatalf("%v is not on the simplex", w)
			}
			mean += w[0] / 4000
			square += w[0] * w[0] / 4000
		}
		// The first component is Beta(1, d-1).
		near(t, "mean", mean, 1/float64(d), 0.02)
		near(t, "mean square", square, 2/float64(d*(d+1)), 0.02)
		if diff := cmp.Diff(draws[:7], Scalarisations(d, 7)); diff != "" {
			t.Errorf("a shorter list is another one:\n%s", diff)
		}
	}
	// With all rotations no component is favoured.
	mean := make([]float64, 4)
	for _, w := range Scalarisations(4, 128) {
		for j, x := range w {
			mean[j] += x / 128
		}
	}
	for _, m := range mean {
		near(t, "mean weight", m, 0.25, 1e-15)
	}
	for _, none := range []int{0, -1} {
		if len(Scalarisations(2, none)) != 0 || len(Scalarisations(none, 1)[0]) != 0 {
			t.Error("draws of nothing")
		}
	}
	// They are part of every result, so they never change.
	want := []float64{0.6871905008132992, 0.22978847903630018, 0.08302102015040058}
	if diff := cmp.Diff(want, Scalarisations(3, 1)[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
