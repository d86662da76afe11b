package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
)

// doseRun has a base policy, a method without a field and one at three weights.
func doseRun(t *testing.T) *record.Run {
	t.Helper()
	run := emptyRun(t)
	add := func(v record.Variant, x, y float64) {
		addVariant(t, run, v, 6, func(seed int) []record.Eval {
			return []record.Eval{{Step: 5, Metrics: map[string]float64{"accuracy": x + 0.01*float64(seed), "coverage@2": y + 0.01*float64(seed)}}}
		})
	}
	add(record.Variant{Method: "base", Label: "base"}, 0.1, 0.9)
	add(record.Variant{Method: "grpo", Label: "grpo"}, 0.8, 0.2)
	for i, lambda := range []string{"0.5", "5", "50"} {
		add(record.Variant{Method: "setpo+grpo", Label: "setpo+grpo lambda=" + lambda, Axes: []record.Axis{{Field: "lambda", Value: lambda}}}, 0.7-0.2*float64(i), 0.3+0.2*float64(i))
	}
	return run
}

// TestDoseIsTheRecords: the curve passes through the means in the order of the values, each of
// which is beside its mark; methods of one value are in the legend.
func TestDoseIsTheRecords(t *testing.T) {
	run := doseRun(t)
	fig := record.Figure{Name: "dose", Kind: "dose", Metrics: []string{"accuracy", "coverage@2"}, Panel: []string{"setpo+grpo lambda=0.5"}}
	d := drawSVG(t, run, fig)
	x, y := rulers(t, d, drawtest.Number)
	var want [][2]float64
	for _, v := range gathered(t, run, fig).Variants {
		if len(v.Axes) > 0 {
			want = append(want, [2]float64{v.Interval("accuracy", 5).Mean, v.Interval("coverage@2", 5).Mean})
		}
	}
	found := false
	for _, p := range d.Drawn {
		if len(p.Points) != len(want) || strings.Contains(p.Style, "fill:#") {
			continue
		}
		same := true
		for i, at := range p.Points {
			same = same && math.Abs(x.of(at[0])-want[i][0]) < 0.01 && math.Abs(y.of(at[1])-want[i][1]) < 0.01
		}
		found = found || same
	}
	if !found {
		t.Errorf("no line passes through %v in this order", want)
	}
	for _, text := range []string{"0.5", "5", "50", "setpo+grpo: lambda", "base", "grpo", "A ring: the value of the source."} {
		if !strings.Contains(d.Joined(), text) {
			t.Errorf("%q is not written", text)
		}
	}
}

// TestDoseErrors: two metrics that are measured, and a method with several values.
func TestDoseErrors(t *testing.T) {
	run := doseRun(t)
	for want, fig := range map[string]record.Figure{
		"metrics has 1":         {Metrics: []string{"accuracy"}},
		`has a metric "rewrad"`: {Metrics: []string{"accuracy", "rewrad"}},
		"no method has several": {Metrics: []string{"accuracy", "coverage@2"}, Where: []record.Filter{{Field: "method", Values: []string{"base", "grpo"}}}},
	} {
		fig.Name, fig.Kind = "dose", "dose"
		wantError(t, run, fig, want)
	}
}

// TestDosesOf: variants of one name are a curve, in their order; others are single.
func TestDosesOf(t *testing.T) {
	curves, single := dosesOf(gathered(t, doseRun(t), record.Figure{Kind: "dose", Metrics: []string{"accuracy", "coverage@2"}}).Variants)
	if len(curves) != 1 || len(single) != 2 {
		t.Fatalf("%d curves and %d alone, want 1 and 2", len(curves), len(single))
	}
	var values []string
	for _, d := range curves[0].dots([]string{"accuracy", "coverage@2"}) {
		values = append(values, d.Name)
	}
	if title := curves[0].title(); !strings.HasSuffix(title, ": lambda") || !slices.Equal(values, []string{"0.5", "5", "50"}) {
		t.Errorf("the curve %s has the values %v", title, values)
	}
}
