package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
)

// vectorBatch makes groups of rollouts of one candidate with those rewards.
func vectorBatch(weights []float64, groups ...[][][]float64) *Batch {
	b := batchOf()
	b.Weights = weights
	for g, rollouts := range groups {
		group := chainsOf(rollouts...)
		group.Problem = fmt.Sprint("p", g)
		b.Groups = append(b.Groups, group)
	}
	return b
}

// gdpoByDefinition is the formula as one would write it down; groups are lists of reward vectors.
func gdpoByDefinition(groups [][][]float64, weights []float64, ddof int, epsilon float64) [][]float64 {
	z := func(xs []float64) []float64 {
		mu, square := sum(xs)/float64(len(xs)), 0.0
		for _, x := range xs {
			square += (x - mu) * (x - mu)
		}
		out := make([]float64, len(xs))
		if square < 1e-20 || len(xs) <= ddof {
			return out
		}
		sd := math.Sqrt(square / float64(len(xs)-ddof))
		for i, x := range xs {
			out[i] = (x - mu) / (sd + epsilon)
		}
		return out
	}
	var flat []float64
	for _, rewards := range groups {
		total := make([]float64, len(rewards))
		for k, w := range weights {
			column := make([]float64, len(rewards))
			for i := range rewards {
				column[i] = rewards[i][k]
			}
			for i, a := range z(column) {
				total[i] += w * a
			}
		}
		flat = append(flat, total...)
	}
	flat = z(flat)
	var out [][]float64
	for _, rewards := range groups {
		out = append(out, flat[:len(rewards)])
		flat = flat[len(rewards):]
	}
	return out
}

func TestGDPOEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for kind := range 60 {
		d := 1 + kind%4
		weights := make([]float64, d)
		for j := range weights {
			weights[j] = r.Float64()
		}
		var groups [][][][]float64
		var rewards [][][]float64
		for range 1 + r.IntN(4) {
			rollouts := randomChains(r, 1+r.IntN(8), 1, d, kind)
			groups = append(groups, rollouts)
			var flat [][]float64
			for _, vectors := range rollouts {
				flat = append(flat, vectors[0])
			}
			rewards = append(rewards, flat)
		}
		for _, ddof := range []int{0, 1} {
			got := advantages(t, build(t, "gdpo", fmt.Sprint("ddof=", ddof)).Estimator, vectorBatch(weights, groups...))
			for g, want := range gdpoByDefinition(rewards, weights, ddof, 1e-6) {
				near(t, fmt.Sprintf("kind %d, group %d", kind, g), got[g], want, 1e-12)
			}
		}
	}
}

// TestGDPOCouplesGroups: a group's advantages depend on the batch's spread, but
// only by a factor, and not on its order.
func TestGDPOCouplesGroups(t *testing.T) {
	e := build(t, "gdpo", "epsilon=0").Estimator
	one := [][][]float64{{{1, 0}}, {{0, 1}}, {{1, 1}}, {{0, 0}}}
	two := [][][]float64{{{1, 0}}, {{0, 0}}, {{0, 0}}, {{0.5, 0}}}
	weights := []float64{0.5, 0.5}
	alone := advantages(t, e, vectorBatch(weights, one))[0]
	together := advantages(t, e, vectorBatch(weights, one, two))
	if together[0][2] == alone[2] {
		t.Error("another group in the batch changes nothing")
	}
	ratio := together[0][2] / alone[2]
	for i := range alone {
		near(t, "a factor", together[0][i:i+1], []float64{ratio * alone[i]}, 1e-15)
	}
	back := advantages(t, e, vectorBatch(weights, two, one))
	near(t, "from the end", back[1], together[0], 1e-15)
	near(t, "from the end", back[0], together[1], 1e-15)
	if s := sum(slices.Concat(together...)); math.Abs(s) > 1e-14 {
		t.Errorf("the batch sums to %g", s)
	}
}

// TestGDPOSeesEveryComponent: a component of a hundredth of the scale counts as much as the others,
// which is the point of normalising before adding; in GRPO on the sum it drowns.
func TestGDPOSeesEveryComponent(t *testing.T) {
	rollouts := [][][]float64{{{1, 0}}, {{1, 0.01}}, {{0, 0}}, {{0, 0.01}}}
	weights := []float64{0.5, 0.5}
	got := advantages(t, build(t, "gdpo", "epsilon=0").Estimator, vectorBatch(weights, rollouts))[0]
	near(t, "the two components cancel", got, []float64{0, math.Sqrt(1.5), -math.Sqrt(1.5), 0}, 1e-12)
	grpo := ofChains(t, build(t, "grpo").Estimator, weights, rollouts...)
	if grpo[0] < 0.9 || grpo[3] > -0.9 {
		t.Errorf("GRPO on the sum gives %v", grpo)
	}
}

// TestGDPOOfOneComponent and one group is GRPO with the sample deviation.
func TestGDPOOfOneComponent(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 2))
	for range 30 {
		_, rewards := fractions(r, 2+r.IntN(9))
		near(t, fmt.Sprint(rewards), ofGroup(t, build(t, "gdpo", "epsilon=0").Estimator, groupOf(rewards, "")),
			ofGroup(t, build(t, "grpo", "epsilon=0", "ddof=1").Estimator, groupOf(rewards, "")), 1e-12)
	}
}

// TestGDPOErrors name the group and the fault, also beyond the first group.
func TestGDPOErrors(t *testing.T) {
	e := build(t, "gdpo").Estimator
	good := [][][]float64{{{1, 0}}, {{0, 1}}}
	fail := func(bad [][][]float64, parts ...string) {
		t.Helper()
		b := vectorBatch([]float64{1, 0}, good, bad)
		wantError(t, e.Advantages(NewAdvantages(b), b), append(parts, "group 1", `"p1"`)...)
	}
	// The weight 0 does not make it a number.
	fail([][][]float64{{{1, 0}}, {{0, math.NaN()}}}, "rollout 1", "NaN", "finite")
	fail([][][]float64{{{1, 0}, {1, 0}}, {{0, 1}}}, "rollout 0 has 2 candidates")
	fail([][][]float64{{{1, 0}}, {{0}}}, "rollout 1", "1 reward components for 2 weights")
	b := vectorBatch([]float64{1, 1}, good, good)
	b.Groups[1].Weights = []float64{1, math.Inf(1)}
	wantError(t, e.Advantages(NewAdvantages(b), b), "overflow")
	b.Groups[1].Weights = envs.UniformWeights(2)
	if err := e.Advantages(NewAdvantages(b), b); err != nil {
		t.Errorf("after an error: %v", err)
	}
}
