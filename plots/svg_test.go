package plots

import (
	"strconv"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// gathered has the numbers of a figure of a run.
func gathered(t testing.TB, run *record.Run, fig record.Figure) *Data {
	t.Helper()
	d, err := Gather(run, fig)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// figureOf draws a figure of a run.
func figureOf(t testing.TB, run *record.Run, fig record.Figure) *draw.Figure {
	t.Helper()
	f, err := gathered(t, run, fig).Draw()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// drawSVG draws a figure and reads the SVG back.
func drawSVG(t *testing.T, run *record.Run, fig record.Figure) drawtest.Drawing {
	t.Helper()
	return drawtest.Read(t, figureOf(t, run, fig))
}

// drawError is the error of drawing a figure of a run.
func drawError(run *record.Run, fig record.Figure) error {
	d, err := Gather(run, fig)
	if err != nil {
		return err
	}
	_, err = d.Draw()
	return err
}

// wantError draws a figure that cannot be drawn. The error is one line that names the figure
// and has all parts.
func wantError(t *testing.T, run *record.Run, fig record.Figure, parts ...string) {
	t.Helper()
	err := drawError(run, fig)
	if err == nil {
		t.Errorf("%+v: no error, want one with %q", fig, parts)
		return
	}
	for _, part := range append(parts, "figure "+strconv.Quote(fig.Name)+": ") {
		if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %q, want one line with %q", fig, err, part)
		}
	}
}
