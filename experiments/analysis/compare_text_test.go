package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

func interval(n int, mean, low, high float64) stats.Interval {
	return stats.Interval{N: n, Mean: mean, Low: low, High: high}
}

// handMade is a comparison with every kind of row; no number in it was computed.
func handMade() *Comparison {
	inf, nan := math.Inf(1), math.NaN()
	seeds := func(n int) []final {
		out := make([]final, n)
		for i := range out {
			out[i].seed = i
		}
		return out
	}
	variant := func(label string, cells ...record.Ref) record.Variant {
		return record.Variant{Label: label, Name: label, Method: label, Cells: cells}
	}
	side := func(dir, label string) Side { return Side{&record.Run{Dir: dir}, label} }
	metrics := []string{"reward", "entropy_mode", "pass@4", "modes_alive", "reward_l1"}
	return &Comparison{
		Old: side("results/a", ""), New: side("results/b", ""), Statistic: StatisticMean, Metrics: metrics,
		Variants: []VariantComparison{
			{
				Old: variant("grpo", record.Ref{ID: "x"}), New: variant("grpo", record.Ref{ID: "y"}),
				Chosen: []FieldDifference{{"train.lr", "0.1", "0.2"}}, old: seeds(10), new: seeds(10),
				Metrics: []MetricComparison{
					{Metric: "reward", Paired: true, Old: interval(10, 0.5, 0.4, 0.6), New: interval(10, 0.75, 0.7, 0.8), Delta: interval(10, 0.25, 0.2, 0.3), Improvement: interval(10, 0.95, 0.7, 0.99), P: 0.0098, Need: 8, Verdict: VerdictMoved},
					{Metric: "entropy_mode", Paired: true, Old: interval(10, 1.25, 1, 1.5), New: interval(10, 1.2488, 1, 1.5), Delta: interval(10, -0.0012, -0.0034, 0.00002), Improvement: interval(10, 0.5, 0.3, 0.7), P: 0.3125, Need: 8, Verdict: VerdictUnclear},
					{Metric: "pass@4", Paired: true, Old: interval(10, 1, 1, 1), New: interval(10, 1, 1, 1), Delta: interval(10, 0, 0, 0), Improvement: interval(10, 0.5, 0.27, 0.73), P: 1, Need: 8, Verdict: VerdictSame},
					{Metric: "modes_alive", Paired: true, Old: interval(5, 4, 3, 5), New: interval(5, 1204, 1000, 1300), Delta: interval(5, 1200, 990, 1300), Improvement: interval(5, 1, 0.6, 1), P: nan, Need: 8, Verdict: VerdictUnderpowered},
					{Metric: "reward_l1", Paired: true, Old: interval(10, 0.125, 0.1, 0.2), New: interval(0, nan, nan, nan), Delta: interval(0, nan, nan, nan), Improvement: interval(0, nan, nan, nan), P: nan, Need: 8, Verdict: VerdictUndefined},
				},
			},
			{
				Old: variant("rloo"), New: variant("vpo", record.Ref{ID: "z"}), old: seeds(10), new: seeds(1),
				Metrics: []MetricComparison{
					{Metric: "reward", Old: interval(10, 0.5, 0.4, 0.6), New: interval(1, 0.25, -inf, inf), Delta: interval(1, -0.25, -inf, inf), Improvement: interval(1, 0, 0, 0.4), P: nan, Need: 6, Verdict: VerdictUnderpowered},
					{Metric: "entropy_mode", Old: interval(10, 1, 1, 1), New: interval(9, 1, 1, 1), Delta: interval(9, 3e-9, 1e-9, 5e-9), Improvement: interval(9, 0.9, 0.6, 1), P: 0.0001, Need: 6, Verdict: VerdictMoved},
				},
			},
		},
		OnlyOld: []string{"base", "dapo lr=1"}, OnlyNew: []string{"gspo"}, LeftOut: []string{"best@2"},
	}
}

