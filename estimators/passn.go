package estimators

// PassN is the marginal set advantage of the best answer of n (Poly-EPO sec. 5.1,
// whose pass@n objective is the largest reward),
//
//	A_i = mean over the sets of n that contain i of max r - mean over all of max r
//
// over all sets of n of a group's N rollouts, in O(N log N). With 0/1 rewards and a
// chance p of a correct answer, the advantage of a correct one estimates (1-p)^n and
// that of a wrong one (1-p)^n - (1-p)^(n-1): wrong answers never gain. n = 1 gives
// r_i - mean r; n = N gives zeros.
//
// It is SetRL with the objective "max" over all sets.
type PassN struct {
	N    int `param:"n" doc:"set size n; training takes groups of more than n, since one set alone gives zeros" min:"1"`
	sets setAdvantage
}

var largestObjective = findSetObjective("max")

// Needs implements Estimator.
func (e *PassN) Needs() Needs { return largestObjective.needs(e.N) }

// Advantages implements Estimator.
func (e *PassN) Advantages(dst [][]float64, b *Batch) error {
	return e.sets.advantages(dst, b, largestObjective, e.N, 0)
}

func init() {
	register(answerSets, 40, Method{
		Name: "pass-n", Summary: "marginal set advantage of the best of n", Trains: true,
		Source:    "Poly-EPO sec. 5.1",
		estimator: func() Estimator { return &PassN{N: 4} },
		loss:      setRL,
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "differences of largest rewards"},
		Aim:       maxAim("n"),
	})
}
