package tabular_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// counted is the base policy by the counts of n demonstrations: how often each
// token was taken in a state, plus the smoothing, over the sum of these.
func counted(g *grammar, n int, smoothing float64) *priored {
	count := map[string]float64{}
	at := func(state string, token envs.Token) string { return fmt.Sprint(state, " ", token) }
	for i := range n {
		r := rng.New(0).Str("demonstrations").Str(g.id).Int(uint64(i)).Rand()
		answer := g.Demonstrate(r)
		for k, state := range g.states(answer) {
			count[at(state, answer[k])]++
		}
	}
	return &priored{g, func(state string, token envs.Token) float64 {
		return math.Log(count[at(state, token)] + smoothing)
	}}
}

// TestBase: before any update the policy is the base policy, whatever it is
// made from.
func TestBase(t *testing.T) {
	known := &priored{grammar: branching("known", 2)}
	unknown := branching("unknown", 4)
	for _, c := range []struct {
		reason  string
		config  tabular.Config
		problem envs.Task
		want    *priored
	}{
		{"the exact prior, where there is one", tabular.Config{Smoothing: 0.3}, known, known},
		{"demonstrations, asked for, come before the prior", tabular.Config{Demonstrations: 40, Smoothing: 0.3}, known, counted(known.grammar, 40, 0.3)},
		{"no prior: 600 demonstrations", tabular.Config{Smoothing: 0.3}, unknown, counted(unknown, 600, 0.3)},
		{"no prior, another number", tabular.Config{Demonstrations: 37, Smoothing: 0.3}, unknown, counted(unknown, 37, 0.3)},
		{"one demonstration: the states it misses are uniform", tabular.Config{Demonstrations: 1, Smoothing: 0.3}, unknown, counted(unknown, 1, 0.3)},
		{"smoothing that drowns the counts", tabular.Config{Demonstrations: 37, Smoothing: 50}, unknown, counted(unknown, 37, 50)},
	} {
		for _, sharing := range []string{"problem", "shared"} {
			c.config.Sharing = sharing
			p := tabular.New(c.config, policies.DefaultOptimizer())
			for _, way := range ways[:3] {
				t.Run(c.reason, func(t *testing.T) {
					got := enumerate(t, p, c.problem, way.opt)
					sameAnswers(t, got, model{}.answers(c.want, way.opt), 1e-14)
				})
			}
		}
	}
	a, b := model{}.answers(counted(unknown, 600, 0.3), ways[0].opt), model{}.answers(counted(unknown, 599, 0.3), ways[0].opt)
	if slices.EqualFunc(a, b, func(a, b policies.Answer) bool { return math.Abs(a.P-b.P) < 1e-12 }) {
		t.Error("600 demonstrations give what 599 give: the test cannot tell the default")
	}
}

// TestBaseOfTheBandit: the policy starts as the environment's own base policy,
// exactly or, by counts, nearly.
func TestBaseOfTheBandit(t *testing.T) {
	config := bandit.Default()
	config.Start = "zipf"
	env, err := config.Build()
	if err != nil {
		t.Fatal(err)
	}
	problem, err := env.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	prior := problem.(envs.Priored).AppendPrior(nil, nil)
	exactly := tabular.New(*tabular.Default(), sgd(1))
	nearly := tabular.New(tabular.Config{Sharing: "problem", Demonstrations: 20000, Smoothing: 0.3}, sgd(1))
	for i, a := range enumerate(t, exactly, problem, plain()) {
		near(t, "probability", a.P, math.Exp(prior[i]), 1e-15)
	}
	for i, a := range enumerate(t, nearly, problem, plain()) {
		p := math.Exp(prior[i])
		near(t, "share of demonstrations", a.P, p, 5*math.Sqrt(p*(1-p)/20000)+1e-4)
	}
}

// TestSharedTable: with sharing, what one problem learns another starts from,
// each on top of its own base policy; without, nothing crosses over.
func TestSharedTable(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	for _, sharing := range []string{"problem", "shared"} {
		p := tabular.New(tabular.Config{Sharing: sharing, Smoothing: 0.3}, sgd(1))
		enumerate(t, p, two, plain()) // its rows exist before the other's training
		train(t, p, []envs.Task{one}, 0, 30)
		m := model{delta: trained(t, p), shared: sharing == "shared"}
		base := model{}.answers(two, plain())
		got := enumerate(t, p, two, plain())
		sameAnswers(t, got, m.answers(two, plain()), 1e-14)
		moved := 0.0
		for i := range got {
			moved += math.Abs(got[i].P - base[i].P)
		}
		if sharing == "problem" && moved > 1e-13 || sharing == "shared" && moved < 0.05 {
			t.Errorf("sharing %s: training one problem moved another by %g", sharing, moved)
		}
		sameAnswers(t, enumerate(t, p, one, plain()), m.answers(one, plain()), 1e-14)
		if n, want := len(m.delta), 5; n != want {
			t.Errorf("sharing %s: training one problem of 6 states, of which one has a single token, moves %d rows, want %d", sharing, n, want)
		}
	}
}

// TestSharedTableOfTheBandit: the form made for sharing.
func TestSharedTableOfTheBandit(t *testing.T) {
	config := bandit.Default()
	config.Form = "shared"
	env, err := config.Build()
	if err != nil {
		t.Fatal(err)
	}
	var problems []envs.Task
	for i := range 3 {
		problem, err := env.Problem(envs.Train, i)
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, problem)
	}
	p := tabular.New(tabular.Config{Sharing: "shared", Smoothing: 0.3}, policies.DefaultOptimizer())
	train(t, p, problems[:2], 0, 20)
	var delta []float64
	for _, row := range trained(t, p) {
		delta = row
	}
	if slices.Max(delta)-slices.Min(delta) < 0.1 {
		t.Fatalf("training moved the shared row to %v only", delta)
	}
	for _, problem := range problems { // the third was never trained on
		prior := problem.(envs.Priored).AppendPrior(nil, nil)
		total := 0.0
		for i := range prior {
			total += math.Exp(prior[i] + delta[i])
		}
		for i, a := range enumerate(t, p, problem, plain()) {
			near(t, problem.ID(), a.P, math.Exp(prior[i]+delta[i])/total, 1e-14)
		}
	}
}
