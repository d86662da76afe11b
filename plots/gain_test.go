package plots

import (
	"math"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

// gainAt is a metric of a seed of gainRun: seeds differ by more than methods do.
func gainAt(method, base string, metric string, seed int) float64 {
	level := map[string]float64{"weak": 0.1, "strong": 0.4}[base] + 0.05*float64(seed)
	switch {
	case metric == "maj@4":
		level += map[string]float64{"weak": 0.02, "strong": 0.2}[base] + 0.01*float64(seed%2)
	case method == "ttrl":
		level += map[string]float64{"weak": -0.1, "strong": 0.12}[base] + 0.005*float64(seed%3)
	}
	return level
}

// gainRun has two base policies, a method trained from each, and one from the weak one alone.
func gainRun(t *testing.T) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for _, base := range []string{"weak", "strong"} {
		for _, method := range []string{"base", "ttrl", "evol-rl"} {
			if method == "evol-rl" && base == "strong" {
				continue
			}
			v := record.Variant{Method: method, Label: method + " " + base, Axes: []record.Axis{{Field: "policy.pretrain_steps", Value: base}}, Trains: method != "base"}
			if v.Trains {
				v.Axes = append(v.Axes, record.Axis{Field: "kl_coef", Value: "0.03"}) // which a base policy has not
			}
			addVariant(t, run, v, 6, func(seed int) []record.Eval {
				metrics := map[string]float64{}
				for _, metric := range []string{"pass@1", "maj@4"} {
					metrics[metric] = gainAt(method, base, metric, seed)
				}
				return []record.Eval{{Step: 5, Metrics: metrics}}
			})
		}
	}
	return run
}

// TestGainIsOfPairs: a mark is the mean of differences within seeds, with their interval, against
// the base policy's own.
func TestGainIsOfPairs(t *testing.T) {
	run := gainRun(t)
	fig := record.Figure{Name: "gain", Kind: "gain", Metrics: []string{"maj@4", "pass@1", "pass@1"}}
	_, values, err := gathered(t, run, fig).DrawValues()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range values[0].Rows {
		names = append(names, row.Name)
		method, base, _ := strings.Cut(row.Name, " ")
		var had, gain []float64
		for seed := range 6 {
			had = append(had, gainAt("base", base, "maj@4", seed)-gainAt("base", base, "pass@1", seed))
			gain = append(gain, gainAt(method, base, "pass@1", seed)-gainAt("base", base, "pass@1", seed))
		}
		if row.Cells[0] != stats.MeanInterval(had) || row.Cells[1] != stats.MeanInterval(gain) {
			t.Errorf("%s: %v, want %v and %v", row.Name, row.Cells, stats.MeanInterval(had), stats.MeanInterval(gain))
		}
	}
	if got := strings.Join(names, ", "); got != "ttrl weak, ttrl strong, evol-rl weak" {
		t.Fatalf("marks of %s", got)
	}
	d := drawSVG(t, run, fig)
	x, y := rulers(t, d, drawtest.Number)
	centres := 0
	for _, p := range d.Drawn {
		var cx, cy float64
		for _, at := range p.Points {
			cx, cy = cx+x.of(at[0])/float64(len(p.Points)), cy+y.of(at[1])/float64(len(p.Points))
		}
		for _, row := range values[0].Rows {
			if strings.Contains(p.Style, "fill:#") && math.Abs(cx-row.Cells[0].Mean) < 0.01 && math.Abs(cy-row.Cells[1].Mean) < 0.01 {
				centres++
			}
		}
	}
	if centres < 3 {
		t.Errorf("%d filled marks lie at the means, want 3", centres)
	}
	for _, text := range []string{"base policy: maj@4 less pass@1", "gain in pass@1", "ttrl", "evol-rl"} {
		if !strings.Contains(d.Joined(), text) {
			t.Errorf("%q is not written", text)
		}
	}
}

// TestGainOfCommonSeeds: a seed that one side lacks does not count, and seeds that share a draw of
// problems count once, with their mean.
func TestGainOfCommonSeeds(t *testing.T) {
	scores := func(values ...float64) []numbers.Scores { return []numbers.Scores{{Metric: "pass@1", Values: values}} }
	base := numbers.Variant{Label: "base", Method: "base", Seeds: []int{0, 1, 2, 3}, Draws: []int{0, 0, 1, 1}, Scores: scores(0.1, 0.2, 0.3, 0.4)}
	v := numbers.Variant{Label: "grpo", Method: "grpo", Trains: true, Seeds: []int{0, 1, 3, 4}, Draws: []int{0, 0, 1, 2}, Scores: scores(0.2, 0.4, 0.9, 1)}
	got := gains([]string{"pass@1", "pass@1"}, []numbers.Variant{v}, []numbers.Variant{base, v})
	want := stats.MeanInterval([]float64{(0.2 - 0.1 + 0.4 - 0.2) / 2, 0.9 - 0.4})
	if len(got) != 1 || math.Abs(got[0].Y.Mean-want.Mean) > 1e-12 || got[0].Y.N != 2 || math.Abs(got[0].X.Mean-(0.15+0.4)/2) > 1e-12 {
		t.Errorf("%+v, want a gain of %+v from 0.275", got, want)
	}
	hot := base
	base.Name, hot.Name = "base", "hot base"
	if found, _ := baseOf(v, []numbers.Variant{hot, base}); found.Name != "base" {
		t.Errorf("the base policy is %s, want the one without a label", found.Name)
	}
	near := base
	near.Axes = []record.Axis{{Field: "policy.width", Value: "64"}}
	v.Axes = near.Axes
	if found, ok := baseOf(v, []numbers.Variant{base, near}); !ok || len(found.Axes) != 1 {
		t.Errorf("the base policy is %+v, want that of the same width", found)
	}
}

// TestGainErrors: two or three metrics that are measured, and a base policy in the figure.
func TestGainErrors(t *testing.T) {
	run := gainRun(t)
	for want, fig := range map[string]record.Figure{
		"metrics has 1":                       {Metrics: []string{"pass@1"}},
		`has a metric "rewrad"`:               {Metrics: []string{"pass@1", "rewrad"}},
		"no variant that is shown is trained": {Metrics: []string{"pass@1", "pass@1"}, Where: []record.Filter{{Field: "method", Values: []string{"ttrl"}}}},
	} {
		fig.Name, fig.Kind = "gain", "gain"
		wantError(t, run, fig, want)
	}
	var recorded record.Recorded
	for _, v := range run.Variants {
		recorded.Variants = append(recorded.Variants, record.RecordedVariant{Variant: v})
	}
	fig := record.Figure{Name: "gain", Kind: "gain", Metrics: []string{"maj@4"}}
	if err := checkGain(fig, recorded); err == nil || !strings.Contains(err.Error(), "metrics has 1") {
		t.Errorf("a spec with one metric: %v", err)
	}
}
