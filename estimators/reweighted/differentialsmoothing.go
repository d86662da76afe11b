package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
)

// DifferentialSmoothing adds the rollout's own log-probability to a group-relative advantage, with a
// sign that depends on correctness (DS-GRPO; Gai et al., 2511.19942, eq. 6, read at second hand):
//
//	A_i = base_i - gamma_p lp_i    where rollout i is correct
//	A_i = base_i + gamma_n lp_i    for a wrong one
//
// lp_i is the mean of the rollout's token log-probabilities when it was sampled, a constant to the
// gradient. Unlikely correct rollouts gain more, which flattens the policy over them; unlikely wrong
// ones lose more, which sharpens it. The term comes after the normalisation of the base, so it acts in
// groups of equal rewards too, and advantages do not sum to 0.
//
// The mean over tokens and both coefficients are those of the code of MaxRL (tajwarfahim/maxrl,
// core_algos.py, compute_dsgrpo_outcome_advantage). Under logprob "sequence" lp_i is the sum over the
// tokens, as in the equation, which grows with the length: gamma is to be smaller by a mean length. That
// code takes a reward above 0 for correct and adds nothing to negative rewards; here correctness is the
// judge's. A group of one has the advantage 0, or under singleton "raw" its raw reward and the term.
type DifferentialSmoothing struct {
	estimators.GRPO
	GammaP  float64 `param:"gamma_p" doc:"weight of minus the log-probability of a correct rollout" min:"0"`
	GammaN  float64 `param:"gamma_n" doc:"weight of the log-probability of a rollout that is not correct" min:"0"`
	Logprob string  `param:"logprob" doc:"the log-probability of a rollout: the mean over its tokens, which the default weights are made for, or their sum" choices:"token,sequence" when:"gamma_p>0|gamma_n>0"`

	logprobs []float64
}

func (e *DifferentialSmoothing) Requirements() estimators.Requirements {
	return logprobReads(envs.HasReward|envs.HasCorrect, e.Logprob)
}

func (e *DifferentialSmoothing) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		if len(rollouts) == 1 && e.Singleton == "zero" {
			return nil
		}
		var err error
		if e.logprobs, err = logprobs(e.logprobs, &e.Groupwise, rollouts, e.Logprob); err != nil {
			return err
		}
		for i, r := range rollouts {
			if r.Candidates[0].Correct {
				dst[i] -= float64(e.GammaP * e.logprobs[i])
			} else {
				dst[i] += float64(e.GammaN * e.logprobs[i])
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 90, estimators.Method{
		Name: "differential-smoothing", Summary: "GRPO minus the log-probability of correct answers, plus that of the others", Trains: true,
		Source:    "Gai et al. 2025 (2511.19942), eq. 6; coefficients of tajwarfahim/maxrl",
		Estimator: estimators.From(DifferentialSmoothing{GRPO: estimators.ZScore, GammaP: 0.05, GammaN: 0.05, Logprob: "token"}),
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Invariant, MovesEqualRewards: true,
			Why: "a z-score plus log-probabilities, which do not depend on rewards and do not cancel",
		},
		// The term is a constant to the gradient. So the expected step is no gradient of an
		// expectation over answers.
		Target: estimators.NoTarget("its smoothing depends on the policy's own log-probabilities"),
	})
}
