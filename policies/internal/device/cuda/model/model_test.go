package model

import (
	"math"
	"strings"
	"testing"
)

// TestFitted: the step of a thread is the one with which the measured steps of one cell come out best,
// and they come out within an eighth.
func TestFitted(t *testing.T) {
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
