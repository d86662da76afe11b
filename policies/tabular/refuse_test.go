package tabular_test

import (
	"bytes"
	"math"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

func TestSampleRefuses(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	before := save(t, p)
	for _, c := range []struct {
		reason      string
		n           int
		temperature float64
		topP        float64
		words       string
	}{
		{"no rollouts", 0, 1, 1, "0 rollouts"},
		{"fewer than none", -1, 1, 1, "-1 rollouts"},
		{"temperature zero means greedy elsewhere, not here", 1, 0, 1, "temperature 0"},
		{"a temperature below zero", 1, -1, 1, "temperature -1"},
		{"no number", 1, math.NaN(), 1, "temperature NaN"},
		{"top-p zero keeps no token", 1, 1, 0, "top-p 0"},
		{"top-p above one", 1, 1, 1.01, "top-p 1.01"},
		{"no number", 1, 1, math.NaN(), "top-p NaN"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			opt := policies.SampleOptions{Temperature: c.temperature, TopP: c.topP}
			_, err := p.Sample([]envs.Task{g}, c.n, opt)
			wantError(t, err, c.words)
			if c.n == 1 {
				_, _, err = p.Enumerate(g, opt, 100)
				wantError(t, err, c.words)
			}
			opt.Greedy = true
			if _, err = p.Sample([]envs.Task{g}, c.n, opt); (err == nil) != (c.n > 0) {
				t.Errorf("greedy: got error %v; it needs a positive number of rollouts and nothing else", err)
			}
		})
	}
	if !bytes.Equal(save(t, p), before) {
		t.Error("refused calls moved the policy")
	}
}

// A short prior forgets the last legal token.
type short struct{ *priored }

func (s short) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	dst = s.priored.AppendPrior(dst, prefix)
	return dst[:len(dst)-1]
}

// TestBrokenEnvironments: each mistake is reported every time, and
// earlier tasks continue to work.
func TestBrokenEnvironments(t *testing.T) {
	good := &priored{grammar: branching("good", 0)}
	graph := func(moves map[string][]move) *priored {
		return &priored{grammar: &grammar{id: "broken", start: "S", moves: moves}}
	}
	for _, c := range []struct {
		reason  string
		sharing string
		problem envs.Task
		words   string
	}{
		{"no way to begin", "problem", graph(nil), `no token is legal in state "S"`},
		{"no way on", "problem", graph(map[string][]move{"S": {{1, "X"}}}), `no token is legal in state "X"`},
		{"a prior of another length", "problem", &short{good}, "the prior has 2 entries"},
		{"no way out", "problem", graph(map[string][]move{"S": {{1, "S"}}}), "does not end"},
		{"a shared state with other tokens", "shared", graph(map[string][]move{"S": {{1, ""}}}), "3 parameters and 1 legal tokens"},
	} {
		p := tabular.New(tabular.Config{Sharing: c.sharing, Smoothing: 0.3}, sgd(1))
		for range 2 {
			if c.problem.ID() != good.ID() {
				train(t, p, []envs.Task{good}, 0, 1)
			}
			_, err := p.Sample([]envs.Task{c.problem}, 1, plain(1))
			wantError(t, err, c.words)
		}
	}
}

// TestCheckpointOfAnotherEnvironment: rows are checked when their states are
// first met.
func TestCheckpointOfAnotherEnvironment(t *testing.T) {
	p := tabular.New(*tabular.Default(), sgd(1))
	train(t, p, []envs.Task{&priored{grammar: flat("train/0", 5)}}, 0, 1)
	q := tabular.New(*tabular.Default(), sgd(1))
	load(t, q, save(t, p))
	_, err := q.Sample([]envs.Task{&priored{grammar: flat("train/0", 6)}}, 1, plain(1))
	wantError(t, err, "5 parameters and 6 legal tokens")
}

// TestEmptyAnswers: a problem whose answer is done before it begins.
func TestEmptyAnswers(t *testing.T) {
	g := &priored{grammar: &grammar{id: "empty"}}
	p := tabular.New(*tabular.Default(), sgd(1))
	noPanic(t, func() {
		for range 2 {
			for _, r := range sample(t, p, []envs.Task{g}, 2, plain(1))[0].Rollouts {
				if len(r.Tokens) != 0 {
					t.Errorf("tokens %v, want none", r.Tokens)
				}
			}
		}
		sameAnswers(t, enumerate(t, p, g, plain(1)), []policies.Answer{{P: 1}}, 0)
	})
}
