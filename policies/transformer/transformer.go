// Package transformer is a small decoder-only transformer as a policy: pre-norm
// blocks (Radford et al., 2019) over learned vectors of the features that the environment gives
// each position (envs.Encoding), with attention both ways over the prompt and causal over the
// rollout (a prefix language model).
//
// Its forward and backward passes are written by hand over the kernels of package device, in
// float32, and every sum has a fixed order: the same seed, tasks and calls give the same bits with
// any number of threads, on every processor, and from a cache or without one. So the
// log-probabilities that Update works out are, to the bit, those that Sample drew by, as long as
// nothing was learned in between.
//
// A Device makes policies elsewhere than on the processor: on an NVIDIA GPU, where the
// kernels of package cuda do the same, bit for bit, for whole batches at a time.
//
// A prompt's part of the network is computed once for each group, in sampling and in learning. So is that of
// each distinct prefix of a group's rollouts, in learning if Config.Tree is set.
package transformer

import (
	"context"
	"errors"
	"fmt"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/params"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cpu"
)

// Version is bumped by hand whenever the bits of a policy change: of its initial parameters, of
// pre-training, or of a checkpoint.
const Version = 1

// Policy implements policies.Policy.
type Policy struct {
	config   Config
	opt      policies.Optimizer
	encoding *envs.Encoding
	kernels  device.Kernels
	gpu      *member // nil: on the processor
	device   *Device // that it has left when it is closed; nil: then, and on the processor
	shape    shape
	weights  *weights
	between  *weights // of Interpolate; nil: never asked for
	grad     []float32

	// The optimiser's state.
	first, second  []float32 // moments
	power1, power2 float64   // decays to the power of the updates so far
	updates        uint64    // made so far

	spaces  pool[space] // of the workers
	batch   []work
	chunks  []*chunk
	growth  growth
	tokens  loss.Tokens
	k3      float64 // sum over tokens of the k3 estimate to the reference
	sampler sampler
}

// The compiler checks that Policy implements the interface.
var _ policies.Policy = (*Policy)(nil)

// New makes a policy with random parameters, which depend on config.Seed alone.
// Load and LoadBase put others in their place, Pretrain makes a base policy of
// them. It runs on the processor, with the fastest kernels that it has; Device.New
// makes one elsewhere. Where the context ends before they are drawn, its error is returned.
func New(ctx context.Context, config Config, opt policies.Optimizer, encoding *envs.Encoding) (*Policy, error) {
	kernels, err := cpu.New("")
	if err != nil {
		return nil, err
	}
	return newOn(ctx, kernels, nil, config, opt, encoding)
}

