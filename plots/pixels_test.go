package plots

import (
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// TestPNG: a figure as PNG has 200 pixels an inch, the colours of its lines where they are drawn,
// and text.
func TestPNG(t *testing.T) {
	f := figureOf(t, banditRun(t, 4, 100, 10), record.Figure{Name: "curve", Kind: "curve", Metrics: []string{"entropy_mode"}})
	path := filepath.Join(t.TempDir(), "curve.png")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	width, height := f.Size()
	size := picture.Bounds().Size()
	if math.Abs(float64(size.X)-width*200/72) > 1 || math.Abs(float64(size.Y)-height*200/72) > 1 {
		t.Errorf("%v pixels for %v x %v points", size, width, height)
	}
	pixels := map[color.NRGBA]int{}
	for y := range size.Y {
		for x := range size.X {
			pixels[color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)]++
		}
	}
	for ink, least := range map[color.NRGBA]int{draw.White: size.X * size.Y / 2, draw.Black: 1000, draw.Red: 200, draw.Blue: 200, draw.Faint: 100} {
		if pixels[ink] < least {
			t.Errorf("%d pixels are %v, want at least %d", pixels[ink], ink, least)
		}
	}
}