func TestCompareText(t *testing.T) {
	want := `old: results/a
new: results/b
mean over seeds after training; ~: not significant at level 0.05
delta: new - old [95% interval, each metric alone]
p: sign-flip test on the differences by seed, corrected for the metrics of a variant (Holm); a verdict takes 8 seeds
p: U-test, seeds unpaired, corrected for the metrics of a variant (Holm); a verdict takes 6 seeds a side
P(new>old): chance that a seed of new is above one of old, ties half [95% interval]

  metric        old       new       delta                            p                              P(new>old)
grpo: 10 seeds, paired; differs in train.lr 0.1 -> 0.2
  reward        0.500     0.750     +0.250 [+0.200, +0.300]          (p=0.010 n=10)                 0.95 [0.70, 0.99]
  entropy_mode  1.2500    1.2488    -0.0012 [-0.0034, +2.0e-05]      ~ (p=0.312 n=10)               0.50 [0.30, 0.70]
  pass@4        1.000     1.000     0                                same (n=10)                    0.50
  modes_alive   4.000     1204.000  +1200.000 [+990.000, +1300.000]  underpowered, need 8 (n=5)     1.00 [0.60, 1.00]
  reward_l1     0.125     n/a       n/a                              n/a                            n/a
rloo -> vpo: unpaired, 10 and 1 seed
  reward        0.500     0.250     -0.250                           underpowered, need 6 (n=10+1)  0.00 [0.00, 0.40]
  entropy_mode  1.000000  1.000000  +3.0e-09 [+1.0e-09, +5.0e-09]    (p<0.001 n=10+9)               0.90 [0.60, 1.00]

only in old: base; dapo lr=1
only in new: gspo
not in the records of both: best@2
why 8 seeds: so that the least p, 2/2^n of n pairs, is below 0.05 after correction for 4 metrics (of one: 6)
why 6 seeds: so that the least p, 2/C(2n,n) of n seeds a side, is below 0.05 after correction for 2 metrics; 6 in any case
too few seeds for a verdict: run more (bench run SPEC --seeds N) or compare fewer metrics (--metric);
bench compare OLD NEW --metric modes_alive --detect 0.05 counts the seeds that show a difference of 0.05
`
	if d := cmp.Diff(want, CompareText(handMade(), false)); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
}

// TestCompareTextOfOneMetric: a row for each variant, and the settings that variants share only
// once.
func TestCompareTextOfOneMetric(t *testing.T) {
	c := handMade()
	first := c.Variants[0]
	first.Metrics = first.Metrics[:1]
	second := first
	second.Old.Label, second.New.Label = "a label that is longer", "a label that is longer"
	third := second
	third.Chosen, third.new = nil, third.new[:6]
	c.Metrics, c.Variants = []string{"reward"}, []VariantComparison{first, second, third}
	c.OnlyOld, c.OnlyNew, c.LeftOut = nil, nil, nil
	_, table, _ := strings.Cut(CompareText(c, true), "\n\n")
	want := `reward                  old    new    delta                    p               P(new>old)
grpo                    0.500  0.750  +0.250 [+0.200, +0.300]  (p=0.010 n=10)  0.95 [0.70, 0.99]
a label that is longer  0.500  0.750  +0.250 [+0.200, +0.300]  (p=0.010 n=10)  0.95 [0.70, 0.99]
a label that is longer  0.500  0.750  +0.250 [+0.200, +0.300]  (p=0.010 n=10)  0.95 [0.70, 0.99]
grpo, a label that is longer: 10 seeds, paired; differs in train.lr 0.1 -> 0.2
a label that is longer: paired by the 6 seeds that both have, of 10 and 6
`
	if d := cmp.Diff(want, table); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
}

// TestCompareTextWithoutTheSame: variants whose rows are all the same are counted and
// named, with the setting that made no difference, and shown if asked for.
func TestCompareTextWithoutTheSame(t *testing.T) {
	same := func(label string, cell string, chosen ...FieldDifference) VariantComparison {
		v := handMade().Variants[0]
		v.Old.Label, v.New.Label, v.New.Name, v.Chosen = label, label, label, chosen
		v.New.Cells = []record.Ref{{ID: cell}}
		v.Metrics = v.Metrics[2:3] // pass@4
		v.New.Trains = label != "base"
		return v
	}
	undefined := same("optimum", "x")
	undefined.Metrics = append(slices.Clone(undefined.Metrics), MetricComparison{Metric: "entropy_mode", Old: interval(0, math.NaN(), 0, 0), New: interval(0, math.NaN(), 0, 0), Verdict: VerdictUndefined})
	every := FieldDifference{"eval.every", "20", "10"}
	for _, c := range []struct {
		reason   string
		variants []VariantComparison
		want     string // after the table
	}{
		{"nothing is the same", nil, ""},
		{"one row", []VariantComparison{same("base", "x")}, "\n1 row of 1 method is the same in both: not shown, --all shows it (base)\n"},
		{"what neither side has is the same", []VariantComparison{same("base", "x"), undefined}, "\n3 rows of 2 methods are the same in both: not shown, --all shows them (base, optimum)\n"},
		{"more names than a line holds", []VariantComparison{same(strings.Repeat("a", 30), "x"), same(strings.Repeat("b", 30), "x"), same("c", "x")}, "\n3 rows of 3 methods are the same in both: not shown, --all shows them (" + strings.Repeat("a", 30) + " and 2 more)\n"},
		{"a setting that changed nothing", []VariantComparison{same("base", "x", FieldDifference{"train.lr", "1", "2"}), same("dapo", "y", every), same("gspo", "z", every)}, "\n3 rows of 3 methods are the same in both: not shown, --all shows them\n  base: no setting differs\n  dapo, gspo: differs in eval.every 20 -> 10\n"},
	} {
		comparison := handMade()
		comparison.OnlyOld, comparison.OnlyNew, comparison.LeftOut = nil, nil, nil
		comparison.Variants = append(comparison.Variants, c.variants...)
		text := CompareText(comparison, false)
		_, after, _ := strings.Cut(text, "0.90 [0.60, 1.00]\n")
		after, _, _ = strings.Cut(after, "\nwhy 8 seeds")
		if d := cmp.Diff(c.want, after); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
		if all := CompareText(comparison, true); strings.Contains(all, "--all") || strings.Count(all, "pass@4") != 1+len(c.variants) {
			t.Errorf("%s: with all rows\n%s", c.reason, all)
		}
	}
	only := handMade()
	only.Variants = []VariantComparison{same("base", "x")}
	if text := CompareText(only, false); strings.Contains(text, "  metric ") || strings.Contains(text, "\n\n\n") {
		t.Errorf("a table without rows:\n%s", text)
	}
}

