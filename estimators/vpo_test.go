package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
)

// chainsOf makes a group of rollouts of several candidates, given their reward vectors.
func chainsOf(rollouts ...[][]float64) Group {
	g := Group{Problem: "p"}
	for _, vectors := range rollouts {
		r := Rollout{Tokens: 1, Train: true}
		for _, v := range vectors {
			r.Candidates = append(r.Candidates, &envs.Verdict{Reward: v})
		}
		g.Rollouts = append(g.Rollouts, r)
	}
	return g
}

// ofChains is the advantages of one group under the given weights.
func ofChains(t failer, e Estimator, weights []float64, rollouts ...[][]float64) []float64 {
	t.Helper()
	b := batchOf(chainsOf(rollouts...))
	b.Weights = weights
	return advantages(t, e, b)[0]
}

// randomChains draws `size` rollouts of m candidates of d components; kind
// chooses between rewards of both signs, 0/1 ones and ties in quarters.
func randomChains(r *rand.Rand, size, m, d, kind int) [][][]float64 {
	out := make([][][]float64, size)
	for i := range out {
		for range m {
			v := make([]float64, d)
			for j := range v {
				switch kind % 3 {
				case 0:
					v[j] = r.NormFloat64()
				case 1:
					v[j] = float64(r.IntN(2))
				case 2:
					v[j] = float64(r.IntN(5)) / 4
				}
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

// score is VPO's score of the candidates of one rollout; exact for two
// components, else by the draws of a batch with that step.
func (e *VPO) score(t failer, step int, vectors [][]float64) float64 {
	t.Helper()
	b := batchOf(chainsOf(vectors))
	b.Weights, b.Step = make([]float64, len(vectors[0])), step
	if err := e.scores(b, &b.Groups[0]); err != nil {
		t.Fatalf("%v", err)
	}
	return e.rewards[0]
}

// largest is max w.r by the definition.
func largest(w []float64, vectors [][]float64) float64 {
	best := math.Inf(-1)
	for _, r := range vectors {
		s := 0.0
		for j := range r {
			s += w[j] * r[j]
		}
		best = max(best, s)
	}
	return best
}

func TestEnvelopeByHand(t *testing.T) {
	for _, c := range []struct {
		reason  string
		vectors [][]float64
		want    float64
	}{
		{"E max(u, 1-u)", [][]float64{{1, 0}, {0, 1}}, 3. / 4},
		{"one line", [][]float64{{1, 0}}, 1. / 2},
		{"repeated", [][]float64{{0, 1}, {0, 1}}, 1. / 2},
		{"one above the others everywhere", [][]float64{{1, 0}, {0, 1}, {1, 1}}, 1},
		{"2/3 in the middle third, else u or 1-u", [][]float64{{1, 0}, {2. / 3, 2. / 3}, {0, 1}}, 7. / 9},
		{"three lines through one point", [][]float64{{1, 0}, {.5, .5}, {0, 1}}, 3. / 4},
		{"negative", [][]float64{{-1, -2}, {-2, -1}}, -5. / 4},
		{"a crossing at the very end", [][]float64{{1, 0}, {1, -1}}, 1. / 2},
		{"far apart: no overflow of a difference", [][]float64{{1e308, -1e308}, {-1e308, 1e308}}, 5e307},
		{"far apart: a crossing at 1/(1+1e300)", [][]float64{{1e300, 0}, {0, 1}}, 5e299},
	} {
		got := (&VPO{Alpha: 1, Draws: 1}).score(t, 0, c.vectors)
		near(t, c.reason, []float64{got}, []float64{c.want}, 2e-16*max(1, c.want))
	}
}

// TestEnvelopeEqualsQuadrature: the trapezoid rule errs only where lines cross,
// by at most h^2/8 times the change of slope there.
func TestEnvelopeEqualsQuadrature(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	e := &VPO{Alpha: 1, Draws: 1}
	const cells = 20_000
	for m := 1; m <= 12; m++ {
		for kind := range 3 {
			vectors := randomChains(r, 1, m, 2, kind)[0]
			total := 0.0
			for i := range cells + 1 {
				u := float64(i) / cells
				f := largest([]float64{u, 1 - u}, vectors)
				if i == 0 || i == cells {
					f /= 2
				}
				total += f / cells
			}
			change := 0.0 // of the slope, from end to end
			for _, a := range vectors {
				for _, b := range vectors {
					change = max(change, a[0]-a[1]-b[0]+b[1])
				}
			}
			bound := change/(8*cells*cells) + 1e-13
			near(t, fmt.Sprint(vectors), []float64{e.score(t, 0, vectors)}, []float64{total}, bound)
		}
	}
}

// TestVPODrawsAgreeWithTheExactIntegral within five standard errors, measured on
// the same draws; and with closed forms where two components do not do.
func TestVPODrawsAgreeWithTheExactIntegral(t *testing.T) {
	const draws = 4096
	check := func(reason string, alpha float64, vectors [][]float64, want float64) {
		t.Helper()
		e := &VPO{Alpha: alpha, Draws: draws}
		b := batchOf(chainsOf(vectors))
		e.draw(b, &Group{Problem: reason}, len(vectors[0]))
		e.undominated(b.Groups[0].Rollouts[0].Candidates)
		got := e.average()
		square := 0.0
		for _, x := range e.best {
			square += (x - got) * (x - got)
		}
		bound := 5*math.Sqrt(square/draws)/math.Sqrt(draws) + 1e-12
		near(t, reason, []float64{got}, []float64{want}, bound)
	}
	r := rand.New(rand.NewPCG(7, 2))
	for i := range 30 {
		vectors := randomChains(r, 1, 1+i%6, 2, i)[0]
		check(fmt.Sprint("two components ", i), 1, vectors, (&VPO{Alpha: 1}).score(t, 0, vectors))
	}
	corners := func(d int) [][]float64 {
		out := make([][]float64, d)
		for j := range out {
			out[j] = make([]float64, d)
			out[j][j] = 1
		}
		return out
	}
	check("the largest of Dir(1, 1, 1): (1 + 1/2 + 1/3) / 3", 1, corners(3), 11./18)
	check("the largest of Dir(1, 1, 1, 1): (1 + 1/2 + 1/3 + 1/4) / 4", 1, corners(4), 25./48)
	check("the larger of Beta(2, 2): 1/2 + E|u - 1/2| = 11/16", 2, corners(2), 11./16)
	check("the larger of Beta(1/2, 1/2): 1/2 + 1/pi", 0.5, corners(2), 0.5+1/math.Pi)
}

// TestVPODominatedCandidates: they change no bit of a score, nor does the order of the candidates.
func TestVPODominatedCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	for _, alpha := range []float64{1, 0.7} {
		for d := 1; d <= 5; d++ {
			for kind := range 60 {
				e := &VPO{Alpha: alpha, Draws: 16}
				vectors := randomChains(r, 1, 1+kind%5, d, kind)[0]
				want := e.score(t, kind, vectors)
				more := slices.Clone(vectors)
				for range 1 + r.IntN(3) {
					v := slices.Clone(vectors[r.IntN(len(vectors))])
					for j := range v {
						v[j] -= float64(r.IntN(3)) * r.Float64()
					}
					more = append(more, v)
				}
				r.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
				near(t, fmt.Sprint(more), []float64{e.score(t, kind, more)}, []float64{want}, 0)
			}
		}
	}
}

// TestVPOEqualsItsDefinition: the shared draws, one rollout at a time, every candidate.
func TestVPOEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	for kind := range 30 {
		d := 3 + kind%3
		e := &VPO{Alpha: 1, Draws: 64, GRPO: GRPO{Scale: "none"}}
		rollouts := randomChains(r, 8, 1+kind%4, d, kind)
		got := ofChains(t, e, make([]float64, d), rollouts...)
		want := make([]float64, len(rollouts))
		averageByDefinition(want, drawsOf(e, d), rollouts)
		centre := sum(want) / float64(len(want))
		for i := range want {
			want[i] -= centre
		}
		near(t, "centred scores", got, want, 1e-14)
	}
}

// drawsOf lists the draws of the last group, one vector each.
func drawsOf(e *VPO, d int) [][]float64 {
	out := make([][]float64, e.Draws)
	for k := range out {
		for j := range d {
			out[k] = append(out[k], e.weights[j*e.Draws+k])
		}
	}
	return out
}

// averageByDefinition is sec. 3.2 as one would write it down.
func averageByDefinition(dst []float64, draws [][]float64, rollouts [][][]float64) {
	for i, vectors := range rollouts {
		dst[i] = 0
		for _, w := range draws {
			dst[i] += largest(w, vectors)
		}
		dst[i] /= float64(len(draws))
	}
}

// TestVPOOfOneCandidateIsGRPO under the uniform mean, to the last bit.
func TestVPOOfOneCandidateIsGRPO(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 5))
	for kind := range 100 {
		rollouts := randomChains(r, 8, 1, 2, kind)
		want := ofChains(t, build(t, "grpo@vpo").Estimator, []float64{0.5, 0.5}, rollouts...)
		got := ofChains(t, build(t, "vpo").Estimator, []float64{0.9, 0.1}, rollouts...)
		near(t, "one candidate", got, want, 0)
		near(t, "multi-rlvr of one candidate", ofChains(t, build(t, "multi-rlvr").Estimator, []float64{0.5, 0.5}, rollouts...), want, 0)
	}
}

