package transformer

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cuda"
	"modebench/policies/internal/device/cuda/cudatest"
)

// onCard is the level of small that computes on a card.
const onCard = "cuda"

// openCard opens the substitute for a card.
func openCard(t testing.TB) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(cudatest.Library(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Direct(true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// openStreams is a device of the substitute for a card, with streams that are opened as they are
// needed.
func openStreams(t testing.TB) *Device {
	t.Helper()
	library := cudatest.Library(t)
	d := &Device{open: func() (*cuda.Device, error) {
		card, err := cuda.Open(library, 0)
		if err == nil {
			err = card.Direct(true)
		}
		return card, err
	}}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// on is a device of that card, all of whose streams are the open one; without a card, the
// processor.
func on(card *cuda.Device) *Device {
	if card == nil {
		return nil
	}
	return &Device{open: func() (*cuda.Device, error) { return card, nil }}
}

// TestCardEqualsProcessor: pre-training, sampling and learning on a card leave the bits
// that they leave on the processor, where a checkpoint of either goes on.
func TestCardEqualsProcessor(t *testing.T) {
	for _, c := range []struct {
		name   string
		world  world
		steps  int
		change func(*Config, *policies.Optimizer)
	}{
		{"mazes", mazes(t), 2, func(*Config, *policies.Optimizer) {}},
		{"chains", chains(t), 1, func(*Config, *policies.Optimizer) {}},
		{"legal tokens only", mazes(t), 1, func(c *Config, _ *policies.Optimizer) { c.Mask, c.Layers, c.Steps = true, 1, 1 }},
		// The substitute's few multiprocessors are kept busy by large tiles from 512 rows on.
		{"large tiles", mazes(t), 1, func(c *Config, _ *policies.Optimizer) { c.Width, c.Batch, c.Layers, c.Steps = 64, 48, 1, 1 }},
		{"shared prefixes", chains(t), 2, func(c *Config, _ *policies.Optimizer) { c.Tree, c.Layers, c.Steps = true, 1, 1 }},
		{"plain descent", mazes(t), 1, func(c *Config, o *policies.Optimizer) { c.Steps, o.Name = 1, "sgd" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tasks := c.world.tasks(t, 3)
			type result struct {
				base, learned, further []byte
				losses                 []float64
				drawn                  []policies.Rollout
			}
			run := func(level string, from []byte) (r result) {
				p := c.world.small(t, level, c.change)
				if p.gpu != nil {
					p.gpu.lanesForTests = 4 // which cuts groups
				}
				r.base = bytesOf(t, p)
				ref := p.Freeze()
				r.losses = learn(t, p, tasks, 0, c.steps, ref)
				r.learned = bytesOf(t, p)
				for _, opt := range []policies.SampleOptions{{Temperature: 0.8, TopP: 0.9, Key: rng.New(9)}, {Greedy: true}} {
					for _, g := range sample(t, p, tasks, map[bool]int{true: 1, false: 3}[opt.Greedy], opt) {
						for _, o := range g.Rollouts {
							o.Tokens, o.Logp, o.Entropy, o.Sampler = slices.Clone(o.Tokens), slices.Clone(o.Logp), slices.Clone(o.Entropy), slices.Clone(o.Sampler)
							r.drawn = append(r.drawn, o)
						}
					}
				}
				if from == nil {
					from = r.learned
				}
				if err := p.Load(bytes.NewReader(from)); err != nil {
					t.Fatal(err)
				}
				learnTop(t, p, tasks, c.steps, c.steps+1, ref, 2)
				r.further = bytesOf(t, p)
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				return r
			}
			want := run("", nil)
			got := run(onCard, want.learned)
			if bytes.Equal(want.base, want.learned) || bytes.Equal(want.learned, want.further) {
				t.Fatal("nothing is learned")
			}
			if !bytes.Equal(got.base, want.base) {
				t.Error("another base policy")
			}
			if !slices.Equal(got.losses, want.losses) || !bytes.Equal(got.learned, want.learned) {
				t.Errorf("another policy; losses %v, want %v", got.losses, want.losses)
			}
			if d := cmp.Diff(want.drawn, got.drawn); d != "" {
				t.Errorf("other rollouts (-want +got):\n%s", d)
			}
			if !bytes.Equal(got.further, want.further) {
				t.Error("another policy where the card goes on from the processor's checkpoint")
			}
		})
	}
}

// TestCardShared: policies that learn on one card at the same time, as cells of one run
// do, are those that learn alone.
func TestCardShared(t *testing.T) {
	w := mazes(t)
	tiny := func(c *Config, _ *policies.Optimizer) { c.Layers, c.Steps = 1, 2 }
	want := bytesOf(t, w.small(t, "", tiny))
	device := &Device{open: func() (*cuda.Device, error) { return cuda.Open(cudatest.Library(t), 0) }}
	for range 2 { // the second time with the streams of the first
		var both [2][]byte
		var failed [2]error
		parallel(len(both), func(i int) {
			p, err := device.New(t.Context(), Config{Layers: 1, Width: 32, Heads: 2, Steps: 2, Batch: 6, LR: 3e-3, Seed: 1}, smallOptimizer(), w.encoding)
			if err == nil {
				err = p.Pretrain(context.Background(), w.demonstration, nil)
			}
			var out bytes.Buffer
			if err == nil {
				err = errors.Join(p.Save(&out), p.Close())
			}
			both[i], failed[i] = out.Bytes(), err
		})
		for i := range both {
			if failed[i] != nil || !bytes.Equal(both[i], want) {
				t.Errorf("policy %d is another one: %v", i, failed[i])
			}
		}
	}
	const most = 1 + mostLocksteps // the team's, and one for each lockstep
	if n := len(device.all); n != len(device.spare) || n > most {
		t.Errorf("%d streams, of which %d are spare", n, len(device.spare))
	}
	if err := device.Close(); err != nil {
		t.Error(err)
	}
}

// TestCardOutOfMemory: a policy that finds no memory is one clear error, and those after it
// find what it and others have given back.
func TestCardOutOfMemory(t *testing.T) {
	cudatest.StandIn(t) // a card has more than a test should take
	w := mazes(t)
	tiny := func(c *Config, _ *policies.Optimizer) { c.Layers, c.Steps = 1, 1 }
	want := bytesOf(t, w.small(t, "", tiny))
	library := cudatest.Library(t)
	device := &Device{open: func() (*cuda.Device, error) { return cuda.Open(library, 0) }}
	other, err := cuda.Open(library, 0)
	if err != nil {
		t.Fatal(err)
	}
	var taken []cuda.Pointer
	for size := 1 << 30; size >= 1<<20; { // all but less than a MiB
		p, err := other.Alloc(size)
		if err != nil {
			size /= 2
			continue
		}
		taken = append(taken, p)
	}
	learned := func() ([]byte, error) {
		p, err := device.New(t.Context(), Config{Layers: 1, Width: 32, Heads: 2, Steps: 1, Batch: 6, LR: 3e-3, Seed: 1}, smallOptimizer(), w.encoding)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = p.Pretrain(context.Background(), w.demonstration, nil)
		if err == nil {
			err = p.Save(&out)
		}
		return out.Bytes(), errors.Join(err, p.Close())
	}
	if _, err := learned(); !errors.Is(err, cuda.ErrOutOfMemory) || strings.Contains(err.Error(), "\n") {
		t.Errorf("with next to no memory: %v", err)
	}
	if n := len(device.all); n != 0 {
		t.Errorf("%d streams are kept that have failed", n)
	}
	for _, p := range taken {
		other.Free(p)
	}
	if err := other.Trim(); err != nil {
		t.Fatal(err)
	}
	if got, err := learned(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("with memory again: another policy, or %v", err)
	}
	if err := errors.Join(device.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}

// TestCardReferences: memory of unreachable references is found again if no other
// memory is left.
func TestCardReferences(t *testing.T) {
	cudatest.StandIn(t) // a card has more than a test should take
	w := mazes(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nothing else collects them
	other, err := cuda.Open(cudatest.Library(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	device := &Device{open: func() (*cuda.Device, error) { return cuda.Open(cudatest.Library(t), 0) }} // with pools, as users have it
	defer device.Close()
	p, err := device.New(t.Context(), Config{Layers: 1, Width: 32, Heads: 2}, smallOptimizer(), w.encoding)
	if err != nil {
		t.Fatal(err)
	}
	spare, err := other.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 30; size >= 1<<16; {
		if _, err := other.Alloc(size); err != nil {
			size /= 2
		}
	}
	other.Free(spare)
	if err := other.Trim(); err != nil {
		t.Fatal(err)
	}
	var kept []policies.Reference
	for range 100 { // ten MB, of one
		ref := p.Freeze()
		if len(kept) < 2 {
			kept = append(kept, ref)
		}
	}
	// Also for a stream other than that which has it.
	if _, err := p.Sample(w.tasks(t, 3), 4, policies.SampleOptions{Temperature: 1, TopP: 1}); err != nil {
		t.Errorf("after 100 references, of which 2 are kept: %v", err)
	}
	runtime.KeepAlive(kept)
}

// TestCardClose: an error since the last call is not lost at the end.
func TestCardClose(t *testing.T) {
	w := mazes(t)
	device := &Device{open: func() (*cuda.Device, error) { return cuda.Open(cudatest.Library(t), 0) }}
	p, err := device.New(t.Context(), Config{Layers: 1, Width: 32, Heads: 2}, smallOptimizer(), w.encoding)
	if err != nil {
		t.Fatal(err)
	}
	p.gpu.device.Free(1)
	if err := p.Close(); !errors.Is(err, cuda.ErrArgument) {
		t.Errorf("Close: %v, want what was wrong", err)
	}
	if n := len(device.all); n != 0 {
		t.Errorf("%d streams are kept", n)
	}
	if err := errors.Join(p.Close(), device.Close()); err != nil {
		t.Error(err)
	}
}

// TestCardTooLarge: a batch that the kernels cannot count is an error, but not a batch at the bounds.
func TestCardTooLarge(t *testing.T) {
	s := &shape{dimensions: dimensions{d: 8, vocabulary: 10}, size: 1 << 16}
	for _, c := range []struct {
		rows, features, chunks int
		fits                   bool
	}{
		{32 * 65535, 1, 1, true}, {32*65535 + 1, 1, 1, false}, // sides of a grid
		{1, math.MaxInt32 - 1<<20, 1, true}, {1, math.MaxInt32 - 1<<20 + 1, 1, false}, // numbers, and a grid more
		{1, 1, 1<<15 - 17, true}, {1, 1, 1<<15 - 15, false}, {1, 1, 65536, false},
	} {
		if err := s.fits(c.rows, c.features, c.chunks); (err == nil) != c.fits {
			t.Errorf("%d rows, %d features, %d chunks: %v", c.rows, c.features, c.chunks, err)
		}
	}
}

// TestCardHeads: a head without room in the kernels is refused, with the remedy.
func TestCardHeads(t *testing.T) {
	w := mazes(t)
	_, err := newOn(t.Context(), nil, on(openCard(t)), Config{Layers: 1, Width: 128, Heads: 1}, smallOptimizer(), w.encoding)
	if err == nil || !strings.Contains(err.Error(), "64 numbers at most") {
		t.Errorf("a head of 128 numbers: %v", err)
	}
}

// TestCardGone: if the card fails, each call returns its error, again and again,
// and nothing is written.
func TestCardGone(t *testing.T) {
	w := mazes(t)
	p := w.small(t, onCard, func(c *Config, _ *policies.Optimizer) { c.Layers, c.Steps = 1, 0 })
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(p.gpu.held); n != 0 {
		t.Errorf("a closed policy holds %d pieces of the card's memory", n)
	}
	tasks := w.tasks(t, 1)
	p.Freeze() // returns no error itself
	for what, call := range map[string]func() error{
		"Sample": func() error {
			_, err := p.Sample(tasks, 1, policies.SampleOptions{Greedy: true})
			return err
		},
		"Pretrain": func() error {
			p.config.Steps = 1
			return p.Pretrain(context.Background(), w.demonstration, nil)
		},
		"Save": func() error {
			var out bytes.Buffer
			err := p.Save(&out)
			if out.Len() > 0 {
				t.Error("Save wrote something")
			}
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "closed") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s of a closed policy: %v", what, err)
		}
	}
}
