package loss

import (
	"fmt"
	"math"

	"modebench/internal/exact"
)

// target adds the loss of target policy optimization (TPO; Kaddour, 2604.06159, eqs. 1-3). With
// the share of a sequence in its group of K,
//
//	p_i = pi(y_i) / sum_j pi(y_j),  q_i = p_i^old e^(A_i / eta) / sum_j p_j^old e^(A_j / eta),
//
// it is -sum_i q_i log p_i of a group, and q has no gradient. The slope in the log-probability of
// each token of y_i is p_i - q_i. It vanishes where the policy has reached the target, so a batch
// can be learnt from again without a clip. A is the z-score of the group's scores (method tpo).
//
// Read in JeanKaddour/tpo at 73473b9, src/tpo/algorithms.py (tpo_target) and
// experiments/_trial.py (make_tpo_step), whose log-probabilities are sums over tokens. The loss
// there is a mean over groups, which is seq-mean-token-sum where all groups are of one size: a
// group weighs as much as its sequences together.
//
// A minibatch that splits a group has the shares of its part. Once other groups have moved the
// policy, a group of equal scores is pulled back to its shares before the step.
func (o *Function) target(t *Tokens, base float64, perLength bool) error {
	if !grouped(t) {
		return fmt.Errorf("ratio target: the batch has groups that begin at %v of %d sequences, want all groups", t.Groups, t.Sequences())
	}
	for g := range len(t.Groups) - 1 {
		o.fit(t, t.Groups[g], t.Groups[g+1], base, perLength)
	}
	return nil
}

// grouped reports whether the groups hold all sequences.
func grouped(t *Tokens) bool {
	return len(t.Groups) > 0 && t.Groups[len(t.Groups)-1] == t.Sequences()
}

// fit adds the loss of the group of sequences lo to hi. Empty ones have no part in it.
func (o *Function) fit(t *Tokens, lo, hi int, base float64, perLength bool) {
	b, weight := o.buffers, 0.0
	b.target, b.logps = b.target[:0], b.logps[:0]
	for s := lo; s < hi; s++ {
		length := t.Start[s+1] - t.Start[s]
		if length == 0 {
			continue
		}
		each := share(base, perLength, length)
		if o.averages() {
			each *= float64(length)
		}
		weight += each
		old, logp := b.advantage[t.Start[s]]/o.Eta, 0.0
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			old += t.Old[k]
			logp += t.Logp[k]
		}
		b.target, b.logps = append(b.target, old), append(b.logps, logp)
	}
	exact.Softmax(b.target, b.target)
	logZ, i := exact.LogSumExp(b.logps), 0
	for s := lo; s < hi; s++ {
		from, to := t.Start[s], t.Start[s+1]
		if from == to {
			continue
		}
		q, logShare := b.target[i], b.logps[i]-logZ
		slope := exact.Exp(logShare) - q
		if math.Abs(slope) < rounding {
			slope = 0
		}
		t.Loss -= float64(o.timesMean(weight, from, to) * float64(q*logShare))
		for k := from; k < to; k++ {
			t.DLogp[k] = float64(o.times(weight, k) * slope)
		}
		i++
	}
}

// delight adds the policy term of the delightful policy gradient (DG; Osband, 2603.14608):
//
//	-w A log pi with w = sigmoid(-A log pi / eta), which has no gradient.
//
// An unlikely token of a good answer counts in full, and one of a bad answer hardly; likely tokens
// count half. Read in JeanKaddour/tpo at 73473b9, core.py (dg_gate) and algorithms.py (dg_loss):
// log pi is the current policy's, of each token, and eta is 1. The runs there learn once from a
// batch, since no term of DG holds the policy near its sampler.
func (o *Function) delight(t *Tokens, base float64, perLength bool) error {
	o.scores(t, base, perLength, func(_, k int) (w float64, cut bool) {
		w, _ = sigmoid(-float64(o.buffers.advantage[k]*t.Logp[k]) / o.Eta)
		return w, false
	})
	return nil
}