// TestVPOUnderOneScalarisationIsMultiRLVR: with identical components, where all
// weights agree, and with weights that concentrate at the uniform w*.
func TestVPOUnderOneScalarisationIsMultiRLVR(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 6))
	for kind := range 60 {
		d := 2 + kind%4
		rollouts := randomChains(r, 8, 3, d, kind)
		near(t, "concentration 1e12: weights within 1e-5 of uniform ones",
			ofChains(t, build(t, "vpo", "alpha=1e12", "scale=none").Estimator, anyWeights(d), rollouts...),
			ofChains(t, build(t, "multi-rlvr", "scale=none").Estimator, envs.UniformWeights(d), rollouts...), 1e-5)
		for _, vectors := range rollouts {
			for _, v := range vectors {
				for j := range v {
					v[j] = v[0]
				}
			}
		}
		near(t, "identical components",
			ofChains(t, build(t, "vpo").Estimator, anyWeights(d), rollouts...),
			ofChains(t, build(t, "multi-rlvr").Estimator, envs.UniformWeights(d), rollouts...), 1e-13)
	}
}

// anyWeights are weights of which only the number counts.
func anyWeights(d int) []float64 { return make([]float64, d) }

// TestVPOIsInvariant to changes that move every score alike.
func TestVPOIsInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, method := range []string{"vpo", "multi-rlvr"} {
		for kind := range 60 {
			d := 1 + kind%4
			e := build(t, method, "epsilon=0").Estimator
			rollouts := randomChains(r, 6, 3, d, kind)
			weights := envs.UniformWeights(d)
			plain := ofChains(t, e, weights, rollouts...)
			if s := sum(plain); math.Abs(s) > 1e-12 {
				t.Errorf("%s: the advantages sum to %g", method, s)
			}
			moved := make([][][]float64, len(rollouts))
			for i, vectors := range rollouts {
				for _, v := range vectors {
					v = slices.Clone(v)
					for j := range v {
						v[j] = 3*v[j] + 0.75
					}
					moved[i] = append(moved[i], v)
				}
			}
			near(t, method+": 3 r + 0.75 in every component", ofChains(t, e, weights, moved...), plain, 1e-12)
			slices.Reverse(rollouts)
			slices.Reverse(plain)
			near(t, method+": permuted", ofChains(t, e, weights, rollouts...), plain, 1e-13)
		}
	}
}

