package tabular

import (
	"context"
	"fmt"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/policies"
)

// defaultDemonstrations is used where an environment has no exact prior.
const defaultDemonstrations = 600

// A prior gives the base logits of views: the environment's, or logarithms of smoothed counts.
type prior struct {
	problem   envs.Problem
	exact     envs.Priored // nil where demonstrations are counted
	smoothing float64
	views     index    // views that demonstrations met, by where their counts begin
	counts    []uint32 // of each view: the number of legal tokens, then how often each was taken
}

// append appends the base logits of a view with n legal tokens; prefix is the answer so far.
func (q *prior) append(dst []float64, view []byte, prefix []envs.Token, n int) ([]float64, error) {
	if q.exact != nil {
		dst = q.exact.AppendPrior(dst, prefix)
		if len(dst) != n {
			return nil, fmt.Errorf("problem %s: the prior has %d entries in state %q, want %d", q.problem.ID(), len(dst), view, n)
		}
		return dst, nil
	}
	index, known := q.views.find(view)
	if known && int(q.counts[index]) != n {
		return nil, q.unlike(view, int(q.counts[index]), n)
	}
	for i := range n {
		k := q.smoothing
		if known {
			k += float64(q.counts[int(index)+1+i])
		}
		dst = append(dst, exact.Log(k))
	}
	return dst, nil
}

func (q *prior) unlike(view []byte, had, got int) error {
	return fmt.Errorf("problem %s: view %q has %d legal tokens in one state and %d in another, want the same in all", q.problem.ID(), view, had, got)
}

// count counts the tokens of n demonstrations, by view. The draws depend on the problem alone.
func (q *prior) count(ctx context.Context, n int) error {
	key := rng.New(0).Str("demonstrations").Str(q.problem.ID())
	var view envs.View
	for i := range n {
		if err := policies.Ended(ctx); err != nil {
			return err
		}
		c := q.problem.Start()
		for _, token := range q.problem.Demonstrate(key.Int(uint64(i)).Rand()) {
			view.Look(c)
			legal := c.Legal()
			index, err := q.place(view.Answer, len(legal))
			if err != nil {
				return err
			}
			if j, ok := position(legal, token); ok {
				q.counts[int(index)+1+j]++
			}
			if c.Push(token) != nil {
				break
			}
		}
	}
	return nil
}

func (q *prior) place(view []byte, n int) (uint32, error) {
	spot := q.views.seek(view)
	if index := spot.value; spot.found {
		if had := int(q.counts[index]); had != n {
			return 0, q.unlike(view, had, n)
		}
		return index, nil
	}
	index := uint32(len(q.counts))
	if err := q.views.insert(spot, view, index); err != nil {
		return 0, err
	}
	q.counts = append(q.counts, uint32(n))
	for range n {
		q.counts = append(q.counts, 0)
	}
	return index, nil
}
