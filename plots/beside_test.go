package plots

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

// drawBeside draws sides twice and reads the SVG back.
func drawBeside(t *testing.T, sides []Side) drawtest.Drawing {
	t.Helper()
	var drawings [2]drawtest.Drawing
	for i := range drawings {
		f, err := Beside(sides)
		if err != nil {
			t.Fatal(err)
		}
		drawings[i] = drawtest.Read(t, f)
	}
	if !bytes.Equal(drawings[0].Bytes, drawings[1].Bytes) {
		t.Error("two drawings of the same records differ")
	}
	return drawings[0]
}

// A plainVariant has one metric "m", from 0 to a value over 100 steps, and pass@k up
// to a k.
type plainVariant struct {
	label, method string
	axes          []record.Axis
	top           float64
	k             int
}

func plainRun(t testing.TB, variants ...plainVariant) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for _, p := range variants {
		v := record.Variant{Label: p.label, Name: p.label, Method: p.method, Axes: p.axes}
		if p.axes != nil {
			v.Name = p.method
		}
		addVariant(t, run, v, 3, func(seed int) []record.Eval {
			var evals []record.Eval
			for step := 0; step <= 100 && (step == 0 || p.method != numbers.BaseMethod); step += 50 {
				e := record.Eval{Step: step, Metrics: map[string]float64{"m": p.top * float64(step+seed) / 102}}
				for k := 1; k <= p.k; k *= 2 {
					e.Metrics[fmt.Sprintf("pass@%d", k)] = 0.5
				}
				evals = append(evals, e)
			}
			return evals
		})
	}
	return run
}

// sideOf is a run's figure as a side.
func sideOf(t *testing.T, run *record.Run, fig record.Figure, heading string) Side {
	t.Helper()
	return Side{gathered(t, run, fig), run.Dir, heading}
}

// drawnLines are the looks of the lines that have the weight of a trained method or a
// base policy, with how often each is drawn.
func drawnLines(d drawtest.Drawing) map[string]int {
	at := regexp.MustCompile(`stroke:(#[0-9A-F]+);stroke-width:1\.2(;stroke-dasharray:[0-9.,]+)?`)
	out := map[string]int{}
	for _, path := range d.Drawn {
		if found := at.FindString(path.Style); found != "" {
			out[found]++
		}
	}
	return out
}

// A method has one look in all panels and one place in the legend, whatever the other
// methods of its folder are; its own figure would give it another dash.
func TestBesideLooks(t *testing.T) {
	of := func(methods ...string) *record.Run {
		var out []plainVariant
		for _, m := range methods {
			out = append(out, plainVariant{label: m, method: m, top: 1, k: 4})
		}
		return plainRun(t, out...)
	}
	a, b := of("base", "grpo", "poly-epo", "setpo+grpo"), of("dapo", "setpo+grpo", "grpo", "base")
	for _, fig := range []record.Figure{{Name: "f", Kind: "curve", Metrics: []string{"m"}}, {Name: "f", Kind: "k-curve", Metrics: []string{"pass"}}} {
		d := drawBeside(t, []Side{sideOf(t, a, fig, "before"), sideOf(t, b, fig, "after")})
		var times []int
		for _, n := range drawnLines(d) {
			times = append(times, n)
		}
		slices.Sort(times)
		// In the legend and in the panels of those that have it: dapo and poly-epo in one.
		if diff := cmp.Diff([]int{2, 2, 3, 3, 3}, times); diff != "" {
			t.Errorf("%s: how often the lines of a look are drawn: %s", fig.Kind, diff)
		}
		for _, label := range []string{"base", "grpo", "poly-epo", "setpo+grpo", "dapo", "before", "after"} {
			if n := slices.IndexFunc(d.Texts, func(x drawtest.Text) bool { return x.Text == label }); n < 0 || strings.Count(" "+d.Joined()+" ", " "+label+" ") != 1 {
				t.Errorf("%s: the text %q does not stand once: %s", fig.Kind, label, d.Joined())
			}
		}
		drawtest.CheckTexts(t, d)
	}
}

