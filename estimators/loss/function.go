// Package loss turns advantages into a loss and its slope for every token: ratios and
// clips, divergences, entropy, and the choice of tokens by covariance.
package loss

import (
	"fmt"
	"math/rand/v2"

	"modebench/internal/loss"
)

// Tokens is one minibatch flattened token by token, as a policy hands it over.
type Tokens = loss.Tokens

// Want lists the optional inputs of Tokens that are read.
type Want = loss.Want

// Function turns advantages into a loss: a policy term, to which come kl_coef
// times the divergence from the frozen reference and minus entropy_coef times the
// entropy, all aggregated alike, and div_coef times R1-zero-Div's bonus
// (diversify). With the advantage A of its sequence, or its own (CheckTokens), and the ratio
// rho = pi / pi_old, the policy term of a token is, by the field ratio,
//
//	token          max(-A rho, -A clip(rho, 1 - clip_low, 1 + clip_high))
//	               (PPO, Schulman et al., 2017)
//	sequence       max(-A s, -A clip(s, 1 - clip_low, 1 + clip_high)), s the product
//	               of the sequence's rho (SD-E2 eq. 33)
//	sequence-norm  max(-A s, -A clip(s, 1 - clip_low, 1 + clip_high)), s the geometric
//	               mean of the sequence's rho (GSPO, Zheng et al., 2025)
//	geometric      -A times the geometric mean of the sequence's rho, after log rho of
//	               each was clipped to [-clip_low, clip_high] if it has gone the way
//	               A asks (GMPO, Zhao et al., 2025)
//	importance     -w A log pi, where w = clip(rho, 1 - clip_low, 1 + clip_high)
//	               has no gradient (CISPO, MiniMax, 2025)
//	none           -A log pi (GPG, Chu et al., 2025)
//	soft           -A times a smooth gate of rho (SAPO; soft)
//	truncated      -w A log pi with w = min(rho, 1) (TIS; truncated)
//	tapered        -w A log pi with w = 1 where the answer is correct, else min(rho, 1)
//	               (TOPR; tapered)
//	gamma          -w A log pi, w a gate of the product of the sequence's rho (VESPO; gamma)
//	flow           w (log Z + mean log pi - beta A - mean log pi_ref)^2 of a sequence,
//	               w the clipped product of its rho (FlowRL; flow)
//	target         the cross-entropy from a group's target distribution to the policy's
//	               share of each sequence (TPO; target)
//	delight        -w A log pi, w a gate of A times -log pi (DG; delight)
//	token-tv, token-kl, token-move, importance-tv, importance-kl
//	               -A rho or -w A log pi with w = min(rho, dual_clip), where the
//	               token's probability has not left a region (DPPO, IPO; region)
//
// and, of the first four and of token-tv, token-kl and token-move, where A < 0 and
// dual_clip c > 0, at most -A c (Ye et al., 2020; with c above 1 + clip_high it is
// the two-sided clip of INTELLECT-2, delta in TRL). Clip-Cov and KL-Cov change the
// first (byCovariance). A Correction weights the policy term of each token.
//
// A is the advantage of the token's sequence. off_policy_mask, repo, forking and simko change it
// (advantages). simko has a part of the gradient go to other tokens than the one drawn (findForks).
// log_ratio_coef adds its multiple of the squared log ratio to the loss of every token (stayNear).
// dph_forward, dph_js and dph_alpha have stored sequences, whose advantage is 0, learn a divergence
// (holdStored). entropy_target and repo_target steer entropy_coef and repo over a run (Learn,
// EndStep).
//
// Divergence estimators, with d = log pi - log pi_ref of the sampled token:
// k1 = d, k2 = d^2/2, k3 = e^-d + d - 1, k3-ratio = rho (e^-d + d - 1), and exact, the
// divergence of the whole distribution; forward and js are other divergences of whole
// distributions (whole). As a loss, k1 has no gradient in expectation; that is the
// estimator's, not a mistake here. The expected gradient of k3 is that of KL(base || policy).
// That of k3-ratio, rho d grad log pi, is that of the divergence at any rho (DeepSeek-V3.2,
// 2512.02556; TRL's use_bias_correction_kl, its default from 1.16 on). Its rho is the token's
// own under every value of the field ratio, and no clip applies; TRL has the sequence's if its
// policy term has, which is no estimate of the divergence. With kl_in_reward the divergence is
// no part of the loss: Penalty is subtracted from a rollout's reward.
//
// Aggregation, over B sequences of which B' are not empty: token-mean (sum over all tokens / number
// of tokens), seq-mean-token-mean (mean over the B' sequences of the mean over their tokens),
// seq-mean-token-sum, seq-mean-token-sum-norm (the latter divided by MaxTokens: Dr.GRPO), and
// token-sum, which grows with the batch (verl's, on one device). If a sequence has one ratio, each
// of its tokens has the sequence's loss; so GSPO and GMPO as published are seq-mean-token-mean,
// token-mean weighs sequences by their lengths, and sums multiply them by those (SkyRL's GSPO,
// LUSPO). The ratio sequence is the exception: in sums its loss counts once, as SD-E2 prints it.
//
// A function may keep buffers between calls: use one per goroutine.
type Function struct {
	ClipLow     float64 `param:"clip_low" doc:"the ratio is clipped below 1 - clip_low (ratio geometric: its log below -clip_low; -tv, -kl and -move: the bound of the region for probabilities that fell); 0: not clipped" min:"0"`
	ClipHigh    float64 `param:"clip_high" doc:"the ratio is clipped above 1 + clip_high (ratio geometric: its log above clip_high; -tv, -kl and -move: the bound of the region for probabilities that rose); 0: not clipped" min:"0"`
	DualClip    float64 `param:"dual_clip" doc:"bound c > 1 of the ratio where the advantage is negative, and under ratio importance-tv and importance-kl of every weight; 0: none" min:"0"`
	Ratio       string  `param:"ratio" doc:"token: a ratio per token; sequence: the product over the sequence (SD-E2 eq. 33); sequence-norm: the geometric mean over the sequence (GSPO); geometric: the same of ratios that are clipped one by one, bounds in log space (GMPO); importance: the clipped ratio is a weight without a gradient (CISPO); none: no ratio at all, the plain score function; soft: a smooth gate in the place of the clip (SAPO); truncated: the weight min(ratio, 1) (TIS); tapered: the same, but 1 where the answer is correct (TOPR); gamma: a weight that falls off on both sides of a sequence's product of 1 (VESPO); flow: the squared distance of a sequence's mean log-probability from that of base times e^(flow_beta A) / Z, with Z from its group and the clipped product as a weight (FlowRL); target: cross-entropy to the group's shares before the step times e^(A / eta) (TPO); delight: a weight that grows with A times minus the log-probability of the token (DG); token- or importance-, then tv, kl or move: the token's ratio or weight while its probability stays in a region (DPPO, IPO)" choices:"token,sequence,sequence-norm,geometric,importance,none,soft,truncated,tapered,gamma,flow,target,delight,token-tv,token-kl,token-move,importance-tv,importance-kl"`
	Aggregation string  `param:"aggregation" doc:"how token losses become one number" choices:"token-mean,seq-mean-token-mean,seq-mean-token-sum,seq-mean-token-sum-norm,token-sum"`
	KL          string  `param:"kl" doc:"estimator of the divergence from the frozen base policy, KL(policy || base): k1, k2, k3 from the token drawn, k3-ratio: k3 times the token's ratio, whose expected gradient is that of the divergence (DeepSeek-V3.2), exact from the whole distribution; forward: KL(base || policy) of whole distributions; js: the Jensen-Shannon divergence of the two" choices:"k1,k2,k3,k3-ratio,exact,forward,js" when:"kl_coef>0"`
	KLCoef      float64 `param:"kl_coef" doc:"weight of that divergence in the loss; 0: off" min:"0"`
	EntropyCoef float64 `param:"entropy_coef" doc:"weight of the entropy bonus" min:"0"`
	KLInReward  bool    `param:"kl_in_reward" doc:"the divergence, summed over a rollout's tokens as it is sampled, is subtracted from its reward and is no part of the loss. Under k1 alone is its expected gradient that of the divergence; under exact it is about the states passed through and not about the tokens drawn there" late:"false" when:"kl_coef>0"`
	DivCoef     float64 `param:"div_coef" doc:"weight of R1-zero-Div's bonus on correct answers; 0: off" min:"0" late:"0"`
	ClipCov     float64 `param:"clip_cov" doc:"Clip-Cov: the share of tokens, drawn among those of high covariance between advantage and log-probability, that are left out of the policy term; 0: off" min:"0" max:"1" late:"0"`
	ClipCovLow  float64 `param:"clip_cov_low" doc:"Clip-Cov: only tokens of a covariance above" late:"0" when:"clip_cov>0"`
	ClipCovHigh float64 `param:"clip_cov_high" doc:"Clip-Cov: only tokens of a covariance below; 0: no bound" min:"0" late:"0" when:"clip_cov>0"`
	KLCov       float64 `param:"kl_cov" doc:"KL-Cov: the share of tokens, those of the highest covariance, that are held near the policy that sampled them; 0: off" min:"0" max:"1" late:"0"`
	KLCovCoef   float64 `param:"kl_cov_coef" doc:"KL-Cov: weight of |log ratio| on those tokens" min:"0" late:"0" when:"kl_cov>0"`

	EntropyTarget float64 `param:"entropy_target" doc:"the entropy of a token, in nats, that entropy_coef is steered towards: after an update of that entropy or less, entropy_coef grows and the bonus counts in the next one, else it shrinks and the bonus does not; 0: entropy_coef is constant" min:"0" late:"0"`
	EntropyDelta  float64 `param:"entropy_delta" doc:"how far entropy_coef moves with every update" min:"0" late:"0" when:"entropy_target>0"`
	EntropyMax    float64 `param:"entropy_max" doc:"the largest entropy_coef" min:"0" late:"0" when:"entropy_target>0"`

	TauPos        float64 `param:"tau_pos" doc:"SAPO: how fast the gate closes as the ratio leaves 1, where the advantage is positive" min:"0" late:"0" when:"ratio=soft"`
	TauNeg        float64 `param:"tau_neg" doc:"SAPO: the same of other advantages" min:"0" late:"0" when:"ratio=soft"`
	LogRatioCoef  float64 `param:"log_ratio_coef" doc:"weight of the squared log ratio of every token (DRO: half its beta; IPO); 0: off" min:"0" late:"0"`
	OffPolicyMask float64 `param:"off_policy_mask" doc:"a sequence of negative advantage whose log-probability per token has fallen by more than this since sampling is left out of the policy term (DeepSeek-V3.2); 0: off" min:"0" late:"0"`
	Repo          float64 `param:"repo" doc:"REPO-R's zeta: how much more advantages weigh on unlikely tokens, and less on likely ones; 0: off" late:"0"`
	RepoTarget    float64 `param:"repo_target" doc:"REPO-R: the entropy of a token, in nats, that zeta is steered towards, from repo on: once a step it doubles or is halved; 0: it is constant" min:"0" late:"0"`
	RepoMin       float64 `param:"repo_min" doc:"REPO-R: the least size of zeta, at which its sign changes" min:"0" late:"0" when:"repo_target>0"`
	RepoMax       float64 `param:"repo_max" doc:"REPO-R: the largest size of zeta" min:"0" late:"0" when:"repo_target>0"`
	Forking       float64 `param:"forking" doc:"the share of tokens, those of the highest entropy, that the policy term is about; 0: all" min:"0" max:"1" late:"0"`

	SimKO         float64 `param:"simko" doc:"SimKO: at tokens of high entropy in a correct answer, the share of the policy term's gradient that goes to the likeliest tokens in place of the one drawn; and in answers of negative advantage the likeliest token counts 1.1 times there; 0: off" min:"0" max:"1" late:"0"`
	SimKOTop      int     `param:"simko_top" doc:"SimKO: the number of likeliest tokens, or all if there are fewer" min:"0" max:"65536" late:"0" when:"simko>0"`
	SimKOQuantile float64 `param:"simko_quantile" doc:"SimKO: only tokens whose entropy is above this quantile of their answer's" min:"0" max:"1" late:"0" when:"simko>0"`
	DPHForward    float64 `param:"dph_forward" doc:"DPH-RL: weight of u - log u - 1, with u = pi / pi_base of a token, on stored samples of the base policy; they take the place of rollouts, and of their policy term, in problems that the base policy solves; 0: off" min:"0" late:"0"`
	DPHJS         float64 `param:"dph_js" doc:"DPH-RL: the same of u log u - (u + 1) log((u + 1) / 2)" min:"0" late:"0"`
	DPHAlpha      float64 `param:"dph_alpha" doc:"DPH-RL: the same of (u^0.8 - 0.8 u - 0.2) / -0.16" min:"0" late:"0"`
	DPHRollouts   int     `param:"dph_rollouts" doc:"DPH-RL: the base policy solves a problem if this many rollouts of it, drawn before training, are all correct" min:"0" max:"65536" late:"0" when:"dph_forward>0|dph_js>0|dph_alpha>0"`
	FlowBeta      float64 `param:"flow_beta" doc:"FlowRL: weight of the advantage against log-probabilities per token" min:"0" late:"0" when:"ratio=flow"`
	Eta           float64 `param:"eta" doc:"temperature of the target (TPO) or of the gate (DG): the larger, the less advantages count" min:"0" late:"0" when:"ratio=target|ratio=delight"`

	Correction

	// MaxTokens is T_max, the longest answer the environment allows; the
	// aggregation seq-mean-token-sum-norm divides by it.
	MaxTokens int

	cov     *covariances
	buffers *buffers
	steered *steering // nil: the run begins
}

