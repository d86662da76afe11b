package draw

import (
	"bytes"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pgfOf is a figure of 100 by 50 as pgf.
func pgfOf(t *testing.T, paint func(draw.Canvas)) string {
	t.Helper()
	var buf bytes.Buffer
	if err := (&Figure{Width: 100, Height: 50, Paint: paint}).writePGF(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// TestPGF: LaTeX reads the unchanged text, with its side at its point, closed paths, and the
// unchanged colours.
func TestPGF(t *testing.T) {
	got := pgfOf(t, func(c draw.Canvas) {
		c.SetColor(White)
		c.Fill(c.Rectangle.Path())
		Write(c, SmallFont, Black, 10, 20, 0, `50% of a_b & \input{x}`)
		Write(c, PanelFont, Black, 10, 20, 0.5, "-1")
		Write(c, LabelFont, Black, 10, 20, 1, "é")
		Write(c, LabelFont, Black, 10, 20, 1, "模")
		c.SetColor(color.NRGBA{R: 255, A: 51})
		c.SetLineWidth(1e-9)
		c.SetLineDash([]vg.Length{1.0 / 3}, 0)
		path := vg.Path{}
		path.Move(vg.Point{X: 1e-7, Y: math.Pi})
		path.Line(vg.Point{X: 2})
		path.Close()
		c.Fill(path)
	})
	for _, want := range []string{
		"\\pgfpathrectangle{\\pgfpointorigin}{\\pgfpoint{92pt}{42pt}}\n",
		`\selectfont \modebenchtext{l}{`, `{50\% of a\_b \& \textbackslash{}input\{x\}}}}`,
		`\fontsize{8pt}{8pt}\selectfont \bfseries \modebenchtext{c}{`, `{$-$1}}}`,
		`\modebenchtext{r}{`, `{é}}}`,
		"\\color[rgb]{1,0,0}\n\\pgfsetstrokeopacity{0.2}",
		"\\pgfpathmoveto{\\pgfpoint{0pt}{3.142pt}}\n\\pgflineto{\\pgfpoint{2pt}{0pt}}\n\\pgflineto{\\pgfpoint{0pt}{3.142pt}}\n",
		"{0.333pt}", `\end{pgfpicture}%`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"模", "e-0", "\n\n", `\color[rgb]{1,1,1}`} {
		if strings.Contains(got, bad) {
			t.Errorf("there is %q", bad)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestLastBitsDoNotShowInPGF: neither does another processor's arithmetic.
func TestLastBitsDoNotShowInPGF(t *testing.T) {
	page := func(x float64) string {
		return pgfOf(t, func(c draw.Canvas) {
			at := vg.Point{X: vg.Length(x), Y: vg.Length(-x)}
			c.SetLineWidth(1)
			c.Stroke(PathOf([]vg.Point{at, {}, at}))
			c.Translate(at)
			Write(c, SmallFont, Black, at.X, at.Y, 0, "x")
		})
	}
	for _, x := range []float64{12.3455, 0.0005, 9.8765} {
		for _, other := range []float64{math.Nextafter(x, 0), math.Nextafter(x, 100), x - 1e-11, x + 1e-11} {
			if page(other) != page(x) {
				t.Errorf("%v and %v are drawn differently", other, x)
			}
		}
	}
}
