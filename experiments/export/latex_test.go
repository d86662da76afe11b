package export

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLaTeX(t *testing.T) {
	_, runs := openFixture(t, summarised)
	out := t.TempDir()
	file, err := LaTeX(context.Background(), out, runs)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, want := 0, 0
	for _, run := range runs {
		want += len(run.Variants) + 1
	}
	for _, line := range strings.Split(string(data), "\n") {
		if strings.HasSuffix(line, `\\`) {
			rows++
			if got := strings.Count(line, " & "); got != len(runs[0].Columns) {
				t.Errorf("%s: %d columns, want %d", line, got+1, len(runs[0].Columns)+1)
			}
		}
	}
	if rows != want {
		t.Errorf("%d rows, want %d:\n%s", rows, want, data)
	}
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("no pdflatex: the table is not set")
	}
	page := "\\documentclass{article}\\usepackage{booktabs,longtable}\\begin{document}\\tiny\n\\input{summary.tex}\n\\end{document}\n"
	if err := os.WriteFile(filepath.Join(out, "page.tex"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex")
	cmd.Dir = out
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}
