package frameworks

import "modebench/estimators"

// overTokens normalises over all tokens of a batch, where the rollouts of a batch have one
// number each: long rollouts count more.
type overTokens struct {
	estimators.Groupwise
	numbers []float64 // of all trained rollouts of the batch
	lengths []float64 // and their numbers of tokens
}

// each collects what core writes for every rollout, lets normalise change it, and fills dst.
func (e *overTokens) each(dst [][]float64, b *estimators.Batch, core estimators.Core, normalise func(numbers, lengths []float64)) error {
	e.numbers, e.lengths = e.numbers[:0], e.lengths[:0]
	err := e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		if err := e.CheckLengths(); err != nil {
			return err
		}
		if err := core(dst, rewards, rollouts); err != nil {
			return err
		}
		e.numbers = append(e.numbers, dst...)
		for _, r := range rollouts {
			e.lengths = append(e.lengths, float64(r.Tokens))
		}
		return nil
	})
	if err != nil || len(e.numbers) == 0 {
		return err
	}
	normalise(e.numbers, e.lengths)
	next := 0
	return e.Each(dst, b, func(dst, _ []float64, _ []*estimators.Rollout) error {
		next += copy(dst, e.numbers[next:])
		return nil
	})
}
