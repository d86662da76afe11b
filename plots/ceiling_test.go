package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

// rewardRun is an experiment in the manner of VPO's on its maze: two base
// policies, methods that train, and the exact optimum, listed first.
func rewardRun(t testing.TB, seeds int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for i, v := range []record.Variant{
		{Name: "optimum", Method: "optimum"},
		{Name: "base", Method: "base"}, {Name: "base (multi-answer)", Method: "base"}, {Name: "GRPO", Method: "grpo"},
		{Name: "random-w", Method: "random-w"}, {Name: "max-at-k", Method: "max-at-k"},
		{Name: "maxrl", Method: "maxrl"}, {Name: "multi-rlvr", Method: "multi-rlvr"}, {Name: "vpo", Method: "vpo"},
	} {
		v.Label = v.Name
		addVariant(t, run, v, seeds, func(seed int) []record.Eval {
			if v.Method == numbers.OptimumMethod {
				return []record.Eval{optimumEval()}
			}
			var evals []record.Eval
			for step := 0; step <= 600 && (step == 0 || v.Method != numbers.BaseMethod); step += 50 {
				evals = append(evals, rewardEval(float64(i), step, seed))
			}
			return evals
		})
	}
	return run
}

var rewardKs = []int{1, 3, 5, 10, 30}

func optimumEval() record.Eval {
	e := record.Eval{Metrics: map[string]float64{}, Exact: true}
	for _, k := range rewardKs {
		e.Metrics[fmt.Sprintf("best@%d", k)], e.Metrics[fmt.Sprintf("ew_best@%d", k)] = 0.75, 0.88
	}
	return e
}

// rewardEval is the i-th method's evaluation at a step: the later in the list, the
// more diverse it stays.
func rewardEval(i float64, step, seed int) record.Eval {
	e := record.Eval{Step: step, Metrics: map[string]float64{}}
	t := float64(step) / 600
	start := 0.2 + 0.04*i*float64(int(i)%2) + 0.01*math.Sin(float64(7*seed)+i)
	for _, k := range rewardKs {
		best := 0.72 - max(0.05, 0.7-start-0.3*t)*math.Pow(float64(k), -0.1*i*(1.1-t))
		e.Metrics[fmt.Sprintf("best@%d", k)], e.Metrics[fmt.Sprintf("best_first@%d", k)] = best, best
		e.Metrics[fmt.Sprintf("ew_best@%d", k)] = best + 0.1*t
		e.Metrics[fmt.Sprintf("regret@%d", k)] = 0.75 - best
	}
	e.Metrics["reward_l1"] = 1 - t*(1-i/10)
	e.Metrics["headroom"] = e.Metrics["best@30"] - e.Metrics["best@1"]
	return e
}

// A variant that lacks a metric is left out of its panel, and named below;
// the exact optimum is a thin dotted line and the last of the legend.
func TestCeiling(t *testing.T) {
	run := rewardRun(t, 3)
	d := drawSVG(t, run, record.Figure{Kind: "curve", Metrics: []string{"best@30", "reward_l1"}})
	drawtest.CheckTexts(t, d)
	if text := d.Joined(); !strings.Contains(text, "Not measured: reward diversity (optimum).") {
		t.Errorf("the figure does not say what it lacks: %s", text)
	}
	if got := d.Paths("stroke-width:0.8;stroke-dasharray:0.8,1.6"); got != 2 {
		t.Errorf("%d dotted lines, want one panel's and the legend's", got)
	}
	// Eight variants have bands in both panels, the optimum has no band.
	if got := d.Paths("fill-opacity"); got != 16 {
		t.Errorf("%d bands, want 16", got)
	}
	last := d.Texts[0]
	for _, text := range d.Texts {
		if text.Text == "vpo" || text.Text == "base" {
			last = text
		}
		if text.Text == "optimum" && last.Text != "vpo" {
			t.Errorf("the optimum stands behind %s in the legend", last.Text)
		}
	}
	alone := drawSVG(t, run, record.Figure{Kind: "curve", Metrics: []string{"reward_l1"}})
	if alone.Has("optimum") {
		t.Error("the legend explains a line that no panel has")
	}
}

