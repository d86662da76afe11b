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
