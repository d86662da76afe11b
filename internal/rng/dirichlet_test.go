package rng

import (
	"math"
	"testing"
)

// TestDirichlet: entries have mean 1/d, variance (d-1)/(d^2 (d alpha + 1)) and
// covariance -1/(d^2 (d alpha + 1)) (Kotz, Balakrishnan and Johnson 2000, ch. 49).
func TestDirichlet(t *testing.T) {
	const n = 100_000
	for _, alpha := range []float64{0.5, 1, 3} {
		for _, d := range []int{1, 2, 4} {
			r := New(5).Int(uint64(d)).Rand()
			w := make([]float64, d)
			mean, square, cross := 0.0, 0.0, 0.0
			for range n {
				Dirichlet(r, alpha, w)
				sum := 0.0
				for _, x := range w {
					if x < 0 {
						t.Fatalf("alpha %v, d %d: %v has a negative entry", alpha, d, w)
					}
					sum += x
				}
				if math.Abs(sum-1) > 1e-15*float64(d) {
					t.Fatalf("alpha %v, d %d: %v adds up to %v", alpha, d, w, sum)
				}
				mean += w[0]
				square += float64(w[0] * w[0])
				cross += float64(w[0] * w[d-1])
			}
			m := 1 / float64(d)
			scale := float64(m * m / (float64(float64(d)*alpha) + 1))
			// The variance of an entry and of a product of two is at most 1/4.
			bound := 5 * math.Sqrt(0.25/n)
			wantCross := float64(m*m) - scale
			if d == 1 {
				wantCross = 1
			}
			for _, c := range []struct {
				name      string
				got, want float64
			}{
				{"mean", mean / n, m},
				{"second moment", square / n, float64(m*m) + float64(float64(d-1)*scale)},
				{"mean product", cross / n, wantCross},
			} {
				if math.Abs(c.got-c.want) > bound {
					t.Errorf("alpha %v, d %d: %s %.5f, want %.5f", alpha, d, c.name, c.got, c.want)
				}
			}
		}
	}
	Dirichlet(New(1).Rand(), 1, nil) // no entries: nothing to do, and no loop without end
}

// TestDirichletUniform: at alpha 1 in two dimensions an entry is uniform.
func TestDirichletUniform(t *testing.T) {
	const n, cells = 1 << 16, 64
	r := New(6).Rand()
	w := make([]float64, 2)
	var counts [cells]float64
	for range n {
		Dirichlet(r, 1, w)
		counts[min(int(w[0]*cells), cells-1)]++
	}
	chi := 0.0
	for _, c := range counts {
		d := c - n/cells
		chi += float64(d*d) / (n / cells)
	}
	if z := (chi - (cells - 1)) / math.Sqrt(2*(cells-1)); math.Abs(z) > 4 {
		t.Errorf("chi-square %.1f is %.1f sd off", chi, z)
	}
}
