package experiments

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/policies"
	"modebench/policies/transformer"
)

// transformerPolicy is a small transformer that starts from a base policy.
type transformerPolicy struct{ transformer.Config }

// transformerConfig has the size that an environment asks for, or else the defaults of
// package transformer.
func transformerConfig(env string) policyConfig {
	c := &transformerPolicy{*transformer.Default()}
	if d, err := envs.Lookup(env); err == nil && d.Transformer.Width > 0 {
		size := d.Transformer
		c.Width, c.Heads = size.Width, size.Heads
		c.Steps, c.Batch, c.LR = size.Steps, size.Batch, size.LR
	}
	return c
}

// transformerTrain is what a prototype showed the papers' collapse with, in seconds
// to minutes: a few hundred small steps on problems that hardly come twice.
func transformerTrain() Train {
	t := DefaultTrain()
	t.Steps, t.Problems, t.Batch, t.Group = 300, 4096, 16, 8
	t.LR, t.Beta2, t.ClipNorm = 2e-4, 0.98, 1
	return t
}

// transformerEval measures on problems that the policy has not seen.
func transformerEval() Eval {
	e := DefaultEval()
	e.Every, e.Split, e.Problems, e.Enumerate = 50, string(envs.Test), 100, 0
	return e
}

func (c *transformerPolicy) check(p *parts) (string, error) {
	if p.train.Optimizer.Name == "natural" {
		return "train", params.Errorf("optimizer", "got natural, which is exact for tables alone; want adam or sgd of a transformer")
	}
	if p.eval.Enumerate > 0 {
		return "eval", params.Errorf("enumerate", "got %d, but the answers of a transformer are sampled and cannot be listed; want 0 in [eval]", p.eval.Enumerate)
	}
	if err := c.Check(p.train.Optimizer); err != nil {
		return "policy", err
	}
	if _, err := envs.NewEncoding(p.env, p.form()); err != nil {
		return "train", err
	}
	return "", nil
}

// form is how the cell puts its problems.
func (p *parts) form() envs.Form {
	return envs.Form{Answers: p.train.Candidates, Stops: p.train.Stops, Goals: p.method.Method.Goals}
}

func (c *transformerPolicy) question(p envs.Problem) (envs.Problem, error) { return p, nil }

func (c *transformerPolicy) byModes() bool { return false }

func (c *transformerPolicy) version() int { return transformer.Version }

// policy makes the base policy, under the cell's own optimiser.
func (c *transformerPolicy) policy(ctx context.Context, p *parts, bases *bases) (policies.Policy, error) {
	encoding, err := envs.NewEncoding(p.env, p.form())
	if err != nil {
		return nil, err
	}
	made, err := bases.newPolicy(c.Config, p.train.Optimizer, encoding)
	if err != nil || p.method.Method.Optimum || c.Steps == 0 {
		return made, err // no policy is measured, or the random one
	}
	if err := bases.load(ctx, made, &base{config: c.Config, parts: p, encoding: encoding}); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// newPolicy makes a policy on the device.
func (b *bases) newPolicy(config transformer.Config, opt policies.Optimizer, encoding *envs.Encoding) (*transformer.Policy, error) {
	if b.device == nil {
		return transformer.New(config, opt, encoding)
	}
	return b.device.New(config, opt, encoding)
}

// DefaultDevice is what policies compute on unless they are told otherwise.
const DefaultDevice = policies.DeviceCPU

// Devices says in a line each what there is to compute on, or why it is not there.
func Devices() []string { return transformer.Devices() }

// DeviceError is why a device cannot be used.
type DeviceError struct{ error }

// Unwrap gives the error itself.
func (e *DeviceError) Unwrap() error { return e.error }

// openDevice opens what the transformers of the specs compute on; nil is the processor.
func openDevice(specs []*Spec, name string) (*transformer.Device, error) {
	if name == "" {
		return nil, nil
	}
	kind, _, err := policies.ParseDevice(name)
	if err != nil {
		return nil, &DeviceError{err}
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
		for _, v := range s.Variants {
			if p, at := v.build(); at == nil {
				if _, ok := p.policy.(*transformerPolicy); ok {
					d, err := transformer.OpenDevice(name)
					if err != nil {
						return nil, &DeviceError{fmt.Errorf("device %s: %w; device cpu is always there", name, err)}
					}
					return d, nil
				}
			}
		}
	}
	if kind == policies.DeviceCUDA {
		return nil, &DeviceError{fmt.Errorf("device %s: no policy of %s computes on a GPU; tables are on the processor", name, strings.Join(names, ", "))}
	}
	return nil, nil
}

// formText says in words how problems are put.
func formText(f envs.Form) string {
	text := "one answer"
	switch {
	case f.Stops:
		text = fmt.Sprintf("chains of up to %d answers", f.Answers)
	case f.Answers > 1:
		text = fmt.Sprintf("chains of %d answers", f.Answers)
	}
	if f.Goals {
		text += " under a goal"
	}
	return text
}
