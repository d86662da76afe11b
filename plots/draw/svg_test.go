package draw

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What another last bit changes in a number between two decimals, the page, its
// paths, texts and moves do not show.
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
