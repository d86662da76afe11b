// Package policies defines what a policy is: something that samples rollouts of tasks and learns
// from per-token losses. A task is a problem, or a chain of answers to one, or either under a goal
// (package envs). It knows nothing of estimators or metrics.
package policies

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/rng"
)

// SampleOptions state how answers are drawn.
type SampleOptions struct {
	Temperature float64 // > 0; logits are divided by it
	TopP        float64 // in (0, 1]; 1 keeps every token; Cuts describes the effect on rollouts
	Greedy      bool    // the most likely token each time (ties: the lowest); the other fields are ignored
	// Prefix is the beginning of every rollout; only the rest is drawn. A search passes the
	// beginning of a parent. A token that is not legal is an error, unless the policy may draw such
	// tokens too: then the rollout ends behind it.
	Prefix []envs.Token
	// From draws by the policy as it was when it was frozen; nil: as it is now. The numbers of the
	// rollouts, greedy rollouts too, are then that policy's.
	From Reference
	// Bits rounds the logits that are drawn by, as the number format of an inference engine
	// does: the log-probabilities at the temperature, to that many bits of mantissa beside the
	// leading one, which are then normalised again. bfloat16 has 7, float16 10. 0: not rounded.
	// Logp and Entropy of the rollouts belong to the rounded distribution.
	Bits int
	// Learn announces that the policy is to learn from the rollouts: it may keep all that it works out for
	// them until then. It recognises them by the memory of their tokens, not by a copy.
	Learn bool
	// Key is where the uniforms come from: rollout i of a task draws from
	// Key / the task's ID / i, so that what is drawn depends neither on the
	// order of tasks nor on the policy's rollouts of others.
	Key rng.Key
	// Context ends the call early, with its error; nil: nothing does. The policy is then as it
	// was before the call.
	Context context.Context
}

