package maclaurin_test

import (
	"fmt"
	"math"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	_ "modebench/estimators/maclaurin"
	"modebench/internal/testkit"
)

// step is the expectation of sum_i A_i d log pi(y_i) / dp over all outcomes of a group of n
// answers, each correct with the chance p.
func step(t *testing.T, n int, p float64, method string, set ...string) float64 {
	t.Helper()
	m, err := estimators.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	instance := m.New()
	for _, pair := range set {
		if err := instance.SetText(pair); err != nil {
			t.Fatal(err)
		}
	}
	total := 0.0
	for outcome := range 1 << n {
		g := estimators.Group{Problem: "p"}
		chance := 1.0
		score := make([]float64, n)
		for i := range n {
			right := outcome>>i&1 == 1
			g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: true, Candidates: []*envs.Verdict{{Correct: right}}})
			if right {
				chance *= p
				score[i] = 1 / p
			} else {
				chance *= 1 - p
				score[i] = -1 / (1 - p)
			}
		}
		b := &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll, Groups: []estimators.Group{g}}
		dst := estimators.NewAdvantages(b)
		if err := instance.Advantages(dst, b); err != nil {
			t.Fatal(err)
		}
		for i, a := range dst[0] {
			total += chance * a * score[i]
		}
	}
	return total
}

// slope is the derivative of the log of p, its series in 1-p cut off at an order.
func slope(p float64, order int) float64 {
	total := 0.0
	for k := range order {
		total += math.Pow(1-p, float64(k))
	}
	return total
}

// TestExpectedStep: the methods climb the series that they claim, exactly.
func TestExpectedStep(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for _, p := range []float64{0.05, 0.3, 0.8} {
			for order := 1; order <= n+1; order++ {
				want := slope(p, min(order, n))
				for _, baseline := range []string{"none", "cross"} {
					got := step(t, n, p, "maclaurin", fmt.Sprint("order=", order), "baseline="+baseline)
					testkit.Near(t, fmt.Sprintf("%s, N %d, T %d, p %v", baseline, n, order, p), []float64{got}, []float64{want}, 1e-12)
				}
				for _, beta := range []float64{0, 1, 2.5} {
					if order > n {
						continue
					}
					got := step(t, n, p, "maxrl-oversample", fmt.Sprint("order=", order), fmt.Sprint("beta=", beta))
					testkit.Near(t, fmt.Sprintf("beta %v, N %d, T %d, p %v", beta, n, order, p), []float64{got}, []float64{want}, 1e-12)
				}
			}
			got := step(t, n, p, "maxrl-vr-cond")
			testkit.Near(t, fmt.Sprintf("vr-cond, N %d, p %v", n, p), []float64{got}, []float64{slope(p, n)}, 1e-12)
		}
	}
}

// TestLeaveOneOutIsBiased: by the numbers of the doc comment, but not without a
// other set to share a rollout with.
func TestLeaveOneOutIsBiased(t *testing.T) {
	for _, c := range []struct {
		n, order int
		off      float64
	}{{3, 2, -0.35}, {4, 2, -0.28}, {5, 5, -0.76}, {2, 2, 0}, {1, 1, 0}} {
		got := step(t, c.n, 0.3, "maclaurin", fmt.Sprint("order=", c.order), "baseline=loo") - slope(0.3, c.order)
		testkit.Near(t, fmt.Sprintf("N %d, T %d", c.n, c.order), []float64{got}, []float64{c.off}, 5e-3)
	}
}

// TestLargeGroups: binomials beyond float64 do not get in the way.
func TestLargeGroups(t *testing.T) {
	const n, fails = 3000, 2900
	g := estimators.Group{Problem: "p"}
	for i := range n {
		g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: true, Candidates: []*envs.Verdict{{Correct: i >= fails}}})
	}
	b := &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll, Groups: []estimators.Group{g}}
	for _, set := range [][]string{
		{"maclaurin", "order=1000", "baseline=none"}, {"maclaurin", "order=1000", "baseline=loo"},
		{"maclaurin", "order=200", "baseline=cross"}, {"maxrl-oversample", "order=1000"},
	} {
		m, err := estimators.Lookup(set[0])
		if err != nil {
			t.Fatal(err)
		}
		instance := m.New()
		for _, pair := range set[1:] {
			if err := instance.SetText(pair); err != nil {
				t.Fatal(err)
			}
		}
		dst := estimators.NewAdvantages(b)
		if err := instance.Advantages(dst, b); err != nil {
			t.Errorf("%v: %v", set, err)
			continue
		}
		if right, wrong := dst[0][n-1], dst[0][0]; !(right > 0 && right < 1 && wrong < 0 && wrong > -1) {
			t.Errorf("%v: a correct rollout has %v, another %v", set, right, wrong)
		}
	}
}
