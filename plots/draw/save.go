package draw

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"modebench/internal/atomicfile"
)

// pngDPI makes a figure of one column about 900 pixels wide: sharp in a browser
// and enough for print.
const pngDPI = 200

// Save writes the figure to a file whose extension is the format: .svg, .png,
// .pdf or .pgf, which LaTeX reads. The file appears whole or not at all.
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
		return f.writePNG, nil
	case ".pdf":
		return f.writePDF, nil
	case ".pgf":
		return f.writePGF, nil
	}
	return nil, fmt.Errorf("%s: a figure's file name ends in .svg, .png, .pdf or .pgf", path)
}

// writePNG writes the figure as PNG with 200 pixels per inch.
func (f *Figure) writePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(pngDPI))
	f.Paint(draw.New(canvas))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}
