package numbers

import (
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// TestNestedSeeds: intervals of figures are over draws of problems where seeds are nested, and
// over seeds elsewhere.
func TestNestedSeeds(t *testing.T) {
	values := []float64{1, 3, 4, 8, 5, 7}
	e := Evaluated{Variant: Variant{Steps: []int{0}}}
	for seed, x := range values {
		e.Seeds = append(e.Seeds, seed)
		e.Evals = append(e.Evals, map[int]record.Eval{0: {Metrics: map[string]float64{"reward": x}}})
	}
	if got, want := e.Measured("reward", 0), stats.MeanInterval(values); got != want {
		t.Errorf("not nested: %+v, want %+v", got, want)
	}
	if n, name := e.Units(); n != 6 || name != "seeds" {
		t.Errorf("not nested: %d %s", n, name)
	}
	e.nested, e.Draws = record.Nested{2, 1}, []int{1, 1, 2, 2, 3, 3}
	if got, want := e.Measured("reward", 0), stats.MeanInterval([]float64{2, 6, 6}); got != want {
		t.Errorf("nested: %+v, want %+v", got, want)
	}
	if n, name := e.Units(); n != 3 || name != "draws of problems" {
		t.Errorf("nested: %d %s", n, name)
	}
	e.Draws = e.Draws[:2]
	if err := e.Check(record.FigureKind{}); err == nil || !strings.Contains(err.Error(), "draws: got 2 for 6 seeds") {
		t.Errorf("a file of too few draws: %v", err)
	}
}