// TestChainErrors name the candidate.
func TestChainErrors(t *testing.T) {
	good := [][]float64{{1, 0}, {0, 1}}
	for _, method := range []string{"vpo", "multi-rlvr"} {
		e := build(t, method).Estimator
		fail := func(vectors [][]float64, parts ...string) {
			t.Helper()
			b := batchOf(chainsOf(good, vectors))
			b.Weights = []float64{.5, .5}
			wantError(t, e.Advantages(NewAdvantages(b), b), append(parts, "group 0", `"p"`, "rollout 1")...)
		}
		fail(nil, "0 candidates", "one or more")
		fail([][]float64{{1, 0}, {1, 2, 3}}, "candidate 1", "3 reward components for 2 weights")
		fail([][]float64{{1, 0}, {0, math.NaN()}, {1, 1}}, "candidate 1", "NaN", "component 1", "finite")
		fail([][]float64{{1, 0}, {math.Inf(-1), 0}}, "candidate 1", "-Inf", "component 0", "finite")
	}
	huge := chainsOf(good, [][]float64{{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}})
	huge.Rollouts = huge.Rollouts[1:]
	b := batchOf(huge)
	b.Weights = []float64{2, 2, 2}
	wantError(t, build(t, "multi-rlvr").Estimator.Advantages(NewAdvantages(b), b), "rollout 0", "score +Inf", "overflow")
	wantError(t, build(t, "vpo").Estimator.Advantages(NewAdvantages(b), b), "rollout 0", "score +Inf", "overflow")
}

