package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func TestErrors(t *testing.T) {
	run := sweepRun(t, 2, 40, 20)
	crash := emptyRun(t)
	addVariant(t, crash, record.Variant{Method: "broken"}, 1, func(int) []record.Eval { return []record.Eval{{Step: 0}} })
	addVariant(t, crash, record.Variant{Method: "silent"}, 1, func(int) []record.Eval { return nil })
	crash.Variants = append(crash.Variants,
		usual(record.Variant{Label: "pending", Method: "pending", Cells: []record.Ref{{Seed: 7, ID: "nowhere"}}}),
		usual(record.Variant{Method: "hollow"}))
	addVariant(t, crash, record.Variant{Method: "apart"}, 2, func(seed int) []record.Eval { return []record.Eval{{Step: seed}} })
	path := filepath.Join(crash.Folder(crash.Variants[0].Cells[0]), record.EvalFile)
	if err := os.WriteFile(path, []byte("{\"step\": 0, \"metrics\": {}}\n{\"step\": x}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	only := func(method string) []record.Filter {
		return []record.Filter{{Field: "method", Values: []string{method}}}
	}
	for _, c := range []struct {
		run  *record.Run
		fig  record.Figure
		want []string
	}{
		{run, record.Figure{Name: "f", Kind: "pie"}, []string{`figure "f"`, `unknown kind "pie"`, "known kinds: agreement, answers, bars, "}},
		{run, record.Figure{Kind: "curve", Where: []record.Filter{{Field: "train.lr", Values: []string{"7", "8"}}, {Field: "method", Values: []string{"grpo"}}}},
			[]string{"train.lr 7 or 8 and method grpo", "method: base, grpo, setpo+grpo", "train.lr: 0.02, 0.05, 0.1, 0.2", "estimator.lambda: 0.05, 0.5, 2"}},
		{emptyRun(t), record.Figure{Kind: "curve"}, []string{"no variants"}},
		{run, record.Figure{Kind: "curve"}, []string{"at least one metric"}},
		{run, record.Figure{Kind: "curve", Metrics: []string{"rewrad"}}, []string{`no variant shown has a metric "rewrad"`, "correct_modes_alive, coverage@1,"}},
		{run, record.Figure{Kind: "k-curve"}, []string{"at least one family"}},
		{run, record.Figure{Kind: "k-curve", Metrics: []string{"best"}}, []string{`family "best"`, "pass@64"}},
		{run, record.Figure{Kind: "modes", Panel: []string{"grpo"}}, []string{`panel names the variant "grpo"`, "base, grpo lr=0.02,"}},
		{run, record.Figure{Kind: "grid", Metrics: []string{"reward"}}, []string{"rows and cols are empty"}},
		{run, record.Figure{Kind: "grid", Rows: []string{"method"}}, []string{"at least one metric"}},
		{run, record.Figure{Kind: "grid", Metrics: []string{"reward"}, Rows: []string{"method"}, Cols: []string{"lr"}}, []string{"cols: no variant has a field lr", "method, train.lr, estimator.lambda"}},
		{run, record.Figure{Kind: "grid", Metrics: []string{"reward"}, Rows: []string{"method"}, Cols: []string{"train.lr"}},
			[]string{"setpo+grpo lambda=0.05 lr=0.02 and setpo+grpo lambda=0.5 lr=0.02", "estimator.lambda into rows or cols"}},
		{run, record.Figure{Kind: "grid", Metrics: []string{"rewrad"}, Rows: []string{"method", "estimator.lambda"}, Cols: []string{"train.lr"}}, []string{`has a metric "rewrad"`}},
		{run, record.Figure{Kind: "grid", Metrics: []string{"reward"}, Rows: []string{"estimator.lambda"}, Cols: []string{"train.lr"}},
			[]string{"base and grpo lr=0.02 fall into the same cell", "method or train.lr"}},
		{crash, record.Figure{Kind: "curve", Where: only("broken")}, []string{"variant broken, seed 0", "eval.jsonl:2"}},
		{crash, record.Figure{Kind: "curve", Where: only("silent")}, []string{"no evaluation records", "cell-1-0"}},
		{crash, record.Figure{Kind: "curve", Where: only("pending")}, []string{"seed 7 has no records yet"}},
		{crash, record.Figure{Kind: "curve", Where: only("hollow")}, []string{"variant hollow has no cells"}},
		{crash, record.Figure{Kind: "curve", Where: only("apart")}, []string{"no evaluated step in common"}},
	} {
		wantError(t, c.run, c.fig, c.want...)
	}
}

func TestModesNeedMasses(t *testing.T) {
	run := emptyRun(t)
	addVariant(t, run, record.Variant{Method: "grpo"}, 1, func(int) []record.Eval { return []record.Eval{{Step: 0}} })
	wantError(t, run, record.Figure{Kind: "modes"}, "variant grpo hold no masses")
}

func TestCurve(t *testing.T) {
	run := banditRun(t, 4, 100, 10)
	d := drawSVG(t, run, record.Figure{Kind: "curve", Title: "A title & more", Metrics: []string{"reward", "entropy_mode"}})
	drawtest.WantLabels(t, d, "A title & more", "reward", "mode entropy (nats)", "training step", "0.0", "1.0", "Mean over 4 seeds; bands: 95% confidence intervals over seeds.")
	drawtest.WantLabels(t, d, banditMethods...)
	if got, want := d.Paths("fill-opacity:0.2"), 2*len(banditMethods); got != want {
		t.Errorf("%d bands, want %d", got, want)
	}
	// The base policy: a line in each panel and one in the legend.
	if got := d.Paths("stroke:#000000;stroke-width:1.2;stroke-dasharray:4,2.5"); got != 3 {
		t.Errorf("%d black dashed lines, want 3", got)
	}
	one := banditRun(t, 1, 100, 10)
	if d := drawSVG(t, one, record.Figure{Kind: "curve", Metrics: []string{"reward"}}); d.Paths("fill-opacity") != 0 || !d.Has("One seed.") {
		t.Error("a single seed has a band")
	}
	if d := drawSVG(t, banditRun(t, 2, 100, 10), record.Figure{Kind: "curve", Metrics: []string{"reward"}}); d.Paths("fill-opacity") != 0 || !d.Has("Mean over 2 seeds.") {
		t.Errorf("two seeds have a band: %s", d.Joined())
	}
}

// curvePoints are the points of the first variant of a curve.
func curvePoints(shown []numbers.Variant, metric string) []sheets.Point {
	return curveLines.points(shown[0], metric, curveLines.axis(metric, shown).all)
}

// The numbers of a line are those of package stats, seeds joined by step.
func TestHistoryIsStats(t *testing.T) {
	values := map[int][]float64{0: {1, 2, 4}, 10: {3, 3, 7}, 20: {0.5, 0.25, 0.75}}
	run := emptyRun(t)
	addVariant(t, run, record.Variant{Method: "v"}, 3, func(seed int) []record.Eval {
		var evals []record.Eval
		for step, xs := range values { // in any order
			evals = append(evals, record.Eval{Step: step, Metrics: map[string]float64{"m": xs[seed]}})
		}
		if seed == 1 {
			evals = append(evals, record.Eval{Step: 30, Metrics: map[string]float64{"m": 9}})
		}
		return evals
	})
	shown := gathered(t, run, record.Figure{Kind: "curve", Metrics: []string{"m"}}).Variants
	got := curvePoints(shown, "m")
	var want []sheets.Point
	for _, step := range []int{0, 10, 20} {
		want = append(want, sheets.Point{X: float64(step), At: stats.MeanInterval(values[step])})
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sheets.Point{})); diff != "" {
		t.Error(diff)
	}
	if note := sheets.SeedNote(shown, true); !strings.Contains(note, "Only the steps that all seeds have: v") {
		t.Errorf("note %q does not say that a step is left out", note)
	}
}

