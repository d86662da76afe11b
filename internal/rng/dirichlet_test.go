package rng

import (
	"math"
	"testing"
)

// TestDirichlet: entries have mean 1/d, variance (d-1)/(d^2 (d alpha + 1)) and
// covariance -1/(d^2 (d alpha + 1)) (Kotz, Balakrishnan and Johnson 2000, ch. 49).
func TestDirichlet(t *testing.T) {
	const n = 100_000
	for _, alpha := range []float64{0.05, 0.5, 1, 3} {
		for _, d := range []int{1, 2, 4} {
			r := New(5).Int(uint64(d)).Rand()
			w := make([]float64, d)
			var mean, square, cross average
			for range n {
				Dirichlet(r, alpha, w)
				sum := 0.0
				for _, x := range w {
					if x < 0 {
						t.Fatalf("alpha %v, d %d: %v has a negative entry", alpha, d, w)
					}
					sum += x
				}
				if math.Abs(sum-1) > 1e-15*float64(d) || alpha == 1 && sum != 1 {
					t.Fatalf("alpha %v, d %d: %v adds up to %v", alpha, d, w, sum)
				}
				mean.add(w[0])
				square.add(w[0] * w[0])
				cross.add(w[0] * w[d-1])
			}
			m := 1 / float64(d)
			scale := float64(m * m / (float64(float64(d)*alpha) + 1))
			wantCross := float64(m*m) - scale
			if d == 1 {
				wantCross = 1
			}
			for _, c := range []struct {
				name string
				got  average
				want float64
			}{
				{"mean", mean, m},
				{"second moment", square, float64(m*m) + float64(float64(d-1)*scale)},
				{"mean product", cross, wantCross},
			} {
				if got, se := c.got.value(); math.Abs(got-c.want) > 5*se+1e-12 {
					t.Errorf("alpha %v, d %d: %s %.5f +- %.5f, want %.5f", alpha, d, c.name, got, se, c.want)
				}
			}
		}
	}
	Dirichlet(New(1).Rand(), 1, nil) // no entries: nothing to do, and no loop without end
}

// average keeps what a mean and its standard error need.
type average struct{ n, sum, square float64 }

func (a *average) add(x float64) {
	a.n++
	a.sum += x
	a.square += float64(x * x)
}

func (a average) value() (mean, se float64) {
	mean = a.sum / a.n
	return mean, math.Sqrt(max(a.square/a.n-float64(mean*mean), 0) / a.n)
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