// The panels of a metric have the same vertical axis, unless they are free.
func TestBesideAxes(t *testing.T) {
	a := plainRun(t, plainVariant{label: "grpo", method: "grpo", top: 1, k: 64})
	b := plainRun(t, plainVariant{label: "grpo", method: "grpo", top: 7000, k: 8})
	curve := record.Figure{Name: "f", Kind: "curve", Metrics: []string{"m"}}
	count := func(d drawtest.Drawing, text string) int {
		n := 0
		for _, x := range d.Texts {
			if x.Text == text {
				n++
			}
		}
		return n
	}
	both := func() []Side { return []Side{sideOf(t, a, curve, "a"), sideOf(t, b, curve, "b")} }
	shared := drawBeside(t, both())
	curve.FreeY = true
	free := drawBeside(t, both())
	if n := count(shared, "6000"); n != 2 {
		t.Errorf("6000 stands %d times at shared axes, want it in both panels", n)
	}
	if n := count(free, "6000"); n != 1 {
		t.Errorf("6000 stands %d times at free axes, want it in one panel", n)
	}
	if text := "Vertical axes differ between the panels."; strings.Contains(shared.Joined(), text) || !strings.Contains(free.Joined(), text) {
		t.Error("the figure does not say whether its axes differ")
	}
	// k is the same in both panels, however far each was measured.
	passes := record.Figure{Name: "f", Kind: "k-curve", Metrics: []string{"pass"}}
	if n := count(drawBeside(t, []Side{sideOf(t, a, passes, "a"), sideOf(t, b, passes, "b")}), "64"); n != 2 {
		t.Errorf("k = 64 stands %d times, want it in both panels", n)
	}
	for _, d := range []drawtest.Drawing{shared, free} {
		drawtest.CheckTexts(t, d)
	}
}

// A label leaves out the fields that vary in no folder, and has those that vary in one.
func TestBesideLabels(t *testing.T) {
	grpo := func(rate, group string) plainVariant {
		return plainVariant{label: "grpo lr=" + rate + " group=" + group, method: "grpo", top: 1, axes: []record.Axis{{Field: "train.lr", Value: rate}, {Field: "train.group", Value: group}}}
	}
	a, b := plainRun(t, grpo("0.1", "7"), grpo("0.3", "7")), plainRun(t, grpo("0.1", "3"))
	fig := record.Figure{Name: "f", Kind: "curve", Metrics: []string{"m"}}
	d := drawBeside(t, []Side{sideOf(t, a, fig, "seven"), sideOf(t, b, fig, "three")})
	if !d.Has("grpo lr=0.1") || !d.Has("grpo lr=0.3") || d.Has("grpo") {
		t.Errorf("labels: %s", d.Joined())
	}
	drawtest.WantTexts(t, d, "seven: group = 7.", "three: group = 3.", "Mean over 3 seeds. Bands: 95% confidence intervals over seeds.")
	if n := strings.Count(d.Joined(), "Mean over"); n != 1 {
		t.Errorf("what holds for both is said %d times", n)
	}
	if got := len(drawnLines(d)); got != 2 {
		t.Errorf("%d looks, want one a rate", got)
	}
	// Labels stay whole where two would be alike.
	b.Variants = append(b.Variants, b.Variants[0])
	b.Variants[1].Label = "grpo again"
	if d = drawBeside(t, []Side{sideOf(t, a, fig, "seven"), sideOf(t, b, fig, "three")}); !d.Has("grpo again") || !d.Has("grpo lr=0.1 group=7") || !d.Has("grpo lr=0.1 group=3") {
		t.Errorf("labels: %s", d.Joined())
	}
}

