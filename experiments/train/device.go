package train

import (
	"fmt"
	"strings"

	"modebench/experiments/spec"
	"modebench/policies"
	"modebench/policies/transformer"
)

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
