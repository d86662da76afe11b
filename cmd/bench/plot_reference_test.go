package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/plots"
	"modebench/plots/sources"
)

// TestReferenceFigures: every reference figure whose numbers are kept is drawn from them,
// and where its SVG is kept too it is the same, byte for byte.
func TestReferenceFigures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "results", "reference", "*", "*."+sources.DataFormat))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	compared := 0
	for _, file := range files {
		data, err := plots.OpenData(file)
		if err != nil {
			t.Error(err)
			continue
		}
		stem := strings.TrimSuffix(file, "."+sources.DataFormat)
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(stem)
		if want := filepath.Base(filepath.Dir(file)) + "/" + data.Figure.Name; name != want || data.Spec != filepath.Dir(want) {
			t.Errorf("%s holds the figure %s of %s", name, data.Figure.Name, data.Spec)
		}
		made, err := data.Draw()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var svg bytes.Buffer
		if err := made.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(stem + ".svg")
		if os.IsNotExist(err) {
			continue
		}
		if compared++; err != nil || !bytes.Equal(kept, svg.Bytes()) {
			t.Errorf("%s: the figure drawn from its numbers differs from the SVG beside them (%v)", name, err)
		}
	}
	if compared < 10 {
		t.Errorf("%d figures compared, want 10 or more", compared)
	}
}
