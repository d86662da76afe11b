// Package estimators turns judged batches of rollouts into advantages, and
// advantages into per-token loss weights.
//
// A method is an estimator, an objective and a rollout protocol under the name
// its paper uses. Everything that changes a number is a field with the paper's
// value as its default.
package estimators

//go:generate go run ./internal/readme

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
)

// A Rollout is one judged answer: 1..m candidates.
type Rollout struct {
	Tokens  int     // length in tokens
	Logprob float64 // sum of the token log-probabilities when it was sampled
	Entropy float64 // sum of the token entropies, nats
	Train   bool    // false: it votes, but is not trained on and gets advantage 0
	Final   string  // the protocol's final answer, or ""
	// Penalty is subtracted from the rollout's scalar reward: the divergence from
	// the reference under an objective with kl_in_reward, else 0.
	Penalty float64
	// Candidates are shared with whoever judged them: estimators do not write to
	// them.
	Candidates []*envs.Verdict
}

// A Group holds the rollouts of one problem.
type Group struct {
	Problem  string
	Greedy   float64   // scalar reward of the greedy rollout, for ReMax
	Weights  []float64 // the group's own scalarisation; nil: the batch's
	Rollouts []Rollout
}

// A Batch is what an estimator sees of one step.
type Batch struct {
	Seed    uint64
	Step    int
	Weights []float64   // w*
	Has     envs.Fields // the verdict fields that every candidate carries
	Knows   Facts       // what is known of every rollout and group
	Groups  []Group

	// Missing says of a batch that was read where each field that it lacks is first
	// missing, by the field's name.
	Missing map[string]string
}

// Facts is a set of what a batch may say beside its verdicts.
type Facts uint8

// What may be known of every rollout, and of every group.
const (
	HasTokens  Facts = 1 << iota // Rollout.Tokens
	HasLogprob                   // Rollout.Logprob
	HasEntropy                   // Rollout.Entropy
	HasFinal                     // Rollout.Final
	HasGreedy                    // Group.Greedy

	HasAllFacts = HasTokens | HasLogprob | HasEntropy | HasFinal | HasGreedy
)

var factNames = []string{"tokens", "logprob", "entropy", "final", "greedy"}

