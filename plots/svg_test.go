package plots

import (
	"bytes"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
)

// drawSVG draws a figure and reads the SVG back.
func drawSVG(t *testing.T, run *record.Run, fig record.Figure) drawtest.Drawing {
	t.Helper()
	f, err := Draw(run, fig)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		t.Fatal(err)
	}
	return drawtest.Parse(t, buf.Bytes())
}
