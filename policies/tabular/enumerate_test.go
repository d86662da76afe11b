package tabular_test

import (
	"math"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

// TestEnumerate: every answer is listed once, in the order of its tokens, with
// the product of its conditional probabilities.
func TestEnumerate(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	for _, sharing := range []string{"problem", "shared"} {
		p, m := grown(t, sharing, one, two)
		for _, way := range ways {
			for _, g := range []*priored{one, two} {
				got := enumerate(t, p, g, way.opt)
				sameAnswers(t, got, m.answers(g, way.opt), 1e-14)
				sum := 0.0
				for _, a := range got {
					sum += a.P
				}
				near(t, way.reason+": total probability", sum, 1, 1e-14)
			}
		}
	}
}

// TestEnumerateCutsAnswers makes sure that the ways of TestEnumerate differ in
// the answers they leave.
func TestEnumerateCutsAnswers(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	all, cut, one := ways[0].opt, ways[4].opt, ways[6].opt
	a, b, c := len(enumerate(t, p, g, all)), len(enumerate(t, p, g, cut)), len(enumerate(t, p, g, one))
	if a != 11 || b <= 1 || b >= 11 || c != 1 {
		t.Errorf("%d answers in all, %d in the nucleus, %d greedily; want 11, some of them, 1", a, b, c)
	}
}

func TestEnumerateLimit(t *testing.T) {
	g, endless := &priored{grammar: branching("one", 0)}, &priored{grammar: loop("loop")}
	opt := policies.SampleOptions{Temperature: 1, TopP: 1}
	greedy := policies.SampleOptions{Greedy: true}
	for _, c := range []struct {
		reason  string
		problem envs.Task
		opt     policies.SampleOptions
		limit   int
		ok      bool
	}{
		{"as many as there are", g, opt, 11, true},
		{"one too few", g, opt, 10, false},
		{"none allowed", g, opt, 0, false},
		{"answers that greedy leaves out do not count", g, greedy, 1, true},
		{"infinitely many", endless, opt, 1000, false},
	} {
		p := tabular.New(*tabular.Default(), sgd(1))
		answers, ok, err := p.Enumerate(c.problem, c.opt, c.limit)
		if err != nil || ok != c.ok || !ok && answers != nil {
			t.Errorf("%s, limit %d: %d answers, %v, error %v; want %v", c.reason, c.limit, len(answers), ok, err, c.ok)
		}
	}
}

// TestEnumerateChangesNothing: looking does not move the policy, nor what it
// samples next.
func TestEnumerateChangesNothing(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	q, _ := grown(t, "problem", g)
	for step := range 5 {
		for _, way := range ways {
			enumerate(t, p, g, way.opt)
		}
		train(t, p, []envs.Task{g}, 100+step, 1)
		train(t, q, []envs.Task{g}, 100+step, 1)
	}
	if string(save(t, p)) != string(save(t, q)) {
		t.Error("a policy that was enumerated between its steps ended up elsewhere than one that was not")
	}
}

// TestTokenTheDemonstratorNeverTakes: a log-probability of minus infinity is a
// probability of zero, and no NaN.
func TestTokenTheDemonstratorNeverTakes(t *testing.T) {
	g := &priored{flat("flat", 4), func(_ string, a envs.Token) float64 {
		return []float64{0, math.Inf(-1), 0, math.Log(2)}[a]
	}}
	p := tabular.New(*tabular.Default(), sgd(1))
	sameAnswers(t, enumerate(t, p, g, plain(1)), []policies.Answer{
		{Tokens: []envs.Token{0}, P: 0.25}, {Tokens: []envs.Token{2}, P: 0.25}, {Tokens: []envs.Token{3}, P: 0.5},
	}, 1e-15)
	groups := sample(t, p, []envs.Task{g}, 200, plain(1))
	near(t, "entropy", groups[0].Rollouts[0].Entropy[0], 1.5*math.Ln2, 1e-14)
	stats, err := p.Update(policies.Batch{
		Groups: groups, Advantages: advantages(groups, plain(1).Key), Temperature: 1, Reference: p.Freeze(),
		Want: losses[5].want, Loss: asLoss(losses[5].token),
	})
	if err != nil || math.IsNaN(stats.Loss) || math.IsNaN(stats.GradNorm) {
		t.Errorf("loss %v, gradient norm %v, error %v", stats.Loss, stats.GradNorm, err)
	}
	for key, row := range trained(t, p) {
		for j, d := range row {
			if math.IsNaN(d) || j == 1 && d != 0 {
				t.Errorf("state %q, token %d: parameter %v, want a number, and 0 for the token that is never taken", key, j, d)
			}
		}
	}
}
