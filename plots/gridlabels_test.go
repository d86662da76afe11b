package plots

import (
	"math"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// Two panels are side by side; each has the group heads over the middle of
// their columns, and the names of the fields are once at the left.
func TestNestedHeads(t *testing.T) {
	run := nestedRun(t, 2, 20, 10)
	d := drawSVG(t, run, record.Figure{Kind: "grid", Metrics: []string{"reward", "entropy_mode"}, Rows: []string{"method", "lambda"}, Cols: []string{"train.optimizer", "train.lr"}})
	drawtest.CheckTexts(t, d)
	for _, once := range []string{"optimizer:", "lr:", "method", "lambda", "base", "grpo", "setpo+grpo"} {
		if got := len(d.All(once)); got != 1 {
			t.Errorf("%q stands %d times", once, got)
		}
	}
	if d.Width > draw.PageWidth.Points()+9 {
		t.Errorf("the figure is %g wide", d.Width)
	}
	lowest, lefts := d.All("0.03"), d.All("1")
	if len(lowest) != 4 || len(lefts) != 4 || len(d.All("adam")) != 2 || len(d.All("sgd")) != 2 {
		t.Fatalf("not two panels of two groups: %s", d.Joined())
	}
	optimizer, rate := d.Find(t, "optimizer:"), d.Find(t, "lr:")
	for i, head := range []drawtest.Text{d.All("adam")[0], d.All("sgd")[0], d.All("adam")[1], d.All("sgd")[1]} {
		from, y := lowest[i].Middle()
		to, _ := lefts[i].Middle()
		if x, _ := head.Middle(); math.Abs(x-(from+to)/2) > 0.5 {
			t.Errorf("%s stands at %g over columns from %g to %g", head.Text, x, from, to)
		}
		if math.Abs(head.Bottom-optimizer.Bottom) > 0.5 || optimizer.Right > lowest[0].Left {
			t.Errorf("%s is not on the line of its field", head.Text)
		}
		if _, other := rate.Middle(); math.Abs(y-other) > 0.5 {
			t.Error("the learning rates are not on the line of their field")
		}
	}
	// The columns of a group are equally far apart, groups farther.
	var xs []float64
	for _, text := range []string{"0.03", "0.1", "0.3", "1"} {
		x, _ := d.All(text)[0].Middle()
		xs = append(xs, x)
	}
	next, _ := lowest[1].Middle()
	step := xs[1] - xs[0]
	const gap = 5 // points between groups
	if math.Abs(xs[3]-xs[0]-3*step) > 0.5 || math.Abs(next-xs[3]-step-gap) > 0.5 {
		t.Errorf("columns at %v, the next group at %g", xs, next)
	}
	// The label of a group of rows is in its middle, left of the lambdas.
	_, y := d.Find(t, "setpo+grpo").Middle()
	_, high := d.Find(t, "0.05").Middle()
	_, low := d.Find(t, "2").Middle()
	if math.Abs(y-(high+low)/2) > 0.5 || d.Find(t, "setpo+grpo").Right > d.Find(t, "0.05").Left {
		t.Errorf("setpo+grpo at height %g, its lambdas at %g and %g", y, high, low)
	}
}

// Panels that do not fit beside each other are below each other.
func TestStackedPanels(t *testing.T) {
	run := nestedRun(t, 2, 20, 10)
	d := drawSVG(t, run, record.Figure{Kind: "grid", Metrics: []string{"reward", "entropy_mode"}, Rows: []string{"train.optimizer"}, Cols: []string{"method", "lambda", "train.lr"}})
	drawtest.CheckTexts(t, d)
	upper, lower := d.Find(t, "reward"), d.Find(t, "mode entropy (nats)")
	if a, _ := upper.Middle(); upper.Bottom < lower.Top || math.Abs(a-(lower.Left+lower.Right)/2) > 0.5 {
		t.Errorf("titles at %+v and %+v", upper, lower)
	}
	if got := len(d.All("setpo+grpo")); got != 2 {
		t.Errorf("%d group heads, want one a panel", got)
	}
}
