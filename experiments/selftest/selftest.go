// Package selftest holds a device to the processor's plain path, which defines the bits: short
// runs of pre-training, learning and sampling are made on both.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/experiments/train"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/transformer"
)

// A Test compares a device with the plain path.
type Test struct {
	Device, Plain string // their names
	device, plain *transformer.Device
	trials        []transformer.Trial
}

// A Finding is one result that both computed. Differ names the first place where the bits
// differ; it is "" if they are the same.
type Finding = transformer.Finding

// New opens a device by its name. A device that cannot be used is a *train.DeviceError.
func New(name string) (*Test, error) {
	device, err := train.OpenDevice(name)
	if err != nil {
		return nil, err
	}
	s := &Test{device: device}
	if s.Device, err = device.Name(); err == nil {
		s.plain, err = transformer.PlainProcessor()
	}
	if err == nil {
		s.Plain, err = s.plain.Name()
	}
	if err == nil {
		s.trials, err = trials(strings.HasPrefix(s.Device, policies.DeviceCUDA))
	}
	if err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return s, nil
}

// trials lists the runs. On the plain path they take seconds. Size M takes longer than all others
// together. Its products are large enough for a card's large tiles, so only a card runs it.
func trials(card bool) ([]transformer.Trial, error) {
	mazes, err := maze.Default().Build()
	if err != nil {
		return nil, err
	}
	numbers, err := countdown.Default().Build()
	if err != nil {
		return nil, err
	}
	list := []struct {
		env   envs.Env
		trial transformer.Trial
	}{
		{mazes, transformer.Trial{Name: "tiny: a layer of 32, mazes", Rollouts: 3, Steps: 4,
			Config: transformer.Config{Layers: 1, Width: 32, Heads: 1, Steps: 6, Batch: 6}}},
		{numbers, transformer.Trial{Name: "S: 2 layers of 64, Countdown", Rollouts: 8, Steps: 4,
			Config: transformer.Config{Layers: 2, Width: 64, Heads: 4, Steps: 6, Batch: 32, Tree: true}}},
		{mazes, transformer.Trial{Name: "maze: 2 layers of 32, mazes", Rollouts: 8, Steps: 4,
			Config: transformer.Config{Layers: 2, Width: 32, Heads: 2, Steps: 6, Batch: 32, Tree: true}}},
	}
	if card {
		list = append(list, list[1])
		m := &list[len(list)-1].trial
		m.Name, m.Rollouts, m.Steps = "M: 4 layers of 128, Countdown", 24, 1
		m.Config = transformer.Config{Layers: 4, Width: 128, Heads: 4, Steps: 2, Batch: 192, Tree: true}
	}
	var out []transformer.Trial
	for _, l := range list {
		t := l.trial
		t.Config.LR, t.Config.Seed = 4e-3, 1
		form := envs.Form{Answers: 1}
		if t.Encoding, err = envs.NewEncoding(l.env, form); err != nil {
			return nil, err
		}
		t.Demonstration = func(i uint64) (transformer.Demonstration, error) {
			task, tokens, err := envs.Lesson(l.env, form, rng.New(3), i)
			return transformer.Demonstration{Task: task, Tokens: tokens}, err
		}
		for i := range 4 {
			task, _, err := envs.Lesson(l.env, form, rng.New(4), uint64(i))
			if err != nil {
				return nil, err
			}
			t.Tasks = append(t.Tasks, task)
		}
		out = append(out, t)
	}
	return out, nil
}

// Run makes each run on both, and calls begin before it and end with its findings.
func (s *Test) Run(ctx context.Context, begin func(trial string), end func([]Finding)) error {
	for i := range s.trials {
		t := &s.trials[i]
		begin(t.Name)
		found, err := t.Compare(ctx, s.device, s.plain)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", s.Device, t.Name, err)
		}
		end(found)
	}
	return nil
}

// Close closes the device.
func (s *Test) Close() error { return s.device.Close() }
