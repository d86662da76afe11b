package plots

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	imagedraw "image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// An exhibit is a figure of the gallery.
type exhibit struct {
	run *record.Run
	fig record.Figure
}

// gallery has every kind of figure, easy and awkward.
func gallery(t testing.TB, seeds, steps int) []exhibit {
	run := banditRun(t, seeds, steps, steps/100)
	sweep := sweepRun(t, min(seeds, 5), steps/2, steps/60)
	many := manyRun(t, 40)
	reward := rewardRun(t, min(seeds, 5))
	nested := nestedRun(t, 2, steps/2, steps/60)
	at := []record.Filter{{Field: "train.lr", Values: []string{"0.1"}}}
	shouting := strings.Repeat("a rather long title that has to be broken ", 5)
	setpo := []record.Filter{{Field: "method", Values: []string{"setpo+grpo"}}}
	return []exhibit{
		{run, record.Figure{Name: "curve-1", Kind: "curve", Title: "Mode entropy of six estimators on the bandit", Metrics: []string{"entropy_mode"}}},
		{run, record.Figure{Name: "curve-2", Kind: "curve", Title: "Reward and modes on the bandit", Metrics: []string{"reward", "correct_modes_alive"}}},
		{run, record.Figure{Name: "curve-4", Kind: "curve", Title: shouting, Metrics: []string{"reward", "correct_modes_alive", "entropy_mode", "coverage@8"}}},
		{run, record.Figure{Name: "curve-5", Kind: "curve", Metrics: []string{"reward", "correct_modes_alive", "entropy_mode", "coverage@8", "pass@16"}}},
		{sweep, record.Figure{Name: "curve-sweep", Kind: "curve", Title: "A sweep", Metrics: []string{"entropy_mode", "correct_modes_alive"}}},
		{sweep, record.Figure{Name: "curve-shared", Kind: "curve", Title: "A sweep at one learning rate", Where: at, Metrics: []string{"entropy_mode"}}},
		{many, record.Figure{Name: "curve-40", Kind: "curve", Title: "Forty variants", Metrics: []string{"reward"}}},
		{run, record.Figure{Name: "k-curve", Kind: "k-curve", Title: "pass@k and coverage@k on the bandit", Metrics: []string{"pass", "coverage"}}},
		{run, record.Figure{Name: "k-curve-1", Kind: "k-curve", Title: "coverage@k on the bandit", Metrics: []string{"coverage"}}},
		{reward, record.Figure{Name: "k-curve-ceiling", Kind: "k-curve", Title: "Test-time scaling (after VPO fig. 5)", Metrics: []string{"best", "ew_best", "regret"}}},
		{reward, record.Figure{Name: "k-curve-ceiling-1", Kind: "k-curve", Title: "Test-time scaling", Metrics: []string{"best_first"}}},
		{reward, record.Figure{Name: "curve-ceiling", Kind: "curve", Title: "Reward diversity (after VPO fig. 6)", Metrics: []string{"reward_l1", "best@30"}}},
		{reward, record.Figure{Name: "grid-ceiling", Kind: "grid", Title: "After VPO table 2", Metrics: []string{"best@3", "ew_best@30", "reward_l1", "headroom"}, Rows: []string{"method"}}},
		{run, record.Figure{Name: "modes", Kind: "modes", Title: "Where the probability goes: GRPO collapses onto one rewarded mode, SetPO keeps all four (after SetPO fig. 1)"}},
		{run, record.Figure{Name: "modes-2", Kind: "modes", Title: "GRPO and SetPO", Panel: []string{"grpo", "setpo+grpo"}}},
		{sweep, record.Figure{Name: "modes-sweep", Kind: "modes", Title: "A sweep", Where: setpo}},
		{crowdRun(t, 1), record.Figure{Name: "modes-crowd", Kind: "modes", Title: "Many modes"}},
		{crowdRun(t, 4), record.Figure{Name: "modes-crowd-seeds", Kind: "modes", Title: "Many modes, several seeds"}},
		{nested, record.Figure{Name: "modes-shared", Kind: "modes", Title: "One learning rate", Where: append(at, record.Filter{Field: "train.optimizer", Values: []string{"adam"}})}},
		{sweep, record.Figure{Name: "grid", Kind: "grid", Title: "Rewarded modes alive by method and learning rate", Metrics: []string{"correct_modes_alive", "reward"}, Rows: []string{"method", "estimator.lambda"}, Cols: []string{"train.lr"}}},
		{sweep, record.Figure{Name: "grid-turned", Kind: "grid", Title: "The same with methods as columns", Metrics: []string{"correct_modes_alive"}, Rows: []string{"train.lr"}, Cols: []string{"method", "estimator.lambda"}}},
		{sweep, record.Figure{Name: "grid-column", Kind: "grid", Title: "A grid with rows alone", Metrics: []string{"reward", "entropy_mode"}, Rows: []string{"method", "estimator.lambda", "train.lr"}}},
		{sweep, record.Figure{Name: "grid-four", Kind: "grid", Title: "Four metrics", Metrics: []string{"reward", "entropy_mode", "coverage@8", "pass@4"}, Rows: []string{"method", "estimator.lambda"}, Cols: []string{"train.lr"}}},
		{nested, record.Figure{Name: "grid-nested", Kind: "grid", Title: "Nested columns", Metrics: []string{"correct_modes_alive", "reward"}, Rows: []string{"method", "lambda"}, Cols: []string{"train.optimizer", "train.lr"}}},
		{nested, record.Figure{Name: "grid-stacked", Kind: "grid", Title: "Panels below each other", Metrics: []string{"reward", "entropy_mode"}, Rows: []string{"train.optimizer"}, Cols: []string{"method", "lambda", "train.lr"}}},
		{nested, record.Figure{Name: "grid-shared", Kind: "grid", Title: "One learning rate", Where: at, Metrics: []string{"reward"}, Rows: []string{"method", "lambda"}, Cols: []string{"train.optimizer"}}},
		{crowdRun(t, 2), record.Figure{Name: "grid-upright", Kind: "grid", Title: "Long names", Metrics: []string{"reward"}, Cols: []string{"method", "sort of problem"}}},
		{many, record.Figure{Name: "grid-wide", Kind: "grid", Title: "Many columns", Metrics: []string{"reward", "entropy_mode"}, Cols: []string{"method", "estimator.lambda"}}},
	}
}

