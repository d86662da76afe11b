package plots

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"modebench/internal/atomicfile"
)

// pngDPI makes a figure of one column about 900 pixels wide: sharp in a browser
// and enough for print.
const pngDPI = 200

// Save writes the figure to a file whose extension is the format: .svg, .png or
// .pdf. The file appears whole or not at all.
func (f *Figure) Save(path string) error {
	write, err := f.writer(path)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, buf.Bytes())
}

func (f *Figure) writer(path string) (func(io.Writer) error, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".svg":
		return f.WriteSVG, nil
	case ".png":
		return f.WritePNG, nil
	case ".pdf":
		return f.WritePDF, nil
	}
	return nil, fmt.Errorf("%s: a figure's file name ends in .svg, .png or .pdf", path)
}

// WritePNG writes the figure as PNG with 200 pixels per inch.
func (f *Figure) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
	f.paint(draw.New(canvas))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// page stacks blocks from top to bottom on a white page.
func page(width vg.Length, blocks ...block) *Figure {
	const margin, gap = vg.Length(4), vg.Length(7)
	height := 2 * margin
	for i, b := range blocks {
		if i > 0 {
			height += gap
		}
		height += b.height
	}
	paint := func(c draw.Canvas) {
		c.SetColor(white)
		c.Fill(c.Rectangle.Path())
		top := c.Max.Y - margin
		for _, b := range blocks {
			b.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: c.Min.X + margin, Y: top - b.height},
				Max: vg.Point{X: c.Max.X - margin, Y: top},
			}})
			top -= b.height + gap
		}
	}
	return &Figure{width: width + 2*margin, height: height, paint: paint}
}

// A block is a horizontal strip of a page.
type block struct {
	height vg.Length
	paint  func(draw.Canvas)
}
