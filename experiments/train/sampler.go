package train

import "modebench/policies"

// This file is about what draws rollouts, where it is something else than the policy that
// learns: an older one (lag.go), at another temperature, by rounded logits, or by a nucleus.

// sampler is what draws the rollouts of a step, but for the key of their draws and the age of
// the policy.
func (t *trainer) sampler() policies.SampleOptions {
	return policies.SampleOptions{
		Temperature: t.Train.Temperature * t.Train.SamplerTemperature, TopP: t.Train.TopP,
		Bits: t.Train.SamplerBits, Context: t.update.Context,
	}
}

// anew makes the old log-probabilities of the step's rollouts those of the policy that is
// about to learn, where that is asked for and makes a difference.
func (t *trainer) anew() error {
	if t.Train.Old != "learner" || !t.Train.OffPolicy() {
		return nil
	}
	tokens, err := t.policy.Flatten(policies.Batch{Groups: t.groups, Temperature: t.Train.Temperature, Context: t.update.Context})
	if err != nil {
		return err
	}
	logp := append([]float64{}, tokens.Logp...) // what a policy hands out lives until its next call
	groups, at := make([]policies.Group, len(t.groups)), 0
	for g, group := range t.groups {
		groups[g].Task = group.Task
		for _, r := range group.Rollouts {
			end := at + len(r.Tokens)
			r.Logp, r.Sampler, at = logp[at:end:end], r.SamplerLogp(), end
			groups[g].Rollouts = append(groups[g].Rollouts, r)
		}
	}
	t.groups = groups
	return nil
}
