package loss

import (
	"math"
	"slices"

	"modebench/internal/params"
)

func (o *Function) checkAdvantages() error {
	field := ""
	for _, f := range []struct {
		name string
		used bool
	}{{"dph_rollouts", o.holds()}, {"off_policy_mask", o.OffPolicyMask > 0}, {"repo", o.Repo != 0}, {"forking", o.Forking > 0}, {"simko", o.SimKO > 0}} {
		if f.used {
			field = f.name
		}
	}
	switch {
	case field == "":
		return nil
	case o.ClipCov > 0 || o.KLCov > 0:
		return params.Errorf(field, "got a value beside clip_cov or kl_cov, which choose tokens by the advantages of sequences: want 0")
	case o.Ratio == "flow" || o.Ratio == "target":
		return params.Errorf("ratio", "got %s, whose loss does not vanish if the advantage is 0: want another ratio beside %s", o.Ratio, field)
	case field != "dph_rollouts" && field != "off_policy_mask" && (o.isWhole() || o.Ratio == "sequence-norm"):
		return params.Errorf("ratio", "got %s, which has one advantage for a sequence: want another ratio beside %s, which is about single tokens", o.Ratio, field)
	}
	return nil
}

// advantages fills the advantage of each token: its own, or that of its sequence. These
// fields change it, in this order. The policy term is proportional to the advantage, so a
// token whose advantage is 0 has neither loss nor gradient, but is counted in the aggregation.
// The changes have no gradient.
//
//	off_policy_mask  0 in sequences that have drifted (maskDrifted)
//	repo             more for unlikely tokens (favourUnlikely)
//	forking          0 for all but the tokens of the highest entropy (keepForking)
//	simko            more for the likeliest tokens of bad answers (raiseLikeliest)
func (o *Function) advantages(t *Tokens) error {
	if o.buffers == nil {
		o.buffers = &buffers{}
	}
	b := o.buffers
	b.advantage = slices.Grow(b.advantage[:0], len(t.Logp))[:len(t.Logp)]
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			b.advantage[k] = t.At(s, k)
		}
	}
	if o.OffPolicyMask > 0 {
		o.maskDrifted(t)
	}
	if o.Repo != 0 {
		o.favourUnlikely(t)
	}
	if o.Forking > 0 {
		o.keepForking(t)
	}
	if o.SimKO > 0 {
		if err := o.findForks(t); err != nil {
			return err
		}
		o.raiseLikeliest(t)
	}
	return nil
}

// maskDrifted leaves out sequences of negative advantage that the policy has moved away
// from, where the mean over their tokens of log pi_old - log pi is above off_policy_mask
// (DeepSeek-V3.2, 2512.02556, eq. 9). Read in TRL (GRPOTrainer.get_off_policy_mask) and
// slime (ppo_utils.py, compute_opsm_mask), which agree: an advantage of 0 is kept, and the
// aggregation counts the masked tokens. The paper gives no bound; TRL suggests 0.5, slime's
// default is 1e-4. Clipped counts the tokens.
func (o *Function) maskDrifted(t *Tokens) {
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		if a >= 0 || lo == hi {
			continue
		}
		drift := 0.0
		for k := lo; k < hi; k++ {
			drift += t.Old[k] - t.Logp[k]
		}
		if drift/float64(hi-lo) > o.OffPolicyMask {
			clear(o.buffers.advantage[lo:hi])
			t.Clipped += hi - lo
		}
	}
}

// favourUnlikely rescales the advantages by the log-probability of the token under the
// current policy (REPO-R, 2603.11682, app. D.2):
//
//	max(0, A (1 - zeta log pi))   where A > 0
//	min(0, A (1 + zeta log pi))   where A < 0
//
// so that with zeta > 0 unlikely tokens gain more if they are good, and lose less if they are
// bad. Read in the description of SkyRL's pull request 1896, zeta 0.01. EndStep has its
// controller, which steers zeta by the entropy.
func (o *Function) favourUnlikely(t *Tokens) {
	advantage, zeta := o.buffers.advantage, o.zeta()
	for k, a := range advantage {
		bonus := float64(zeta * t.Logp[k])
		switch {
		case a > 0:
			advantage[k] = max(0, a*(1-bonus))
		case a < 0:
			advantage[k] = min(0, a*(1+bonus))
		}
	}
}

// keepForking leaves out all tokens but those of the highest entropy, the share forking of
// the minibatch (Wang et al., 2025, 2506.01939: the 20% that fork a text). As in TRL
// (GRPOTrainer.get_high_entropy_mask) a token is kept where its entropy is at least the
// quantile 1 - forking of all tokens of the minibatch, so of ties at the quantile all are
// kept, and the aggregation counts all tokens. TRL's entropy bonus is about the kept tokens
// too; entropy_coef is about all of them.
func (o *Function) keepForking(t *Tokens) {
	if len(t.Entropy) == 0 {
		return
	}
	b := o.buffers
	b.sorted = append(b.sorted[:0], t.Entropy...)
	slices.Sort(b.sorted)
	least := Quantile(b.sorted, 1-o.Forking)
	for k, h := range t.Entropy {
		if h < least {
			b.advantage[k] = 0
		}
	}
}

// Quantile is the q-quantile of ascending numbers, linear between neighbours. A place that
// is an entry's but for rounding is that entry's, which then is not left out.
func Quantile(sorted []float64, q float64) float64 {
	position := float64(q * float64(len(sorted)-1))
	if whole := math.Round(position); math.Abs(position-whole) < 1e-9 {
		position = whole
	}
	i := int(position)
	part := position - float64(i)
	if part == 0 {
		return sorted[i]
	}
	return sorted[i] + float64(part*(sorted[i+1]-sorted[i]))
}
