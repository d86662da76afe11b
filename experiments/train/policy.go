package train

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
	"modebench/policies"
	"modebench/policies/tabular"
	"modebench/policies/transformer"
)

// policy makes the policy that a run begins with, and names its base policy; nil: it has no base
// policy.
func (b *Bases) policy(ctx context.Context, p *spec.Setup) (policies.Policy, *beginning, error) {
	switch c := p.Policy.(type) {
	case *spec.TabularPolicy:
		return tabular.New(c.Config, p.Train.Optimizer), nil, nil
	case *spec.TransformerPolicy:
		return b.transformer(ctx, p, c.Config)
	}
	return tabular.New(*tabular.Default(), p.Train.Optimizer), nil, nil // the baseline, which never learns
}

// A beginning is the base policy that a cell begins from.
type beginning struct {
	base    record.Base
	seconds float64 // that pre-training took in this run, for this cell; 0: it was there
}

// transformer makes the base policy, under the run's own optimiser.
func (b *Bases) transformer(ctx context.Context, p *spec.Setup, config transformer.Config) (policies.Policy, *beginning, error) {
	origin, err := newBase(p, config)
	if err != nil {
		return nil, nil, err
	}
	made, err := b.newPolicy(ctx, origin)
	if input.Is[*input.Error](err) { // too large, for all cells alike
		shared, _ := b.refusals.LoadOrStore(err.Error(), &BaseError{err})
		return nil, nil, shared.(*BaseError)
	}
	if err != nil || origin.name == "" {
		return made, nil, err
	}
	from, err := b.load(ctx, made, origin)
	if err != nil {
		return nil, nil, errors.Join(err, made.Close())
	}
	return made, &beginning{from, origin.seconds}, nil
}

func (b *Bases) newPolicy(ctx context.Context, origin *base) (*transformer.Policy, error) {
	if b.device == nil {
		return transformer.New(ctx, origin.config, origin.parts.Train.Optimizer, origin.encoding)
	}
	return b.device.New(ctx, origin.config, origin.parts.Train.Optimizer, origin.encoding)
}

// DefaultDevice is the device of policies unless another is named.
const DefaultDevice = policies.DeviceCPU

// Devices lists the devices, a line each: the device, or why it is missing.
func Devices() []string { return transformer.Devices() }

// DeviceError explains why a device cannot be used.
type DeviceError struct{ error }

// Unwrap gives the error itself.
func (e *DeviceError) Unwrap() error { return e.error }

// OpenDevice opens a device by its name, as policies.ParseDevice reads it. A device that cannot
// be used is a *DeviceError.
func OpenDevice(name string) (*transformer.Device, error) {
	if _, _, err := policies.ParseDevice(name); err != nil {
		return nil, &DeviceError{err}
	}
	d, err := transformer.OpenDevice(name)
	if err != nil {
		return nil, &DeviceError{fmt.Errorf("device %s: %w; device cpu is always there", name, err)}
	}
	return d, nil
}

// openDevice opens what the transformers of the specs compute on; nil is the processor.
func openDevice(specs []*spec.Spec, name string) (*transformer.Device, error) {
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
			if p, err := v.Setup(); err == nil {
				if _, ok := p.Policy.(*spec.TransformerPolicy); ok {
					return OpenDevice(name)
				}
			}
		}
	}
	if kind == policies.DeviceCUDA {
		return nil, &DeviceError{fmt.Errorf("device %s: no policy of %s computes on a GPU; tables are on the processor", name, strings.Join(names, ", "))}
	}
	return nil, nil
}
