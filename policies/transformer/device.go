package transformer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/policies"
	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cpu"
	"modebench/policies/internal/device/cuda"
)

// A Device computes for policies: the processor, or a graphics card. All give the same bits. Many
// policies may share one. On a card those of one shape go through it together if they can, so that
// small policies that learn at the same time keep it busy.
type Device struct {
	kernels device.Kernels
	open    func() (*cuda.Device, error) // nil: the processor

	mu    sync.Mutex
	all   []*cuda.Device
	spare []*cuda.Device

	meeting sync.Mutex // for the rest
	teams   map[dimensions]*team
	least   int // of the teams, for tests
}

// OpenDevice opens a device by its name, which policies.ParseDevice reads: cpu, with
// the fastest kernels that the processor has; cuda or cuda:1, a card; auto, the first
// card if it can be used, else the processor. An error names the missing part.
func OpenDevice(name string) (*Device, error) {
	kind, ordinal, err := policies.ParseDevice(name)
	if err != nil {
		return nil, err
	}
	kernels, err := cpu.New("")
	if err != nil {
		return nil, err
	}
	d := &Device{kernels: kernels}
	if kind == policies.DeviceCPU {
		return d, nil
	}
	d.open = func() (*cuda.Device, error) { return cuda.Open("", ordinal) }
	card, err := d.take() // to see whether it can be used
	if kind == policies.DeviceAuto && errors.Is(err, cuda.ErrUnavailable) {
		d.open = nil
		return d, nil
	}
	if err == nil {
		err = d.give(card, false)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Device) take() (*cuda.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.spare); n > 0 {
		card := d.spare[n-1]
		d.spare = d.spare[:n-1]
		return card, nil
	}
	card, err := d.open()
	if err == nil {
		d.all = append(d.all, card)
	}
	return card, err
}

// give takes a stream back and frees its memory for others. A failed stream, whose fault has been
// reported, is closed.
func (d *Device) give(card *cuda.Device, failed bool) error {
	var err error
	if !failed {
		err = card.Trim()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if failed || err != nil {
		_ = card.Close() // its memory is freed whatever the error
		d.all = slices.DeleteFunc(d.all, func(c *cuda.Device) bool { return c == card })
		return err
	}
	d.spare = append(d.spare, card)
	return nil
}

// trim has all streams give the driver back their unused memory.
func (d *Device) trim() error {
	d.mu.Lock()
	all := slices.Clone(d.all)
	d.mu.Unlock()
	for _, card := range all {
		if err := card.Trim(); err != nil && !errors.Is(err, cuda.ErrClosed) {
			return err
		}
	}
	return nil
}

func (d *Device) join(s *shape) (*member, error) {
	d.meeting.Lock()
	defer d.meeting.Unlock()
	t := d.teams[s.dimensions]
	if t == nil {
		var err error
		if t, err = newTeam(s, d); err != nil {
			return nil, err
		}
		if t.least = d.least; t.least > 0 {
			t.begun = []int{}
		}
		if d.teams == nil {
			d.teams = map[dimensions]*team{}
		}
		d.teams[s.dimensions] = t
	}
	t.count(1, false)
	m := &member{stream: stream{device: t.device, trim: t.trim}, team: t}
	m.memory = m.alloc(4 * s.stride())
	return m, nil
}

// leave ends what join began. Its error is the first on the card that no call has returned.
func (d *Device) leave(m *member) error {
	d.meeting.Lock()
	defer d.meeting.Unlock()
	t, failed, untold := m.team, m.failed != nil, m.untold
	m.close()
	if t.count(-1, failed) == 0 {
		delete(d.teams, t.shape.dimensions)
		return errors.Join(untold, t.close())
	}
	if failed {
		return untold
	}
	return t.device.Synchronize()
}

// Close closes the cards of the device. Nothing may be computing on them any more.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	failed := each.Map(d.all, func(card *cuda.Device) error { return card.Close() })
	d.all, d.spare = nil, nil
	return errors.Join(failed...)
}

// OnCard reports whether the device is a graphics card. A nil one is the processor.
func (d *Device) OnCard() bool { return d != nil && d.open != nil }

// Devices describes each device in a line, or why it is missing.
func Devices() []string {
	levels := cpu.Levels()
	out := []string{"device cpu: " + levels[len(levels)-1]}
	for _, line := range cuda.Probe("") {
		if strings.HasPrefix(line, policies.DeviceCUDA+":") {
			line = "device " + line
		}
		out = append(out, line)
	}
	return out
}

// New makes a policy as the function of that name does, on the device.
func (d *Device) New(ctx context.Context, config Config, opt policies.Optimizer, encoding *envs.Encoding) (*Policy, error) {
	return newOn(ctx, d.kernels, d, config, opt, encoding)
}

func (p *Policy) release() {
	if p.gpu != nil {
		p.gpu.leave()
	}
}

// Device names what the policy computes on: "cpu avx2", or "cuda" and the card.
func (p *Policy) Device() string {
	if p.gpu == nil {
		return "cpu " + p.kernels.Name()
	}
	return "cuda " + p.gpu.device.Name()
}

// Close frees the memory of the policy and its frozen policies on a card. They may not be used
// after that. Its error is the first on the card since the last call that returned an error. On the
// processor there is nothing to do.
func (p *Policy) Close() error {
	if p.gpu == nil {
		return nil
	}
	d := p.device
	if p.device = nil; d == nil {
		return nil
	}
	return d.leave(p.gpu)
}
