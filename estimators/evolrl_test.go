package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
	"modebench/estimators/internal/cosine"
)

// bandsByDefinition are the rewards of Evol-RL written down naively: labels and
// validity given, rollouts without an embedding nil.
func bandsByDefinition(upper, valid []bool, vectors [][]float32, alpha, epsilon float64, code bool) []float64 {
	n := len(upper)
	out := make([]float64, n)
	similar := func(i, j int) float64 {
		s := cosine64(vectors[i], vectors[j])
		if code {
			s = max(s, 0)
		}
		return s
	}
	counted := 0
	for _, ok := range valid {
		if ok {
			counted++
		}
	}
	for i := range out {
		out[i] = -1
		if !valid[i] || code && counted < 2 {
			continue
		}
		var peers []int // of i's band, i itself included
		for j := range out {
			if valid[j] && embedded(vectors[j]) && upper[j] == upper[i] {
				peers = append(peers, j)
			}
		}
		unlike := func(i int) float64 {
			mean, nearest := 0.0, math.Inf(-1)
			for _, j := range peers {
				if j != i {
					mean += similar(i, j) / float64(len(peers)-1)
				}
			}
			for j := range out {
				if j != i && valid[j] && embedded(vectors[j]) {
					nearest = max(nearest, similar(i, j))
				}
			}
			return 1 - (alpha*mean + (1-alpha)*nearest)
		}
		novelty := 0.0
		if embedded(vectors[i]) && len(peers) == 1 && code {
			novelty = 1
		} else if embedded(vectors[i]) && len(peers) > 1 {
			least, most := math.Inf(1), math.Inf(-1)
			for _, j := range peers {
				least, most = min(least, unlike(j)), max(most, unlike(j))
			}
			switch {
			case most-least < 1e-12 && code:
				novelty = .5
			case most-least < 1e-12:
			case code:
				novelty = (unlike(i) - least) / (most - least)
			default:
				novelty = (unlike(i) - least) / (most - least + epsilon)
			}
		}
		if upper[i] {
			out[i] = .5
		}
		out[i] += .5 * novelty
	}
	return out
}

func embedded(v []float32) bool {
	return slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}

func cosine64(u, v []float32) float64 {
	dot, a, b := 0.0, 0.0, 0.0
	for k := range u {
		dot += float64(u[k]) * float64(v[k])
		a += float64(u[k]) * float64(u[k])
		b += float64(v[k]) * float64(v[k])
	}
	return dot / math.Sqrt(a*b)
}

// drawElectorate has embeddings of a few small whole numbers, so that spreads of novelty are zero
// or far from rounding; some rollouts only vote, some do not parse, and some have no embedding.
func drawElectorate(t *rapid.T) (Group, [][]float32) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("AAaBbC-")), 1, 14, -1).Draw(t, "letters")
	vectors := make([][]float32, len(letters))
	for i := range vectors {
		for range 3 {
			vectors[i] = append(vectors[i], float32(rapid.IntRange(-2, 2).Draw(t, "entry")))
		}
	}
	g := embed(electorate(letters), vectors)
	for i := range g.Rollouts {
		c := g.Rollouts[i].Candidates[0]
		c.Correct = rapid.Bool().Draw(t, "correct")
		if rapid.IntRange(0, 5).Draw(t, "parses") == 0 {
			c.Err = errNotOne(i, 0) // any error
		}
	}
	return g, vectors
}

// centredOver subtracts the mean over the trained rollouts; the others get 0.
func centredOver(g Group, rewards []float64) []float64 {
	total, count := 0.0, 0.0
	for i, r := range g.Rollouts {
		if r.Train {
			total, count = total+rewards[i], count+1
		}
	}
	out := make([]float64, len(rewards))
	for i, r := range g.Rollouts {
		if r.Train && count > 1 {
			out[i] = rewards[i] - total/count
		}
	}
	return out
}

func TestEvolRLEqualsItsDefinition(t *testing.T) {
	for _, labels := range []string{"majority", "correct"} {
		for _, fidelity := range []string{"paper", "code"} {
			t.Run(labels+" "+fidelity, func(t *testing.T) {
				e := build(t, "evol-rl", "labels="+labels, "fidelity="+fidelity, "scale=none").Estimator.(*EvolRL)
				rapid.Check(t, func(t *rapid.T) {
					g, vectors := drawElectorate(t)
					e.Alpha = float64(rapid.IntRange(0, 4).Draw(t, "alpha")) / 4
					e.EpsilonNorm = rapid.SampledFrom([]float64{0, 1e-8, .25}).Draw(t, "epsilon")
					winner := majority(g)
					if blank := blanks(g); fidelity == "code" && blank > votesFor(g, winner) ||
						fidelity == "code" && blank == votesFor(g, winner) && firstBlank(g, winner) {
						winner = "nobody's"
					}
					upper, valid := make([]bool, len(vectors)), make([]bool, len(vectors))
					for i, r := range g.Rollouts {
						c := r.Candidates[0]
						upper[i], valid[i] = c.Answer == winner, c.Answer != ""
						if labels == "correct" {
							upper[i], valid[i] = c.Correct, c.Err == nil
						}
					}
					want := centredOver(g, bandsByDefinition(upper, valid, vectors, e.Alpha, e.EpsilonNorm, fidelity == "code"))
					near(t, "advantages", ofGroup(t, e, g), want, 1e-12)
				})
			})
		}
	}
}

