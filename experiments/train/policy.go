package train

import (
	"context"
	"errors"

	"modebench/envs"
	"modebench/experiments/spec"
	"modebench/internal/input"
	"modebench/policies"
	"modebench/policies/tabular"
	"modebench/policies/transformer"
)

// policy makes the policy that a run begins with.
func (b *Bases) policy(ctx context.Context, p *spec.Setup) (policies.Policy, error) {
	switch c := p.Policy.(type) {
	case *spec.TabularPolicy:
		return tabular.New(c.Config, p.Train.Optimizer), nil
	case *spec.TransformerPolicy:
		return b.transformer(ctx, p, c.Config)
	}
	return tabular.New(*tabular.Default(), p.Train.Optimizer), nil // the baseline, of which nothing is learned
}

// transformer makes the base policy, under the run's own optimiser.
func (b *Bases) transformer(ctx context.Context, p *spec.Setup, config transformer.Config) (policies.Policy, error) {
	encoding, err := envs.NewEncoding(p.Env, p.Form())
	if err != nil {
		return nil, err
	}
	made, err := b.newPolicy(ctx, config, p.Train.Optimizer, encoding)
	if tooLarge := (*input.Error)(nil); errors.As(err, &tooLarge) {
		return nil, b.refused(err)
	}
	if err != nil || p.Method.Method.Optimum || config.Steps == 0 {
		return made, err // no policy is measured, or the random one
	}
	if err := b.load(ctx, made, &base{config: config, parts: p, encoding: encoding}); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// newPolicy makes a policy on the device.
func (b *Bases) newPolicy(ctx context.Context, config transformer.Config, opt policies.Optimizer, encoding *envs.Encoding) (*transformer.Policy, error) {
	if b.device == nil {
		return transformer.New(ctx, config, opt, encoding)
	}
	return b.device.New(ctx, config, opt, encoding)
}
