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
		r.Policy = "transformer"
		unit := r.Tuned(board.Reference).Mean("area")
		for i, s := range r.Standings {
			areas := s.Rows[0].Seeds["area"]
			for j, x := range areas {
				if i%3 == 0 && s.Method != board.Reference {
					areas[j] = lined.Round(2*unit - float64(x))
				}
			}
		}
	}
	c, err := foretell.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestForetellingDrawing holds the figure against a drawing that people have looked at, byte for
// byte.
func TestForetellingDrawing(t *testing.T) {
	figure, err := Foretelling(foretold(t, 14, boardTasks[:2], []string{"maze", "countdown"}), nil)
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

// TestForetellingTexts: no text lies on another text, whether boards have many methods or few. Every method
// that is highlighted has its name: those that the boards oppose, or those that are asked for.
func TestForetellingTexts(t *testing.T) {
	for _, c := range []*foretell.Comparison{
		foretold(t, 80, boardTasks[:3], []string{"maze", "countdown"}),
		foretold(t, 5, boardTasks[:1], []string{"maze"}),
	} {
		figure, err := Foretelling(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := drawtest.Read(t, figure.Figure)
		drawtest.CheckTexts(t, d)
		for _, m := range c.Opposed() {
			if len(d.All(m.Name)) != 2 { // one in the key
				t.Errorf("%s is on opposite sides, and has no name", m.Name)
			}
		}
		points := foretellPoints(c, []string{"method+01"})
		if i := slices.IndexFunc(points, func(s standpoint) bool { return s.Name == "method+01" }); !points[i].highlighted {
			t.Error("the method that is asked for is not highlighted")
		}
		if _, err := Foretelling(c, []string{"metod"}); err == nil || !strings.Contains(err.Error(), `no method "metod" to show`) {
			t.Errorf("a name that there is not: error %v", err)
		}
	}
}
