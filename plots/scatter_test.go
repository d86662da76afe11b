package plots

import (
	"math"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/sheets"
)

// scatterRun has a policy before training, two after it, of which one has no coverage, and an
// exact optimum.
func scatterRun(t *testing.T, seeds int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for i, method := range []string{"base", "grpo", "vpo", "optimum"} {
		addVariant(t, run, record.Variant{Method: method}, seeds, func(seed int) []record.Eval {
			metrics := map[string]float64{"accuracy": 0.3 + 0.15*float64(i) + 0.01*float64(seed*seed)}
			if method != "vpo" {
				metrics["coverage@2"] = 0.7 - 0.2*float64(i) + 0.02*float64(seed)
			}
			return []record.Eval{{Step: 5, Metrics: metrics}}
		})
	}
	return run
}

// TestScatterIsTheRecords reads marks, whiskers and the lines of variants that do not train off the
// page. Both axes are those of shares, from 0 to 1.
func TestScatterIsTheRecords(t *testing.T) {
	run := scatterRun(t, 6)
	fig := record.Figure{Kind: "scatter", Metrics: []string{"accuracy", "coverage@2"}}
	d := drawSVG(t, run, fig)
	x, y := rulers(t, d, drawtest.Number)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }
	paths := d.Drawn
	drawn := func(left, right, bottom, top float64) bool {
		for _, p := range paths {
			l, r, b, u := p.Box()
			if len(p.Points) == 2 && !strings.Contains(p.Style, sheets.Hex(draw.Faint)) && near(x.of(l), left) && near(x.of(r), right) && near(y.of(b), bottom) && near(y.of(u), top) {
				return true
			}
		}
		return false
	}
	for _, v := range gathered(t, run, fig).Variants {
		across, up := v.Interval("accuracy", 5), v.Interval("coverage@2", 5)
		marked := false
		for _, p := range paths {
			px, py := p.Center()
			marked = marked || len(p.Points) > 3 && strings.Contains(p.Style, "fill:#") && math.Abs(x.of(px)-across.Mean) < 0.01 && math.Abs(y.of(py)-up.Mean) < 0.01
		}
		got := [5]bool{
			marked,
			drawn(across.Low, across.High, up.Mean, up.Mean), drawn(across.Mean, across.Mean, up.Low, up.High),
			drawn(across.Mean, across.Mean, 0, 1), drawn(0, 1, up.Mean, up.Mean),
		}
		if want := map[string][5]bool{
			"base":    {false, true, true, true, true},
			"grpo":    {true, true, true, false, false},
			"vpo":     {false, false, false, true, false},
			"optimum": {false, false, false, true, true},
		}[v.Label]; got != want {
			t.Errorf("%s: a mark, whiskers across and up, lines up and across the panel: %v, want %v", v.Label, got, want)
		}
	}
	if want := "After 5 training steps. Not measured: coverage@2 (vpo). Mean over 6 seeds. Whiskers: 95% confidence intervals over seeds."; !strings.Contains(d.Joined(), want) {
		t.Errorf("the note: %s", d.Joined())
	}
}

// TestScatterSpecialCases: a whisker that leaves the panel is cut off there, a single seed has
// none, and a scatter shows two metrics that are measured.
func TestScatterSpecialCases(t *testing.T) {
	wide := emptyRun(t)
	addVariant(t, wide, record.Variant{Method: "grpo"}, 3, func(seed int) []record.Eval {
		return []record.Eval{{Metrics: map[string]float64{"accuracy": 0.8 + 0.1*float64(seed), "reward": 0.5}}}
	})
	if d := drawSVG(t, wide, record.Figure{Kind: "scatter", Metrics: []string{"accuracy", "reward"}}); !strings.Contains(d.Joined(), "one without its end goes on beyond the panel") {
		t.Errorf("an interval that reaches beyond 1: %s", d.Joined())
	}
	if d := drawSVG(t, scatterRun(t, 1), record.Figure{Kind: "scatter", Metrics: []string{"accuracy", "coverage@2"}}); !strings.Contains(d.Joined(), "One seed.") || strings.Contains(d.Joined(), "Whiskers") {
		t.Errorf("one seed: %s", d.Joined())
	}
	if d := drawSVG(t, scatterRun(t, 2), record.Figure{Kind: "scatter", Metrics: []string{"accuracy", "coverage@2"}}); !strings.Contains(d.Joined(), "Mean over 2 seeds.") || strings.Contains(d.Joined(), "Whiskers") {
		t.Errorf("two seeds: %s", d.Joined())
	}
	for want, metrics := range map[string][]string{
		"metrics has 1":         {"accuracy"},
		"metrics has 3":         {"accuracy", "reward", "accuracy"},
		`has a metric "rewrad"`: {"accuracy", "rewrad"},
	} {
		wantError(t, wide, record.Figure{Kind: "scatter", Metrics: metrics}, want)
	}
}
