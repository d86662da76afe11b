package draw

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A different last bit in a number between two decimals does not show in the page, its paths,
// texts and moves.
func TestLastBitsDoNotShow(t *testing.T) {
	page := func(x float64) string {
		at := vg.Point{X: vg.Length(x), Y: vg.Length(x)}
		f := &Figure{Width: at.X, Height: at.Y, Paint: func(c draw.Canvas) {
			path := PathOf([]vg.Point{at, {}, at})
			c.Fill(path)
			c.SetLineWidth(1)
			c.Stroke(path)
			c.Translate(at)
			Write(c, SmallFont, Black, at.X, at.Y, 0, "x")
		}}
		var buf bytes.Buffer
		if err := f.WriteSVG(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	for _, x := range []float64{123.455, 123.445, 358.725, 139.625, 18.1235, 9.87655} {
		want := page(x)
		for _, other := range []float64{math.Nextafter(x, 0), math.Nextafter(x, 1000), x - 1e-11, x + 1e-11} {
			if got := page(other); got != want {
				t.Errorf("%v and %v are drawn differently:\n%s\n%s", other, x, got, want)
			}
		}
	}
}

// TestTold: an SVG has its title and its description, in letters that XML takes, under ids that
// only an equal figure has; without a title it has neither.
func TestTold(t *testing.T) {
	write := func(f *Figure) string {
		var buf bytes.Buffer
		if err := f.WriteSVG(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	blank := func() *Figure { return &Figure{Width: 10, Height: 10, Paint: func(draw.Canvas) {}} }
	if text := write(blank()); strings.Contains(text, "role=") || strings.Contains(text, "<title") {
		t.Errorf("a figure without a title is named:\n%s", text)
	}
	text := write(blank().Told("a < b\x07", `GRPO "falls" & ends`))
	found := regexp.MustCompile(`<svg role="img" aria-labelledby="(title-[0-9a-f]+) (desc-[0-9a-f]+)" [^>]*>\n<title id="([^"]*)">a &lt; b</title>\n<desc id="([^"]*)">GRPO &#34;falls&#34; &amp; ends</desc>`).FindStringSubmatch(text)
	if found == nil || found[1] != found[3] || found[2] != found[4] {
		t.Fatalf("the figure is named otherwise: %q\n%s", found, text)
	}
	if other := write(blank().Told("a < b", "another")); strings.Contains(other, found[1]) {
		t.Error("two figures have one id")
	}
	if again := write(blank().Told("a < b\x07", `GRPO "falls" & ends`)); again != text {
		t.Error("equal figures differ")
	}
}
