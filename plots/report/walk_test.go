package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"modebench/plots/report/reporttest"
)

// TestWalk walks through the page of the demo as its readers do, and reads its print.
func TestWalk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	e, page := sharedPage(t, 1, false)
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	seen, pdf := reporttest.Walk(t, file)
	reporttest.CheckValues(t, page, seen)
	checkFinal(t, e, seen)
	text, err := exec.Command("pdftotext", "-layout", pdf, "-").Output()
	if err != nil {
		t.Skipf("no pdftotext to read the print: %v", err)
	}
	for n, page := range strings.Split(string(text), "\f") {
		lines := strings.Split(strings.TrimSpace(page), "\n")
		last := strings.TrimSpace(lines[len(lines)-1])
		for _, heading := range []string{"Summary", "Claims", "Figures", "Problem", "Settings", "Timings", "Records and provenance", "By step", "Modes", "Grid", "Reward and entropy"} {
			if last == heading {
				t.Errorf("page %d ends with the heading %s", n+1, heading)
			}
		}
	}
}

// checkFinal: the last values of the figures are those that the records have after training, for
// lines, points and the k of pass@k alike.
func checkFinal(t *testing.T, e Experiment, seen reporttest.Seen) {
	t.Helper()
	tables := map[string][]reporttest.Table{}
	for _, f := range seen.Figures {
		tables[f.ID] = f.Tables
	}
	starts := func(figure string, i int, name string, want ...string) {
		t.Helper()
		for _, r := range tables[figure][i].Rows {
			if r[0] != name {
				continue
			}
			for j, w := range want {
				if mean, _, _ := strings.Cut(r[j+1], " "); mean != w {
					t.Errorf("%s at %s has %q, want it to start with %s", figure, name, r[1:], want)
				}
			}
			return
		}
		t.Errorf("%s has no row %s", figure, name)
	}
	last := func(metric string) (out []string) {
		for i, row := range e.Summary {
			out = append(out, number(value(metric, i, demoSeeds/2, row.Step)))
		}
		return out
	}
	reward, entropy := last("reward"), last("entropy_mode")
	end := strconv.Itoa(demoSteps)
	starts("e1-figure1", 0, end, reward...)
	starts("e1-figure1", 1, end, entropy...)
	starts("e1-figure2", 0, "16", "0.750", "0.760", "0.770")
	for i, row := range e.Summary {
		starts("e1-figure8", 0, row.Label, reward[i], entropy[i])
	}
}
