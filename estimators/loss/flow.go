package loss

import (
	"fmt"
	"math"
)

// flow adds the loss of FlowRL (2509.15207), which seeks the distribution
// pi_ref e^(beta A) / Z and not the most reward. Of a sequence it is
//
//	w (log Z + mean log pi - beta A - mean log pi_ref)^2,
//
// means over the tokens of the sequence. w = clip(rho, 1 - clip_low, 1 + clip_high) of the
// product rho of their ratios, has no gradient. As in sequence-norm each token has the loss of
// its sequence, so that it is seq-mean-token-mean as published.
//
// Read in the authors' code, Xuekai-Zhu/FlowRL at decbc57, verl@FlowRL/verl/workers/actor/
// dp_actor.py, compute_flowrl_objective: beta is 15, A is GRPO's advantage, and w is not clipped,
// although a clipped one is worked out beside it. verl-recipe at 48ea0a7, flowrl/flowrl_actor.py,
// compute_flowrl, holds w at 10 or less: clip_high 9. The log of rho is held within 20 here.
//
// There log Z is a head of the network that learns beside the policy. Here it is the group's mean
//
//	log Z = mean over the group of (beta A + mean log pi_ref - mean log pi),
//
// which wants no head. The term is then the variance within the group of the squared
// expression: VarGrad, the log-variance loss of Richter et al. (2020). This form of log Z is
// ours, and no code of it was read. Its gradient is left out. Where all w are equal, as before
// the first update of a step, that changes nothing, for the deviations from a mean add up to 0.
// If they differ, the gradient through log Z would be minus twice the mean of w times the
// deviation, times that of the group's mean of mean log pi: one push for all rollouts of the
// group, which is 0 at the best log Z, the weighted mean.
//
// A minibatch that splits a group has the mean over its part. A group of one has no
// deviation, and learns nothing. Groups of equal rewards do learn once the policy has left
// the reference: they are pulled to where mean log pi - mean log pi_ref is the same for all
// rollouts. Before that, the gradient is 2 beta times that of -A log pi for advantages
// that sum to 0 in a group, so a step of plain descent is longer than GRPO's by that factor.
func (o *Function) flow(t *Tokens, base float64, perLength bool) error {
	last := len(t.Groups) - 1
	if !grouped(t) || len(t.Ref) != len(t.Logp) {
		return fmt.Errorf("ratio flow: the batch has groups that begin at %v of %d sequences, and the reference's log-probabilities of %d tokens, want all groups and %d", t.Groups, t.Sequences(), len(t.Ref), len(t.Logp))
	}
	for g := range last {
		lo, hi := t.Groups[g], t.Groups[g+1]
		logZ := o.logPartition(t, lo, hi)
		for s := lo; s < hi; s++ {
			o.balance(t, s, logZ, base, perLength)
		}
	}
	return nil
}

// logPartition is log Z of the sequences lo to hi; empty ones have no part in it.
func (o *Function) logPartition(t *Tokens, lo, hi int) float64 {
	sum, n := 0.0, 0
	for s := lo; s < hi; s++ {
		if t.Start[s+1] > t.Start[s] {
			sum -= o.gap(t, s)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// gap is mean log pi - beta A - mean log pi_ref of a sequence that is not empty.
func (o *Function) gap(t *Tokens, s int) float64 {
	lo, hi := t.Start[s], t.Start[s+1]
	sum := 0.0
	for k := lo; k < hi; k++ {
		sum += t.Logp[k] - t.Ref[k]
	}
	return sum/float64(hi-lo) - float64(o.FlowBeta*o.buffers.advantage[lo])
}

// balance adds the loss of a sequence for this log Z. A deviation of rounding is 0.
func (o *Function) balance(t *Tokens, s int, logZ, base float64, perLength bool) {
	lo, hi := t.Start[s], t.Start[s+1]
	if lo == hi {
		return
	}
	residual := logZ + o.gap(t, s)
	if math.Abs(residual) < rounding {
		residual = 0
	}
	bounds, rho := o.bounds(), bounded(logProduct(t, s))
	w := min(max(rho, bounds.low), bounds.high)
	if w != rho && residual != 0 {
		t.Clipped += hi - lo
	}
	each := share(base, perLength, hi-lo)
	slope := float64(w * 2 * residual)
	t.Loss += float64(o.timesMean(each*float64(hi-lo), lo, hi) * float64(w*residual*residual))
	for k := lo; k < hi; k++ {
		t.DLogp[k] = o.times(each, k) * slope
	}
}