// A metric may be undefined at some steps, or for some seeds.
func TestGaps(t *testing.T) {
	run := emptyRun(t)
	addVariant(t, run, record.Variant{Method: "v"}, 3, func(seed int) []record.Eval {
		var evals []record.Eval
		for step := range 5 {
			e := record.Eval{Step: step, Metrics: map[string]float64{"other": 1}}
			if step != 2 && !(step == 3 && seed > 0) {
				e.Metrics["m"] = float64(seed * step)
			}
			evals = append(evals, e)
		}
		return evals
	})
	shown := gathered(t, run, record.Figure{Kind: "curve", Metrics: []string{"m"}}).Variants
	line := curvePoints(shown, "m")
	var ns []string
	for _, p := range line {
		ns = append(ns, fmt.Sprintf("%g:%d:%v", p.X, p.At.N, draw.Bounded(p.At.Low, p.At.High)))
	}
	if diff := cmp.Diff([]string{"0:3:true", "1:3:true", "3:1:false", "4:3:true"}, ns); diff != "" {
		t.Error(diff)
	}
	drawSVG(t, run, record.Figure{Kind: "curve", Metrics: []string{"m"}})
}

func TestKCurve(t *testing.T) {
	run := banditRun(t, 3, 100, 50)
	d := drawSVG(t, run, record.Figure{Kind: "k-curve", Metrics: []string{"pass", "coverage"}})
	drawtest.WantLabels(t, d, "pass@k", "coverage@k", "k (answers per problem)", "1", "2", "4", "8", "16", "32", "64")
	if !strings.Contains(d.Joined(), "After 100 training steps.") {
		t.Errorf("the figure does not say which step it shows: %s", d.Joined())
	}
	// Powers of two are equally far apart.
	if a, b, c := d.Find(t, "8").Left, d.Find(t, "16").Left, d.Find(t, "32").Left; (c-b)-(b-a) > 3 {
		t.Errorf("ticks at %g, %g, %g: not a log axis", a, b, c)
	}
}

