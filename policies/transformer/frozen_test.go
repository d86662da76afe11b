package transformer

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

var byID = cmp.Comparer(func(a, b envs.Task) bool { return a.ID() == b.ID() })

// copied copies groups, which otherwise live until the next call only.
func copied(groups []policies.Group) (out []policies.Group) {
	for _, g := range groups {
		own := policies.Group{Task: g.Task}
		for _, r := range g.Rollouts {
			r.Tokens, r.Logp, r.Entropy, r.Sampler = append([]envs.Token{}, r.Tokens...), append([]float64{}, r.Logp...), append([]float64{}, r.Entropy...), append([]float64(nil), r.Sampler...)
			own.Rollouts = append(own.Rollouts, r)
		}
		out = append(out, own)
	}
	return out
}

// TestSampleFrozen: a frozen policy draws, to the bit, what the policy drew when it was
// frozen, however far that has moved since; so does a policy that was saved and read back.
func TestSampleFrozen(t *testing.T) {
	w := mazes(t)
	p, tasks := w.small(t, ""), w.tasks(t, 3)
	learn(t, p, tasks, 0, 2, p.Freeze())
	for _, opt := range []policies.SampleOptions{{Temperature: 0.9, TopP: 1, Key: rng.New(4)}, {Greedy: true}} {
		then := copied(sample(t, p, tasks, 4, opt))
		ref := p.Freeze()
		var file bytes.Buffer
		if err := p.SaveFrozen(&file, ref); err != nil {
			t.Fatal(err)
		}
		learn(t, p, tasks, 2, 5, ref)
		read, err := p.LoadFrozen(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		now := copied(sample(t, p, tasks, 4, opt))
		for what, from := range map[string]policies.Reference{"kept": ref, "read back": read} {
			opt.From = from
			if d := cmp.Diff(then, copied(sample(t, p, tasks, 4, opt)), byID); d != "" {
				t.Errorf("%+v: the policy that was %s draws otherwise (-then):\n%.1000s", opt, what, d)
			}
		}
		opt.From = nil
		if !cmp.Equal(now, copied(sample(t, p, tasks, 4, opt)), byID) {
			t.Error("drawing by another policy has moved this one")
		}
	}
}

// TestForeignFrozen: another policy's references, and damaged files, are refused.
func TestForeignFrozen(t *testing.T) {
	w := mazes(t)
	p, tasks := w.small(t, ""), w.tasks(t, 1)
	foreign := w.small(t, "").Freeze()
	if _, err := p.Sample(tasks, 1, policies.SampleOptions{Temperature: 1, TopP: 1, From: foreign}); err == nil {
		t.Error("drew by what another policy has frozen")
	}
	var file bytes.Buffer
	if err := p.SaveFrozen(&file, foreign); err == nil {
		t.Error("saved what another policy has frozen")
	}
	if err := p.SaveFrozen(&file, p.Freeze()); err != nil {
		t.Fatal(err)
	}
	other := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Width *= 2 })
	if _, err := other.LoadFrozen(bytes.NewReader(file.Bytes())); err == nil {
		t.Error("read what a policy of another width has frozen")
	}
	for _, i := range []int{0, len(frozenHeader) + 3, len(frozenHeader) + 40, file.Len() - 1} {
		damaged := bytes.Clone(file.Bytes())
		damaged[i] ^= 1
		if _, err := p.LoadFrozen(bytes.NewReader(damaged)); err == nil {
			t.Errorf("byte %d may be damaged", i)
		}
		if _, err := p.LoadFrozen(bytes.NewReader(file.Bytes()[:i])); err == nil {
			t.Errorf("cut off at byte %d it is read", i)
		}
	}
}

// TestSampleRounded: a first token is drawn by its rounded log-probability, less one
// number for all tokens, which normalises them.
func TestSampleRounded(t *testing.T) {
	w := mazes(t)
	p, tasks := w.small(t, ""), w.tasks(t, 1)
	for _, bits := range []int{2, 7, 52} {
		groups := copied(sample(t, p, tasks, 200, policies.SampleOptions{Temperature: 0.9, TopP: 1, Key: rng.New(4), Bits: bits}))
		tokens, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		rest, seen, total := []float64{}, map[envs.Token]bool{}, 0.0
		for i, r := range groups[0].Rollouts {
			own := []float64{tokens.Logp[tokens.Start[i]]}
			draw.Round(own, bits)
			rest = append(rest, r.Logp[0]-own[0])
			if !seen[r.Tokens[0]] {
				seen[r.Tokens[0]] = true
				total += math.Exp(r.Logp[0])
			}
		}
		if len(seen) < 2 || slices.Max(rest)-slices.Min(rest) > 1e-5 || total > 1+1e-5 {
			t.Errorf("%d bits: of %d tokens, of mass %v, the rounded log-probabilities are off by %v to %v", bits, len(seen), total, slices.Min(rest), slices.Max(rest))
		}
	}
	if _, err := p.Sample(tasks, 1, policies.SampleOptions{Temperature: 1, TopP: 1, Bits: 53}); err == nil {
		t.Error("rounded to more bits than there are")
	}
}
