package plots

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

func TestGroupsAndGaps(t *testing.T) {
	s := side{levels: []string{"method", "lambda", "lr"}, values: [][]string{
		{"base", "", ""}, {"grpo", "", ""}, {"setpo", "1", "a"}, {"setpo", "1", "b"}, {"setpo", "2", "a"}, {"vpo", "2", "a"},
	}}
	for level, want := range [][]group{
		{{0, 1, "base"}, {1, 2, "grpo"}, {2, 5, "setpo"}, {5, 6, "vpo"}},
		{{0, 1, ""}, {1, 2, ""}, {2, 4, "1"}, {4, 5, "2"}, {5, 6, "2"}},
		{{0, 1, ""}, {1, 2, ""}, {2, 3, "a"}, {3, 4, "b"}, {4, 5, "a"}, {5, 6, "a"}},
	} {
		if diff := cmp.Diff(want, s.groups(level), cmp.AllowUnexported(group{})); diff != "" {
			t.Errorf("level %d: %s", level, diff)
		}
	}
	if got, want := s.gaps(), []int{0, 0, 1, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("gaps %v, want %v", got, want)
	}
	flat := side{levels: []string{"lr"}, values: [][]string{{"1"}, {"2"}}}
	if got := flat.gaps(); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("a single level has gaps %v", got)
	}
}

// all are the texts of the figure that say the same.
func (d drawing) all(text string) []drawnText {
	var out []drawnText
	for _, t := range d.texts {
		if t.text == text {
			out = append(out, t)
		}
	}
	return out
}

func (t drawnText) middle() (x, y float64) { return (t.left + t.right) / 2, (t.bottom + t.top) / 2 }

// Two panels stand side by side; each has the group heads over the middle of
// their columns, and the names of the fields stand once at the left.
func TestNestedHeads(t *testing.T) {
	run := nestedRun(t, 2, 20, 10)
	d := drawSVG(t, run, record.Figure{Kind: "grid", Metrics: []string{"reward", "entropy_mode"}, Rows: []string{"method", "lambda"}, Cols: []string{"train.optimizer", "train.lr"}})
	checkTexts(t, d)
	for _, once := range []string{"optimizer:", "lr:", "method", "lambda", "base", "grpo", "setpo+grpo"} {
		if got := len(d.all(once)); got != 1 {
			t.Errorf("%q stands %d times", once, got)
		}
	}
	if d.width > pageWidth.Points()+9 {
		t.Errorf("the figure is %g wide", d.width)
	}
	lowest, lefts := d.all("0.03"), d.all("1")
	if len(lowest) != 4 || len(lefts) != 4 || len(d.all("adam")) != 2 || len(d.all("sgd")) != 2 {
		t.Fatalf("not two panels of two groups: %s", d.joined())
	}
	optimizer, rate := d.find(t, "optimizer:"), d.find(t, "lr:")
	for i, head := range []drawnText{d.all("adam")[0], d.all("sgd")[0], d.all("adam")[1], d.all("sgd")[1]} {
		from, y := lowest[i].middle()
		to, _ := lefts[i].middle()
		if x, _ := head.middle(); math.Abs(x-(from+to)/2) > 0.5 {
			t.Errorf("%s stands at %g over columns from %g to %g", head.text, x, from, to)
		}
		if math.Abs(head.bottom-optimizer.bottom) > 0.5 || optimizer.right > lowest[0].left {
			t.Errorf("%s is not on the line of its field", head.text)
		}
		if _, other := rate.middle(); math.Abs(y-other) > 0.5 {
			t.Error("the learning rates are not on the line of their field")
		}
	}
	// The columns of a group are equally far apart, groups farther.
	var xs []float64
	for _, text := range []string{"0.03", "0.1", "0.3", "1"} {
		x, _ := d.all(text)[0].middle()
		xs = append(xs, x)
	}
	next, _ := lowest[1].middle()
	step := xs[1] - xs[0]
	if math.Abs(xs[3]-xs[0]-3*step) > 0.5 || math.Abs(next-xs[3]-step-colGap.Points()) > 0.5 {
		t.Errorf("columns at %v, the next group at %g", xs, next)
	}
	// The label of a group of rows stands in its middle, left of the lambdas.
	_, y := d.find(t, "setpo+grpo").middle()
	_, high := d.find(t, "0.05").middle()
	_, low := d.find(t, "2").middle()
	if math.Abs(y-(high+low)/2) > 0.5 || d.find(t, "setpo+grpo").right > d.find(t, "0.05").left {
		t.Errorf("setpo+grpo at height %g, its lambdas at %g and %g", y, high, low)
	}
}

// Panels that do not fit beside each other stand below each other.
func TestStackedPanels(t *testing.T) {
	run := nestedRun(t, 2, 20, 10)
	d := drawSVG(t, run, record.Figure{Kind: "grid", Metrics: []string{"reward", "entropy_mode"}, Rows: []string{"train.optimizer"}, Cols: []string{"method", "lambda", "train.lr"}})
	checkTexts(t, d)
	upper, lower := d.find(t, "reward"), d.find(t, "mode entropy (nats)")
	if a, _ := upper.middle(); upper.bottom < lower.top || math.Abs(a-(lower.left+lower.right)/2) > 0.5 {
		t.Errorf("titles at %+v and %+v", upper, lower)
	}
	if got := len(d.all("setpo+grpo")); got != 2 {
		t.Errorf("%d group heads, want one a panel", got)
	}
}
