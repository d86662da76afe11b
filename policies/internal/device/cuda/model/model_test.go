package model

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFitted: the step of a thread is the one with which the measured steps of one cell come out best,
// and they come out within an eighth. Where other kernels are started than were measured, the fit
// stays as it was until a card has measured them.
func TestFitted(t *testing.T) {
	for _, s := range Sizes {
		if m, ok := Measured[s.Name]; ok && m.Launches != len(StepOf(s, 1, H100.Multiprocessors).Launches) {
			t.Skipf("%s was measured with %d launches a step, and has other ones now", s.Name, m.Launches)
		}
	}
	wrong := func(c Card) (sum, most float64) {
		for _, s := range Sizes {
			if m, ok := Measured[s.Name]; ok {
				off := math.Abs(c.Time(StepOf(s, 1, c.Multiprocessors)).Total()*1e3/m.Ours - 1)
				sum, most = sum+off*off, max(most, off)
			}
		}
		return sum, most
	}
	best, least := 0, math.Inf(1)
	for ns := range 400 {
		c := H100
		c.Step = float64(ns) * 1e-9
		if sum, _ := wrong(c); sum < least {
			best, least = ns, sum
		}
	}
	if math.Abs(H100.Step*1e9-float64(best)) > 0.5 {
		t.Errorf("a step of %v s, but %d ns fit best: a change of the work that a step is made of needs Card.Step fitted anew", H100.Step, best)
	}
	if _, most := wrong(H100); most > 0.125 {
		t.Errorf("a measured step is %.0f%% off", 100*most)
	}
}

// TestStepGrows: more cells take as many launches, and no less time, nor more a cell.
func TestStepGrows(t *testing.T) {
	for _, s := range Sizes {
		one := StepOf(s, 1, H100.Multiprocessors)
		before := H100.Time(one).Total()
		for cells := 2; cells <= 256; cells *= 2 {
			w := StepOf(s, cells, H100.Multiprocessors)
			now := H100.Time(w).Total()
			if len(w.Launches) != len(one.Launches) || now < before || now > 2.2*before {
				t.Errorf("%s: %d cells take %v s and %d launches, half as many %v s", s.Name, cells, now, len(w.Launches), before)
			}
			before = now
		}
	}
}

// TestPrint: the table has a line for each size and number of cells, and judges the targets.
func TestPrint(t *testing.T) {
	var out strings.Builder
	if err := Print(&out, H100); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if n := strings.Count(text, "by the model, not measured"); n != 4 {
		t.Errorf("%d targets are judged, want 4", n)
	}
	for _, s := range Sizes {
		if n := strings.Count(text, " "+s.Name+" "); n < len(together) {
			t.Errorf("%d lines about %s", n, s.Name)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error(text)
	}
	if _, _, err := H100.Single("L"); err == nil || !strings.Contains(err.Error(), "want S, M or maze") {
		t.Errorf("L: %v", err)
	}
}

// TestPage: the numbers of docs/gpu.md are the model's, as they are rounded there.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../../../docs/gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (?:(\w+) )?\| (\d+)(?: \(measured: ([\d.]+)\))? \| ([\d.]+) \| (\w+) \| ([\d.]+) \|$`)
	name, rows := "", row.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 6 {
		t.Fatalf("%d rows of the model on the page", len(rows))
	}
	for _, m := range rows {
		if m[1] != "" {
			name = m[1]
		}
		for _, s := range Sizes {
			cells, _ := strconv.Atoi(m[2])
			if s.Name != name {
				continue
			}
			time := H100.Time(StepOf(s, cells, H100.Multiprocessors))
			ms := time.Total() * 1e3
			rounded := func(text string, x float64) {
				decimals := len(text) - 1 - strings.IndexByte(text+".", '.')
				if want := fmt.Sprintf("%.*f", max(0, decimals), x); text != want {
					t.Errorf("%s, %d cells: the page has %s, the model %s", name, cells, text, want)
				}
			}
			rounded(m[4], ms)
			rounded(m[6], float64(cells)*Measured[name].PyTorch/ms)
			if m[5] != time.Bound() || m[3] != "" && m[3] != fmt.Sprintf("%.2f", Measured[name].Ours) {
				t.Errorf("%s, %d cells: %s, measured %s, by the page", name, cells, m[5], m[3])
			}
		}
	}
}
