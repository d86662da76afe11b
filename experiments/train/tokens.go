package train

import (
	"slices"

	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/policies"
)

// tokens are the advantages of a step of a method that gives every token its own.
type tokens struct {
	all    [][][]float64
	firsts [][][]float64 // without the rollouts that only vote; nil: the method gives one per rollout
}

// estimate asks the method for the advantages of the batch. Of one that gives every token its
// own, the advantage of a rollout, which records describe, is their mean.
func (t *trainer) estimate() error {
	if !t.Method.PerToken() {
		return t.Method.Advantages(t.advantages, &t.batch)
	}
	t.tokens.all = estimators.NewTokenAdvantages(&t.batch)
	if err := t.Method.TokenAdvantages(t.tokens.all, &t.batch); err != nil {
		return err
	}
	if err := estimators.TokenMeans(t.advantages, t.tokens.all, &t.batch); err != nil {
		return err
	}
	t.tokens.firsts = t.tokens.firsts[:0]
	for _, own := range t.tokens.all {
		t.tokens.firsts = append(t.tokens.firsts, own[:t.Train.Group])
	}
	return nil
}

// tellTokens fills the lists per token that the method asks for. What the rollouts do not say
// the policy is asked. For squares and distributions it is the one that sampled them: a spec
// that asks for these and has another sampler is refused.
func (t *trainer) tellTokens(groups []policies.Group) error {
	asked := t.batch.RolloutFields & estimators.AllTokenFields
	if asked == 0 {
		return nil
	}
	flat := &loss.Tokens{}
	want := policies.Want{
		Ref:     asked&estimators.TokenReference != 0,
		Squares: asked&estimators.TokenSquares != 0,
		Legal:   asked&estimators.TokenLegal != 0,
	}
	if want.Ref || want.Squares || want.Legal {
		var err error
		flat, err = t.policy.Flatten(policies.Batch{
			Groups: groups, Want: want, Reference: t.update.Reference, Temperature: t.Train.Temperature,
			Context: t.update.Context,
		})
		if err != nil {
			return err
		}
	}
	at := 0
	for g := range groups {
		for i := range groups[g].Rollouts {
			from, to := &groups[g].Rollouts[i], &t.batch.Groups[g].Rollouts[i]
			end := at + len(from.Tokens)
			own := estimators.PerToken{}
			if asked&estimators.TokenLogprob != 0 {
				own.Logprob = from.Logp
			}
			if asked&estimators.TokenEntropy != 0 {
				own.Entropy = from.Entropy
			}
			if want.Ref {
				own.Reference = flat.Ref[at:end]
			}
			if want.Squares {
				own.Squares = flat.Squares[at:end]
			}
			if want.Legal {
				own.Legal = flat.Legal[at:end]
			}
			if to.PerToken == nil {
				to.PerToken = &estimators.PerToken{}
			}
			*to.PerToken = own
			at = end
		}
	}
	return nil
}

// cloneTokens copies lists that the next batch overwrites.
func cloneTokens(p *estimators.PerToken) *estimators.PerToken {
	if p == nil {
		return nil
	}
	own := estimators.PerToken{
		Logprob: slices.Clone(p.Logprob), Entropy: slices.Clone(p.Entropy),
		Reference: slices.Clone(p.Reference), Squares: slices.Clone(p.Squares), Legal: slices.Clone(p.Legal),
	}
	for i := range own.Legal {
		own.Legal[i] = slices.Clone(own.Legal[i])
	}
	return &own
}
