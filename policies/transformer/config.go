package transformer

import (
	"modebench/internal/params"
	"modebench/policies"
)

// Config holds the parameters of a transformer policy.
type Config struct {
	Layers int     `param:"layers" doc:"transformer blocks" min:"1" max:"64"`
	Width  int     `param:"width" doc:"of the residual stream; a multiple of 32" min:"32" max:"4096"`
	Heads  int     `param:"heads" doc:"attention heads; width / heads is a multiple of 8" min:"1" max:"64"`
	Mask   bool    `param:"legal_mask" doc:"only legal tokens can be sampled; else a rollout ends with the first illegal one, and its answer does not parse"`
	Steps  int     `param:"pretrain_steps" doc:"optimiser steps of supervised pre-training on demonstrations; 0: the base policy is random" min:"0" max:"1e9"`
	Batch  int     `param:"pretrain_batch" doc:"demonstrations a pre-training step" min:"1" max:"65536" when:"pretrain_steps>0"`
	LR     float64 `param:"pretrain_lr" doc:"peak learning rate of pre-training (AdamW with decays .9 and .98, weight decay .02, gradient norm at most 1, 200 steps of warm-up or a tenth of all, then a cosine down to 2%)" min:"0" when:"pretrain_steps>0"`
	OOD    float64 `param:"pretrain_ood" doc:"share of demonstrations that are on problems of the split ood, never one of its first 1000; for environments of whose split ood a base policy solves nothing with 0" min:"0" max:"1" late:"0" when:"pretrain_steps>0"`
	Seed   int     `param:"pretrain_seed" doc:"seed of the initial parameters and of the demonstrations; all seeds of a run start from one base policy, unless nested in the spec gives them several" min:"0"`
}

// Default returns sizes with which pre-training takes about a minute on two cores.
func Default() *Config {
	return &Config{Layers: 2, Width: 64, Heads: 4, Steps: 4000, Batch: 64, LR: 2e-3}
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
