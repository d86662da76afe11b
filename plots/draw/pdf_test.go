package draw

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gonum.org/v1/plot/vg/draw"
)

// TestFontsOfKilledDrawings: the folder in which the PDF library prepared a font is removed by
// a later drawing, once no process can use it any longer.
func TestFontsOfKilledDrawings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if os.TempDir() != dir {
		t.Skip("this system has its temporary folder by another name")
	}
	old, fresh := filepath.Join(dir, "gofpdf-makefont-1"), filepath.Join(dir, "gofpdf-makefont-2")
	then := time.Now().Add(-25 * time.Hour)
	if err := errors.Join(os.Mkdir(old, 0o700), os.Mkdir(fresh, 0o700), os.Chtimes(old, then, then)); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := (&Figure{Width: 10, Height: 10, Paint: func(draw.Canvas) {}}).writePDF(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("yesterday's is still there (%v)", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("another drawing's has gone: %v", err)
	}
}
