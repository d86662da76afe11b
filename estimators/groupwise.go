package estimators

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
)

// Groupwise holds the buffers of an estimator that looks at one group at a time
// and only at the rollouts that are trained on. Estimators embed it.
type Groupwise struct {
	rewards  []float64
	rollouts []*Rollout
	group    *Group    // the one gathered last
	scores   []float64 // of all its rollouts, under eachScored
	result   []float64
}

// Requirements implements Estimator for methods that read scalar rewards alone.
func (*Groupwise) Requirements() Requirements { return Reads(envs.HasReward) }

// A Core writes the advantages of one group's trained rollouts to dst, given
// their scalar rewards: w*.r less the rollout's penalty, finite. The three have the same
// length, at least 1. dst begins with values of no meaning.
type Core func(dst, rewards []float64, rollouts []*Rollout) error

// Each calls core for every group with the trained rollouts and their scalar
// rewards, and writes what it gives to the places of those in dst; rollouts that only vote
// get 0, as does what is only rounding (below 1e-12 in size). A group without trained
// rollouts is passed over. Rewards that are no finite numbers, rollouts of more or fewer
// than one candidate, and advantages that overflow are errors that name the group.
func (w *Groupwise) Each(dst [][]float64, b *Batch, core Core) error {
	return w.EachBy(dst, b, nil, core)
}

// EachBy is Each where the scalar rewards are not those under the group's
// weights: collect fills them in, by GatherCorrect for one.
func (w *Groupwise) EachBy(dst [][]float64, b *Batch, collect func(*Group) error, core Core) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		out := dst[g]
		var err error
		if collect == nil {
			_, _, err = w.Gather(group, group.Scalarisation(b))
		} else {
			err = collect(group)
		}
		if err != nil {
			return b.InGroup(g, err)
		}
		all := len(w.rewards) == len(out)
		target := out
		if !all {
			w.result = append(w.result[:0], w.rewards...)
			target = w.result
		}
		if len(target) > 0 {
			if err := core(target, w.rewards, w.rollouts); err != nil {
				return b.InGroup(g, err)
			}
		}
		if !all {
			place(out, target, group.Rollouts)
		}
		if i := zeroRounding(out); i >= 0 {
			return overflow(b, g, i, out[i])
		}
	}
	return nil
}

// eachScored is EachBy for rollouts that are rewarded for a score in place of their candidate's
// reward: score writes one to scores for every rollout of the group, those that only vote included,
// and core takes those of the trained rollouts, less their penalties, for rewards.
func (w *Groupwise) eachScored(dst [][]float64, b *Batch, score func(*Group) error, core Core) error {
	return w.EachBy(dst, b, func(g *Group) error {
		w.scores = Resize(w.scores, len(g.Rollouts))
		if err := score(g); err != nil {
			return err
		}
		return w.gatherBy(g, func(i int, r *Rollout) (float64, error) {
			s := w.scores[i] - r.Penalty
			if s-s != 0 {
				return 0, fmt.Errorf("rollout %d has the score %v less the penalty %v, want a finite number", i, w.scores[i], r.Penalty)
			}
			return s, nil
		})
	}, core)
}

// Gather gives the trained rollouts of a group and their scalar rewards under weights, as
// Each calls core with. They are valid until the next group. Its errors do not name the group.
func (w *Groupwise) Gather(g *Group, weights []float64) (rewards []float64, rollouts []*Rollout, err error) {
	// gatherBy's loop, written out: a call for each rollout cost GRPO two thirds more.
	w.rewards, w.rollouts, w.group = w.rewards[:0], w.rollouts[:0], g
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if !r.Train {
			continue
		}
		if len(r.Candidates) != 1 {
			return nil, nil, errNotOne(i, len(r.Candidates))
		}
		c := r.Candidates[0]
		if len(c.Reward) != len(weights) {
			return nil, nil, fmt.Errorf("rollout %d has %d reward components for %d weights", i, len(c.Reward), len(weights))
		}
		s := c.Scalar(weights)
		s -= r.Penalty
		if s-s != 0 {
			return nil, nil, fmt.Errorf("rollout %d has the scalar reward %v, want a finite number", i, s)
		}
		w.rewards = append(w.rewards, s)
		w.rollouts = append(w.rollouts, r)
	}
	return w.rewards, w.rollouts, nil
}

