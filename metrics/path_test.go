package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"modebench/metrics"
)

// TestPathAtEqual: pairs are where a search in small steps along each path first gets as far, two paths are alike
// seen from either side, and paths that share too little yield nothing.
func TestPathAtEqual(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	walk := func() (p metrics.Path) {
		way, value := 0.3*random.Float64(), random.Float64()
		for range 2 + random.IntN(12) {
			p = append(p, metrics.PathPoint{Way: way, Value: value})
			way, value = way+0.4*random.Float64()-0.1, value+random.NormFloat64()
		}
		return p
	}
	// search goes along the path in steps of a thousandth of the way between two evaluations.
	search := func(p metrics.Path, way float64) float64 {
		for i := range len(p) - 1 {
			for step := range 1001 {
				part := float64(step) / 1000
				if p[i].Way+part*(p[i+1].Way-p[i].Way) >= way {
					return p[i].Value + part*(p[i+1].Value-p[i].Value)
				}
			}
		}
		return math.NaN()
	}
	farthest := func(p metrics.Path) (out float64) {
		for _, point := range p {
			out = max(out, point.Way)
		}
		return out
	}
	shared := 0
	for range 300 {
		p, o := walk(), walk()
		from, to := 0.4*random.Float64(), 0.5+random.Float64()
		end := min(farthest(p), farthest(o), to)
		var back [][2]float64
		for y, x := range o.AtEqual(p, from, to, 0.05) {
			back = append(back, [2]float64{x, y})
		}
		n := 0
		for x, y := range p.AtEqual(o, from, to, 0.05) {
			way := from + (end-from)*(float64(n)+0.5)/metrics.PathPlaces
			if math.Abs(x-search(p, way)) > 0.01 || math.Abs(y-search(o, way)) > 0.01 {
				t.Fatalf("at %v: %v and %v, by a search %v and %v", way, x, y, search(p, way), search(o, way))
			}
			if back[n] != [2]float64{x, y} {
				t.Fatalf("at %v: %v and %v, and %v from the other side", way, x, y, back[n])
			}
			n++
		}
		if want := metrics.PathPlaces; end-from < 0.05 && n != 0 || end-from >= 0.05 && n != want {
			t.Fatalf("%v to %v of %v: %d pairs", from, end, to, n)
		}
		if n > 0 {
			shared++
		}
	}
	if shared < 100 {
		t.Errorf("%d of 300 pairs of paths share anything", shared)
	}
	if got := (metrics.Path{}).ValueAt(0); !math.IsNaN(got) {
		t.Errorf("a run without evaluations has %v", got)
	}
}