// Names lists the facts by their names in the batch document.
func (f Facts) Names() []string {
	var out []string
	for i, name := range factNames {
		if f&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// NewAdvantages returns zeros in the shape of the batch: one per rollout.
func NewAdvantages(b *Batch) [][]float64 {
	out := make([][]float64, len(b.Groups))
	for g := range b.Groups {
		out[g] = make([]float64, len(b.Groups[g].Rollouts))
	}
	return out
}

// Needs says what an estimator reads of a batch.
type Needs struct {
	Fields   envs.Fields // of every candidate
	Facts    Facts       // of every rollout and group
	MinGroup int         // fewest rollouts per group it is defined for
	// TrainGroup is the fewest with which it can teach anything, where that is
	// more: below, every advantage is 0.
	TrainGroup int
	// MinTokens is the fewest tokens that the longest answer has to have for it to
	// teach anything: below, every advantage is 0.
	MinTokens int
	// Chains: it takes rollouts of one or more candidates; otherwise of exactly
	// one.
	Chains bool
	// Vectors: it reads the components of rewards themselves, and not their scalar
	// rewards alone, so that expressions for those (Rewards) cannot stand before it.
	Vectors bool
	// NoPenalty: there is no one scalar reward per rollout that a divergence could
	// be taken from (Rollout.Penalty), or it may not become negative.
	NoPenalty bool
	// Voters: it may read the rewards of rollouts that only vote.
	Voters bool
}

// An Estimator computes advantages. It keeps buffers between calls: use one per
// goroutine.
type Estimator interface {
	Needs() Needs
	// Advantages fills dst, one entry per rollout, shaped as NewAdvantages
	// gives it. A batch it cannot use (a NaN reward, too small a group) is an
	// error that names the group; dst is then undefined.
	Advantages(dst [][]float64, b *Batch) error
}

// Check says whether the batch holds what the needs ask for; the error names
// the first thing that is missing.
func (n Needs) Check(b *Batch) error {
	if lack := (n.Fields &^ b.Has).Names(); lack != nil {
		return b.lacks(lack[0], "the candidates carry no")
	}
	if lack := (n.Facts &^ b.Knows).Names(); lack != nil {
		return b.lacks(lack[0], "the batch says nothing of")
	}
	for g := range b.Groups {
		trained := 0
		for i := range b.Groups[g].Rollouts {
			if b.Groups[g].Rollouts[i].Train {
				trained++
			}
		}
		if trained < n.MinGroup {
			return fmt.Errorf("group %d (problem %q): %d rollouts to train on, want at least %d", g, b.Groups[g].Problem, trained, n.MinGroup)
		}
	}
	return nil
}

// lacks is the error for a field that the batch does not hold.
func (b *Batch) lacks(name, words string) error {
	if where, ok := b.Missing[name]; ok {
		return fmt.Errorf("%s is missing", where)
	}
	return fmt.Errorf("%s %s", words, name)
}

// CheckEnv says whether an environment that provides these fields, and whose
// longest answer has so many tokens, can satisfy the needs with groups of that size
// and that many candidates per rollout. Too many candidates are a params.FieldError
// of the field "candidates".
func (n Needs) CheckEnv(provides envs.Fields, longest, group, candidates int) error {
	if candidates > 1 && !n.Chains {
		return params.Errorf("candidates", "takes rollouts of exactly one candidate, got %d: it does not know chains", candidates)
	}
	if lack := (n.Fields &^ provides).Names(); lack != nil {
		return fmt.Errorf("needs %s of every candidate, which this environment does not give", strings.Join(lack, " and "))
	}
	if tokens := longest * candidates; tokens < n.MinTokens {
		return fmt.Errorf("needs rollouts of at least %d tokens to tell them apart, and here the longest has %d", n.MinTokens, tokens)
	}
	if least := max(n.MinGroup, n.TrainGroup); group < least {
		return fmt.Errorf("needs groups of at least %d rollouts, got %d", least, group)
	}
	return nil
}

// tiny is the spread or advantage below which a number counts as rounding: it
// must never become an advantage, since adaptive optimisers would blow it up to
// a full step.
const tiny = 1e-12

// rounding is tiny for rewards of at most 1, and in proportion for larger ones:
// the error of a mean grows with what it is the mean of.
func rounding(rewards []float64) float64 {
	largest := 1.0
	for _, r := range rewards {
		largest = max(largest, math.Abs(r))
	}
	return tiny * largest
}

// snap replaces what is only rounding by zero.
func snap(dst []float64, below float64) {
	for i, a := range dst {
		if math.Abs(a) < below {
			dst[i] = 0
		}
	}
}

// groupwise holds the buffers of an estimator that looks at one group at a time
// and only at the rollouts that are trained on.
type groupwise struct {
	rewards  []float64
	rollouts []*Rollout
	group    *Group    // the one gathered last
	scores   []float64 // of all its rollouts, under eachScored
	result   []float64
}

// A core writes the advantages of one group's trained rollouts to dst, given
// their scalar rewards.
type core func(dst, rewards []float64, rollouts []*Rollout) error

// each calls core for every group with the trained rollouts and their scalar
// rewards, and spreads what it writes over dst; rollouts that only vote get 0.
func (w *groupwise) each(dst [][]float64, b *Batch, core core) error {
	return w.eachBy(dst, b, nil, core)
}

// eachBy is each where the scalar rewards are not those under the group's
// weights: collect fills them in, by gather or gatherChains.
func (w *groupwise) eachBy(dst [][]float64, b *Batch, collect func(*Group) error, core core) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		out := dst[g]
		var err error
		if collect == nil {
			err = w.gather(group, group.scalarisation(b))
		} else {
			err = collect(group)
		}
		if err != nil {
			return inGroup(b, g, err)
		}
		all := len(w.rewards) == len(out)
		target := out
		if !all {
			w.result = append(w.result[:0], w.rewards...)
			target = w.result
		}
		if len(target) > 0 {
			if err := core(target, w.rewards, w.rollouts); err != nil {
				return inGroup(b, g, err)
			}
		}
		if !all {
			spread(out, target, group.Rollouts)
		}
		if i := settle(out); i >= 0 {
			return overflow(b, g, i, out[i])
		}
	}
	return nil
}

