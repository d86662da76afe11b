package estimators

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// SetPO's statements about its diversity functional (app. C) are tested here on finite populations,
// those about the credit (sec. 4.2, app. D) in setpo_removal_test.go on the estimator's own
// credits. Theorem 4.2 is C.2, 4.3 is D.2, 4.4 is D.3 and 4.5 is D.4.

// softLog is the shaping function g(m) = -log(1+m), and softSlope its derivative.
func softLog(m float64) float64   { return -math.Log1p(m) }
func softSlope(m float64) float64 { return -1 / (1 + m) }

// drawKernel draws a symmetric kernel in 64ths with 1 on the diagonal.
func drawKernel(t *rapid.T, least, most int) [][]float64 {
	k := make([][]float64, rapid.IntRange(least, most).Draw(t, "size"))
	for i := range k {
		k[i] = make([]float64, len(k))
		k[i][i] = 1
		for j := range i {
			k[i][j] = float64(rapid.IntRange(0, 64).Draw(t, "kernel")) / 64
			k[j][i] = k[i][j]
		}
	}
	return k
}

// trajectories is a distribution P over finitely many of them, with their kernel.
type trajectories struct {
	p []float64
	k [][]float64
}

// drawTrajectories draws the probabilities of a kernel's trajectories, all positive.
func drawTrajectories(t *rapid.T, k [][]float64) trajectories {
	q := trajectories{k: k}
	for range k {
		q.p = append(q.p, float64(rapid.IntRange(1, 20).Draw(t, "weight")))
	}
	total := sum(q.p)
	for y := range q.p {
		q.p[y] /= total
	}
	return q
}

// mean is E[f(y)], y ~ P.
func (q trajectories) mean(f func(y int) float64) float64 {
	total := 0.0
	for y, p := range q.p {
		total += p * f(y)
	}
	return total
}

// mass is m_P(y) (eq. 6).
func (q trajectories) mass(y int) float64 {
	return q.mean(func(z int) float64 { return q.k[y][z] })
}

// diversity is F(P) (eq. 7).
func (q trajectories) diversity() float64 {
	return q.mean(func(y int) float64 { return softLog(q.mass(y)) })
}

// mixed is (1 - epsilon) P and epsilon more of tau (eq. 8).
func (q trajectories) mixed(tau int, epsilon float64) trajectories {
	out := trajectories{slices.Clone(q.p), q.k}
	for y := range out.p {
		out.p[y] *= 1 - epsilon
	}
	out.p[tau] += epsilon
	return out
}

// score is the influence without its constant, I~ of app. C.2.
func (q trajectories) score(tau int) float64 {
	return softLog(q.mass(tau)) + q.mean(func(y int) float64 { return softSlope(q.mass(y)) * q.k[y][tau] })
}

// constant is Psi(P) of theorem C.2.
func (q trajectories) constant() float64 {
	return q.diversity() + q.mean(func(y int) float64 { return softSlope(q.mass(y)) * q.mass(y) })
}

// proxy is phi of lemma C.4.
func proxy(m float64) float64 { return softLog(m) + m*softSlope(m) }

// TestInfluenceFunction is theorems 4.2 and C.2: I = I~ - Psi is the derivative of
// F((1-epsilon) P + epsilon delta_tau) at 0. Under P its mean is 0.
func TestInfluenceFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawTrajectories(t, drawKernel(t, 1, 7))
		const h = 1e-5 // on both sides: F is smooth beyond epsilon = 0
		for tau := range q.p {
			got := (q.mixed(tau, h).diversity() - q.mixed(tau, -h).diversity()) / (2 * h)
			near(t, fmt.Sprintf("tau %d", tau), []float64{q.score(tau) - q.constant()}, []float64{got}, 1e-9)
		}
		near(t, "the mean", []float64{q.mean(q.score)}, []float64{q.constant()}, 1e-14)
	})
}