// A shownExhibit is an exhibit with its data, its drawing and its table.
type shownExhibit struct {
	fig    record.Figure
	data   *Data
	figure *draw.Figure
	svg    []byte
	values Values
}

var shownExhibits []shownExhibit

// shownGallery gathers and draws all exhibits, once in a process.
func shownGallery(t testing.TB) []shownExhibit {
	t.Helper()
	if shownExhibits == nil {
		for _, g := range append(gallery(t, 3, 100), kindGallery(t)...) {
			x := shownExhibit{fig: g.fig, data: gathered(t, g.run, g.fig)}
			x.figure, x.svg, x.values = drawn(t, x.data)
			shownExhibits = append(shownExhibits, x)
		}
	}
	return shownExhibits
}

// drawn is a drawing of data, as a figure and as SVG, with its table.
func drawn(t testing.TB, d *Data) (*draw.Figure, []byte, Values) {
	t.Helper()
	f, values, err := d.DrawValues()
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		t.Fatal(err)
	}
	return f, buf.Bytes(), values
}

// sumsFile has the sum of the SVG of each exhibit, a line each.
const sumsFile = "testdata/gallery.sums"

var updateSums = flag.Bool("update-sums", false, "write "+sumsFile+" anew")

// TestGallery looks for what spoils a figure in all exhibits, and holds each against the sum of a
// drawing that people have looked at: after a change, look at them again (TestGalleryAtFullSize)
// and write the sums anew by -update-sums.
func TestGallery(t *testing.T) {
	var sums strings.Builder
	for _, x := range shownGallery(t) {
		fmt.Fprintf(&sums, "%s %x\n", x.fig.Name, sha256.Sum256(x.svg))
	}
	if *updateSums {
		if err := os.WriteFile(sumsFile, []byte(sums.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sumsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(sums.String(), "\n")); diff != "" {
		t.Errorf("other drawings than those of the sums: %s", diff)
	}
	for _, x := range shownGallery(t) {
		t.Run(x.fig.Name, func(t *testing.T) {
			d := drawtest.Parse(t, x.svg)
			drawtest.CheckTexts(t, d)
			if !strings.HasPrefix(d.Joined(), x.fig.Title[:min(len(x.fig.Title), 20)]) {
				t.Errorf("the figure does not begin with its title: %.60s", d.Joined())
			}
		})
	}
}

// TestGalleryAtFullSize draws all exhibits at full size into the folder that PLOTS_GALLERY names, for
// people to look at, and as a grey print would show them into its folder grey:
//
//	PLOTS_GALLERY=/tmp/gallery go test ./plots -run TestGallery
func TestGalleryAtFullSize(t *testing.T) {
	out := os.Getenv("PLOTS_GALLERY")
	if out == "" {
		t.Skip("no folder in PLOTS_GALLERY")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, g := range append(gallery(t, 10, 3000), kindGallery(t)...) {
		f := figureOf(t, g.run, g.fig)
		for _, ext := range []string{".png", ".svg", ".pdf"} {
			if err := f.Save(filepath.Join(out, g.fig.Name+ext)); err != nil {
				t.Fatal(err)
			}
		}
		if err := saveGrey(filepath.Join(out, g.fig.Name+".png"), filepath.Join(out, "grey", g.fig.Name+".png")); err != nil {
			t.Fatal(err)
		}
	}
}

// saveGrey writes a PNG again without its colours.
func saveGrey(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	grey := image.NewGray(picture.Bounds())
	imagedraw.Draw(grey, grey.Bounds(), picture, image.Point{}, imagedraw.Src)
	var buf bytes.Buffer
	if err := png.Encode(&buf, grey); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, buf.Bytes(), 0o644)
}

// The same records give the same bytes, in every format, however the maps of
// metrics were filled.
func TestDeterministic(t *testing.T) {
	run := banditRun(t, 3, 40, 20)
	shuffled := banditRun(t, 3, 40, 20)
	reverseMetrics(t, shuffled)
	for _, fig := range []record.Figure{
		{Kind: "curve", Metrics: []string{"reward", "entropy_mode"}},
		{Kind: "modes"},
		{Kind: "k-curve", Metrics: []string{"pass"}},
		{Kind: "grid", Metrics: []string{"reward"}, Rows: []string{"method"}},
	} {
		want := allFormats(t, run, fig)
		for _, again := range []*record.Run{run, shuffled} {
			for format, data := range allFormats(t, again, fig) {
				if !bytes.Equal(data, want[format]) {
					t.Errorf("%s as %s: two drawings differ", fig.Kind, format)
				}
			}
		}
	}
}

func allFormats(t *testing.T, run *record.Run, fig record.Figure) map[string][]byte {
	t.Helper()
	f := figureOf(t, run, fig)
	out := map[string][]byte{}
	for _, ext := range []string{".svg", ".png", ".pdf", ".pgf"} {
		path := filepath.Join(t.TempDir(), "figure"+ext)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[ext] = data
	}
	return out
}

// reverseMetrics writes the metrics of every record in the opposite order.
func reverseMetrics(t *testing.T, run *record.Run) {
	t.Helper()
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			evals, err := run.Evals(ref)
			if err != nil {
				t.Fatal(err)
			}
			var data strings.Builder
			for _, e := range evals {
				var metrics, modes []string
				for _, name := range slices.Backward(slices.Sorted(maps.Keys(e.Metrics))) {
					metrics = append(metrics, fmt.Sprintf("%q: %v", name, e.Metrics[name]))
				}
				for _, m := range e.Modes {
					modes = append(modes, fmt.Sprintf(`{"mass": %v, "mode": %q, "correct": %v}`, m.Mass, m.Mode, m.Correct))
				}
				fmt.Fprintf(&data, `{"modes": [%s], "metrics": {%s}, "step": %d}`+"\n", strings.Join(modes, ","), strings.Join(metrics, ","), e.Step)
			}
			if err := os.WriteFile(filepath.Join(run.Folder(ref), record.EvalFile), []byte(data.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
