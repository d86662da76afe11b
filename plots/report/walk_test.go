package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"modebench/plots/report/reporttest"
)

// TestWalk walks through the page of the demo as its readers do, and reads its print.
func TestWalk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(written(t, demo(t))), 0o644); err != nil {
		t.Fatal(err)
	}
	_, pdf := reporttest.Walk(t, file)
	text, err := exec.Command("pdftotext", "-layout", pdf, "-").Output()
	if err != nil {
		t.Skipf("no pdftotext to read the print: %v", err)
	}
	for n, page := range strings.Split(string(text), "\f") {
		lines := strings.Split(strings.TrimSpace(page), "\n")
		last := strings.TrimSpace(lines[len(lines)-1])
		for _, heading := range []string{"Summary", "Claims", "Figures", "Problem", "Settings", "Timings", "Records and provenance", "By step", "Modes", "Grid"} {
			if last == heading {
				t.Errorf("page %d ends with the heading %s", n+1, heading)
			}
		}
	}
}
