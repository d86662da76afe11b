package estimators

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// masses are m_i of a group without its member out (out < 0: with all), by
// definition; the entry of out is meaningless.
func masses(k [][]float64, out int) []float64 {
	others := float64(len(k) - 1)
	if out >= 0 {
		others--
	}
	m := make([]float64, len(k))
	for i := range k {
		for j := range k {
			if j != i && j != out {
				m[i] += k[i][j] / others
			}
		}
	}
	return m
}

// TestRemoval is lemma D.1, the rule of the masses when one is removed; theorems 4.3
// and D.2, the exact decomposition of the credit into self, normalisation and
// interaction; and corollary D.6: a mass grows exactly where a diluter is removed.
func TestRemoval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 3, 10)
		size := float64(len(k))
		m := masses(k, -1)
		for i, s := range creditOf(&SetPO{}, k) {
			less := masses(k, i)
			self, norm, interaction := softLog(m[i])/size, 0.0, 0.0
			for j := range k {
				if j == i {
					continue
				}
				near(t, "D.1", []float64{less[j], less[j] - m[j]},
					[]float64{((size-1)*m[j] - k[j][i]) / (size - 2), (m[j] - k[j][i]) / (size - 2)}, 1e-14)
				norm += (1/size - 1/(size-1)) * softLog(m[j])
				interaction += (softLog(m[j]) - softLog(less[j])) / (size - 1)
				if dilutes := k[j][i] < m[j]-1e-12; dilutes != (less[j] > m[j]+1e-13) || dilutes != (softLog(less[j]) < softLog(m[j])-1e-14) {
					t.Errorf("D.6: similarity %v, mass %v, without it %v", k[j][i], m[j], less[j])
				}
			}
			near(t, fmt.Sprintf("D.2, credit %d", i), []float64{s}, []float64{self + norm + interaction}, 1e-14)
		}
	})
}

// TestInteractionDependsOnTheMass corrects the last sentence of theorem D.2, that an interaction
// summand g(m_j) - g(m_j without i) depends on k_ji "only through" the second mass. That one does
// not depend on k_ji at all (i is not in the set); the first does. So theorem 4.3's "only through
// k_ji" holds, and D(all without i) is a baseline for i.
func TestInteractionDependsOnTheMass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 3, 8)
		before, less := masses(k, -1), masses(k, 0)
		without := diversity(k, 0)
		k[0][1] = math.Mod(k[0][1]+0.5, 1)
		k[1][0] = k[0][1]
		if !slices.Equal(masses(k, 0)[1:], less[1:]) || diversity(k, 0) != without {
			t.Error("the set without i has changed with k_ji")
		}
		if masses(k, -1)[1] == before[1] {
			t.Error("the mass of j in the whole set has not changed with k_ji")
		}
	})
}

// TestStrictAntiRedundancy tests theorems 4.4 and D.3 beyond a point: any rise of one
// similarity costs credit, and by the bounds of g' between 1/(G(G-1)) and 2/(G(G-1)) of the rise.
func TestStrictAntiRedundancy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 3, 10)
		i := rapid.IntRange(0, len(k)-2).Draw(t, "i")
		other := rapid.IntRange(i+1, len(k)-1).Draw(t, "other")
		from := rapid.IntRange(0, 63).Draw(t, "from")
		to := rapid.IntRange(from+1, 64).Draw(t, "to")
		at := func(value int) (float64, float64) {
			k[i][other] = float64(value) / 64
			k[other][i] = k[i][other]
			s := creditOf(&SetPO{}, k)
			return s[i], s[other]
		}
		s, u := at(from)
		s2, u2 := at(to)
		unit := float64(to-from) / 64 / float64(len(k)*(len(k)-1))
		if cost := s - s2; cost < unit-1e-14 || cost > 2*unit+1e-14 {
			t.Errorf("the credit falls by %v, want %v to %v", cost, unit, 2*unit)
		}
		near(t, "the other one's credit falls as much", []float64{u - u2}, []float64{s - s2}, 1e-14)
	})
}

// similarityGap is sum over the others of k_cj - k_rj.
func similarityGap(k [][]float64, r, c int) float64 {
	gap := 0.0
	for j := range k {
		if j != r && j != c {
			gap += k[c][j] - k[r][j]
		}
	}
	return gap
}

