package transformer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/plural"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cpu"
)

// A Trial is a short run that is made on two devices, to see whether they give the same bits:
// pre-training, then learning by the policy's own rollouts, then sampling.
type Trial struct {
	Name          string
	Config        Config // its Steps are those of pre-training
	Encoding      *envs.Encoding
	Demonstration func(i uint64) (Demonstration, error)
	Tasks         []envs.Task
	Rollouts      int // of each task, in a step of learning and at the end
	Steps         int // of learning
}

// A Finding compares one result of both devices. Differ describes the first difference; it is "" if
// the bits are the same.
type Finding struct {
	What, Differ string
}

// PlainProcessor is the processor with the kernels in plain Go, which define the bits. They are a
// hundred times slower than those of OpenDevice.
func PlainProcessor() (*Device, error) {
	kernels, err := cpu.New("reference")
	if err != nil {
		return nil, err
	}
	return &Device{kernels: kernels}, nil
}

// Name names what policies of the device compute on, as Policy.Device does.
func (d *Device) Name() (string, error) {
	if d.open == nil {
		return "cpu " + d.kernels.Name(), nil
	}
	card, err := d.take()
	if err != nil {
		return "", err
	}
	return "cuda " + card.Name(), d.give(card, false)
}

// Compare makes the trial on d and on the device that it is held to, and reports for each result
// whether its bits are the same. An error is d's, or that of the context.
func (t *Trial) Compare(ctx context.Context, d, plain *Device) ([]Finding, error) {
	want, err := t.run(ctx, plain)
	if err != nil {
		return nil, err
	}
	got, err := t.run(ctx, d)
	if err != nil {
		return nil, err
	}
	return got.against(want), nil
}

type outcome struct {
	losses         []float64 // of pre-training, one a step
	updates        []float64 // of learning: the updateParts, step by step
	based, learned saved
	drawn          []policies.Rollout
}

// updateParts are the numbers that a step of learning gives.
var updateParts = []string{"loss", "gradient norm", "divergence"}

// A saved is a checkpoint, and its parameters with the tensors that they are of.
type saved struct {
	sum        [sha256.Size]byte
	parameters []float32
	tensors    []*tensor
}

func (t *Trial) run(ctx context.Context, d *Device) (o *outcome, err error) {
	opt := policies.DefaultOptimizer()
	opt.LR, opt.WeightDecay, opt.ClipNorm = 1e-3, 0.01, 1
	p, err := d.New(ctx, t.Config, opt, t.Encoding)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	o = &outcome{}
	if err := p.Pretrain(ctx, t.Demonstration, func(_ int, loss float64) { o.losses = append(o.losses, loss) }); err != nil {
		return nil, err
	}
	if o.based, err = p.saved(); err != nil {
		return nil, err
	}
	reference := p.Freeze()
	for step := range t.Steps {
		stats, err := t.learn(ctx, p, reference, step)
		if err != nil {
			return nil, err
		}
		o.updates = append(o.updates, stats.Loss, stats.GradNorm, stats.KL)
	}
	if o.learned, err = p.saved(); err != nil {
		return nil, err
	}
	for i, opt := range []policies.SampleOptions{{Temperature: 1, TopP: 1}, {Temperature: 0.8, TopP: 0.9}, {Greedy: true}} {
		n := t.Rollouts
		if opt.Greedy {
			n = 1
		}
		opt.Key = rng.New(1).Int(uint64(i))
		groups, err := p.Sample(t.Tasks, n, opt)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			for _, r := range g.Rollouts { // the policy's, until it draws again
				o.drawn = append(o.drawn, policies.Rollout{Tokens: slices.Clone(r.Tokens), Logp: slices.Clone(r.Logp), Entropy: slices.Clone(r.Entropy)})
			}
		}
	}
	return o, policies.Ended(ctx)
}

