package estimators

import (
	"fmt"
	"math"
	"testing"

	"modebench/internal/rng"
)

// TestDrawsAreKeyed by seed, step and problem, and by nothing else: not by the
// place in the batch, nor by earlier calls of an estimator.
func TestDrawsAreKeyed(t *testing.T) {
	for _, method := range []string{"vpo", "random-w"} {
		rollouts := [][][]float64{{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{0.3, 0.3, 0.3}}}
		batch := func(seed uint64, step int, problems ...string) *Batch {
			b := &Batch{Seed: seed, Step: step, Weights: []float64{1, 1, 1}}
			for _, p := range problems {
				g := chainsOf(rollouts...)
				g.Problem = p
				b.Groups = append(b.Groups, g)
			}
			return b
		}
		e := build(t, method).Estimator
		want := advantages(t, e, batch(1, 2, "a", "b"))
		back := advantages(t, e, batch(1, 2, "b", "c", "a"))
		near(t, method+": a stands elsewhere", back[2], want[0], 0)
		near(t, method+": b stands elsewhere", back[0], want[1], 0)
		for _, other := range []*Batch{batch(2, 2, "a"), batch(1, 3, "a"), batch(1, 2, "c")} {
			got := advantages(t, e, other)[0]
			moved := 0.0
			for i := range got {
				moved = max(moved, math.Abs(got[i]-want[0][i]))
			}
			if moved < 1e-3 {
				t.Errorf("%s: seed %d, step %d, problem %s: the same draws", method, other.Seed, other.Step, other.Groups[0].Problem)
			}
		}
	}
}

// TestGoldenDirichlet pins bits: recorded runs hang on them.
func TestGoldenDirichlet(t *testing.T) {
	b := &Batch{Seed: 42, Step: 7}
	var s Stream
	w := make([]float64, 3)
	got := ""
	for _, alpha := range []float64{1, 0.5, 4} {
		rng.Dirichlet(s.Of(b, "vpo", &Group{Problem: "train/0"}), alpha, w)
		got += fmt.Sprintf("%x\n", w)
	}
	const want = "[0x1.8164ee077b83dp-01 0x1.121cd5cd40f2p-04 0x1.715ddcfb7177cp-03]\n" +
		"[0x1.6a3b91d1081fp-04 0x1.ee43288b69edbp-02 0x1.b72df300540a7p-02]\n" +
		"[0x1.47f3d89607b42p-02 0x1.ada70947dbe13p-02 0x1.0a651e221c6abp-02]\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestRandomWInExpectation: without the deviation, the mean over steps is the centred reward under
// the uniform weights, and so VPO of one candidate; with it, it is another thing.
func TestRandomWInExpectation(t *testing.T) {
	const steps = 20_000
	g := chainsOf([][]float64{{1, 0}}, [][]float64{{0, 0.25}}, [][]float64{{0, 0}})
	average := func(scale string) (mean, bound []float64) {
		e := build(t, "random-w", "scale="+scale).Estimator
		mean, bound = make([]float64, 3), make([]float64, 3)
		for step := range steps {
			b := &Batch{Step: step, Weights: []float64{1, 1}, Groups: []Group{g}}
			for i, a := range advantages(t, e, b)[0] {
				mean[i] += a / steps
				bound[i] += a * a / steps
			}
		}
		for i, square := range bound {
			bound[i] = 5 * math.Sqrt(square/steps)
		}
		return mean, bound
	}
	vpo := func(scale string) []float64 {
		b := &Batch{Weights: []float64{1, 1}, Groups: []Group{g}}
		return advantages(t, build(t, "vpo", "scale="+scale).Estimator, b)[0]
	}
	mean, bound := average("none")
	want := vpo("none")
	near(t, "VPO of one candidate", want, []float64{7. / 24, -1. / 12, -5. / 24}, 1e-15)
	for i := range mean {
		near(t, "centred", mean[i:i+1], want[i:i+1], bound[i])
	}
	mean, bound = average("group")
	want = vpo("group")
	if gap := math.Abs(mean[1] - want[1]); gap < 2*bound[1] {
		t.Errorf("z-scores: the mean over steps is %v, VPO's %v: the same within %v", mean, want, bound)
	} else {
		t.Logf("z-scores: the mean over steps is %.3f, VPO's %.3f (five standard errors: %.3f)", mean, want, bound)
	}
}
