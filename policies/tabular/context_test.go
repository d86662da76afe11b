package tabular_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/internal/testkit"
	"modebench/policies"
	"modebench/policies/tabular"
)

// ending is a problem that ends a context at a demonstration, and counts them.
type ending struct {
	*grammar
	shown, most int
	end         func()
}

func (d *ending) Demonstrate(r *rand.Rand) []envs.Token {
	if d.shown++; d.shown == d.most {
		d.end()
	}
	return d.grammar.Demonstrate(r)
}

// TestDemonstrationsHeedTheContext: no more are drawn after its end, whoever asks for them, and
// the next call begins anew.
func TestDemonstrationsHeedTheContext(t *testing.T) {
	config := tabular.Config{Sharing: "problem", Demonstrations: 1000, Smoothing: 0.3}
	group := []policies.Group{{Rollouts: []policies.Rollout{{Tokens: []envs.Token{9}, Logp: []float64{0}, Entropy: []float64{0}}}}}
	for _, c := range []struct {
		what string
		call func(ctx context.Context, p *tabular.Policy, problem envs.Problem) error
	}{
		{"Sample", func(ctx context.Context, p *tabular.Policy, problem envs.Problem) error {
			_, err := p.Sample([]envs.Task{problem}, 1, policies.SampleOptions{Temperature: 1, TopP: 1, Context: ctx})
			return err
		}},
		{"Enumerate", func(ctx context.Context, p *tabular.Policy, problem envs.Problem) error {
			_, _, err := p.Enumerate(problem, policies.SampleOptions{Temperature: 1, TopP: 1, Context: ctx}, 100)
			return err
		}},
		{"Flatten", func(ctx context.Context, p *tabular.Policy, problem envs.Problem) error {
			group[0].Task = problem
			_, err := p.Flatten(policies.Batch{Groups: group, Temperature: 1, Context: ctx})
			return err
		}},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		problem := &ending{grammar: branching("p", 1), most: 10, end: cancel}
		p := tabular.New(config, policies.DefaultOptimizer())
		if err := c.call(ctx, p, problem); !errors.Is(err, context.Canceled) || problem.shown != 10 {
			t.Errorf("%s: %d demonstrations, want the 10 before the end; %v", c.what, problem.shown, err)
		}
		if err := c.call(context.Background(), p, problem); err != nil || problem.shown != 10+1000 {
			t.Errorf("%s once more: %d demonstrations, want all, %v", c.what, problem.shown, err)
		}
	}
}

// TestCallsHeedTheContext: long calls end soon after the context does, and the policy
// is as it was.
func TestCallsHeedTheContext(t *testing.T) {
	task := branching("p", 1)
	p, other := tabular.New(*tabular.Default(), policies.DefaultOptimizer()), tabular.New(*tabular.Default(), policies.DefaultOptimizer())
	groups, err := other.Sample([]envs.Task{task}, 5000, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	enumerate(t, p, task, plain()) // all states are known to it
	before := save(t, p)
	for _, most := range []int64{0, 3} {
		for what, call := range map[string]func(ctx context.Context) error{
			"Sample": func(ctx context.Context) error {
				_, err := p.Sample([]envs.Task{task}, 5000, policies.SampleOptions{Temperature: 1, TopP: 1, Context: ctx})
				return err
			},
			"Enumerate": func(ctx context.Context) error {
				_, _, err := p.Enumerate(task, policies.SampleOptions{Temperature: 1, TopP: 1, Context: ctx}, 100)
				return err
			},
			"Update": func(ctx context.Context) error {
				_, err := p.Update(policies.Batch{
					Groups: groups, Advantages: [][]float64{make([]float64, 5000)}, Temperature: 1, Context: ctx,
					Loss: func(l *loss.Tokens) error { t.Error("the loss is worked out"); return nil },
				})
				return err
			},
		} {
			ctx := testkit.NewEndsAt(most)
			if err := call(ctx); !errors.Is(err, context.Canceled) || ctx.Late() > 0 {
				t.Errorf("%s, ended after %d questions: %d were asked after it, %v", what, most, ctx.Late(), err)
			}
		}
	}
	if string(save(t, p)) != string(before) {
		t.Error("the policy has changed")
	}
}
