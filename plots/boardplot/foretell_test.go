package boardplot

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/experiments/board/foretell"
	"modebench/internal/lined"
	"modebench/plots/draw/drawtest"
)

// foretold holds a scripted board of n methods against a second board, whose every third method is as
// much below the reference as it was above.
func foretold(t *testing.T, n int, short, long []string) *foretell.Comparison {
	t.Helper()
	var methods []string
	for i := range n {
		methods = append(methods, fmt.Sprintf("method+%02d", i))
	}
	methods[n/2] = board.Reference
	a, b := boardResults(methods, short), boardResults(methods, long)
	for _, r := range b {
		r.Policy, r.Seeds = "transformer", []int{7000, 5}
		unit := r.Tuned(board.Reference).Mean("area")
		for i, s := range r.Standings {
			row := s.Rows[0]
			for column := range row.Seeds {
				row.Seeds[column] = row.Seeds[column][:5]
			}
			for j, x := range row.Seeds["area"] {
				if i%3 == 0 {
					row.Seeds["area"][j] = lined.Round(2*unit - float64(x))
				}
			}
		}
	}
	steps := &foretell.Steps{K: []int{1, 8}, Groups: []int{foretell.Rollouts}}
	for i, m := range methods {
		x := lined.Number(i % 7)
		steps.Methods = append(steps.Methods, foretell.MethodSteps{Method: m, Pass: []lined.Number{x, -x}, SNR: []lined.Number{x}})
	}
	f, err := foretell.Compare(a, b, steps)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestForetellingDrawing holds the figure against a drawing that people have looked at, byte for
// byte.
func TestForetellingDrawing(t *testing.T) {
	figure, err := Foretelling(foretold(t, 14, boardTasks[:4], []string{"maze", "countdown", "polynomial"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := figure.WriteSVG(&got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", figure.Name+".svg")
	if *updateDrawings {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the drawing is not that of %s (error %v); -update-drawings writes it", golden, err)
	}
}

// TestForetellingTexts: no text lies on another text, whether boards have many methods and tasks or
// few. Labels are of the methods that are asked for.
func TestForetellingTexts(t *testing.T) {
	for _, f := range []*foretell.Comparison{
		foretold(t, 80, boardTasks, []string{"maze", "countdown", "countdown-stale", "multiplication", "polynomial", "polynomial-ood"}),
		foretold(t, 5, boardTasks[:1], []string{"maze"}),
	} {
		figure, err := Foretelling(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := drawtest.Read(t, figure.Figure)
		drawtest.CheckTexts(t, d)
		drawtest.WantTexts(t, d, "over all tasks", "cosine pass@8", "tabular: 5 and 5", "transformer: 2 and 3")
		for _, b := range f.Opposed() {
			if slices.Contains(f.Everywhere, b.Method) && !d.Has(b.Method) {
				t.Errorf("%s is on opposite sides, and has no name", b.Method)
			}
		}
		if figure, err = Foretelling(f, []string{"method+01"}); err != nil {
			t.Fatal(err)
		}
		if d := drawtest.Read(t, figure.Figure); !d.Has("method+01") || d.Has("method+03") {
			t.Error("labels are not of the methods that are asked for")
		}
		if _, err := Foretelling(f, []string{"metod"}); err == nil || !strings.Contains(err.Error(), `no method "metod" to show`) {
			t.Errorf("a name that there is not: error %v", err)
		}
	}
}
