package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// TestBarsAreTheRecords reads bars and whiskers off the page and holds them against the
// records, and the values written beside them.
func TestBarsAreTheRecords(t *testing.T) {
	run := emptyRun(t)
	values := map[string][]float64{"base": {2, 2, 2, 2, 2, 2}, "grpo": {1, 2, 3, 3, 2, 1}, "vpo": {4, 4.5, 5, 4.2, 4.4, 4.9}}
	for _, method := range []string{"base", "grpo", "vpo"} {
		addVariant(t, run, record.Variant{Method: method}, 6, func(seed int) []record.Eval {
			x := values[method][seed]
			return []record.Eval{{Step: 0, Metrics: map[string]float64{"vendi": 9}}, {Step: 10, Metrics: map[string]float64{"vendi": x}}}
		})
	}
	d := drawSVG(t, run, record.Figure{Kind: "bars", Title: "Bars", Metrics: []string{"vendi"}})
	drawtest.CheckTexts(t, d)
	zero, _ := d.Find(t, "0").Middle()
	four, _ := d.Find(t, "4").Middle()
	scale := ruler{[2]float64{zero, four}, [2]float64{0, 4}}
	paths := d.Drawn
	for _, method := range []string{"base", "grpo", "vpo"} {
		want := stats.MeanInterval(values[method])
		_, row := d.Find(t, method).Middle()
		const near, exact = 3, 0.02 // pt, and values: texts are placed to a hundredth of a point
		bar, whisker := false, false
		for _, p := range paths {
			left, right, bottom, top := p.Box()
			if _, y := p.Center(); math.Abs(y-row) > near || top-bottom > 9 {
				continue
			}
			switch {
			case strings.Contains(p.Style, "fill:#") && top-bottom > 5:
				bar = bar || math.Abs(scale.of(left)) < exact && math.Abs(scale.of(right)-want.Mean) < exact
			case top == bottom && right-left > 2 || want.Low == want.High:
				whisker = whisker || math.Abs(scale.of(left)-want.Low) < exact && math.Abs(scale.of(right)-want.High) < exact
			}
		}
		if !bar || !whisker {
			t.Errorf("%s: bar to the mean %v: %v; whisker of %v to %v: %v", method, want.Mean, bar, want.Low, want.High, whisker)
		}
		text := draw.Measure{}.Format(want.Mean)
		if !slices.ContainsFunc(d.Texts, func(x drawtest.Text) bool { _, y := x.Middle(); return x.Text == text && math.Abs(y-row) < near }) {
			t.Errorf("%s: no value %s in its row", method, text)
		}
	}
	if !strings.Contains(d.Joined(), "After 10 training steps. Mean over 6 seeds. Whiskers: 95% confidence intervals over seeds.") {
		t.Errorf("the note: %s", d.Joined())
	}
}

func TestBarsSpecialCases(t *testing.T) {
	run := rewardRun(t, 3)
	d := drawSVG(t, run, record.Figure{Kind: "bars", Metrics: []string{"best@30", "reward_l1", "headroom"}})
	drawtest.CheckTexts(t, d)
	if !d.Has("n/a") {
		t.Error("the optimum has no reward diversity, and the figure does not say so")
	}
	if got := d.Paths("stroke-dasharray"); got == 0 {
		t.Error("the optimum looks like what is measured")
	}
	negative := emptyRun(t)
	for i, x := range []float64{-2, 1} {
		addVariant(t, negative, record.Variant{Label: []string{"down", "up"}[i], Method: "grpo"}, 2, func(seed int) []record.Eval {
			return []record.Eval{{Metrics: map[string]float64{"m": x + 0.1*float64(seed)}}}
		})
	}
	d = drawSVG(t, negative, record.Figure{Kind: "bars", Metrics: []string{"m"}})
	drawtest.CheckTexts(t, d)
	zero, _ := d.Find(t, "0").Middle()
	sides := map[bool]int{}
	for _, p := range d.Drawn {
		if left, right, bottom, top := p.Box(); strings.Contains(p.Style, "fill:#") && top-bottom > 5 && top-bottom < 9 {
			sides[left > zero-1]++
			if left < zero-1 && right > zero+1 {
				t.Errorf("a bar from %v to %v does not begin at 0, at %v", left, right, zero)
			}
		}
	}
	if sides[true] != 1 || sides[false] != 1 {
		t.Errorf("bars right and left of 0: %v, want one each", sides)
	}
	wantError(t, run, record.Figure{Kind: "bars"}, "at least one metric")
	wantError(t, run, record.Figure{Kind: "bars", Metrics: []string{"rewrad"}}, `metric "rewrad"`)
}

// TestPositionsAreTheRecords reads the marks of a line off the page.
func TestPositionsAreTheRecords(t *testing.T) {
	run := emptyRun(t)
	want := map[int]float64{1: 2, 3: 4, 6: 7}
	addVariant(t, run, record.Variant{Method: "grpo"}, 4, func(seed int) []record.Eval {
		e := record.Eval{Step: 5, Metrics: map[string]float64{"pass@2": 1}}
		for h, x := range want {
			e.Metrics["branches@"+string(rune('0'+h))] = x + 0.5*float64(seed%2) - 0.25
		}
		return []record.Eval{e}
	})
	d := drawSVG(t, run, record.Figure{Kind: "positions", Title: "Positions"})
	drawtest.CheckTexts(t, d)
	xs, ys := rulers(t, d, drawtest.Number)
	found := map[int]bool{}
	for _, p := range d.Drawn {
		x, y := p.Center()
		for h, mean := range want {
			if len(p.Points) > 20 && math.Abs(xs.of(x)-float64(h)) < 0.03 && math.Abs(ys.of(y)-mean) < 0.03 {
				found[h] = true
			}
		}
	}
	if len(found) != len(want) {
		t.Errorf("marks at %v, want %v", found, want)
	}
	wantError(t, rewardRun(t, 1), record.Figure{Kind: "positions"}, `family "branches"`)
}