// buffers are of the advantages of tokens.
type buffers struct {
	advantage []float64 // of each token
	sorted    []float64 // their entropies in ascending order, of a minibatch or of a sequence
	forks     []bool    // of each token, whether SimKO is about it
	target    []float64 // TPO's target, of each sequence of a group
	logps     []float64 // the policy's log-probability of each
}

// covariances holds the buffers of Clip-Cov and KL-Cov, one entry per token.
type covariances struct {
	parts  []float64 // each token's part in the covariance of advantage and log-probability
	loss   []float64
	order  []int // candidates, then those chosen
	source rand.PCG
	rand   *rand.Rand
}

// weight is the factor of every token; perLength: over the length of the token's sequence.
func (o *Function) weight(t *Tokens) (w float64, perLength bool, err error) {
	sequences := notEmpty(t)
	switch o.Aggregation {
	case "token-mean":
		return 1 / float64(len(t.Logp)), false, nil
	case "seq-mean-token-mean":
		return 1 / float64(sequences), true, nil
	case "seq-mean-token-sum":
		return 1 / float64(sequences), false, nil
	case "seq-mean-token-sum-norm":
		if o.MaxTokens < 1 {
			return 0, false, fmt.Errorf("aggregation %s needs the length of the longest answer, got %d", o.Aggregation, o.MaxTokens)
		}
		return 1 / float64(sequences*o.MaxTokens), false, nil
	case "token-sum":
		return 1, false, nil
	}
	return 0, false, fmt.Errorf("unknown aggregation %q", o.Aggregation)
}

func notEmpty(t *Tokens) int {
	n := 0
	for s := range t.Sequences() {
		if t.Start[s+1] > t.Start[s] {
			n++
		}
	}
	return n
}

// share is the weight of each token of a sequence of that length.
func share(base float64, perLength bool, length int) float64 {
	if perLength {
		return base / float64(length)
	}
	return base
}