func TestJoint(t *testing.T) {
	for _, c := range []struct {
		why   string
		lists [][]string
		want  []string
	}{
		{"the same", [][]string{{"base", "a"}, {"base", "a"}}, []string{"base", "a"}},
		{"more of a sweep stays with it", [][]string{{"base", "a 1", "b"}, {"base", "a 1", "a 2", "b"}}, []string{"base", "a 1", "a 2", "b"}},
		{"methods of one's own come behind", [][]string{{"base", "a"}, {"base", "b", "c"}}, []string{"base", "a", "b", "c"}},
		{"nothing in common", [][]string{{"a", "b"}, {"c"}, {"d", "c"}}, []string{"a", "b", "d", "c"}},
		{"another order", [][]string{{"a", "b", "c"}, {"c", "a"}}, []string{"a", "b", "c"}},
		{"an optimum is last", [][]string{{"a", "optimum"}, {"b"}}, []string{"a", "b", "optimum"}},
	} {
		var parts []*part
		for _, list := range c.lists {
			w := &part{}
			for _, label := range list {
				w.shown = append(w.shown, numbers.Variant{Called: label, Method: label})
			}
			parts = append(parts, w)
		}
		var got []string
		for _, s := range joint(parts) {
			got = append(got, s.Called)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}

// Every number of sides and metrics has a place for each panel, none twice, and a page
// without texts that touch; heads are over their side's panels and, where titles
// differ, hold them.
func TestBesideLayouts(t *testing.T) {
	for sides := 1; sides <= 7; sides++ {
		for metrics := 1; metrics <= 7; metrics++ {
			for fit := 1; fit <= 3; fit++ {
				checkPlaces(t, layoutOf(sides, metrics, fit), sides, metrics)
			}
		}
	}
	metrics := []string{"reward", "entropy_mode", "correct_modes_alive", "pass@4", "coverage@8"}
	run := banditRun(t, 2, 20, 10)
	widths := []float64{0, 5.5, 3.25}
	for j, c := range [][2]int{{1, 1}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {2, 2}, {3, 3}, {2, 4}, {3, 5}, {4, 4}, {4, 5}} {
		var sides []Side
		for i := range c[0] {
			sides = append(sides, sideOf(t, run, record.Figure{
				Name: "f", Kind: "curve", Width: widths[j%len(widths)], Metrics: metrics[:c[1]], Title: fmt.Sprintf("title %d, which goes on and on and needs a line more than others", i),
			}, fmt.Sprintf("side %d%s", i, strings.Repeat(" and more of it", 4*i%9))))
		}
		d := drawBeside(t, sides)
		drawtest.CheckTexts(t, d)
		for i, s := range sides {
			if !strings.Contains(d.Joined(), s.Heading) || !strings.Contains(d.Joined(), s.Data.Figure.Title) {
				t.Errorf("%v: no heading or title %d: %s", c, i, d.Joined())
			}
		}
		for _, m := range metrics[:c[1]] {
			if !strings.Contains(d.Joined(), describe(m).Label) {
				t.Errorf("%v: no name of %s", c, m)
			}
		}
	}
}

// checkPlaces checks that each panel has a place of its own within the columns.
func checkPlaces(t *testing.T, l layout, sides, metrics int) {
	t.Helper()
	taken := map[[2]int]bool{}
	for s := range sides {
		for m := range metrics {
			row, col := l.place(s, m)
			if taken[[2]int{row, col}] || col >= l.columns {
				t.Errorf("%d sides, %d metrics: panel %d of side %d at row %d, column %d", sides, metrics, m, s, row, col)
			}
			taken[[2]int{row, col}] = true
		}
	}
}

// Heads are above the panels of their side: in rows from the top, side by side from
// the left.
func TestBesideHeads(t *testing.T) {
	run := banditRun(t, 2, 20, 10)
	sides := func(metrics ...string) (out []Side) {
		for _, name := range []string{"first", "second", "third"} {
			out = append(out, sideOf(t, run, record.Figure{Name: "f", Kind: "curve", Title: "the same", Metrics: metrics}, name))
		}
		return out
	}
	d := drawBeside(t, sides("reward", "entropy_mode"))
	a, b, c := d.Find(t, "first"), d.Find(t, "second"), d.Find(t, "third")
	if !(a.Bottom > b.Top+100 && b.Bottom > c.Top+100 && a.Left == b.Left && b.Left == c.Left) {
		t.Errorf("rows: heads at %+v, %+v, %+v", a, b, c)
	}
	for _, metrics := range [][]string{{"reward"}, {"reward", "entropy_mode", "pass@1", "pass@8"}} {
		d = drawBeside(t, sides(metrics...))
		a, b, c = d.Find(t, "first"), d.Find(t, "second"), d.Find(t, "third")
		if !(a.Left+100 < b.Left && b.Left+100 < c.Left && a.Bottom == b.Bottom && b.Bottom == c.Bottom) {
			t.Errorf("columns: heads at %+v, %+v, %+v", a, b, c)
		}
		if y := d.Find(t, "reward"); a.Bottom < y.Top {
			t.Errorf("a head at %+v, beside the panel at %+v", a, y)
		}
	}
	for text, want := range map[string]int{"the same": 1, "training step": 3, "reward": 1} {
		if got := strings.Count(d.Joined(), text); got != want {
			t.Errorf("%q stands %d times over three columns, want %d", text, got, want)
		}
	}
}

// The axes of panels beside each other are in line, with marks at an edge or without.
func TestBesideInLine(t *testing.T) {
	var sides []Side
	for i, reward := range []float64{0, 0.5, 1} {
		run := emptyRun(t)
		addVariant(t, run, record.Variant{Method: "grpo"}, 2, func(int) []record.Eval {
			return []record.Eval{{Metrics: map[string]float64{"reward": reward}}, {Step: 1, Metrics: map[string]float64{"reward": reward}}}
		})
		sides = append(sides, sideOf(t, run, record.Figure{Name: "f", Kind: "curve", Metrics: []string{"reward"}}, fmt.Sprint(i)))
	}
	at := map[float64]bool{}
	for _, x := range drawBeside(t, sides).Texts {
		if x.Text == "training step" {
			at[x.Bottom] = true
		}
	}
	if len(at) != 1 {
		t.Errorf("names of the axes at the heights %v, want one", at)
	}
}

// A panel without lines is marked as not measured.
func TestBesideUnmeasured(t *testing.T) {
	a, b := plainRun(t, plainVariant{label: "grpo", method: "grpo", top: 1}), banditRun(t, 2, 20, 10)
	d := drawBeside(t, []Side{
		sideOf(t, a, record.Figure{Name: "f", Kind: "curve", Metrics: []string{"m"}, FreeY: true}, "a"),
		sideOf(t, b, record.Figure{Name: "f", Kind: "curve", Metrics: []string{"reward"}}, "b"),
	})
	if n := strings.Count(d.Joined(), "not measured"); n != 2 {
		t.Errorf("%d panels are empty, want one a side: %s", n, d.Joined())
	}
	drawtest.CheckTexts(t, d)
}

func TestBesideErrors(t *testing.T) {
	run := banditRun(t, 1, 20, 10)
	curve := record.Figure{Name: "f", Kind: "curve", Metrics: []string{"reward"}}
	other := record.Figure{Name: "f", Kind: "k-curve", Metrics: []string{"pass"}}
	for _, c := range []struct {
		why   string
		sides []Side
		want  []string
	}{
		{"none", nil, []string{"no experiments"}},
		{"two kinds", []Side{sideOf(t, run, curve, "a"), sideOf(t, run, other, "b")}, []string{`figure "f" is a curve in ` + run.Dir, "a k-curve in"}},
		{"another kind", []Side{sideOf(t, run, record.Figure{Name: "f", Kind: "modes"}, "a")}, []string{"of the kind modes", "a curve or a k-curve"}},
		{"no metric", []Side{sideOf(t, run, record.Figure{Name: "f", Kind: "curve"}, "a")}, []string{`figure "f"`, "at least one metric"}},
		{"an unknown metric", []Side{sideOf(t, run, record.Figure{Name: "f", Kind: "curve", Metrics: []string{"rewrad"}}, "a")}, []string{`has a metric "rewrad"`}},
		{"an unknown family", []Side{sideOf(t, run, record.Figure{Name: "f", Kind: "k-curve", Metrics: []string{"rewrad"}}, "a")}, []string{`metric of the family "rewrad"`}},
	} {
		f, err := Beside(c.sides)
		if err == nil || f != nil {
			t.Errorf("%s: no error", c.why)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %q, want one line with %q", c.why, err, part)
			}
		}
	}
}
