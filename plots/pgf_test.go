package plots

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPGFGallery sets every exhibit with LaTeX, one a page: without an error, with all texts, in
// letters of the document. With PLOTS_GALLERY naming a folder the pages lie in it as pgf.pdf.
func TestPGFGallery(t *testing.T) {
	if testing.Short() {
		t.Skip("pages of LaTeX take half a minute")
	}
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("no pdflatex: figures are not set")
	}
	dir := os.Getenv("PLOTS_GALLERY")
	if dir == "" {
		dir = t.TempDir()
	}
	var page strings.Builder
	page.WriteString("\\documentclass{article}\\usepackage[paperwidth=16in,paperheight=24in,margin=0.7in]{geometry}\\usepackage{pgf}\n\\parindent0pt\n\\begin{document}\n")
	exhibits := shownGallery(t)
	for _, g := range exhibits {
		if err := g.figure.Save(filepath.Join(dir, g.fig.Name+".pgf")); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&page, "\\sbox0{\\input{%[1]s.pgf}}\\typeout{%[1]s: \\the\\wd0}\\usebox0\\newpage\n", g.fig.Name)
	}
	page.WriteString("\\end{document}\n")
	if err := os.WriteFile(filepath.Join(dir, "pgf.tex"), []byte(page.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "pgf.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.3000s", err, out)
	}
	log := string(out)
	if !strings.Contains(log, fmt.Sprintf("(%d pages", len(exhibits))) {
		t.Errorf("%d figures do not have a page each: %s", len(exhibits), log[max(0, len(log)-300):])
	}
	for _, bad := range regexp.MustCompile(`(?m)^(Overfull|LaTeX Warning|LaTeX Font Warning|Missing character).*`).FindAllString(log, 5) {
		t.Error(bad)
	}
	// A column is 3.25 inches wide, 234 of our points, and a page 486.
	for _, want := range []string{"curve-1: 234.0pt", "curve-4: 486.0pt"} {
		if !strings.Contains(log, want) {
			t.Errorf("no line %q in what LaTeX says", want)
		}
	}
}
