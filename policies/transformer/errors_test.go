package transformer

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/policies"
)

// TestBadBatches: each is one clear error, and the policy stays as it was.
func TestBadBatches(t *testing.T) {
	w, other := mazes(t), chains(t)
	p, stranger := w.small(t, ""), w.small(t, "")
	before := bytesOf(t, p)
	tasks := w.tasks(t, 2)
	foreign := other.tasks(t, 8) // some of them chains, all of them under goals
	goal := envs.NewGoal(tasks[0], envs.GoalWeights(4), 1)
	fresh := func() policies.Batch {
		groups := sample(t, p, tasks, 2, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(1)})
		return policies.Batch{
			Groups: groups, Advantages: [][]float64{{1, -1}, {1, -1}}, Temperature: 1,
			Loss: func(l *loss.Tokens) error {
				for k := range l.DLogp {
					l.DLogp[k] = 1
				}
				return nil
			},
		}
	}
	for _, c := range []struct {
		reason string
		spoil  func(*policies.Batch)
		want   string
	}{
		{"no temperature", func(b *policies.Batch) { b.Temperature = 0 }, "temperature 0, want 1e-06 to 1e+06"},
		{"one that float32 cannot divide by", func(b *policies.Batch) { b.Temperature = 1e-40 }, "temperature 1e-40, want 1e-06"},
		{"no loss", func(b *policies.Batch) { b.Loss = nil }, "no loss"},
		{"a rate that is not finite", func(b *policies.Batch) { b.Rate = math.MaxFloat64 }, "want a finite number that float32 holds"},
		{"a rate that climbs", func(b *policies.Batch) { b.Rate = -1 }, "learning rate by -1"},
		{"a reference is missing", func(b *policies.Batch) { b.Want.KL = true }, "no reference of this policy"},
		{"another policy's reference", func(b *policies.Batch) { b.Want.Ref, b.Reference = true, stranger.Freeze() }, "no reference of this policy"},
		{"a group without advantages", func(b *policies.Batch) { b.Advantages = b.Advantages[:1] }, "advantages for 1 groups, want 2"},
		{"a rollout without", func(b *policies.Batch) { b.Advantages[1] = []float64{1} }, "advantages for 1 rollouts, want 2"},
		{"no flags of correctness", func(b *policies.Batch) { b.Want.Correct = true }, "correctness flags for 0 groups, want 2"},
		{"log-probabilities are missing", func(b *policies.Batch) { b.Groups[0].Rollouts[0].Logp = nil }, "0 log-probabilities and"},
		{"a token that there is not", func(b *policies.Batch) { b.Groups[0].Rollouts[1].Tokens[2] = 4 }, "token 2 of a rollout is 4, want 0 to 3"},
		{"a negative token", func(b *policies.Batch) { b.Groups[0].Rollouts[1].Tokens[0] = -1 }, "token 0 of a rollout is -1, want 0 to 3"},
		{"tokens after the end", func(b *policies.Batch) {
			r := &b.Groups[1].Rollouts[0]
			r.Tokens, r.Logp = append(r.Tokens[:len(r.Tokens):len(r.Tokens)], 1), append(r.Logp[:len(r.Logp):len(r.Logp)], -1)
		}, "comes after its end"},
		{"a task of another environment", func(b *policies.Batch) { b.Groups[0].Task = foreign[0] }, "of another environment"},
		{"a task of another form", func(b *policies.Batch) { b.Groups[0].Task = goal }, "has a goal, the encoding is for tasks without"},
		{"a gradient that is not finite", func(b *policies.Batch) {
			b.Loss = func(l *loss.Tokens) error { l.DLogp[0] = math.Inf(1); return nil } // and 0 of the others
		}, "norm of the gradient is NaN"},
		{"a loss that fails", func(b *policies.Batch) { b.Loss = func(*loss.Tokens) error { return errBroken } }, "broken"},
	} {
		b := fresh()
		c.spoil(&b)
		if _, err := p.Update(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.want)
		}
		if !bytes.Equal(bytesOf(t, p), before) {
			t.Fatalf("%s: the policy has moved", c.reason)
		}
	}
}

func TestBadSamples(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Steps = 0 })
	tasks := w.tasks(t, 1)
	for _, c := range []struct {
		reason string
		tasks  []envs.Task
		n      int
		opt    policies.SampleOptions
		want   string
	}{
		{"no rollouts", tasks, 0, policies.SampleOptions{Temperature: 1, TopP: 1}, "cannot sample 0 rollouts"},
		{"no temperature", tasks, 1, policies.SampleOptions{TopP: 1}, "temperature 0"},
		{"no nucleus", tasks, 1, policies.SampleOptions{Temperature: 1}, "top-p 0"},
		{"a task of another environment", chains(t).tasks(t, 1), 1, policies.SampleOptions{Temperature: 1, TopP: 1}, "of another environment"},
		{"a temperature that float32 cannot divide by", tasks, 1, policies.SampleOptions{Temperature: 1e30, TopP: 1}, "temperature 1e+30, want 1e-06 to"},
	} {
		if _, err := p.Sample(c.tasks, c.n, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.want)
		}
	}
}

