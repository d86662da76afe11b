package estimators

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// Evol-RL app. D, in fractions. Of its formulas the text that these tests were written from has
// lost the displays; they are put together here from the proofs, which use them. Y is a finite set
// of traces, R(y) in {0, 1}, C the correct ones, d >= 0 symmetric with d(y, y) = 0 and at most
// d_max (3), and a group of n independent traces earns
//
//	R_group = 1/n sum_i R(y_i) + lambda/(n (n-1)) sum_{i != j} d(y_i, y_j)
//
// Lemma 1, for any n >= 2:
//
//	J_sim(pi) = E[R_group] = sum_y pi(y) R(y) + lambda sum_{y,y'} pi(y) pi(y') d(y, y')   (4)
//
// Lemma 3 asks for lambda < 1 / (2 d_max) (5): its proof bounds what is lost when
// mass moves from a wrong to a correct trace by 2 lambda d_max, against a gain of 1.
//
// The theorem is about this J_sim and not about the banded reward of the method.
type traces struct {
	correct []bool
	mode    []int // of the correct ones
	d       [][]*big.Rat
	lambda  *big.Rat
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func times(xs ...*big.Rat) *big.Rat {
	out := rat(1, 1)
	for _, x := range xs {
		out.Mul(out, x)
	}
	return out
}

func plus(xs ...*big.Rat) *big.Rat {
	out := new(big.Rat)
	for _, x := range xs {
		out.Add(out, x)
	}
	return out
}

func less(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }

func over(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

// value is J_sim by (4).
func (w *traces) value(pi []*big.Rat) *big.Rat {
	out := new(big.Rat)
	for y, p := range pi {
		if w.correct[y] {
			out.Add(out, p)
		}
		for z, q := range pi {
			out.Add(out, times(w.lambda, p, q, w.d[y][z]))
		}
	}
	return out
}

// slope is the derivative of J_sim where mass moves from one trace to another: for a
// quadratic the central difference is exact.
func (w *traces) slope(pi []*big.Rat, from, to int) *big.Rat {
	h := rat(1, 7)
	at := func(h *big.Rat) *big.Rat {
		moved := append([]*big.Rat(nil), pi...)
		moved[to], moved[from] = plus(moved[to], h), less(moved[from], h)
		return w.value(moved)
	}
	return over(less(at(h), at(new(big.Rat).Neg(h))), plus(h, h))
}

// bound is the right side of (5).
func (w *traces) bound() *big.Rat {
	largest := rat(0, 1)
	for _, row := range w.d {
		for _, d := range row {
			if d.Cmp(largest) > 0 {
				largest = d
			}
		}
	}
	return over(rat(1, 2), largest)
}

// mass draws a policy in fractions on the traces for which on is true; some get no mass.
func (w *traces) mass(r *rand.Rand, on func(y int) bool) []*big.Rat {
	weights, total := make([]int64, len(w.correct)), int64(0)
	for total == 0 {
		for y := range weights {
			if on(y) {
				weights[y] = int64(max(0, r.IntN(9)-2))
				total += weights[y]
			}
		}
	}
	pi := make([]*big.Rat, len(weights))
	for y, k := range weights {
		pi[y] = rat(k, total)
	}
	return pi
}

func (w *traces) anywhere(int) bool   { return true }
func (w *traces) solved(y int) bool   { return w.correct[y] }
func (w *traces) unsolved(y int) bool { return !w.correct[y] }

// randomTraces has any dissimilarities at all, in sixteenths of d_max = 3.
func randomTraces(r *rand.Rand, correct, wrong int) *traces {
	w := &traces{lambda: rat(1, 7)}
	for y := range correct + wrong {
		w.correct = append(w.correct, y < correct)
		w.d = append(w.d, make([]*big.Rat, correct+wrong))
		w.d[y][y] = rat(0, 1)
		for z := range y {
			w.d[y][z] = rat(3*(1+r.Int64N(16)), 16)
			w.d[z][y] = w.d[y][z]
		}
	}
	return w
}

func TestEvolLemma1GroupRewardIsQuadratic(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, n := range []int{2, 3, 4} {
		w := randomTraces(r, 3, 1)
		pi := w.mass(r, w.anywhere)
		total := new(big.Rat)
		group := make([]int, n)
		var visit func(i int, chance *big.Rat)
		visit = func(i int, chance *big.Rat) {
			if i == n {
				total.Add(total, times(chance, w.groupReward(group)))
				return
			}
			for y, p := range pi {
				group[i] = y
				visit(i+1, times(chance, p))
			}
		}
		visit(0, rat(1, 1))
		if want := w.value(pi); total.Cmp(want) != 0 {
			t.Errorf("groups of %d: the expected reward is %v, the quadratic says %v", n, total, want)
		}
	}
}

func (w *traces) groupReward(group []int) *big.Rat {
	n := int64(len(group))
	out := new(big.Rat)
	for i, y := range group {
		if w.correct[y] {
			out.Add(out, rat(1, n))
		}
		for j, z := range group {
			if i != j {
				out.Add(out, times(w.lambda, w.d[y][z], rat(1, n*(n-1))))
			}
		}
	}
	return out
}

// TestEvolLemma2CorrectnessAloneIsFlat: without the dissimilarity every policy on the
// correct set has the value 1, also a policy on a single trace, and any other less.
func TestEvolLemma2CorrectnessAloneIsFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	w := randomTraces(r, 4, 2)
	w.lambda = rat(0, 1)
	for range 50 {
		if v := w.value(w.mass(r, w.solved)); v.Cmp(rat(1, 1)) != 0 {
			t.Fatalf("a policy on the correct set has the value %v", v)
		}
		wrong := w.mass(r, w.anywhere)
		leak := plus(wrong[4], wrong[5])
		if v := w.value(wrong); v.Cmp(less(rat(1, 1), leak)) != 0 {
			t.Fatalf("a policy with the mass %v on wrong traces has the value %v", leak, v)
		}
	}
}

// TestEvolLemma3SmallLambdaKeepsToTheCorrect: below the bound (5) moving mass from any
// wrong to any correct trace is uphill, at every policy.
func TestEvolLemma3SmallLambdaKeepsToTheCorrect(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	for range 40 {
		w := randomTraces(r, 1+r.IntN(3), 1+r.IntN(3))
		w.lambda = times(rat(99, 100), w.bound())
		pi := w.mass(r, w.anywhere)
		for from := range pi {
			for to := range pi {
				if w.unsolved(from) && w.solved(to) && w.slope(pi, from, to).Sign() <= 0 {
					t.Fatalf("at %v moving mass from %d to %d has the slope %v", pi, from, to, w.slope(pi, from, to))
				}
			}
		}
	}
}

// TestEvolLemma3BoundIsSharp: one correct and one wrong trace at the distance d_max
// hold the bound exactly; above it the maximiser is partly wrong.
func TestEvolLemma3BoundIsSharp(t *testing.T) {
	w := &traces{correct: []bool{true, false}, d: [][]*big.Rat{{rat(0, 1), rat(3, 4)}, {rat(3, 4), rat(0, 1)}}}
	if w.bound().Cmp(rat(2, 3)) != 0 {
		t.Fatalf("the bound is %v", w.bound())
	}
	pure := []*big.Rat{rat(1, 1), rat(0, 1)}
	for factor, sign := range map[int64]int{99: -1, 100: 0, 101: 1} {
		w.lambda = times(rat(factor, 100), w.bound())
		if got := w.slope(pure, 0, 1).Sign(); got != sign {
			t.Errorf("lambda at %d%% of the bound: moving mass to the wrong trace has a slope of sign %d, want %d", factor, got, sign)
		}
	}
}