func TestModes(t *testing.T) {
	run := banditRun(t, 3, 100, 10)
	d := drawSVG(t, run, record.Figure{Kind: "modes", Panel: []string{"setpo+grpo", "grpo"}})
	drawtest.WantLabels(t, d, "grpo", "setpo+grpo", "training step", "probability mass", "mode 3 (rewarded)", "8 modes without reward")
	if d.Find(t, "setpo+grpo").Left > d.Find(t, "grpo").Left {
		t.Error("the panels are not in the order asked for")
	}
	drawtest.WantTexts(t, d, "mean of 3 seeds, modes ranked: ", "seed 0 (median entropy): ", "Below: the seed whose entropy", "Alive: ")
	// Two variants, one row, and the legend's swatch, for a mode as for a rank.
	if got := d.Paths("fill:#0072B2"); got != 3 {
		t.Errorf("%d areas for mode 0, want 3", got)
	}
	if got := d.Paths("fill:#37106E"); got != 3 {
		t.Errorf("%d areas for the largest mode, want 3", got)
	}
	single := drawSVG(t, crowdRun(t, 1), record.Figure{Kind: "modes"})
	drawtest.WantLabels(t, single, "degenerate", "3 other rewarded modes", "20 modes without reward", "(a+b)*c-3 (rewarded)")
	for _, part := range []string{"mean", "median", "ranked", "largest"} {
		if strings.Contains(single.Joined(), part) {
			t.Errorf("a single seed has a %q", part)
		}
	}
}

func TestStackSumsToMass(t *testing.T) {
	run := banditRun(t, 3, 50, 10)
	shown := gathered(t, run, record.Figure{Kind: "modes"}).Variants
	layers, err := layersOf(shown)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shown {
		for at, step := range s.Steps {
			for _, by := range []stacking{byMode(layers), byRank(layers)} {
				tops := stack(s.Rivers, at, by)
				if top := tops[len(tops)-1]; top < 1-1e-9 || top > 1+1e-9 || !slices.IsSorted(tops) || len(tops) != len(by.layers) {
					t.Errorf("%s at step %d: tops %v", s.Label, step, tops)
				}
			}
		}
	}
}

func TestSave(t *testing.T) {
	run := banditRun(t, 2, 20, 10)
	f := figureOf(t, run, record.Figure{Kind: "curve", Metrics: []string{"reward"}})
	dir := t.TempDir()
	for name, begins := range map[string]string{"a.svg": "<?xml", "b.PNG": "\x89PNG", "c.pdf": "%PDF", "d.pgf": "%"} {
		path := filepath.Join(dir, name)
		for range 2 { // again over the old file
			if err := f.Save(path); err != nil {
				t.Fatal(err)
			}
		}
		if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), begins) {
			t.Errorf("%s begins with %q, error %v", name, data[:min(8, len(data))], err)
		}
	}
	for _, name := range []string{"e.eps", "noextension"} {
		if err := f.Save(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), ".svg, .png, .pdf or .pgf") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := f.Save(filepath.Join(dir, "no", "such", "folder.svg")); err == nil {
		t.Error("a figure in a folder that does not exist")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.svg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(filepath.Join(dir, "folder.svg")); err == nil {
		t.Error("a figure over a folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 5 {
		t.Errorf("temporary files stay behind: %v", entries)
	}
}

// Labels come from files and may hold anything.
func TestStrangeLabels(t *testing.T) {
	run := emptyRun(t)
	for _, label := range []string{"<b>&\"'", "λ=0.5 µ ≥ 文", "a\x00b\x1b[0m\xff", strings.Repeat("x", 500), "", "   "} {
		addVariant(t, run, record.Variant{Label: label, Method: label, Axes: []record.Axis{{Field: label, Value: label}}}, 2, func(seed int) []record.Eval {
			return banditEvals(0, true, seed, 20, 10)
		})
	}
	for _, fig := range []record.Figure{
		{Kind: "curve", Title: "\x01λ", Metrics: []string{"reward"}},
		{Kind: "modes"},
		{Kind: "k-curve", Metrics: []string{"pass"}},
		{Kind: "grid", Metrics: []string{"reward"}, Rows: []string{"method"}},
	} {
		d := drawSVG(t, run, fig)
		drawtest.CheckTexts(t, d)
		if fig.Kind == "curve" && !d.Has("λ=0.5 µ ≥ 文") {
			t.Error("the SVG lost letters")
		}
		if err := figureOf(t, run, fig).Save(filepath.Join(t.TempDir(), "f.pdf")); err != nil {
			t.Error(err)
		}
	}
}