// inGroup names the group that an error comes from.
func inGroup(b *Batch, g int, err error) error {
	return b.InGroup(g, err)
}

// settle replaces advantages that are only rounding by zero. It returns the
// first rollout whose advantage is no number, or -1.
func settle(out []float64) int {
	for i, a := range out {
		if math.Abs(a) < tiny {
			out[i] = 0
		} else if a-a != 0 {
			return i
		}
	}
	return -1
}

func overflow(b *Batch, g, rollout int, advantage float64) error {
	return inGroup(b, g, fmt.Errorf("the advantage of rollout %d is %v: rewards of this size overflow", rollout, advantage))
}

// checkShape says whether dst has room for one advantage per rollout.
func checkShape(dst [][]float64, b *Batch) error {
	if len(dst) != len(b.Groups) {
		return fmt.Errorf("room for %d groups, the batch has %d", len(dst), len(b.Groups))
	}
	for g := range b.Groups {
		if len(dst[g]) != len(b.Groups[g].Rollouts) {
			return fmt.Errorf("group %d (problem %q): room for %d advantages, want %d", g, b.Groups[g].Problem, len(dst[g]), len(b.Groups[g].Rollouts))
		}
	}
	return nil
}

// scalarisation is the group's own weights, or else the batch's.
func (g *Group) scalarisation(b *Batch) []float64 {
	if g.Weights != nil {
		return g.Weights
	}
	return b.Weights
}

// gather collects the trained rollouts of a group and their scalar rewards.
func (w *groupwise) gather(g *Group, weights []float64) error {
	// gatherBy's loop, written out: a call for each rollout cost GRPO two thirds more.
	w.rewards, w.rollouts, w.group = w.rewards[:0], w.rollouts[:0], g
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if !r.Train {
			continue
		}
		if len(r.Candidates) != 1 {
			return errNotOne(i, len(r.Candidates))
		}
		c := r.Candidates[0]
		if len(c.Reward) != len(weights) {
			return fmt.Errorf("rollout %d has %d reward components for %d weights", i, len(c.Reward), len(weights))
		}
		s := c.Scalar(weights)
		s -= r.Penalty
		if s-s != 0 {
			return fmt.Errorf("rollout %d has the scalar reward %v, want a finite number", i, s)
		}
		w.rewards = append(w.rewards, s)
		w.rollouts = append(w.rollouts, r)
	}
	return nil
}

// gatherBy collects the trained rollouts of a group and what each is worth.
func (w *groupwise) gatherBy(g *Group, worth func(i int, r *Rollout) (float64, error)) error {
	w.rewards, w.rollouts, w.group = w.rewards[:0], w.rollouts[:0], g
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if !r.Train {
			continue
		}
		s, err := worth(i, r)
		if err != nil {
			return err
		}
		w.rewards = append(w.rewards, s)
		w.rollouts = append(w.rollouts, r)
	}
	return nil
}

func errNotOne(rollout, candidates int) error {
	return fmt.Errorf("rollout %d has %d candidates; this estimator takes exactly one", rollout, candidates)
}

// resize gives a buffer n entries, of any content.
func resize(buffer []float64, n int) []float64 { return slices.Grow(buffer[:0], n)[:n] }

// number is the place of a trained rollout in its group, voters counted.
func (w *groupwise) number(trained int) int {
	return slices.IndexFunc(w.group.Rollouts, func(r Rollout) bool {
		if !r.Train {
			return false
		}
		trained--
		return trained < 0
	})
}

// spread writes the advantages of the trained rollouts to their places and 0 to
// the others', and returns how many it wrote.
func spread(out, trained []float64, rollouts []Rollout) int {
	next := 0
	for i := range rollouts {
		out[i] = 0
		if rollouts[i].Train {
			out[i] = trained[next]
			next++
		}
	}
	return next
}

// scatter writes the advantages of all trained rollouts of the batch, in order, to
// their places in dst, and 0 to the others'.
func scatter(dst [][]float64, b *Batch, trained []float64) error {
	for g := range dst {
		trained = trained[spread(dst[g], trained, b.Groups[g].Rollouts):]
		if i := settle(dst[g]); i >= 0 {
			return overflow(b, g, i, dst[g][i])
		}
	}
	return nil
}
