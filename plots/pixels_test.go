package plots

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

var updatePixels = flag.Bool("update-pixels", false, "write testdata/*.png anew")

// Two pictures count as the same where the mean difference of a channel is at most
// meanOff of 255 and at most shareOff of the pixels have a channel that is off by more
// than channelOff: another version of a font or a rasteriser may move the edges of
// letters by that much, and no line or colour.
const (
	meanOff    = 0.6
	channelOff = 48
	shareOff   = 0.002
)

// small draws a figure with few pixels.
func small(f *draw.Figure) image.Image {
	canvas := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(60))
	f.Paint(vgdraw.New(canvas))
	return canvas.Image()
}

// differs says how far two pictures are from being the same; "" where they are.
func differs(a, b image.Image) string {
	if a.Bounds() != b.Bounds() {
		return fmt.Sprintf("sizes %v and %v", a.Bounds(), b.Bounds())
	}
	sum, off, pixels := 0.0, 0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			p, q := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			most := 0.0
			for _, d := range [3]float64{float64(p.R) - float64(q.R), float64(p.G) - float64(q.G), float64(p.B) - float64(q.B)} {
				sum, most = sum+math.Abs(d), max(most, math.Abs(d))
			}
			if pixels++; most > channelOff {
				off++
			}
		}
	}
	mean, share := sum/float64(3*pixels), float64(off)/float64(pixels)
	if mean > meanOff || share > shareOff {
		return fmt.Sprintf("mean difference %.3f of 255 (at most %v), %.3f%% of pixels off (at most %v%%)", mean, meanOff, 100*share, 100*shareOff)
	}
	return ""
}

// pixelFigures are small figures from scripted data.
func pixelFigures(t testing.TB) []exhibit {
	judged(t)
	run := banditRun(t, 4, 100, 10)
	two := []record.Filter{{Field: "method", Values: []string{"base", "grpo", "setpo+grpo"}}}
	return []exhibit{
		{run, record.Figure{Name: "curve", Kind: "curve", Metrics: []string{"entropy_mode"}, Where: two}},
		{run, record.Figure{Name: "bars", Kind: "bars", Metrics: []string{"reward"}, Where: two}},
		{answersRun(t, "multiplication"), record.Figure{Name: "tree", Kind: "tree", Panel: []string{"vpo"}}},
		{profileRun(t, 6), record.Figure{Name: "profiles", Kind: "profiles", Metrics: []string{"pass@1"}, Where: two}},
	}
}

// TestPixels holds small figures against pictures that people have looked at.
func TestPixels(t *testing.T) {
	for _, g := range pixelFigures(t) {
		f := figureOf(t, g.run, g.fig)
		path := filepath.Join("testdata", g.fig.Name+".png")
		if *updatePixels {
			var buf bytes.Buffer
			if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, small(f)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 15000 {
			t.Errorf("%s has %d bytes, want at most 15000", path, len(text))
		}
		want, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if diff := differs(want, small(f)); diff != "" {
			t.Errorf("%s: %s; look at the figure, and write the file anew by -update-pixels", g.fig.Name, diff)
		}
	}
}

// TestPixelsShowDifferences: a line that is a point lower, or of another colour, makes
// another picture.
func TestPixelsShowDifferences(t *testing.T) {
	page := func(y vg.Length, ink color.Color) image.Image {
		return small(&draw.Figure{Width: draw.ColumnWidth, Height: 180, Paint: func(c draw.Canvas) {
			c.SetColor(draw.White)
			c.Fill(c.Rectangle.Path())
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: draw.LineWidth}, c.Min.X+30, y, c.Max.X-4, y+40)
			draw.Write(c, draw.SmallFont, draw.Black, 40, 20, 0, "training step")
		}})
	}
	want := page(80, draw.Red)
	for _, c := range []struct {
		reason string
		image  image.Image
		same   bool
	}{
		{"the same", page(80, draw.Red), true},
		{"less than can be seen", page(80.01, draw.Red), true},
		{"a shifted line", page(79, draw.Red), false},
		{"a line of another colour", page(80, draw.Orange), false},
		{"a line of the same grey", page(80, draw.Green), false},
		{"another size", small(&draw.Figure{Width: 10, Height: 10, Paint: func(draw.Canvas) {}}), false},
	} {
		if diff := differs(want, c.image); (diff == "") != c.same {
			t.Errorf("%s: %q", c.reason, diff)
		}
	}
	// The same in a whole figure, of which it is a small part.
	run := banditRun(t, 4, 100, 10)
	fig := record.Figure{Kind: "curve", Metrics: []string{"entropy_mode"}}
	draw := func(change func(*Data)) image.Image {
		d := gathered(t, run, fig)
		change(d)
		f, err := d.Draw()
		if err != nil {
			t.Fatal(err)
		}
		return small(f)
	}
	whole := draw(func(*Data) {})
	for reason, change := range map[string]func(*Data){
		"a mean moved": func(d *Data) {
			for _, mean := range d.Variants[2].Series[0].Mean {
				*mean *= 0.97
			}
		},
		"another method's colour": func(d *Data) { d.Variants[3].Method = "dapo" },
	} {
		if diff := differs(whole, draw(change)); diff == "" {
			t.Errorf("%s does not show", reason)
		}
	}
}
