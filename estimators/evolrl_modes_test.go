package estimators

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// gapped is Assumptions 1 and 2: modes of the given sizes, d_intra within and
// d_inter between them. Wrong traces are as far as anything, or in the midst.
func gapped(sizes []int, intra, inter *big.Rat, wrong int) *traces {
	w := &traces{}
	for m, size := range sizes {
		for range size {
			w.mode, w.correct = append(w.mode, m), append(w.correct, true)
		}
	}
	for range wrong {
		w.mode, w.correct = append(w.mode, -1), append(w.correct, false)
	}
	w.d = make([][]*big.Rat, len(w.mode))
	for y, m := range w.mode {
		for z, n := range w.mode {
			d := inter
			switch {
			case y == z:
				d = rat(0, 1)
			case m == n && m >= 0:
				d = intra
			case (y+z)%3 == 0 && m < 0 != (n < 0):
				d = times(inter, rat(1, 3))
			}
			w.d[y] = append(w.d[y], d)
		}
	}
	w.lambda = times(rat(9, 10), w.bound())
	return w
}

// masses are those of the modes.
func (w *traces) masses(pi []*big.Rat, modes int) []*big.Rat {
	out := make([]*big.Rat, modes)
	for m := range out {
		out[m] = new(big.Rat)
	}
	for y, m := range w.mode {
		if m >= 0 {
			out[m].Add(out[m], pi[y])
		}
	}
	return out
}

// gaps are the settings of Lemmas 4 and 5 and Theorem 1.
var gaps = []struct {
	sizes        []int
	intra, inter *big.Rat
}{
	{[]int{1, 1}, rat(0, 1), rat(1, 2)},
	{[]int{2, 2}, rat(1, 5), rat(1, 1)},
	{[]int{1, 3}, rat(1, 5), rat(1, 1)},
	{[]int{1, 3}, rat(0, 1), rat(1, 1)},
	{[]int{1, 2, 4}, rat(1, 3), rat(1, 2)},
	{[]int{3, 1, 1, 2}, rat(99, 100), rat(1, 1)},
	{[]int{2, 2, 2}, rat(1, 10), rat(7, 3)},
	{[]int{5}, rat(1, 4), rat(1, 2)},
}

func eachGap(t *testing.T, check func(t *testing.T, r *rand.Rand, w *traces, sizes []int, intra, inter *big.Rat)) {
	for k, c := range gaps {
		t.Run(fmt.Sprintf("%v,%v,%v", c.sizes, c.intra, c.inter), func(t *testing.T) {
			check(t, rand.New(rand.NewPCG(9, uint64(10+k))), gapped(c.sizes, c.intra, c.inter, 2), c.sizes, c.intra, c.inter)
		})
	}
}

func squares(xs []*big.Rat) *big.Rat {
	out := new(big.Rat)
	for _, x := range xs {
		out.Add(out, times(x, x))
	}
	return out
}

// TestEvolLemma4Decomposition: on the correct set, with p the masses of the modes,
//
//	J_sim = 1 + lambda (d_inter (1 - sum p_m^2) + d_intra (sum p_m^2 - sum_y pi(y)^2))   (6)
//
// so that a maximiser minimises
//
//	Phi = (d_inter - d_intra) sum p_m^2 + d_intra sum_y pi(y)^2                           (7)
func TestEvolLemma4Decomposition(t *testing.T) {
	eachGap(t, func(t *testing.T, r *rand.Rand, w *traces, sizes []int, intra, inter *big.Rat) {
		for range 20 {
			pi := w.mass(r, w.solved)
			ps := squares(w.masses(pi, len(sizes)))
			want := plus(rat(1, 1), times(w.lambda, plus(times(inter, less(rat(1, 1), ps)), times(intra, less(ps, squares(pi))))))
			if got := w.value(pi); got.Cmp(want) != 0 {
				t.Fatalf("at %v J_sim is %v, its decomposition %v", pi, got, want)
			}
		}
	})
}

// TestEvolLemma5UniformWithinModes: with the masses of the modes held, being uniform
// within each is best, strictly where d_intra > 0, and else the same.
func TestEvolLemma5UniformWithinModes(t *testing.T) {
	eachGap(t, func(t *testing.T, r *rand.Rand, w *traces, sizes []int, intra, inter *big.Rat) {
		for range 20 {
			pi := w.mass(r, w.solved)
			even := w.within(w.masses(pi, len(sizes)), sizes)
			distance := new(big.Rat)
			for y := range pi {
				distance.Add(distance, times(less(pi[y], even[y]), less(pi[y], even[y])))
			}
			gain := less(w.value(even), w.value(pi))
			if gain.Cmp(times(w.lambda, intra, distance)) != 0 {
				t.Fatalf("evening out %v gains %v, want lambda d_intra times the squared distance %v", pi, gain, distance)
			}
		}
	})
}

// within spreads the masses of the modes evenly over their traces.
func (w *traces) within(p []*big.Rat, sizes []int) []*big.Rat {
	out := make([]*big.Rat, len(w.mode))
	for y, m := range w.mode {
		out[y] = rat(0, 1)
		if m >= 0 {
			out[y] = times(p[m], rat(1, int64(sizes[m])))
		}
	}
	return out
}

// best is the maximiser of Theorem 1: mode masses in proportion to 1/a_m with
// a_m = (d_inter - d_intra) + d_intra/|C_m|, uniform within each mode.
func (w *traces) best(sizes []int, intra, inter *big.Rat) []*big.Rat {
	p, total := make([]*big.Rat, len(sizes)), new(big.Rat)
	for m, size := range sizes {
		a := plus(less(inter, intra), times(intra, rat(1, int64(size))))
		p[m] = over(rat(1, 1), a)
		total.Add(total, p[m])
	}
	for m := range p {
		p[m] = over(p[m], total)
	}
	return w.within(p, sizes)
}