// TestCreditsFollowTheInfluence joins the two halves of the theory: of G trajectories
// in the proportions of P, the credit times G is the influence up to a term in 1/G.
func TestCreditsFollowTheInfluence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 2, 5)
		counts := rapid.SliceOfN(rapid.IntRange(1, 4), len(k), len(k)).Draw(t, "counts")
		for _, copies := range []int{8, 32} {
			var kinds []int
			for y, n := range counts {
				for range n * copies {
					kinds = append(kinds, y)
				}
			}
			size := float64(len(kinds))
			q := trajectories{k: k}
			for _, n := range counts {
				q.p = append(q.p, float64(n*copies)/size)
			}
			group := make([][]float64, len(kinds))
			for i, y := range kinds {
				for _, z := range kinds {
					group[i] = append(group[i], k[y][z])
				}
			}
			for i, s := range creditOf(&SetPO{}, group) {
				want := q.score(kinds[i]) - q.constant()
				near(t, fmt.Sprintf("G = %v, kind %d", size, kinds[i]), []float64{size * s}, []float64{want}, 4/size)
			}
		}
	})
}

// remainder is r_tau of lemma C.4.
func (q trajectories) remainder(tau int) float64 { return q.score(tau) - proxy(q.mass(tau)) }

// TestProxyReduction is lemma C.4: |r| <= L (delta m + eta), where delta bounds how much the mass
// varies where the kernel is at least eta, and L = 1 is the Lipschitz constant of g'.
func TestProxyReduction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawTrajectories(t, drawKernel(t, 1, 7))
		eta := float64(rapid.IntRange(1, 63).Draw(t, "eta")) / 64
		for tau := range q.p {
			delta := 0.0
			for y := range q.p {
				if q.k[y][tau] >= eta {
					delta = max(delta, math.Abs(q.mass(y)-q.mass(tau)))
				}
			}
			if r, bound := q.remainder(tau), delta*q.mass(tau)+eta; math.Abs(r) > bound+1e-14 {
				t.Errorf("tau %d: the remainder is %v, beyond %v", tau, r, bound)
			}
		}
	})
}

// curvature is c_a of theorem C.5: -phi'(m) = (m+2)/(1+m)^2 falls, so its least value
// on [a, 1] is that at 1, whatever a.
const curvature = 3. / 4

// drawBlocks draws a kernel that is near 1 within blocks and near 0 between them:
// which makes the remainders of lemma C.4 small.
func drawBlocks(t *rapid.T) [][]float64 {
	k := drawKernel(t, 2, 7)
	blocks := rapid.SliceOfN(rapid.IntRange(0, 2), len(k), len(k)).Draw(t, "blocks")
	blur := float64(rapid.IntRange(0, 8).Draw(t, "blur")) / 64
	for i := range k {
		for j := range k {
			switch {
			case i == j:
			case blocks[i] == blocks[j]:
				k[i][j] = 1 - blur*k[i][j]
			default:
				k[i][j] *= blur
			}
		}
	}
	return k
}

// TestLocalMonotonicity is theorem C.5 with a correction: eq. 18,
//
//	I~(tau1) - I~(tau2) <= -c_a (m1 - m2) + |r1| + |r2|
//
// is printed for any two trajectories, but its proof, and it, want m1 >= m2. For two blocks of
// masses 1/4 and 3/4 the remainders are 0, and with m1 = 1/4 the left side is 0.565 and the right
// one 0.375. The ranking that is drawn from it has m1 > m2 as its hypothesis and holds.
func TestLocalMonotonicity(t *testing.T) {
	ranked := 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawTrajectories(t, drawBlocks(t))
		for one := range q.p {
			for two := range q.p {
				gap := q.mass(one) - q.mass(two)
				rest := math.Abs(q.remainder(one)) + math.Abs(q.remainder(two))
				difference := q.score(one) - q.score(two)
				if gap >= 0 && difference > -curvature*gap+rest+1e-14 {
					t.Errorf("eq. 18: %v > -c %v + %v", difference, gap, rest)
				}
				if gap > rest/curvature+1e-12 {
					ranked++
					if difference >= 0 {
						t.Errorf("the mass is %v larger, and the influence %v", gap, difference)
					}
				}
			}
		}
	})
	if ranked == 0 {
		t.Error("no pair ever fulfilled the hypothesis of the ranking")
	}
	blocks := trajectories{[]float64{.25, .75}, [][]float64{{1, 0}, {0, 1}}}
	left, right := blocks.score(0)-blocks.score(1), -curvature*(blocks.mass(0)-blocks.mass(1))
	near(t, "the counterexample", []float64{blocks.remainder(0), blocks.remainder(1), left, right}, []float64{0, 0, 0.565044, 0.375}, 1e-6)
}