// TestDominance is theorems 4.5 and D.4: who is nowhere more similar to the others
// than another, and somewhere less, has the larger credit. By corollary D.5, whose
// weights add up to between 1 and 2 for the soft logarithm, the gap of the credits is
// that many times the gap of the similarities over (G-1)(G-2).
func TestDominance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 3, 10)
		const r, c = 0, 1
		for j := 2; j < len(k); j++ { // c is never less similar than r
			k[r][j], k[c][j] = min(k[r][j], k[c][j]), max(k[r][j], k[c][j])
			k[j][r], k[j][c] = k[r][j], k[c][j]
		}
		s := creditOf(&SetPO{}, k)
		unit := similarityGap(k, r, c) / float64((len(k)-1)*(len(k)-2))
		if gap := s[r] - s[c]; gap < unit-1e-14 || gap > 2*unit+1e-14 || unit > 0 && gap <= 0 {
			t.Errorf("the gap of the credits is %v, want %v to %v", gap, unit, 2*unit)
		}
	})
}

// TestWeightedGap is corollary D.5: on any kernel the gap of two credits is a
// weighted sum of the gaps of their similarities, with -g' at a point between the
// two masses as weights; so its sign is the credits' order.
func TestWeightedGap(t *testing.T) {
	undominated := 0
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 3, 10)
		const r, c = 0, 1
		withoutC, withoutR := masses(k, c), masses(k, r)
		// The mean value theorem gives the point xi at which -g' is the slope.
		weight := func(x, y float64) float64 {
			if math.Abs(x-y) < 1e-9 {
				return -softSlope((x + y) / 2)
			}
			w := (softLog(x) - softLog(y)) / (y - x)
			if xi := 1/w - 1; xi < min(x, y)-1e-6 || xi > max(x, y)+1e-6 {
				t.Errorf("-g' = %v between the masses %v and %v is taken at %v", w, x, y, xi)
			}
			return w
		}
		w0 := weight(withoutC[r], withoutR[c])
		gap, less, more := 0.0, false, false
		for j := 2; j < len(k); j++ {
			d := k[c][j] - k[r][j]
			gap += (w0 + weight(withoutC[j], withoutR[j])) * d
			less, more = less || d < 0, more || d > 0
		}
		if less && more {
			undominated++
		}
		s := creditOf(&SetPO{}, k)
		near(t, "the gap", []float64{s[r] - s[c]}, []float64{gap / float64((len(k)-1)*(len(k)-2))}, 1e-9)
	})
	if undominated == 0 {
		t.Error("dominance held every time: the corollary says more than theorem 4.5")
	}
}

// TestStrictnessNeedsAStrictShape: assumption 4.1 lets g be constant in places, and then the "<" of
// theorem 4.4 and the ">" of 4.5 fail; app. D assumes g' < 0. Here g is flat up to 1/2 and the
// group's masses are below that. The suite's own g is strict.
func TestStrictnessNeedsAStrictShape(t *testing.T) {
	flat := func(m float64) float64 { return -math.Pow(max(0, m-0.5), 2) } // continuously differentiable
	credit := func(k [][]float64, i int) float64 {
		score := func(out int) float64 {
			total, n := 0.0, 0.0
			for j, m := range masses(k, out) {
				if j != out {
					total, n = total+flat(m), n+1
				}
			}
			return total / n
		}
		return score(-1) - score(i)
	}
	k := [][]float64{{1, .1, .2}, {.1, 1, .3}, {.2, .3, 1}} // the first is dominated by the second
	if a, b := credit(k, 0), credit(k, 1); a != b {
		t.Errorf("credits %v and %v: this shape is strict", a, b)
	}
	before := credit(k, 0)
	k[0][2], k[2][0] = .4, .4
	if after := credit(k, 0); after != before {
		t.Errorf("a similarity raised from 0.2 to 0.4 takes the credit from %v to %v: this shape is strict", before, after)
	}
	if s := creditOf(&SetPO{}, [][]float64{{1, .1, .2}, {.1, 1, .3}, {.2, .3, 1}}); s[0] <= s[1] {
		t.Errorf("the soft logarithm gives %v", s)
	}
}