// TestEvolTheorem1Maximiser proves, in fractions, that the stated policy is the
// global maximiser: on the correct set every direction has slope 0 and the loss
// elsewhere is exactly a positive square; mass on wrong traces is downhill.
func TestEvolTheorem1Maximiser(t *testing.T) {
	eachGap(t, func(t *testing.T, r *rand.Rand, w *traces, sizes []int, intra, inter *big.Rat) {
		pi := w.best(sizes, intra, inter)
		for from := range pi {
			for to := range pi {
				slope := w.slope(pi, from, to).Sign()
				if from != to && w.solved(from) && w.solved(to) && slope != 0 || w.solved(from) && w.unsolved(to) && slope >= 0 {
					t.Fatalf("moving mass from %d to %d has a slope of sign %d", from, to, slope)
				}
			}
		}
		for range 50 {
			other := w.mass(r, w.solved)
			lost := less(w.value(pi), w.value(other))
			p, q := w.masses(pi, len(sizes)), w.masses(other, len(sizes))
			between, traceless := new(big.Rat), new(big.Rat)
			for m := range p {
				between.Add(between, times(less(p[m], q[m]), less(p[m], q[m])))
			}
			for y := range pi {
				traceless.Add(traceless, times(less(pi[y], other[y]), less(pi[y], other[y])))
			}
			want := times(w.lambda, plus(times(less(inter, intra), between), times(intra, traceless)))
			if lost.Cmp(want) != 0 {
				t.Fatalf("%v loses %v, want %v", other, lost, want)
			}
			if anywhere := w.mass(r, w.anywhere); w.value(anywhere).Cmp(w.value(pi)) > 0 {
				t.Fatalf("%v is better", anywhere)
			}
		}
	})
}

// TestEvolTheorem1Uniformity: the maximiser is uniform over the correct traces where
// all modes have one size, and not otherwise. One mode of a single trace
// beside one of three, d_intra 1/5 and d_inter 1: masses 13/28 and 15/28.
func TestEvolTheorem1Uniformity(t *testing.T) {
	eachGap(t, func(t *testing.T, _ *rand.Rand, w *traces, sizes []int, intra, inter *big.Rat) {
		pi, even, equal := w.best(sizes, intra, inter), true, true
		for _, size := range sizes {
			equal = equal && size == sizes[0]
		}
		solved := 0
		for y := range pi {
			if w.solved(y) {
				even = even && pi[y].Cmp(pi[0]) == 0
				solved++
			}
		}
		if even != equal {
			t.Errorf("uniform over traces: %v, modes of one size: %v", even, equal)
		}
		uniform := make([]*big.Rat, len(pi))
		for y := range uniform {
			uniform[y] = rat(0, 1)
			if w.solved(y) {
				uniform[y] = rat(1, int64(solved))
			}
		}
		if lost := less(w.value(pi), w.value(uniform)).Sign(); (lost > 0) == equal {
			t.Errorf("modes of one size: %v; the uniform policy loses something of sign %d", equal, lost)
		}
	})
	w := gapped([]int{1, 3}, rat(1, 5), rat(1, 1), 0)
	got := w.masses(w.best([]int{1, 3}, rat(1, 5), rat(1, 1)), 2)
	if got[0].Cmp(rat(13, 28)) != 0 || got[1].Cmp(rat(15, 28)) != 0 {
		t.Errorf("the masses of the modes are %v", got)
	}
}

// TestEvolTheorem1ByAscent finds the maximiser without knowing it: the growth
// transform pi(y) <- pi(y) dJ/dpi(y) / sum never goes downhill on a polynomial with
// coefficients of 0 or more (Baum and Eagon, 1967).
func TestEvolTheorem1ByAscent(t *testing.T) {
	eachGap(t, func(t *testing.T, r *rand.Rand, w *traces, sizes []int, intra, inter *big.Rat) {
		lambda, _ := w.lambda.Float64()
		d := make([][]float64, len(w.d))
		for y := range d {
			for _, q := range w.d[y] {
				x, _ := q.Float64()
				d[y] = append(d[y], x)
			}
		}
		want := make([]float64, len(d))
		for y, q := range w.best(sizes, intra, inter) {
			want[y], _ = q.Float64()
		}
		for range 3 {
			pi, next := make([]float64, len(d)), make([]float64, len(d))
			for y := range pi {
				pi[y] = 0.1 + r.Float64()
			}
			for range 20_000 {
				for y := range pi {
					next[y] = 0
					if w.correct[y] {
						next[y] = 1
					}
					for z := range pi {
						next[y] += 2 * lambda * pi[z] * d[y][z]
					}
					next[y] *= pi[y]
				}
				total := sum(next)
				for y := range pi {
					pi[y] = next[y] / total
				}
			}
			if intra.Sign() == 0 { // within a mode anything goes
				pi, want := evened(w, pi, len(sizes)), evened(w, want, len(sizes))
				near(t, "mode masses", pi, want, 1e-9)
				continue
			}
			near(t, "policy", pi, want, 1e-9)
		}
	})
}

// evened sums a policy over the modes.
func evened(w *traces, pi []float64, modes int) []float64 {
	out := make([]float64, modes)
	for y, m := range w.mode {
		if m >= 0 {
			out[m] += pi[y]
		}
	}
	return out
}
