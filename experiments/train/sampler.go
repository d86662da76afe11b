package train

import "modebench/policies"

// This file makes the sampler of rollouts if it differs from the policy that learns: an older
// policy (lag.go), another temperature, rounded logits, or a nucleus.

// sampler returns the options of a step's rollouts, without the key of their draws and the age of
// the policy.
func (t *trainer) sampler() policies.SampleOptions {
	return policies.SampleOptions{
		Temperature: t.Train.Temperature * t.Train.SamplerTemperature, TopP: t.Train.TopP,
		Bits: t.Train.SamplerBits, Context: t.update.Context,
	}
}