func TestBadConfigs(t *testing.T) {
	w := mazes(t)
	for _, c := range []struct {
		reason string
		change func(*Config, *policies.Optimizer)
		want   string
	}{
		{"lanes come in 32", func(c *Config, _ *policies.Optimizer) { c.Width = 48 }, "got 48, want a multiple of 32"},
		{"heads of 4", func(c *Config, _ *policies.Optimizer) { c.Heads = 8 }, "got 8 of a width of 32"},
		{"heads that do not divide the width", func(c *Config, _ *policies.Optimizer) { c.Heads = 3 }, "got 3 of a width of 32"},
		{"there is no Fisher matrix", func(_ *Config, o *policies.Optimizer) { o.Name = "natural" }, `got "natural"`},
		{"no heads", func(c *Config, _ *policies.Optimizer) { c.Heads = 0 }, "got 0, want 1 or more"},
		{"no layers", func(c *Config, _ *policies.Optimizer) { c.Layers = 0 }, "got 0, want 1 or more"},
		{"no width", func(c *Config, _ *policies.Optimizer) { c.Width = 0 }, "got 0, want a multiple of 32"},
		{"an optimiser that is not there", func(_ *Config, o *policies.Optimizer) { o.Name = "adamw" }, `got "adamw"`},
	} {
		config, opt := *Default(), policies.DefaultOptimizer()
		config.Width, config.Heads = 32, 2
		c.change(&config, &opt)
		if _, err := New(t.Context(), config, opt, w.encoding); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.want)
		}
	}
}

// TestBadLessons: pre-training stops at the first demonstration that fails, and
// when it is asked to.
func TestBadLessons(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Steps = 0 })
	p.config.Steps = 5
	failing := func(i uint64) (Demonstration, error) {
		if i == 8 {
			return Demonstration{}, errBroken
		}
		return w.demonstration(i)
	}
	steps := 0
	err := p.Pretrain(context.Background(), failing, func(int, float64) { steps++ })
	if !errors.Is(err, errBroken) || steps != 1 {
		t.Errorf("demonstration 8 of 6 a step fails: error %v after %d steps, want one after 1", err, steps)
	}
	foreign := chains(t)
	if err := p.Pretrain(context.Background(), foreign.demonstration, nil); err == nil || !strings.Contains(err.Error(), "the encoding is for") {
		t.Errorf("demonstrations of another form: error %v", err)
	}
	empty := func(i uint64) (Demonstration, error) {
		d, err := w.demonstration(i)
		d.Tokens = nil
		return d, err
	}
	if err := p.Pretrain(context.Background(), empty, nil); err == nil || !strings.Contains(err.Error(), "hold no tokens") {
		t.Errorf("demonstrations of nothing: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = p.Pretrain(ctx, w.demonstration, func(step int, _ float64) {
		if step == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestEmptyRollouts: rollouts without a token, at any place, change nothing.
func TestEmptyRollouts(t *testing.T) {
	w := mazes(t)
	tasks := w.tasks(t, 2)
	update := func(empty ...int) []byte {
		p := w.small(t, "")
		drawn := sample(t, p, tasks, 2, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(1)})
		b := policies.Batch{Temperature: 1, Loss: func(l *loss.Tokens) error {
			for s := range l.Sequences() {
				for k := l.Start[s]; k < l.Start[s+1]; k++ {
					l.DLogp[k] = l.Advantage[s]
				}
			}
			return nil
		}}
		for g := range drawn {
			group, advantages := policies.Group{Task: drawn[g].Task}, []float64(nil)
			for i := range 3 {
				for _, at := range empty {
					if at == 3*g+i {
						group.Rollouts, advantages = append(group.Rollouts, policies.Rollout{}), append(advantages, 1)
					}
				}
				if i < 2 {
					group.Rollouts, advantages = append(group.Rollouts, drawn[g].Rollouts[i]), append(advantages, float64(1-2*i))
				}
			}
			b.Groups, b.Advantages = append(b.Groups, group), append(b.Advantages, advantages)
		}
		if _, err := p.Update(b); err != nil {
			t.Fatal(err)
		}
		return bytesOf(t, p)
	}
	want := update()
	for _, empty := range [][]int{{0}, {1}, {2}, {3}, {5}, {0, 2, 5}} {
		if !bytes.Equal(update(empty...), want) {
			t.Errorf("empty rollouts at %v: another policy", empty)
		}
	}
	p := w.small(t, "")
	before := bytesOf(t, p)
	if _, err := p.Update(policies.Batch{Temperature: 1, Loss: func(*loss.Tokens) error { return nil }}); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
	if !bytes.Equal(bytesOf(t, p), before) {
		t.Error("an empty batch moves the policy")
	}
}

// TestMaskedLessons: lessons of a policy that draws legal tokens alone have to
// be legal, the last token too.
func TestMaskedLessons(t *testing.T) {
	w := chains(t)
	p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask, c.Steps = true, 0 })
	p.config.Steps = 1
	illegal := func(i uint64) (Demonstration, error) {
		d, err := w.demonstration(i)
		if err == nil && i == 3 {
			d.Tokens[len(d.Tokens)-1] = d.Tokens[0]
		}
		return d, err
	}
	if err := p.Pretrain(context.Background(), illegal, nil); err == nil || !strings.Contains(err.Error(), "is not legal there") {
		t.Errorf("an illegal token: error %v", err)
	}
}
