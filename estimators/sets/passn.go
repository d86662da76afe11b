package sets

import "modebench/estimators"

// PassN is the marginal set advantage of the best answer of n (Poly-EPO sec. 5.1,
// whose pass@n objective is the largest reward),
//
//	A_i = mean over the sets of n that contain i of max r - mean over all of max r
//
// over all sets of n of a group's N rollouts, in O(N log N). With 0/1 rewards and a chance p of a
// correct answer, the advantage of a correct one estimates (1-p)^n and that of a wrong one (1-p)^n
// - (1-p)^(n-1): wrong answers never gain. n = 1 gives r_i - mean r; n = N gives zeros.
//
// SetRL has it as its objective "max".
type PassN struct {
	setAdvantage
	N int `param:"n" doc:"set size n; training takes groups of more than n, since one set alone gives zeros" min:"1"`
}

func (e *PassN) Requirements() estimators.Requirements {
	return findSetObjective("max").requirements(e.N)
}

func (e *PassN) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.advantages(dst, b, findSetObjective("max"), e.N, 0)
}

// marginal writes the marginal advantage of the largest reward of sets of n, or
// with sign -1 of the smallest: the mean over the sets with i less the mean over
// all sets. Of the sets with i as the best, those count on the way from one rank
// to the next whose other members lie below both, C(i-1, n-1) of them.
func (o *ranks) marginal(dst, rewards []float64, n int, sign float64) {
	o.shares.fill(len(rewards), n)
	o.sort(rewards, sign)
	clear(dst)
	o.climb(dst, 0, o.shares.best)
	mean := estimators.Mean(dst)
	scale := sign * float64(len(rewards)) / float64(n)
	for i, s := range dst {
		dst[i] = scale * (s - mean)
	}
}

func init() {
	estimators.Register(estimators.AnswerSets, 40, estimators.Method{
		Name: "pass-n", Summary: "marginal set advantage of the best of n", Trains: true,
		Source:     "Poly-EPO sec. 5.1",
		Estimator:  estimators.From(PassN{N: 4}),
		Loss:       polyEPOLoss,
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Linear, ZeroSum: true, Why: "differences of largest rewards"},
		Target:     maxTarget(func(e estimators.Estimator) int { return e.(*PassN).N }),
	})
}