func votesFor(g Group, answer string) (n int) {
	for _, r := range g.Rollouts {
		if r.Candidates[0].Answer == answer {
			n++
		}
	}
	return n
}

func blanks(g Group) int { return votesFor(g, "") }

// firstBlank reports whether an invalid answer comes before the first of that answer.
func firstBlank(g Group, answer string) bool {
	for _, r := range g.Rollouts {
		if a := r.Candidates[0].Answer; a == "" || a == answer {
			return a == ""
		}
	}
	return false
}

// TestEvolRLBandsNeverMeet: at any novelty each of the majority is worth at
// least 1 more than each of the minority, and no rollout leaves its band.
func TestEvolRLBandsNeverMeet(t *testing.T) {
	for _, fidelity := range []string{"paper", "code"} {
		e := build(t, "evol-rl", "scale=none", "fidelity="+fidelity).Estimator.(*EvolRL)
		rapid.Check(t, func(t *rapid.T) {
			g, _ := drawElectorate(t)
			for i := range g.Rollouts {
				g.Rollouts[i].Train = true
				if a := &g.Rollouts[i].Candidates[0].Answer; *a == "" {
					*a = "B" // every answer is valid
				}
			}
			if len(g.Rollouts) < 2 {
				return
			}
			winner, least, most := majority(g), math.Inf(1), math.Inf(-1)
			low, high := math.Inf(1), math.Inf(-1)
			for i, a := range ofGroup(t, e, g) {
				if g.Rollouts[i].Candidates[0].Answer == winner {
					least, high = min(least, a), max(high, a)
				} else {
					most, low = max(most, a), min(low, a)
				}
			}
			if least-most < 1-1e-12 || high-least > .5+1e-12 || most-low > .5+1e-12 {
				t.Fatalf("majority from %v to %v, minority from %v to %v", least, high, low, most)
			}
		})
	}
}

// TestEvolRLTrainsOnAPart: novelty and vote are over the whole group, so that training
// on a part of it changes the baseline and nothing else.
func TestEvolRLTrainsOnAPart(t *testing.T) {
	e := build(t, "evol-rl", "scale=none").Estimator
	rapid.Check(t, func(t *rapid.T) {
		g, _ := drawElectorate(t)
		all := g
		all.Rollouts = slices.Clone(g.Rollouts)
		for i := range all.Rollouts {
			all.Rollouts[i].Train = true
		}
		near(t, "a part", ofGroup(t, e, g), centredOver(g, ofGroup(t, e, all)), 1e-13)
	})
}

// TestEvolRLMakesCollapseUnstable (sec. 3.3): in a group of 32 that agree on the answer
// and, but for one, on the solution, the odd one out gets all the credit, and TTRL sees
// nothing. With no odd one out neither does.
func TestEvolRLMakesCollapseUnstable(t *testing.T) {
	vectors := slices.Repeat([][]float32{{3, 1, 2}}, 32)
	g := embed(groupOf(make([]float64, 32), ""), vectors)
	for _, method := range []string{"evol-rl", "evol-rl@code", "ttrl"} {
		near(t, method, ofGroup(t, build(t, method).Estimator, g), make([]float64, 32), 0)
	}
	vectors[20] = []float32{3, 1, 1}
	g = embed(g, vectors)
	near(t, "ttrl", ofGroup(t, build(t, "ttrl").Estimator, g), make([]float64, 32), 0)
	got := ofGroup(t, build(t, "evol-rl", "epsilon=0").Estimator, g)
	want := make([]float64, 32)
	for i := range want {
		want[i] = -1 / math.Sqrt(31)
	}
	want[20] = math.Sqrt(31)
	near(t, "evol-rl", got, want, 1e-12)
}

// TestEvolRLSparesRareMistakes (app. C.1): of two wrong solutions as near to a right
// one, the mistake that resembles the other mistakes is punished most.
func TestEvolRLSparesRareMistakes(t *testing.T) {
	g := embed(groupOf(make([]float64, 7), "AAABCCC"), [][]float32{
		{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0},
		{4, 0, 1, 0, 0, 0}, // nearly the first, and unlike the other mistakes
		{4, 0, 0, 1, 0, 0}, // as near, and one of three of a kind
		{0, 0, 0, 1, 0, 1}, {0, 0, 0, 1, 1, 0},
	})
	got := ofGroup(t, build(t, "evol-rl", "scale=none").Estimator, g)
	if got[3] < got[4]+.01 {
		t.Errorf("the rare mistake gets %v, the common one %v", got[3], got[4])
	}
}

