package loss

import (
	"fmt"
	"slices"

	"modebench/internal/params"
)

// likeliestTimes is SimKO's factor of the likeliest token in wrong answers, fixed in its code too.
const likeliestTimes = 1.1

// checkSimKO returns an error if no token would get the share that SimKO takes from the one drawn.
func (o *Function) checkSimKO() error {
	if o.SimKO > 0 && o.SimKOTop < 1 {
		return params.Errorf("simko_top", "got %d, want 1 or more beside simko", o.SimKOTop)
	}
	return nil
}

// findForks marks the tokens that SimKO (2510.14807) is about: those whose entropy is above
// the quantile simko_quantile of their sequence. At them,
//
//	in a correct answer                the gradient of rho is that of
//	                                   (1 - a) rho + (a / K) sum_k sg(rho / rho_k) rho_k
//	                                   over the K = simko_top likeliest tokens k of the current
//	                                   policy, a = simko (spreadToTop),
//	where the advantages sum below 0   A is 1.1 times itself if the token drawn is the
//	                                   likeliest one (raiseLikeliest).
//
// The first is rho itself, so neither the loss nor the clip moves. Its gradient is (1 - a) rho
// times that of the token's log-probability and a rho / K times that of each of the K, among
// which the token may be: the value of rho_k does not matter, for it cancels (but for the 1e-8
// that the code adds to it). So the rule is about the gradient of a token's policy term, and
// every ratio with a term of each token can have it.
//
// Read in the authors' code, CLR-Lab/SimKO at 306f4ff: verl/trainer/ppo/core_algos.py,
// row_quantile_masked and compute_policy_loss_simko, and verl/workers/actor/dp_actor.py, which
// takes entropies, ranks and the likeliest token from the policy that is being updated.
// Its runs have a = 0.01, K = 3, tau = 0.8 and the 1.1. Correct is a score of 1 there and the
// judge's word here. Where fewer than K tokens can be drawn, all of them share. Of ties for
// the likeliest token the first counts. No token is above the quantile where all entropies of
// a sequence are equal, as in an answer of one token: SimKO is then the loss without it.
func (o *Function) findForks(t *Tokens) error {
	b, n := o.buffers, len(t.Logp)
	if len(t.Correct) != t.Sequences() || len(t.Entropy) != n || len(t.Likeliest) != n || len(t.DTop) != n {
		return fmt.Errorf("simko: the batch has %d entries in Correct for %d sequences, and %d entropies, %d likeliest tokens and room for %d derivatives, want %d",
			len(t.Correct), t.Sequences(), len(t.Entropy), len(t.Likeliest), len(t.DTop), n)
	}
	b.forks = b.forks[:0]
	for s := range t.Sequences() {
		entropies := t.Entropy[t.Start[s]:t.Start[s+1]]
		if len(entropies) == 0 {
			continue
		}
		b.sorted = append(b.sorted[:0], entropies...)
		slices.Sort(b.sorted)
		bound := Quantile(b.sorted, o.SimKOQuantile)
		for _, h := range entropies {
			b.forks = append(b.forks, h > bound)
		}
	}
	return nil
}

// raiseLikeliest makes tokens that are the likeliest already count more in wrong answers.
func (o *Function) raiseLikeliest(t *Tokens) {
	b := o.buffers
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		sum := 0.0
		for _, a := range b.advantage[lo:hi] {
			sum += a
		}
		for k := lo; sum < 0 && k < hi; k++ {
			if b.forks[k] && t.Likeliest[k] {
				b.advantage[k] *= likeliestTimes
			}
		}
	}
}

// spreadToTop gives the share simko of the gradient of the policy term to the likeliest
// tokens. It comes before the other terms of the loss, which keep theirs.
func (o *Function) spreadToTop(t *Tokens) {
	for s, correct := range t.Correct {
		for k := t.Start[s]; correct && k < t.Start[s+1]; k++ {
			if o.buffers.forks[k] {
				t.DTop[k] = float64(o.SimKO * t.DLogp[k])
				t.DLogp[k] -= t.DTop[k]
			}
		}
	}
}
