package transformer

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

// A sampler keeps what sampling writes to between calls.
type sampler struct {
	groups   []policies.Group
	rollouts []policies.Rollout
	units    pool[unit] // of the workers
}

// A unit is a part of a call that one goroutine draws: some rollouts (lanes) of
// some tasks, which take their steps together. Each row of a product depends on
// its own row alone, so how rollouts are dealt to units changes no bit of them.
type unit struct {
	lanes   []lane
	prompts []prompt
	live    []int // lanes that are not done, in order
	chunk   chunk // of the prompts
	space   space
	rows    activations // of a step, a row per live lane
	out     []float32
	caches  []cache // of lanes: of lane i and layer l, caches[i*layers+l]
	parts   []part  // of the live lanes
	encoded         // that of the parts, one after the other
}

// encoded are the rows of a step: the features of each, their offsets, and the legal tokens if
// there is a mask.
type encoded struct {
	starts []int
	feats  []int32
	legal  [][]envs.Token
}

// A part is the share of a unit's live lanes that one goroutine encodes and draws for, with its
// buffers.
type part struct {
	first, end int // in unit.live, and of a step's rows
	kept       int // how many of them are not done
	failed     error
	encoded
	nucleus draw.Nucleus
	prob    []float64
	logits  []float64
	sums    []float64
}

// A lane is a rollout under way.
type lane struct {
	prompt  int // in unit.prompts
	rollout *policies.Rollout
	cursor  envs.Cursor
	pcg     rand.PCG
	last    envs.Token
}