// gatherBy collects the trained rollouts of a group and the worth of each.
func (w *Groupwise) gatherBy(g *Group, worth func(i int, r *Rollout) (float64, error)) error {
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

// GatherCorrect is a collect of EachBy for estimators that look at whether a rollout is correct
// and not at its rewards: a correct one counts 1, any other 0.
func (w *Groupwise) GatherCorrect(g *Group) error {
	return w.gatherBy(g, func(i int, r *Rollout) (float64, error) {
		if len(r.Candidates) != 1 {
			return 0, errNotOne(i, len(r.Candidates))
		}
		return Indicator(r.Candidates[0].Correct), nil
	})
}

// gatherChains collects the trained rollouts of a group, each of one or more candidates of d reward
// components, and the score of each rollout's candidates, less its penalty, as its scalar reward.
func (w *Groupwise) gatherChains(g *Group, d int, score func([]*envs.Verdict) float64) error {
	return w.gatherBy(g, func(i int, r *Rollout) (float64, error) {
		if err := checkChain(r.Candidates, d); err != nil {
			return 0, fmt.Errorf("rollout %d%w", i, err)
		}
		s := score(r.Candidates) - r.Penalty
		if s-s != 0 {
			return 0, fmt.Errorf("rollout %d has the score %v, want a finite number: rewards of this size overflow", i, s)
		}
		return s, nil
	})
}

// checkChain describes the first fault of candidates, in words that continue the rollout's name.
func checkChain(candidates []*envs.Verdict, d int) error {
	if len(candidates) == 0 {
		return fmt.Errorf(" has 0 candidates; this estimator takes one or more")
	}
	for k, c := range candidates {
		if len(c.Reward) != d {
			return fmt.Errorf(", candidate %d, has %d reward components for %d weights", k, len(c.Reward), d)
		}
		for j, x := range c.Reward {
			if x-x != 0 {
				return fmt.Errorf(", candidate %d, has %v as reward component %d, want a finite number", k, x, j)
			}
		}
	}
	return nil
}

// single is an error unless every rollout, voters included, has exactly one candidate.
func (g *Group) single() error {
	for i := range g.Rollouts {
		if n := len(g.Rollouts[i].Candidates); n != 1 {
			return errNotOne(i, n)
		}
	}
	return nil
}

// Gathered is the group whose rollouts core is called with.
func (w *Groupwise) Gathered() *Group { return w.group }

// Greedy is the reward of the gathered group's greedy rollout.
func (w *Groupwise) Greedy() (float64, error) {
	if r := w.group.Greedy; r-r != 0 {
		return 0, fmt.Errorf("the greedy rollout has the scalar reward %v, want a finite number", r)
	}
	return w.group.Greedy, nil
}

// Number is the place of a trained rollout in its group, voters counted: its name in errors.
func (w *Groupwise) Number(trained int) int {
	return slices.IndexFunc(w.group.Rollouts, func(r Rollout) bool {
		if !r.Train {
			return false
		}
		trained--
		return trained < 0
	})
}

// place writes the advantages of the trained rollouts to their places and 0 to
// the others', and returns how many it wrote.
func place(out, trained []float64, rollouts []Rollout) int {
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
		trained = trained[place(dst[g], trained, b.Groups[g].Rollouts):]
		if i := zeroRounding(dst[g]); i >= 0 {
			return overflow(b, g, i, dst[g][i])
		}
	}
	return nil
}

// zeroRounding replaces advantages that are only rounding by zero. It returns the
// first rollout whose advantage is no number, or -1.
func zeroRounding(out []float64) int {
	for i, a := range out {
		if math.Abs(a) < Tiny {
			out[i] = 0
		} else if a-a != 0 {
			return i
		}
	}
	return -1
}

func overflow(b *Batch, g, rollout int, advantage float64) error {
	return b.InGroup(g, fmt.Errorf("the advantage of rollout %d is %v: rewards of this size overflow", rollout, advantage))
}

// Scalarisation is the group's own weights, or else the batch's.
func (g *Group) Scalarisation(b *Batch) []float64 {
	if g.Weights != nil {
		return g.Weights
	}
	return b.Weights
}