// Ended returns why a context has ended; nil: it has not, or is nil.
func Ended(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// MaxBits is the most bits that a mantissa has beside the leading one: float64's.
const MaxBits = 52

// Cuts reports whether tokens are drawn from a part of the distribution, its nucleus. Rollouts then
// have Sampler, their log-probabilities in that part, beside those in the whole distribution.
func (opt *SampleOptions) Cuts() bool { return !opt.Greedy && opt.TopP < 1 }

// Check returns the first fault of options to draw n rollouts, or nil.
func (opt SampleOptions) Check(n int) error {
	switch {
	case n < 1:
		return fmt.Errorf("cannot sample %d rollouts, want 1 or more", n)
	case opt.Bits < 0 || opt.Bits > MaxBits:
		return fmt.Errorf("logits rounded to %d bits, want 0 to %d", opt.Bits, MaxBits)
	case opt.Greedy:
		return nil
	case !(opt.Temperature > 0 && opt.Temperature <= math.MaxFloat64):
		return fmt.Errorf("temperature %v, want above 0 and finite (or greedy)", opt.Temperature)
	case !(opt.TopP > 0 && opt.TopP <= 1):
		return fmt.Errorf("top-p %v, want above 0 and at most 1", opt.TopP)
	}
	return nil
}

// A Rollout is one sampled token sequence with the policy's numbers for it. A chain is one rollout,
// all answers end to end (envs.Chain.Split cuts them). All slices have one entry per token.
type Rollout struct {
	// Number of the rollout in the group it was drawn for, from 0.
	Number int
	// Stored marks a rollout that was drawn before training and replaces the rollouts of a step.
	Stored bool
	Tokens []envs.Token
	// Logp is the log-probability of each token under the distribution it was drawn from before any
	// top-p cut, temperature included: the "old" log-probability of the importance ratio.
	Logp []float64
	// Sampler is the log-probability of each token under what it was drawn from, top-p cut
	// included, where Logp is of another policy or there was a cut; nil: Logp is that.
	Sampler []float64
	// Entropy of the distribution each token was drawn from, top-p cut included, in nats.
	Entropy []float64
}

// SamplerLogp is the log-probability of each token under what it was drawn from.
func (r *Rollout) SamplerLogp() []float64 {
	if r.Sampler != nil {
		return r.Sampler
	}
	return r.Logp
}

// A Group holds the rollouts sampled for one task.
type Group struct {
	Task     envs.Task
	Rollouts []Rollout
}

// Want selects the optional inputs of loss.Tokens that an objective reads.
type Want = loss.Want

// A Divergence is one of the policy from the reference.
type Divergence = loss.Divergence

// The divergences, of which Reverse is the usual one.
const (
	Reverse       = loss.Reverse
	Forward       = loss.Forward
	JensenShannon = loss.JensenShannon
)

// A TokenLoss fills in the loss and its derivatives.
type TokenLoss func(*loss.Tokens) error

// A Batch holds the rollouts and the objective that a policy learns from.
type Batch struct {
	Groups     []Group
	Advantages [][]float64 // one per rollout of each group
	// TokenAdvantages has one for each token of each rollout, which then count in place
	// of Advantages; nil: every token has the advantage of its rollout.
	TokenAdvantages [][][]float64
	Correct         [][]bool // likewise; needed when Want asks for it
	Key             rng.Key  // of the draws of Loss
	Want            Want     // the inputs that Loss reads
	Loss            TokenLoss
	Reference       Reference // needed when Want asks for Ref or KL
	// Temperature the rollouts were sampled with: log-probabilities are those of
	// the tempered distribution, so that the ratio of an unchanged policy is 1.
	Temperature float64
	// Rate multiplies the optimiser's learning rate; 0 is 1.
	Rate float64
	// Context ends the call early, as in SampleOptions: before anything is learned.
	Context context.Context
}

// UpdateStats describes one update.
type UpdateStats struct {
	Loss     float64
	GradNorm float64 // Euclidean norm of the gradient of the loss
	KL       float64 // mean over tokens of the k3 estimate to the reference; 0 without one
	Clipped  float64 // share of tokens whose ratio the clip cut off
}

// A Reference is a policy frozen in time.
type Reference interface {
	// Frozen marks references; a policy accepts only those it made itself.
	Frozen()
}

// A Policy samples and learns. It is not safe for concurrent use.
type Policy interface {
	// Sample draws n rollouts of each task. Its result is valid until the next call; a caller may
	// take a part of it or change the order, but not write to a rollout.
	Sample(tasks []envs.Task, n int, opt SampleOptions) ([]Group, error)
	// Update makes one optimiser step down the gradient of the batch's loss.
	Update(b Batch) (UpdateStats, error)
	// Flatten returns the batch token by token as Update would pass it to a loss,
	// with the loss not yet filled in. It is valid until the next call of any method.
	Flatten(b Batch) (*loss.Tokens, error)
	// Freeze returns the policy as it is now.
	Freeze() Reference
	// Interpolate changes the parameters to (1 - share) base + share times the present ones, for a share
	// in [0, 1] (WiSE-FT, Wortsman et al., 2022). undo restores the present ones, to the bit. Between the
	// two calls the policy may be sampled from and measured, but not trained, frozen, saved or loaded.
	Interpolate(base Reference, share float64) (undo func(), err error)
	// SaveFrozen writes a frozen policy, LoadFrozen reads it back for a policy of the same
	// settings: its numbers equal the saved policy's to the bit. LoadFrozen refuses data that are
	// damaged or of another shape.
	SaveFrozen(w io.Writer, r Reference) error
	LoadFrozen(r io.Reader) (Reference, error)
	// Save writes a checkpoint, Load reads one back: afterwards the policy goes
	// on exactly as the saved one would have. Load refuses a damaged checkpoint
	// or one of another shape and leaves the policy as it was.
	Save(w io.Writer) error
	Load(r io.Reader) error
}

// An Answer is one complete rollout of a task with its probability: the answer
// to a problem, all the answers of a chain.
type Answer struct {
	Tokens []envs.Token
	P      float64
}

// An Enumerator can list its whole answer distribution.
type Enumerator interface {
	// Enumerate returns every rollout of the task with its probability under temperature and top-p,
	// in the order of the tokens, or false when there are more than limit of them.
	Enumerate(task envs.Task, opt SampleOptions, limit int) ([]Answer, bool, error)
}

// Optimizer holds the parameters of a policy's optimiser.
type Optimizer struct {
	Name    string  `param:"optimizer" doc:"adam (Kingma and Ba, 2015); sgd, plain gradient descent; or natural, the gradient under the inverse Fisher matrix (Amari, 1998; Kakade, 2001), exact for tabular policies whose rows learn apart: sharing = problem, and no context that is added up" choices:"adam,sgd,natural"`
	LR      float64 `param:"lr" doc:"learning rate" min:"0"`
	Beta1   float64 `param:"beta1" doc:"adam: decay of the first moment" min:"0" max:"0.9999999" when:"optimizer=adam"`
	Beta2   float64 `param:"beta2" doc:"adam: decay of the second moment" min:"0" max:"0.9999999" when:"optimizer=adam"`
	AdamEps float64 `param:"adam_epsilon" doc:"adam: added to the root of the second moment" min:"1e-30" when:"optimizer=adam"`
	// WeightDecay is decoupled from the gradient (Loshchilov and Hutter, 2019): an update first
	// takes the share rate * weight_decay from each parameter that it moves.
	WeightDecay float64 `param:"weight_decay" doc:"share of each parameter, times the learning rate, that an update takes off whatever the gradient (AdamW); of a tabular policy, in the rows that the batch visits, and towards the base policy; of a transformer, of the matrices of its linear maps" min:"0" late:"0"`
	// ClipNorm bounds the gradient before the optimiser sees it; under natural it
	// does so before the gradient is divided by the Fisher matrix.
	ClipNorm float64 `param:"clip_norm" doc:"a gradient of a larger Euclidean norm, over all parameters, is scaled down to this one; 0: never" min:"0" late:"0"`
}

// DefaultOptimizer is Adam with its usual decays and a rate that suits tabular policies.
func DefaultOptimizer() Optimizer {
	return Optimizer{Name: "adam", LR: 0.1, Beta1: 0.9, Beta2: 0.999, AdamEps: 1e-8}
}

// Kinds of devices that a policy may compute on. All give the same bits.
const (
	DeviceAuto = "auto" // a GPU where one can be used, else the CPU
	DeviceCPU  = "cpu"
	DeviceCUDA = "cuda"
)

// ParseDevice reads a choice of device: auto, cpu, cuda, or cuda:1 for the card of that
// number, from 0. The number is 0 if it is left out.
func ParseDevice(s string) (kind string, ordinal int, err error) {
	if s == DeviceAuto || s == DeviceCPU || s == DeviceCUDA {
		return s, 0, nil
	}
	if number, ok := strings.CutPrefix(s, DeviceCUDA+":"); ok {
		ordinal, err := strconv.Atoi(number)
		if err == nil && ordinal >= 0 && strconv.Itoa(ordinal) == number { // one spelling for each card
			return DeviceCUDA, ordinal, nil
		}
	}
	return "", 0, fmt.Errorf("device %q, want auto, cpu, cuda, or cuda: and the number of a card, as in cuda:1", s)
}
