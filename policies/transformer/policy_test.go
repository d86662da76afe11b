package transformer

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cpu"
)

// A world is an environment's tasks of a form, with their encoding.
type world struct {
	env      envs.Env
	form     envs.Form
	encoding *envs.Encoding
}

func worldOf(t testing.TB, e envs.Env, err error, form envs.Form) world {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	encoding, err := envs.NewEncoding(e, form)
	if err != nil {
		t.Fatal(err)
	}
	return world{e, form, encoding}
}

func mazes(t testing.TB) world {
	e, err := maze.Default().Build()
	return worldOf(t, e, err, envs.Form{Answers: 1})
}

// chains are of up to three answers to Countdown problems, under goals.
func chains(t testing.TB) world {
	e, err := countdown.Default().Build()
	return worldOf(t, e, err, envs.Form{Answers: 3, Stops: true, Goals: true})
}

func (w world) tasks(t testing.TB, n int) (out []envs.Task) {
	t.Helper()
	for i := range n {
		task, _, err := envs.Lesson(w.env, w.form, rng.New(77), uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, task)
	}
	return out
}

func (w world) demonstration(i uint64) (Demonstration, error) {
	task, tokens, err := envs.Lesson(w.env, w.form, rng.New(1), i)
	return Demonstration{task, tokens}, err
}

func smallOptimizer() policies.Optimizer {
	opt := policies.DefaultOptimizer()
	opt.LR, opt.WeightDecay, opt.ClipNorm = 1e-3, 0.01, 1
	return opt
}

// small is a policy that a few steps of pre-training have moved off its beginning.
func (w world) small(t testing.TB, level string, change ...func(*Config, *policies.Optimizer)) *Policy {
	t.Helper()
	var card *Device
	if level == onCard {
		card, level = openStreams(t), ""
	}
	k, err := cpu.New(level)
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Layers: 2, Width: 32, Heads: 2, Steps: 3, Batch: 6, LR: 3e-3, Seed: 1}
	opt := smallOptimizer()
	for _, f := range change {
		f(&config, &opt)
	}
	p, err := newOn(t.Context(), k, card, config, opt, w.encoding)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Pretrain(context.Background(), w.demonstration, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

func sample(t testing.TB, p *Policy, tasks []envs.Task, n int, opt policies.SampleOptions) []policies.Group {
	t.Helper()
	groups, err := p.Sample(tasks, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// learn makes updates by an objective with every kind of term, on rollouts that
// the policy draws.
func learn(t testing.TB, p *Policy, tasks []envs.Task, from, to int, ref policies.Reference) (losses []float64) {
	t.Helper()
	return learnTop(t, p, tasks, from, to, ref, 0)
}

// learnTop is learn by an objective that pushes the k likeliest tokens too.
func learnTop(t testing.TB, p *Policy, tasks []envs.Task, from, to int, ref policies.Reference, top int) (losses []float64) {
	t.Helper()
	for step := from; step < to; step++ {
		groups := sample(t, p, tasks, 3, policies.SampleOptions{Temperature: 0.9, TopP: 1, Key: rng.New(5).Int(uint64(step))})
		b := policies.Batch{Groups: groups, Temperature: 0.9, Reference: ref, Want: policies.Want{Ref: true, Entropy: true, KL: true, Top: top}}
		for g := range groups {
			own := make([]float64, len(groups[g].Rollouts))
			for i := range own {
				own[i] = float64((g+2*i+step)%5) - 2
			}
			b.Advantages = append(b.Advantages, own)
		}
		b.Loss = func(l *loss.Tokens) error {
			n := float64(len(l.Logp))
			l.Loss = 0
			for s := range l.Sequences() {
				for k := l.Start[s]; k < l.Start[s+1]; k++ {
					l.Loss += (-l.Advantage[s]*l.Logp[k] - 0.01*l.Entropy[k] + 0.02*l.KL[k] + 0.001*l.Ref[k]) / n
					l.DLogp[k], l.DEntropy[k], l.DKL[k] = -l.Advantage[s]/n, -0.01/n, 0.02/n
					if top > 0 && !l.Likeliest[k] {
						l.DTop[k] = -0.1 * l.Advantage[s] / n
					}
				}
			}
			return nil
		}
		stats, err := p.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, stats.Loss, stats.GradNorm, stats.KL)
	}
	return losses
}

func bytesOf(t testing.TB, p *Policy) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLearns: pre-training on one demonstration finds it.
func TestLearns(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Steps, c.Batch = 0, 1 })
	p.config.Steps, p.config.LR = 60, 1e-2
	task, tokens, err := envs.Lesson(w.env, w.form, rng.New(3), 0)
	if err != nil {
		t.Fatal(err)
	}
	first, last := 0.0, 0.0
	one := func(uint64) (Demonstration, error) { return Demonstration{task, tokens}, nil }
	if err := p.Pretrain(context.Background(), one, func(step int, loss float64) {
		if step == 1 {
			first = loss
		}
		last = loss
	}); err != nil {
		t.Fatal(err)
	}
	// At first all tokens are nearly as likely.
	if uniform := math.Log(float64(w.encoding.Vocabulary)); math.Abs(first-uniform) > 0.2 {
		t.Errorf("the loss begins at %v, want about %v", first, uniform)
	}
	if last > 0.02 {
		t.Errorf("one demonstration, 60 times over, leaves a loss of %v", last)
	}
	groups := sample(t, p, []envs.Task{task}, 1, policies.SampleOptions{Greedy: true})
	if diff := cmp.Diff(tokens, groups[0].Rollouts[0].Tokens); diff != "" {
		t.Errorf("the likeliest rollout is not the one demonstrated (-want +got):\n%s", diff)
	}
}

