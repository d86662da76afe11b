package loss

import "fmt"

// truncated adds the policy term of truncated importance sampling as ROLL runs it on the
// ratio to the policy that sampled (agentic_actor_pg_worker.py, _compute_tis_loss):
//
//	-w A log pi with w = min(rho, 1), which has no gradient.
//
// So tokens that became likelier count as they are, and those that became rarer count
// less. ROLL's bounds are fields there, 0 and 1 by default; here they are fixed. It is not
// the correction between two engines that goes by the same name.
func (o *Function) truncated(t *Tokens, base float64, perLength bool) error {
	o.scores(t, base, perLength, func(_, k int) (w float64, cut bool) { return truncate(t.Logp[k] - t.Old[k]) })
	return nil
}

func truncate(d float64) (w float64, cut bool) {
	if d > 0 {
		return 1, true
	}
	return bounded(d), false
}

// tapered adds the policy term of TOPR, tapered off-policy REINFORCE (Le Roux et al.,
// 2025, 2503.14286, eq. 8):
//
//	-A log pi               for a correct answer,
//	-min(rho, 1) A log pi   for a wrong one.
//
// Good answers are learned from as if they were given, and bad ones only as long as the
// policy may still give them. The equation has the ratio of the whole answer. Taken is
// ROLL's form, with a ratio for each token, both weights 1 and the side by the score and
// not by A (agentic_actor_pg_worker.py, _compute_topr_loss). ROLL's good side is a score above
// 0; here the judge's verdict, the same for rewards of 0 and 1.
func (o *Function) tapered(t *Tokens, base float64, perLength bool) error {
	if len(t.Correct) != t.Sequences() {
		return fmt.Errorf("ratio tapered: the batch has %d entries in Correct, want %d, one per sequence", len(t.Correct), t.Sequences())
	}
	o.scores(t, base, perLength, func(s, k int) (w float64, cut bool) {
		if t.Correct[s] {
			return 1, false
		}
		return truncate(t.Logp[k] - t.Old[k])
	})
	return nil
}
