package train

import (
	"slices"

	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/policies"
)

// estimate asks the method for the advantages of the batch. If it gives every token its own,
// the advantage of a rollout, which records describe, is their mean.
func (t *trainer) estimate() error {
	if !t.Method.PerToken() {
		return t.Method.Advantages(t.advantages, &t.batch)
	}
	t.tokenAdvantages = estimators.NewTokenAdvantages(&t.batch)
	if err := t.Method.TokenAdvantages(t.tokenAdvantages, &t.batch); err != nil {
		return err
	}
	return estimators.TokenMeans(t.advantages, t.tokenAdvantages, &t.batch)
}

// describeTokens has the policy describe the tokens of the sampled groups, if the method reads
// more of them than the rollouts hold, if the objective takes the divergence from rewards, or
// if old log-probabilities are to be the learner's; else it returns nil. Squares and
// distributions are those of the policy that sampled: a spec that asks for these and has
// another sampler is refused.
//
// It also copies groups that have to outlive the policy's next call.
func (t *trainer) describeTokens() (tokens *loss.Tokens, err error) {
	asked := t.batch.RolloutFields
	want, penalises := t.Method.Loss.Penalises()
	want.Ref = want.Ref || asked&estimators.TokenReference != 0
	want.Squares = asked&estimators.TokenSquares != 0
	want.Legal = asked&estimators.TokenLegal != 0
	if penalises || want.Ref || want.Squares || want.Legal || t.relearnsOld() {
		if tokens, err = t.policy.Flatten(policies.Batch{
			Groups: t.groups, Want: want, Reference: t.update.Reference, Temperature: t.Train.Temperature,
			Context: t.update.Context,
		}); err != nil {
			return nil, err
		}
	}
	if !t.filters() && !t.relearnsOld() {
		return tokens, nil
	}
	t.groups = slices.Clone(t.groups)
	for g := range t.groups {
		t.groups[g] = cloneGroup(&t.groups[g])
	}
	if tokens == nil {
		return nil, nil
	}
	copied := *tokens
	copied.Logp, copied.Ref, copied.Squares, copied.Legal = slices.Clone(copied.Logp), slices.Clone(copied.Ref), slices.Clone(copied.Squares), slices.Clone(copied.Legal)
	for k := range copied.Legal {
		copied.Legal[k] = slices.Clone(copied.Legal[k])
	}
	return &copied, nil
}

// relearnsOld reports whether the old log-probabilities of rollouts are to be those of the policy
// that learns, and this makes a difference.
func (t *trainer) relearnsOld() bool { return t.Train.Old == "learner" && t.Train.OffPolicy() }

// addTokens adds to rollout s, judged, what is known of its tokens, and makes its old
// log-probabilities the learner's if that is asked for.
func (t *trainer) addTokens(from *policies.Rollout, to *estimators.Rollout, tokens *loss.Tokens, s int) {
	asked := t.batch.RolloutFields
	if asked&estimators.AllTokenFields != 0 {
		if to.PerToken == nil {
			to.PerToken = &estimators.PerToken{}
		}
		*to.PerToken = estimators.PerToken{}
		if asked&estimators.TokenLogprob != 0 {
			to.PerToken.Logprob = from.Logp
		}
		if asked&estimators.TokenEntropy != 0 {
			to.PerToken.Entropy = from.Entropy
		}
	}
	if tokens == nil {
		return
	}
	lo, hi := tokens.Start[s], tokens.Start[s+1]
	if asked&estimators.TokenReference != 0 {
		to.PerToken.Reference = tokens.Ref[lo:hi]
	}
	if asked&estimators.TokenSquares != 0 {
		to.PerToken.Squares = tokens.Squares[lo:hi]
	}
	if asked&estimators.TokenLegal != 0 {
		to.PerToken.Legal = tokens.Legal[lo:hi]
	}
	if _, penalises := t.Method.Loss.Penalises(); penalises && to.Train {
		to.Penalty = t.Method.Loss.Penalty(tokens, s)
	}
	if t.relearnsOld() {
		from.Logp, from.Sampler = tokens.Logp[lo:hi:hi], from.SamplerLogp()
	}
}