func newOn(ctx context.Context, kernels device.Kernels, onDevice *Device, config Config, opt policies.Optimizer, encoding *envs.Encoding) (*Policy, error) {
	if err := config.Check(opt); err != nil {
		return nil, err
	}
	if encoding.Features < 1 || encoding.Vocabulary < 1 {
		return nil, fmt.Errorf("an encoding of %d features and %d tokens, want 1 or more of each", encoding.Features, encoding.Vocabulary)
	}
	p := &Policy{config: config, opt: opt, encoding: encoding, kernels: kernels}
	p.shape = newShape(&config, encoding)
	if err := p.shape.checkMemory(&config, encoding, onDevice.OnCard()); err != nil {
		return nil, err
	}
	if onDevice.OnCard() {
		if p.shape.hd > widestHead {
			return nil, params.Errorf("heads", "got %d of a width of %d, but on a GPU a head has %d numbers at most: more heads, or device cpu", config.Heads, config.Width, widestHead)
		}
		var err error
		if p.gpu, err = onDevice.join(&p.shape); err != nil {
			return nil, err
		}
		p.device = onDevice
	} else {
		p.grad = make([]float32, p.shape.size)
	}
	p.weights = p.newWeights(true)
	p.weights.flat = grow(p.weights.flat, p.shape.size)
	err := p.initialise(ctx)
	p.resetOptimizer()
	if failed := p.Failure(); failed != nil {
		err = failed
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Policy) initialise(ctx context.Context) error {
	if err := p.shape.initialise(ctx, p.weights.flat, rng.New(uint64(p.config.Seed)).Str("transformer")); err != nil {
		return err
	}
	p.publish(p.weights)
	return nil
}

func (p *Policy) newWeights(learns bool) *weights {
	if p.gpu == nil {
		return newWeights(p.kernels, &p.shape, learns)
	}
	return p.gpu.newWeights(learns)
}

// publish brings what the kernels read up to date after a change of w.flat.
func (p *Policy) publish(w *weights) {
	w.version++
	if p.gpu == nil {
		w.pack(p.kernels, &p.shape)
		return
	}
	p.gpu.upload(w.card, w.flat)
	w.stale = false
}

// fetch brings w.flat up to date.
func (p *Policy) fetch(w *weights) {
	if w.stale {
		p.gpu.download(w.flat, w.card)
		w.stale = false
	}
}

// Failure is the error of the card that the policy computes on, if there was one. Later calls of
// the policy have had no effect.
func (p *Policy) Failure() error {
	if p.gpu == nil || p.gpu.failed == nil {
		return nil
	}
	return p.gpu.failed
}

// Parameters is the number of parameters.
func (p *Policy) Parameters() int { return p.shape.size }

func (p *Policy) resetOptimizer() {
	if p.first == nil { // old ones and new ones may have no room together
		p.first, p.second = make([]float32, p.shape.size), make([]float32, p.shape.size)
	}
	clear(p.first)
	clear(p.second)
	if p.gpu != nil {
		p.gpu.clear(p.gpu.first(), 2*p.gpu.team.shape.stride()) // and the second
	}
	p.power1, p.power2, p.updates = 1, 1, 0
}

type snapshot struct {
	maker   *Policy
	weights *weights
}

// Frozen implements policies.Reference.
func (*snapshot) Frozen() {}

// frozen returns the parameters of a reference that this policy made, nil of any other.
func (p *Policy) frozen(r policies.Reference) *weights {
	if s, ok := r.(*snapshot); ok && s.maker == p {
		return s.weights
	}
	return nil
}

// Freeze implements policies.Policy.
func (p *Policy) Freeze() policies.Reference {
	w := p.newWeights(false)
	if p.gpu != nil {
		p.gpu.copy(w.card, p.weights.card)
	} else {
		copy(w.flat, p.weights.flat)
		p.publish(w)
	}
	return &snapshot{p, w}
}

func (p *Policy) network(ctx context.Context, w *weights) network {
	return network{&p.shape, w, p.kernels, ctx}
}

// Config holds the parameters of a transformer policy.
type Config struct {
	Layers int     `param:"layers" doc:"transformer blocks" min:"1" max:"64"`
	Width  int     `param:"width" doc:"of the residual stream; a multiple of 32" min:"32" max:"4096"`
	Heads  int     `param:"heads" doc:"attention heads; width / heads is a multiple of 8" min:"1" max:"64"`
	Mask   bool    `param:"legal_mask" doc:"only legal tokens can be sampled; else a rollout ends with the first illegal one, and its answer does not parse"`
	Steps  int     `param:"pretrain_steps" doc:"optimiser steps of supervised pre-training on demonstrations; 0: the base policy is random" min:"0" max:"1e9"`
	Batch  int     `param:"pretrain_batch" doc:"demonstrations a pre-training step" min:"1" max:"65536" when:"pretrain_steps>0"`
	LR     float64 `param:"pretrain_lr" doc:"peak learning rate of pre-training (AdamW with decays .9 and .98, weight decay .02, gradient norm at most 1, 200 steps of warm-up or a tenth of all, then a cosine down to 2%)" min:"0" when:"pretrain_steps>0"`
	Tree   bool    `param:"prefix_tree" doc:"an update runs each distinct prefix of a group's rollouts once, and adds up the gradients of equal tokens there; false: every rollout by itself, which takes the longer the more the rollouts agree and gives the same gradient but for rounding" late:"false"`
	OOD    float64 `param:"pretrain_ood" doc:"share of demonstrations that are on problems of the split ood, never one of its first 1000; for environments of whose split ood a base policy solves nothing with 0" min:"0" max:"1" late:"0" when:"pretrain_steps>0"`
	Seed   int     `param:"pretrain_seed" doc:"seed of the initial parameters and of the demonstrations; all seeds of a run start from one base policy, unless nested in the spec gives them several" min:"0"`
}

// Default returns sizes with which pre-training takes about a minute on two cores.
func Default() *Config {
	return &Config{Layers: 2, Width: 64, Heads: 4, Steps: 4000, Batch: 64, LR: 2e-3, Tree: true}
}

// Check returns the first fault of a configuration, or of its optimiser.
func (c *Config) Check(opt policies.Optimizer) error {
	switch {
	case c.Layers < 1:
		return params.Errorf("layers", "got %d, want 1 or more", c.Layers)
	case c.Heads < 1:
		return params.Errorf("heads", "got %d, want 1 or more", c.Heads)
	case c.Width < 32 || c.Width%32 != 0:
		return params.Errorf("width", "got %d, want a multiple of 32", c.Width)
	case c.Width%c.Heads != 0 || c.Width/c.Heads%8 != 0:
		return params.Errorf("heads", "got %d of a width of %d, want width / heads to be a multiple of 8", c.Heads, c.Width)
	case opt.Name != "adam" && opt.Name != "sgd":
		return params.Errorf("optimizer", "got %q, want adam or sgd (natural is for a tabular policy)", opt.Name)
	}
	return nil
}
