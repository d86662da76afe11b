package plots

import (
	"math"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/sheets"
)

// TestPrincipalPlane: points spread along two known directions, one more than the other.
func TestPrincipalPlane(t *testing.T) {
	var points [][]float64
	u, w := []float64{0.6, 0, -0.8, 0}, []float64{0, 1, 0, 0}
	for i := range 9 {
		for j := range 5 {
			a, b := float64(i-4), 0.5*float64(j-2)
			p := make([]float64, 4)
			for k := range p {
				p[k] = 3 + a*u[k] + b*w[k]
			}
			points = append(points, p)
		}
	}
	p := principal(points)
	// The variances are those of -4..4 and of half of -2..2: 20/3 and 1/2.
	for k, want := range []float64{20.0 / 3, 0.5} {
		if got, want := p.shares[k], want/(20.0/3+0.5); math.Abs(got-want) > 1e-9 {
			t.Errorf("axis %d has %v of the variance, want %v", k, got, want)
		}
	}
	x, y := p.coordinates([]float64{3 - 2*0.6, 3 + 1, 3 + 2*0.8, 3}) // two along -u, whose largest entry is positive
	if math.Abs(x-2) > 1e-9 || math.Abs(y-1) > 1e-9 {
		t.Errorf("at %v, %v, want 2, 1", x, y)
	}
	same := principal([][]float64{{1, 2}, {1, 2}})
	if x, y := same.coordinates([]float64{1, 2}); x != 0 || y != 0 || same.shares[0] != 0 {
		t.Errorf("of equal points: %v, %v", x, y)
	}
}

// TestMapMarksAreTheRecords counts the marks of a panel.
func TestMapMarksAreTheRecords(t *testing.T) {
	run := emptyRun(t)
	answer := func(mode string, correct bool, e ...float32) record.PoolAnswer {
		return record.PoolAnswer{Mode: mode, Correct: correct, Reward: []float64{1}, Embedding: e}
	}
	pool := record.Pool{ID: "train/0", Answers: []record.PoolAnswer{
		answer("a", true, 1, 0, 0), answer("a", true, 1, 0, 0), answer("a", true, 0.9, 0.1, 0), answer("b", true, 0, 1, 0), answer("c", false, 0, 0, 1), answer("a", false, 0, 0.2, 1),
	}}
	addAnswers(t, run, record.Variant{Method: "grpo"}, "bandit", pool)
	d := drawSVG(t, run, record.Figure{Kind: "map", Title: "Map"})
	drawtest.CheckTexts(t, d)
	first, second := d.Paths("fill:"+sheets.Hex(draw.RouteColors[0])), d.Paths("fill:"+sheets.Hex(draw.RouteColors[1]))
	// With the legend's: two places of a, one of b.
	if first != 3 || second != 2 {
		t.Errorf("%d marks of the first mode and %d of the second, want 3 and 2", first, second)
	}
	drawtest.WantLabels(t, d, "mode a", "mode b", "incorrect answers")
	for i := range pool.Answers {
		pool.Answers[i].Embedding = nil
	}
	addPools(t, run, "bandit", pool)
	wantError(t, run, record.Figure{Kind: "map"}, "none of the answers kept has an embedding")
}