// noise is the deviation of advantages over draws of the weights, of a group of 8 chains of 3.
func noise(t testing.TB, rollouts [][][]float64, sampler string, draws, repeats int) float64 {
	e := build(t, "vpo", "sampler="+sampler, fmt.Sprint("draws=", draws)).Estimator
	b := batchOf(chainsOf(rollouts...))
	b.Weights = anyWeights(len(rollouts[0][0]))
	sums, squares := make([]float64, len(rollouts)), make([]float64, len(rollouts))
	for b.Step = range repeats {
		for i, a := range advantages(t, e, b)[0] {
			sums[i] += a
			squares[i] += a * a
		}
	}
	total, n := 0.0, float64(repeats)
	for i, s := range sums {
		total += (squares[i] - s*s/n) / (n - 1) / float64(len(sums))
	}
	return math.Sqrt(total)
}

// TestSobolNoise measures by how much sampler "sobol" lowers the noise, where the published code
// states "2-6x lower advantage noise" (vpo/utils/vpo.py): the geometric mean over groups, with its
// 95% interval. results/vpo.md has the numbers. A route that reaches the exit has a 1 and shares
// in quarters; six of ten do.
func TestSobolNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	groups, repeats := 60, 60
	if testing.Short() {
		groups, repeats = 10, 20
	}
	for _, d := range []int{3, 4, 5, 8} {
		for _, draws := range []int{16, 64, 100, 256} {
			var sum, square, plain float64
			for range groups {
				rollouts := randomChains(r, 8, 3, d, 2)
				for _, vectors := range rollouts {
					for _, v := range vectors {
						if v[0] = 1; r.IntN(10) >= 6 {
							clear(v)
						}
					}
				}
				uniform := noise(t, rollouts, "uniform", draws, repeats)
				ratio := math.Log(uniform / noise(t, rollouts, "sobol", draws, repeats))
				sum += ratio
				square += ratio * ratio
				plain += uniform / float64(groups)
			}
			n := float64(groups)
			mean := sum / n
			half := 2.001 * math.Sqrt((square-sum*mean)/(n-1)/n) // Student's t of 59 degrees
			t.Logf("%d components, %3d draws: noise %.4f, over that of sobol %.2f [%.2f, %.2f]", d, draws, plain, math.Exp(mean), math.Exp(mean-half), math.Exp(mean+half))
			if d <= 5 && draws >= 64 && mean < math.Log(1.4) {
				t.Errorf("%d components, %d draws: sobol lowers the noise by a factor of %.2f", d, draws, math.Exp(mean))
			}
		}
	}
}