// TestEvolRLOfNearTwinsIgnoresOrder: where solutions are all but the same the min-max
// blows differences of 1e-9 up to a whole band, and the rounding of a sum with them,
// unless that is the same in every order.
func TestEvolRLOfNearTwinsIgnoresOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 20))
	e := build(t, "grpo+novelty", "epsilon_norm=0").Estimator
	for range 20 {
		vectors := make([][]float32, 24)
		for i := range vectors {
			vectors[i] = []float32{3, 1 + float32(r.IntN(999))/1e7, 2 + float32(r.IntN(999))/1e7}
		}
		g := embed(groupOf(make([]float64, len(vectors)), ""), vectors)
		order, other := r.Perm(len(vectors)), Group{Problem: "p"}
		for _, i := range order {
			other.Rollouts = append(other.Rollouts, g.Rollouts[i])
		}
		plain, want := ofGroup(t, e, g), make([]float64, len(order))
		for at, i := range order {
			want[at] = plain[i]
		}
		near(t, "permuted", ofGroup(t, e, other), want, 1e-13)
	}
}

// TestEvolRLOfRoundedTriplets: three vectors of different lengths with the same cosine
// 11/14 two by two, but for the last bit, are equally novel.
func TestEvolRLOfRoundedTriplets(t *testing.T) {
	for _, method := range []string{"evol-rl", "evol-rl@code"} {
		e, differ := build(t, method, "epsilon_norm=0").Estimator.(*EvolRL), 0
		for k := range 20 {
			x, y := float32(2*k+1), float32(3*k+5)
			g := embed(groupOf(make([]float64, 3), ""), [][]float32{{1, 2, 3}, {2 * x, 3 * x, x}, {3 * y, y, 2 * y}})
			near(t, method, ofGroup(t, e, g), []float64{0, 0, 0}, 0)
			if c := e.cosines.Values; c[1] != c[2] || c[1] != c[5] {
				differ++
			}
		}
		if differ == 0 {
			t.Error("no rounding anywhere")
		}
	}
}

// TestEvolRLOnAKernel is a derivation whose similarities no embeddings have (the
// matrix has a negative eigenvalue), so it goes in behind them: labels + + + - -.
func TestEvolRLOnAKernel(t *testing.T) {
	kernel := [][]float64{
		{1, .9, .8, .3, .1}, {.9, 1, .6, .2, .5}, {.8, .6, 1, .4, .3}, {.3, .2, .4, 1, .7}, {.1, .5, .3, .7, 1},
	}
	for fidelity, want := range map[string][]float64{"paper": {.5, .7, 1, -1, -1}, "code": {.5, .7, 1, -.75, -.75}} {
		e := build(t, "evol-rl", "fidelity="+fidelity, "epsilon_norm=0").Estimator.(*EvolRL)
		e.cosines = cosine.Kernel{Values: slices.Concat(kernel...), Members: identity(5)}
		e.place, e.upper = identity(5), []bool{true, true, true, false, false}
		e.scores = []float64{.5, .5, .5, -1, -1}
		e.vary(true)
		e.vary(false)
		near(t, fidelity, e.scores, want, 1e-15)
	}
}

func TestEvolRLBadEmbeddings(t *testing.T) {
	for _, method := range []string{"evol-rl", "evol-rl@code", "grpo+novelty"} {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			// The first is invalid to all of them: rollouts are numbered with it.
			g := embed(electorate("-AaB"), [][]float32{{3, 1}, {1, 0}, {0, bad}, {1, 1}})
			g.Rollouts[0].Candidates[0].Err = errNotOne(0, 0) // any error
			b := batchOf(embed(electorate("A"), [][]float32{{1}}), g)
			b.Groups[1].Problem = "the bad one"
			err := build(t, method).Estimator.Advantages(NewAdvantages(b), b)
			wantError(t, err, "group 1", `"the bad one"`, "the embedding of rollout 2 is not finite")
		}
	}
}

// TestEvolRLRequirements: the fields that are read depend on the source of the labels.
func TestEvolRLRequirements(t *testing.T) {
	for labels, want := range map[string]envs.Fields{
		"majority": envs.HasAnswer | envs.HasEmbedding,
		"correct":  envs.HasCorrect | envs.HasValid | envs.HasEmbedding,
	} {
		if got := build(t, "evol-rl", "labels="+labels).Estimator.Requirements().CandidateFields; got != want {
			t.Errorf("labels %s: needs %v, want %v", labels, got.Names(), want.Names())
		}
	}
	wantError(t, build(t, "evol-rl").Estimator.Requirements().CheckEnv(envs.HasAll&^envs.HasAnswer, 16, 32, 1), "answer", "does not give")
}

// BenchmarkEvolRL: 64 votes of which 32 are trained on, in 8 groups (table 4).
func BenchmarkEvolRL(b *testing.B) {
	for _, method := range []string{"ttrl", "self-consistency", "evol-rl"} {
		b.Run(method, func(b *testing.B) {
			batch := sampleBatch(8, 64, 50)
			for _, g := range batch.Groups {
				for i := range g.Rollouts[32:] {
					g.Rollouts[32+i].Train = false
				}
			}
			perGroup(b, build(b, method).Estimator, batch)
		})
	}
}