// learn makes a step of learning, by an objective that has every kind of term.
func (t *Trial) learn(ctx context.Context, p *Policy, reference policies.Reference, step int) (policies.UpdateStats, error) {
	groups, err := p.Sample(t.Tasks, t.Rollouts, policies.SampleOptions{Temperature: 0.9, TopP: 1, Learn: true, Key: rng.New(2).Int(uint64(step))})
	if err != nil {
		return policies.UpdateStats{}, err
	}
	b := policies.Batch{Context: ctx, Groups: groups, Temperature: 0.9, Reference: reference, Want: policies.Want{Ref: true, Entropy: true, KL: true}}
	for g := range groups {
		advantages := make([]float64, len(groups[g].Rollouts))
		for i := range advantages {
			advantages[i] = float64((g+2*i+step)%5) - 2
		}
		b.Advantages = append(b.Advantages, advantages)
	}
	b.Loss = func(l *loss.Tokens) error {
		n := float64(len(l.Logp))
		l.Loss = 0
		for s := range l.Sequences() {
			for k := l.Start[s]; k < l.Start[s+1]; k++ {
				a := l.Advantage[s] / n
				l.Loss += float64(0.02*l.KL[k]/n) - float64(a*l.Logp[k]) - float64(0.01*l.Entropy[k]/n)
				l.DLogp[k], l.DEntropy[k], l.DKL[k] = -a, -0.01/n, 0.02/n
			}
		}
		return nil
	}
	return p.Update(b)
}

// saved is the policy's checkpoint.
func (p *Policy) saved() (saved, error) {
	var file bytes.Buffer
	if err := p.Save(&file); err != nil { // which fetches the parameters
		return saved{}, err
	}
	return saved{sha256.Sum256(file.Bytes()), slices.Clone(p.weights.flat), p.shape.tensors}, nil
}

// against describes the first difference in each part of the expected outcome.
func (o *outcome) against(want *outcome) []Finding {
	return []Finding{
		{"pre-training, losses of " + plural.Count(len(want.losses), "step"), partStep(o.losses, want.losses, []string{"loss"})},
		{fmt.Sprintf("base policy, SHA-256 %x", want.based.sum), o.based.part(want.based)},
		{"learning, losses, gradient norms and divergences of " + plural.Count(len(want.updates)/len(updateParts), "step"), partStep(o.updates, want.updates, updateParts)},
		{fmt.Sprintf("learned policy, SHA-256 %x", want.learned.sum), o.learned.part(want.learned)},
		{fmt.Sprintf("sampling, %d rollouts with their log-probabilities and entropies", len(want.drawn)), partRollout(o.drawn, want.drawn)},
	}
}

func partStep(got, want []float64, names []string) string {
	if i, values := firstDifference(got, want); i >= 0 {
		return fmt.Sprintf("step %d, %s: %s", i/len(names)+1, names[i%len(names)], values)
	}
	return ""
}

func (s saved) part(want saved) string {
	if s.sum == want.sum {
		return ""
	}
	for _, t := range want.tensors {
		for i, x := range t.slice(want.parameters) {
			if y := t.slice(s.parameters)[i]; math.Float32bits(x) != math.Float32bits(y) {
				return fmt.Sprintf("SHA-256 %x: parameter %s[%d]: %v (bits %08x), want %v (bits %08x)", s.sum, t.name, i, y, math.Float32bits(y), x, math.Float32bits(x))
			}
		}
	}
	return fmt.Sprintf("SHA-256 %x: the moments of the optimiser", s.sum)
}

func partRollout(got, want []policies.Rollout) string {
	for i, r := range want {
		if i >= len(got) {
			return fmt.Sprintf("%d rollouts, want %d", len(got), len(want))
		}
		// The log-probability first: the token is drawn by it.
		if k, values := firstDifference(got[i].Logp, r.Logp); k >= 0 {
			return fmt.Sprintf("rollout %d, log-probability of token %d: %s", i+1, k+1, values)
		}
		if k, values := firstDifference(got[i].Entropy, r.Entropy); k >= 0 {
			return fmt.Sprintf("rollout %d, entropy at token %d: %s", i+1, k+1, values)
		}
		if !slices.Equal(got[i].Tokens, r.Tokens) {
			return fmt.Sprintf("rollout %d: tokens %v, want %v", i+1, got[i].Tokens, r.Tokens)
		}
	}
	return ""
}

// firstDifference is the place where numbers begin to differ, bit for bit, or -1, and shows both numbers.
func firstDifference(got, want []float64) (i int, values string) {
	show := func(xs []float64) string {
		if i >= len(xs) {
			return "none"
		}
		return fmt.Sprintf("%v (bits %016x)", xs[i], math.Float64bits(xs[i]))
	}
	for i = range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return i, show(got) + ", want " + show(want)
		}
	}
	return -1, ""
}