// TestSampleFollowsDistribution: the first tokens of many rollouts come as often as
// the policy gives, under top-p too, and greedy takes the likeliest.
func TestSampleFollowsDistribution(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "")
	task := w.tasks(t, 1)[0]
	v := w.encoding.Vocabulary
	first := make([]float64, v) // probabilities, from rollouts of one token each
	var groups []policies.Group
	for j := range v {
		groups = append(groups, policies.Group{Task: task, Rollouts: []policies.Rollout{{Tokens: []envs.Token{envs.Token(j)}, Logp: []float64{0}}}})
	}
	tokens, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 1})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for j := range first {
		first[j] = math.Exp(tokens.Logp[j])
		sum += first[j]
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Fatalf("the probabilities of all first tokens add up to %v", sum)
	}
	const n = 4000
	for _, topP := range []float64{1, 0.6} {
		want := slices.Clone(first)
		if topP < 1 { // the likeliest tokens, until their mass is enough
			mass := 0.0
			for mass < topP {
				best := 0
				for j := range want {
					if first[j] > 0 && (first[best] <= 0 || first[j] > first[best]) {
						best = j
					}
				}
				mass += first[best]
				first[best] = -first[best]
			}
			for j := range want {
				want[j] = max(0, -first[j]) / mass
				first[j] = math.Abs(first[j])
			}
		}
		counts := make([]float64, v)
		for _, r := range sample(t, p, []envs.Task{task}, n, policies.SampleOptions{Temperature: 1, TopP: topP, Key: rng.New(4)})[0].Rollouts {
			counts[r.Tokens[0]]++
		}
		for j, count := range counts {
			if sd := math.Sqrt(want[j] * (1 - want[j]) / n); math.Abs(count/n-want[j]) > 4.5*sd+1e-9 {
				t.Errorf("top-p %v: token %d came in %v of rollouts, want %v", topP, j, count/n, want[j])
			}
		}
	}
}

// TestNucleusOfRollouts: a rollout drawn from a nucleus has each token's log-probability
// in the whole distribution and in the nucleus, which is found here by going through all legal
// tokens. Whoever learns is given both. With every token to draw from there is one alone.
func TestNucleusOfRollouts(t *testing.T) {
	w := chains(t)
	p := w.small(t, "")
	tasks := w.tasks(t, 3)
	cut := 0
	for _, opt := range []policies.SampleOptions{
		{Temperature: 0.9, TopP: 0.7, Key: rng.New(4)}, {Temperature: 0.9, TopP: 0.4, Key: rng.New(5)}, {Temperature: 0.9, TopP: 1, Key: rng.New(6)}, {Greedy: true},
	} {
		groups := sample(t, p, tasks, map[bool]int{true: 1, false: 8}[opt.Greedy], opt)
		flat, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 0.9, Want: policies.Want{Legal: true, Sampler: true}})
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for _, g := range groups {
			for _, r := range g.Rollouts {
				if truncated := !opt.Greedy && opt.TopP < 1; r.Sampler == nil == truncated {
					t.Fatalf("%+v: a rollout has the sampler's log-probabilities %v", opt, r.Sampler)
				}
				for at := range r.Tokens {
					want := r.Logp[at]
					if r.Sampler != nil {
						falling := slices.Clone(flat.Legal[k])
						slices.Sort(falling)
						slices.Reverse(falling)
						mass, n := 0.0, 0
						for ; n < len(falling) && mass < opt.TopP; n++ {
							mass += falling[n]
						}
						if n < len(falling) && falling[n] > 0 {
							cut++
						}
						if math.Exp(r.Logp[at]) < falling[n-1]-1e-6 {
							t.Errorf("%+v: a token of probability %v was drawn, want %v or more", opt, math.Exp(r.Logp[at]), falling[n-1])
						}
						want -= math.Log(mass)
						if math.Abs(r.Sampler[at]-want) > 1e-5 {
							t.Errorf("%+v: the sampler's log-probability is %v, want %v", opt, r.Sampler[at], want)
						}
						want = r.Sampler[at]
					}
					if flat.Old[k] != r.Logp[at] || flat.Sampler[k] != want {
						t.Errorf("%+v: learned from as if of %v and drawn with %v, want %v and %v", opt, flat.Old[k], flat.Sampler[k], r.Logp[at], want)
					}
					k++
				}
			}
		}
	}
	if cut == 0 {
		t.Error("no nucleus leaves anything out")
	}
}