func TestCeilingByK(t *testing.T) {
	d := drawSVG(t, rewardRun(t, 3), record.Figure{Kind: "k-curve", Metrics: []string{"best", "ew_best", "regret"}})
	drawtest.CheckTexts(t, d)
	drawtest.WantLabels(t, d, "best@k", "E_w[best@k] (w ~ Dir(1))", "regret@k", "1", "3", "5", "10", "30", "base (multi-answer)", "optimum")
	if text := d.Joined(); !strings.Contains(text, "After 600 training steps. Not measured: regret@k (optimum). Mean over 3 seeds") {
		t.Errorf("notes: %s", text)
	}
}

// An exact optimum that was evaluated at one k is drawn at every k.
func TestCeilingOfOneK(t *testing.T) {
	run := rewardRun(t, 2)
	writeCell(t, run, run.Variants[0].Cells[0].ID, []record.Eval{{Metrics: map[string]float64{"best@1": 0.75}}})
	writeCell(t, run, run.Variants[0].Cells[1].ID, []record.Eval{{Metrics: map[string]float64{"best@1": 0.75}}})
	d := drawSVG(t, run, record.Figure{Kind: "k-curve", Metrics: []string{"best"}})
	if got := d.Paths("stroke-dasharray:0.8,1.6"); got != 2 {
		t.Errorf("%d dotted lines, want the panel's and the legend's", got)
	}
}

func TestGridWithoutAMetric(t *testing.T) {
	d := drawSVG(t, rewardRun(t, 2), record.Figure{Kind: "grid", Metrics: []string{"best@30", "reward_l1"}, Rows: []string{"method"}})
	drawtest.CheckTexts(t, d)
	row, dash := d.Find(t, "optimum"), d.Find(t, "-")
	if row.Bottom > dash.Top || dash.Bottom > row.Top || row.Bottom > d.Find(t, "vpo").Bottom {
		t.Errorf("row %+v, dash %+v", row, dash)
	}
}

// The rivers leave out what has no masses; a figure that asks for it by name is
// an error.
func TestModesWithoutTheOptimum(t *testing.T) {
	run := banditRun(t, 2, 20, 10)
	addVariant(t, run, record.Variant{Method: "optimum"}, 2, func(int) []record.Eval { return []record.Eval{optimumEval()} })
	if d := drawSVG(t, run, record.Figure{Kind: "modes"}); d.Has("optimum") || !d.Has("base") {
		t.Errorf("got %s", d.Joined())
	}
	wantError(t, run, record.Figure{Kind: "modes", Panel: []string{"optimum"}}, `panel names the variant "optimum"`)
}

// A figure of metrics that were measured once has axes of some length.
func TestFiguresWithoutTraining(t *testing.T) {
	run := rewardRun(t, 2)
	where := []record.Filter{{Field: "method", Values: []string{"base", "base (multi-answer)", "optimum"}}}
	for _, fig := range []record.Figure{
		{Kind: "curve", Where: where, Metrics: []string{"best@30"}},
		{Kind: "k-curve", Where: where, Metrics: []string{"best"}},
	} {
		d := drawSVG(t, run, fig)
		drawtest.CheckTexts(t, d)
		if strings.Contains(string(d.Bytes), "NaN") {
			t.Errorf("%s: a place that is no number", fig.Kind)
		}
	}
}

// Labels begin with the name of the method in the spec.
func TestNamesInLabels(t *testing.T) {
	run := rewardRun(t, 1)
	for i := range run.Variants {
		run.Variants[i].Axes = []record.Axis{{Field: "env.slack", Value: "7"}}
		run.Variants[i].Label += " slack=7"
	}
	d := drawSVG(t, run, record.Figure{Kind: "curve", Metrics: []string{"best@30"}})
	if !d.Has("base (multi-answer)") || !d.Has("GRPO") || !strings.Contains(d.Joined(), "All: slack = 7.") {
		t.Errorf("got %s", d.Joined())
	}
}
