//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// samplePaper sets the sample paper with the files of docs/papers.md in a folder: on pages of 5.5 inches, no
// reference that leads nowhere, and no line that is too long. The commands of the page
// give the same bytes again.
func samplePaper(t *testing.T, dir string, env []string) {
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("no pdflatex: the sample paper is not set")
	}
	repeated := t.TempDir()
	for _, b := range blocks(pageText(t, "docs/papers.md")) {
		if b.lang == "sh" {
			runBlock(t, "docs/papers.md", b, repeated, env)
		}
	}
	files := 0
	for _, pattern := range []string{"paper/*.tex", "paper/*/*.tex", "paper/*/*.pgf"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			files++
			name, _ := filepath.Rel(dir, path)
			first, err := os.ReadFile(path)
			again, errAgain := os.ReadFile(filepath.Join(repeated, name))
			if err != nil || errAgain != nil || !bytes.Equal(first, again) {
				t.Errorf("%s: another file the second time (%v, %v)", name, err, errAgain)
			}
		}
	}
	if files < 12 {
		t.Errorf("%d files, want 12 or more", files)
	}
	write(t, filepath.Join(dir, "sample.tex"), pageText(t, "docs/paper/sample.tex"))
	var log []byte
	for range 3 { // a longtable finds its widths in the second run
		cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sample.tex")
		cmd.Dir = dir
		var err error
		if log, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %.2000s", err, log)
		}
	}
	checkBoxes(t, log)
	if !bytes.Contains(log, []byte("(3 pages")) {
		t.Errorf("not three pages: %s", log[max(0, len(log)-300):])
	}
	for _, bad := range regexp.MustCompile(`(?m)^.*(?:Warning: |Missing character).*$`).FindAll(log, 5) {
		t.Errorf("%s", bad)
	}
	setFigures(t, dir)
}

// checkBoxes finds what sticks out of its line in the log of a paper.
func checkBoxes(t *testing.T, log []byte) {
	t.Helper()
	for _, over := range regexp.MustCompile(`Overfull \\[hv]box \(([0-9.]+)pt too .*`).FindAllSubmatch(log, -1) {
		if by, err := strconv.ParseFloat(string(over[1]), 64); err != nil || by > 1 {
			t.Errorf("%s", over[0])
		}
	}
}

// setFigures sets the figures that docs/papers.md shows in papers of one and of two columns: they fit.
func setFigures(t *testing.T, dir string) {
	figures := regexp.MustCompile(`(?s)\\begin\{figure(\*?)\}.*?\\end\{figure\*?\}`).FindAllString(pageText(t, "docs/papers.md"), -1)
	if len(figures) < 2 {
		t.Fatalf("docs/papers.md shows %d figures, want one of a page and one of a column", len(figures))
	}
	for _, class := range []string{"{article}", "[twocolumn]{article}"} {
		paper := "\\documentclass" + class + "\\usepackage{pgf}\\begin{document}x\n" + strings.Join(figures, "\n") + "\n\\end{document}\n"
		write(t, filepath.Join(dir, "figures.tex"), paper)
		cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "figures.tex")
		cmd.Dir = dir
		log, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %.2000s", err, log)
		}
		checkBoxes(t, log)
	}
}