func TestDifferencesText(t *testing.T) {
	list := []FieldDifference{{"train.lr", "0.1", "0.2"}, {"kl", "k3", "exact"}, {"kl_coef", "0", "0.25"}}
	for _, c := range []struct {
		reason string
		width  int
		want   string
	}{
		{"room for all", 60, "train.lr 0.1 -> 0.2, kl k3 -> exact, kl_coef 0 -> 0.25"},
		{"room for two: 35 characters", 35, "train.lr 0.1 -> 0.2, kl k3 -> exact and 1 more"},
		{"one character less", 34, "train.lr 0.1 -> 0.2 and 2 more"},
		{"the first is always said", 0, "train.lr 0.1 -> 0.2 and 2 more"},
	} {
		if got := differencesText(list, c.width); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestCellDifferences: which differences are the comparison, and which spoil it.
func TestCellDifferences(t *testing.T) {
	cell := func(method, env string, version int, estimator, train, eval map[string]any) record.Cell {
		return record.Cell{Version: version, Method: method, Env: record.Component{Name: env, Params: map[string]any{env: 1.}}, Estimator: estimator, Train: train, Eval: eval}
	}
	for _, c := range []struct {
		reason           string
		old, new         record.Cell
		measured, chosen string
	}{
		{
			"fields that only one method has follow from the method, shared ones do not",
			cell("grpo", "maze", 2, map[string]any{"scale": "std", "clip": 0.2}, nil, nil),
			cell("vpo", "maze", 2, map[string]any{"sets": 8., "clip": 0.3}, nil, nil),
			"", "method grpo -> vpo, clip 0.2 -> 0.3",
		},
		{
			"one method with a field that older records lack",
			cell("grpo", "maze", 2, map[string]any{"scale": "std"}, map[string]any{"lr": 0.1}, nil),
			cell("grpo", "maze", 2, map[string]any{"scale": "std", "late": true}, map[string]any{"lr": 0.1}, nil),
			"", "late unset -> true",
		},
		{
			"two environments, by name alone; another version; another pool",
			cell("grpo", "maze", 2, nil, nil, map[string]any{"samples": 8., "modes": true}),
			cell("grpo", "bandit", 3, nil, nil, map[string]any{"samples": 16., "modes": false}),
			"version 2 -> 3, env maze -> bandit, eval.samples 8 -> 16", "eval.modes true -> false",
		},
	} {
		measured, chosen := cellDifferences(c.old, c.new, []string{"reward"})
		if got := differencesText(measured, 200); got != c.measured {
			t.Errorf("%s: measured differently %q, want %q", c.reason, got, c.measured)
		}
		if got := differencesText(chosen, 200); got != c.chosen {
			t.Errorf("%s: chosen differently %q, want %q", c.reason, got, c.chosen)
		}
	}
}

func TestPlanText(t *testing.T) {
	c := handMade()
	old, new := bySeed(0, 1, 2, 3, 4, 5, 6), bySeed(0, 2, 4, 4, 6, 6, 8)
	c.Variants[0].Metrics = compareValues([]seedValues{{"reward", old, new}}, StatisticMean)
	c.Variants[1].Metrics = compareValues([]seedValues{{"reward", old, bySeed(9, 7)}}, StatisticMean)
	text := PlanText(c, 0.5)
	for _, want := range []string{
		"difference of 0.5 with a chance of 80%", "reward       seeds  deviation  needed for 0.5", "grpo         6      0.548",
		"rloo -> vpo  6+1    n/a        unknown: it takes two seeds to see a spread",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	const guess = "\nunderpowered: the deviation of 2 seeds is a first guess"
	if strings.Contains(text, guess[:14]) {
		t.Errorf("six seeds, and one that has no deviation, are called a guess:\n%s", text)
	}
	c.Variants[1].Metrics = compareValues([]seedValues{{"reward", bySeed(0, 1, 2), bySeed(0, 2, 4)}}, StatisticMean)
	if text := PlanText(c, 0.5); !strings.Contains(text, guess) {
		t.Errorf("two seeds are not called a guess:\n%s", text)
	}
}
