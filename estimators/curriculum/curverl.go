package curriculum

import (
	"fmt"
	"io"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// CurveRL weighs a prompt by its place among the prompts of the last steps (2605.24331, alg. 1):
//
//	A_i = w(p) (c_i - p),  w(p) = f(p) / F(p)
//
// c_i is 1 for a correct rollout, else 0, and p the share of correct ones in its group. f is the
// share of prompts with a p like this one, and F of those with such a p or a lower one, among the
// prompts of the last window steps. So among those that are solved now and then the least solved
// weigh most. Prompts whose rollouts are all correct or all wrong have the advantage 0 and do
// not count. In the first step, and while no prompt has counted, the batch itself is the reference.
//
// Read in zhyzmath/CurveRL at e98468b, verl/trainer/ppo/core_algos.py
// (compute_curverl_outcome_advantage). Shares of one p fall into the same of N+1 bins of equal
// width, N the size of the batch's largest group. A p whose bin is empty in the reference has the
// weight 0. In place of c_i the code has scores if all of a batch lie in [0, 1], else 1 for a score
// above 0; here correctness is the judge's.
//
// The state is the shares of the last window steps. With window 0 every batch is its own
// reference.
type CurveRL struct {
	estimators.Groupwise
	Window int `param:"window" doc:"over how many steps before this one prompts are compared; 0: over the prompts of the step" min:"0" max:"65536"`

	past        [][]share // by step, the oldest first
	count, upTo []int     // of prompts in each bin, and in all bins up to it; reused
}

func (*CurveRL) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasCorrect, MinGroup: 1, NoPenalty: true}
}

func (e *CurveRL) Advantages(dst [][]float64, b *estimators.Batch) error {
	bins := 2
	for g := range b.Groups {
		bins = max(bins, shareOf(&b.Groups[g]).Rollouts+1)
	}
	e.compare(b, bins)
	return weigh(&e.Groupwise, dst, b, func(s share) float64 {
		if !s.mixed() || e.count[s.bin(bins)] == 0 {
			return 0
		}
		i := s.bin(bins)
		return float64(e.count[i]) / float64(e.upTo[i])
	})
}

// bin is the place of a share among bins of equal width, in whole numbers.
func (s share) bin(bins int) int { return min(s.Correct*bins/s.Rollouts, bins-1) }

// compare counts the prompts of the reference.
func (e *CurveRL) compare(b *estimators.Batch, bins int) {
	e.count, e.upTo = slices.Grow(e.count[:0], bins)[:bins], slices.Grow(e.upTo[:0], bins)[:bins]
	clear(e.count)
	counted := false
	for _, step := range e.past {
		for _, s := range step {
			e.count[s.bin(bins)]++
			counted = true
		}
	}
	for g := range b.Groups {
		if s := shareOf(&b.Groups[g]); !counted && s.mixed() {
			e.count[s.bin(bins)]++
		}
	}
	sum := 0
	for i, n := range e.count {
		sum += n
		e.upTo[i] = sum
	}
}

func (e *CurveRL) Remembers() bool { return e.Window > 0 }

// Remember implements Stateful: it adds the step's shares, and forgets the oldest step's.
func (e *CurveRL) Remember(b *estimators.Batch) error {
	step := []share{}
	for g := range b.Groups {
		if s := shareOf(&b.Groups[g]); s.mixed() {
			step = append(step, s)
		}
	}
	e.past = append(e.past, step)
	e.past = e.past[max(0, len(e.past)-e.Window):]
	return nil
}

// Save implements Stateful: the shares as JSON, by step.
func (e *CurveRL) Save(w io.Writer) error {
	if len(e.past) == 0 {
		return nil
	}
	return estimators.SaveJSON(w, e.past)
}

func (e *CurveRL) Load(r io.Reader) error {
	e.past = nil
	var past [][]share
	if found, err := estimators.LoadJSON(r, &past); !found {
		return err
	}
	for step, shares := range past {
		for _, s := range shares {
			if !s.mixed() {
				return fmt.Errorf("step %d: got %d correct rollouts of %d, want some and not all", step, s.Correct, s.Rollouts)
			}
		}
	}
	if len(past) > e.Window {
		return fmt.Errorf("got %d steps, want at most window, %d", len(past), e.Window)
	}
	e.past = past
	return nil
}

func init() {
	estimators.Register(estimators.Curricula, 10, estimators.Method{
		Name: "curverl", Summary: "centred correctness, weighed by how few prompts of the last steps are solved less often", Trains: true,
		Source:    "CurveRL 2026 (2605.24331), alg. 1; zhyzmath/CurveRL (2026-05)",
		Estimator: estimators.From(CurveRL{Window: 10}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, AcrossGroups: true, MovesEqualRewards: true,
			Why: "it looks at correctness, not at rewards, and weighs groups by those before",
		},
		Target: estimators.NoTarget("its weights depend on how often other prompts are solved"),
	})
}