// TestSoftLog is corollary C.6: m g” < -2 g' (eq. 17), so phi falls, at least as
// fast as c_a; and |g'| <= 1, so that influences and credits are bounded.
func TestSoftLog(t *testing.T) {
	for i := range 1001 {
		m := float64(i) / 100 // the corollary holds for all m >= 0
		second := 1 / ((1 + m) * (1 + m))
		if !(m*second < -2*softSlope(m)) || math.Abs(softSlope(m)) > 1 {
			t.Errorf("eq. 17 at m = %v: %v and %v", m, m*second, -2*softSlope(m))
		}
		falls := (proxy(m) - proxy(m+1e-6)) / 1e-6
		near(t, fmt.Sprintf("-phi'(%v)", m), []float64{falls}, []float64{(m + 2) * second}, 2e-6)
		if m < 1 && falls < curvature {
			t.Errorf("-phi'(%v) = %v, below c_a", m, falls)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := drawTrajectories(t, drawKernel(t, 3, 7))
		for tau, s := range creditOf(&SetPO{}, q.k) {
			if score := q.score(tau); score > 0 || score < -math.Ln2-1 {
				t.Errorf("the influence %v is outside [-log 2 - 1, 0]", score)
			}
			if math.Abs(s) > math.Ln2 {
				t.Errorf("the credit %v is beyond log 2", s)
			}
		}
	})
}

// TestFinitePerturbation is theorem C.7: F(P_epsilon) - F(P) is within E of M, with max |g'| = 1.
func TestFinitePerturbation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawTrajectories(t, drawKernel(t, 1, 7))
		epsilon := float64(rapid.IntRange(0, 64).Draw(t, "epsilon")) / 64
		for tau := range q.p {
			change := q.mixed(tau, epsilon).diversity() - q.diversity()
			signal, radius := q.signal(tau, epsilon), q.radius(tau, epsilon)
			if math.Abs(change-signal) > radius+1e-14 {
				t.Errorf("tau %d, epsilon %v: F changes by %v, want %v within %v", tau, epsilon, change, signal, radius)
			}
		}
	})
}

// signal is the main term of theorem C.7 and radius its error radius.
func (q trajectories) signal(tau int, epsilon float64) float64 {
	return epsilon * (softLog((1-epsilon)*q.mass(tau)+epsilon) - q.diversity())
}

func (q trajectories) radius(tau int, epsilon float64) float64 {
	return epsilon * (q.mass(tau) + q.mean(q.mass))
}

// TestCertifiedGain is theorem C.8: of one population, the lower bound M - E is the
// larger the smaller the mass, for every epsilon > 0.
func TestCertifiedGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawTrajectories(t, drawKernel(t, 2, 7))
		epsilon := float64(rapid.IntRange(1, 64).Draw(t, "epsilon")) / 64
		certified := func(tau int) float64 { return q.signal(tau, epsilon) - q.radius(tau, epsilon) }
		for rare := range q.p {
			for common := range q.p {
				gap := q.mass(common) - q.mass(rare)
				// The radius alone grows by epsilon times the gap.
				if gap > 1e-9 && certified(rare)-certified(common) < epsilon*gap-1e-14 {
					t.Errorf("masses %v apart: certified gains %v and %v", gap, certified(rare), certified(common))
				}
			}
		}
	})
}