// TestMask: with a mask every rollout is whole; without one, an untrained policy's
// are not all, and each ends with its first illegal token.
func TestMask(t *testing.T) {
	w := chains(t)
	tasks := w.tasks(t, 6)
	for _, masked := range []bool{true, false} {
		p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask, c.Steps = masked, 0 })
		broken := 0
		for _, g := range sample(t, p, tasks, 4, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(2)}) {
			for _, r := range g.Rollouts {
				cursor := g.Task.Start()
				for i, token := range r.Tokens {
					err := cursor.Push(token)
					if err != nil && i+1 < len(r.Tokens) {
						t.Fatalf("a rollout goes on behind an illegal token: %v", r.Tokens)
					}
					if err != nil {
						broken++
					} else if i+1 == len(r.Tokens) && !cursor.Done() {
						t.Fatalf("a rollout ends too early: %v", r.Tokens)
					}
				}
			}
		}
		if masked != (broken == 0) {
			t.Errorf("mask %v: %d of 24 rollouts are broken", masked, broken)
		}
	}
}

// TestUpdateMoves: an update by plain gradient descent takes exactly the rate, times
// the batch's factor, times the gradient, and the decay, off each parameter; and
// makes what has an advantage likelier.
func TestUpdateMoves(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "", func(_ *Config, o *policies.Optimizer) { o.Name, o.LR, o.ClipNorm, o.WeightDecay = "sgd", 0.5, 0, 0.01 })
	tasks := w.tasks(t, 3)
	groups := sample(t, p, tasks, 2, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(8)})
	before := slices.Clone(p.weights.flat)
	b := policies.Batch{Groups: groups, Temperature: 1, Rate: 0.1, Loss: func(l *loss.Tokens) error {
		for s := range l.Sequences() {
			for k := l.Start[s]; k < l.Start[s+1]; k++ {
				l.DLogp[k] = -l.Advantage[s] / float64(len(l.Logp))
			}
		}
		return nil
	}}
	for range groups {
		b.Advantages = append(b.Advantages, []float64{1, -1})
	}
	if _, err := p.Update(b); err != nil {
		t.Fatal(err)
	}
	for _, tensor := range p.shape.tensors {
		old, now, grad := tensor.slice(before), tensor.slice(p.weights.flat), tensor.slice(p.grad)
		for i := range now {
			want := float64(old[i]) - 0.05*float64(grad[i])
			if tensor.decays {
				want -= 0.05 * 0.01 * float64(old[i])
			}
			if math.Abs(float64(now[i])-want) > 1e-7 {
				t.Fatalf("%s %d: moved from %v to %v, want %v", tensor.name, i, old[i], now[i], want)
			}
		}
	}
	tokens, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 1})
	if err != nil {
		t.Fatal(err)
	}
	rise := 0.0
	for s := range tokens.Sequences() {
		for k := tokens.Start[s]; k < tokens.Start[s+1]; k++ {
			rise += []float64{1, -1}[s%2] * (tokens.Logp[k] - tokens.Old[k])
		}
	}
	if !(rise > 0) {
		t.Errorf("what had an advantage, less what had not, became likelier by %v nats", rise)
	}
}

// TestSchedule: the rate climbs to its peak and falls to a fiftieth of it.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		reason      string
		step, steps int
		want        float64
	}{
		{"the first of 200 steps of warm-up", 0, 4000, 1. / 200},
		{"the last of them", 199, 4000, 1},
		{"the peak", 200, 4000, 1},
		{"half way down", 2100, 4000, 0.51},
		{"the end", 4000, 4000, 0.02},
		{"a warm-up of a tenth", 25, 500, 26. / 51},
		{"a run of one step", 0, 1, 1},
	} {
		if got := schedule(c.step, c.steps); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

func ExamplePolicy_Parameters() {
	e, _ := maze.Default().Build()
	encoding, _ := envs.NewEncoding(e, envs.Form{Answers: 1})
	p, _ := New(context.Background(), *Default(), policies.DefaultOptimizer(), encoding)
	fmt.Println(p.Parameters() > 100_000)
	// Output: true
}
