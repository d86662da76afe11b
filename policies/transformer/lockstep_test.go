package transformer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cuda"
	"modebench/policies/internal/device/cuda/cudatest"
)

// A cell of a lockstep's test: a policy with its calls.
type lockstepCell struct {
	name        string
	seed        int
	steps       int // of learning
	tasks, each int // of its draw at the end
	change      func(*policies.Optimizer)
	fails       int // this update's objective fails; 0: none
	mask, tree  bool
}

// result is all that may be told of it.
type lockstepResult struct {
	Base, Learned []byte
	Losses        []float64
	Drawn         []policies.Rollout
	Failed        []string
}

func (c lockstepCell) run(t *testing.T, device *Device, began func(*Policy)) (r lockstepResult) {
	w := mazes(t)
	opt := smallOptimizer()
	if c.change != nil {
		c.change(&opt)
	}
	config := Config{Layers: 2, Width: 32, Heads: 2, Steps: 2, Batch: 6, LR: 3e-3, Seed: c.seed, Mask: c.mask, Tree: c.tree}
	p, err := device.New(t.Context(), config, opt, w.encoding)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}()
	began(p)
	lessons := func(i uint64) (Demonstration, error) { return w.demonstration(i + uint64(100*c.seed)) }
	if err := p.Pretrain(context.Background(), lessons, nil); err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	r.Base = bytesOf(t, p)
	ref := p.Freeze()
	tasks := w.tasks(t, 2+c.seed)
	for step := range c.steps {
		if step+1 == c.fails {
			groups := sample(t, p, tasks, 2, policies.SampleOptions{Temperature: 0.9, TopP: 1, Key: rng.New(6)})
			_, err := p.Update(policies.Batch{
				Groups: groups, Temperature: 0.9, Reference: ref, Want: policies.Want{Ref: true},
				Advantages: slices.Repeat([][]float64{{1, -1}}, len(groups)),
				Loss:       func(*loss.Tokens) error { return errors.New("no objective") },
			})
			r.Failed = append(r.Failed, fmt.Sprint(err))
			continue
		}
		r.Losses = append(r.Losses, learn(t, p, tasks, step, step+1, ref)...)
	}
	for _, g := range sample(t, p, w.tasks(t, c.tasks), c.each, policies.SampleOptions{Temperature: 0.9, TopP: 0.95, Key: rng.New(9)}) {
		for _, o := range g.Rollouts {
			o.Tokens, o.Logp, o.Entropy, o.Sampler = slices.Clone(o.Tokens), slices.Clone(o.Logp), slices.Clone(o.Entropy), slices.Clone(o.Sampler)
			r.Drawn = append(r.Drawn, o)
		}
	}
	r.Learned = bytesOf(t, p)
	return r
}

// TestLockstep: policies that go through a card together are to the bit what each is alone on
// the processor, whatever of their settings differs, and where one leaves early or its
// objective fails. That they do go together is seen by how many began each lockstep.
func TestLockstep(t *testing.T) {
	cells := []lockstepCell{
		{name: "seed 1", seed: 1, steps: 3, tasks: 3, each: 2},
		{name: "seed 2, more rollouts", seed: 2, steps: 3, tasks: 4, each: 5},
		{name: "another optimiser", seed: 3, steps: 3, tasks: 1, each: 1, change: func(o *policies.Optimizer) { o.LR, o.Beta1, o.WeightDecay = 3e-3, 0.8, 0 }},
		{name: "plain descent", seed: 4, steps: 3, tasks: 2, each: 2, change: func(o *policies.Optimizer) { o.Name = "sgd" }},
		{name: "fewer steps", seed: 1, steps: 1, tasks: 2, each: 3},
		{name: "an objective that fails", seed: 2, steps: 3, fails: 2, tasks: 2, each: 3},
		{name: "legal tokens only", seed: 3, steps: 3, tasks: 2, each: 3, mask: true},
		{name: "shared prefixes", seed: 3, steps: 3, tasks: 2, each: 6, tree: true},
	}
	processor, err := OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	library := cudatest.Library(t)
	card := &Device{kernels: processor.kernels, least: len(cells), open: func() (*cuda.Device, error) { return cuda.Open(library, 0) }}
	defer func() {
		if err := card.Close(); err != nil {
			t.Error(err)
		}
	}()
	got := make([]lockstepResult, len(cells))
	var running, all sync.WaitGroup
	all.Add(len(cells))
	var once sync.Once
	var team *team
	for i, c := range cells {
		running.Go(func() {
			got[i] = c.run(t, card, func(p *Policy) {
				once.Do(func() { team = p.gpu.team })
				all.Done()
				all.Wait() // so that none begins alone
			})
		})
	}
	running.Wait()
	for i, c := range cells {
		want := c.run(t, processor, func(*Policy) {})
		if d := cmp.Diff(want, got[i]); d != "" {
			t.Errorf("%s: it is not what it is alone (-want +got):\n%.2000s", c.name, d)
		}
		if bytes.Equal(want.Base, want.Learned) || (c.fails > 0) != (len(want.Failed) > 0) {
			t.Errorf("%s: nothing was learned, or failed as it should: %q", c.name, want.Failed)
		}
	}
	unmasked := len(cells) - 1
	if most := slices.Max(team.begun); most != unmasked {
		t.Errorf("at most %d calls began a lockstep, want the %d of one kind", most, unmasked)
	}
	calls := 0
	for _, n := range team.begun {
		calls += n
	}
	t.Logf("%d calls went through the card in %d locksteps: %v", calls, len(team.begun), team.begun)
}

// TestLockstepFails: if the card fails under a lockstep all of its members return the error, and
// no member waits for ever.
func TestLockstepFails(t *testing.T) {
	w := mazes(t)
	library := cudatest.Library(t)
	card := &Device{least: 3, open: func() (*cuda.Device, error) { return cuda.Open(library, 0) }}
	var together, trained, running sync.WaitGroup
	together.Add(card.least)
	trained.Add(card.least)
	var breaks sync.Once
	for i := range card.least {
		running.Go(func() {
			p, err := card.New(t.Context(), Config{Layers: 1, Width: 32, Heads: 2, Steps: 1, Batch: 6, LR: 3e-3, Seed: i}, smallOptimizer(), w.encoding)
			together.Done()
			together.Wait()
			if err == nil {
				err = p.Pretrain(context.Background(), w.demonstration, nil)
			}
			if err != nil {
				t.Error(err)
				return
			}
			trained.Done()
			trained.Wait()
			breaks.Do(func() {
				for _, g := range p.gpu.team.spare {
					g.device.Free(1) // which the next wait reports
				}
			})
			for range 2 { // again and again
				if _, err := p.Sample(w.tasks(t, 1), 2, policies.SampleOptions{Temperature: 1, TopP: 1}); !errors.Is(err, cuda.ErrArgument) {
					t.Errorf("policy %d: %v, want what was wrong", i, err)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if len(card.all) > 0 || len(card.teams) > 0 {
		t.Errorf("%d streams and %d teams are kept that have failed", len(card.all), len(card.teams))
	}
}

// TestLockstepRoom: calls that the kernels or the memory have no room for together go one
// after the other, and a single one always goes.
func TestLockstepRoom(t *testing.T) {
	s := newShape(&Config{Layers: 2, Width: 64, Heads: 2}, mazes(t).encoding)
	chunkOf := func(rows int) *chunk { return &chunk{starts: make([]int, rows+1), width: 40} }
	training := func(rows, chunks int) *member {
		m := &member{}
		for range chunks {
			m.chunks = append(m.chunks, chunkOf(rows/chunks))
		}
		return m
	}
	drawing := func(lanes, capacity int) *member {
		return &member{kind: callKind{sample: true, capacity: capacity}, unit: &unit{slots: make([]slot, lanes), chunk: *chunkOf(16)}}
	}
	for _, c := range []struct {
		name string
		call *member
		want int
	}{
		// 2^29 numbers over 1024 rows of ofRow(40) and 4 gradients.
		{"training", training(1024, 4), (1 << 29) / (1024*int(s.ofRow(40)) + 4*s.size)},
		{"one that alone is too much", training(1<<20, 16), 1},
		{"drawing", drawing(512, 32), mostLanes / 512},
	} {
		var sum load
		n := 0
		for sum.add(&s, c.call) {
			n++
		}
		if n != c.want {
			t.Errorf("%s: %d go together, want %d", c.name, n, c.want)
		}
	}
}

// TestEmptyPass: a pass without answers, after which nothing is brought back, is over when it
// returns.
func TestEmptyPass(t *testing.T) {
	w := mazes(t)
	p := w.small(t, onCard, func(c *Config, _ *policies.Optimizer) { c.Layers, c.Steps = 1, 1 })
	opt := policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(9)}
	var first []envs.Token
	for round := range 12 {
		var groups []policies.Group
		for _, task := range w.tasks(t, 1+round%5) {
			groups = append(groups, policies.Group{Task: task, Rollouts: make([]policies.Rollout, 2)})
		}
		if _, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 1}); err != nil {
			t.Fatal(err)
		}
		var drawn []envs.Token
		for _, g := range sample(t, p, w.tasks(t, 3), 2, opt) {
			for _, r := range g.Rollouts {
				drawn = append(drawn, r.Tokens...)
			}
		}
		if round == 0 {
			first = drawn
		} else if !slices.Equal(drawn, first) {
			t.Fatalf("round %d: other rollouts", round)
		}
	}
}

// TestMembersAreForgotten: a policy that is closed is collected, also a policy that has compared with
// a reference, and the first of its team while others go on.
func TestMembersAreForgotten(t *testing.T) {
	w := mazes(t)
	device := openStreams(t)
	const policiesMade = 4
	var collected atomic.Int64
	make1 := func(close bool) *Policy {
		p, err := device.New(t.Context(), Config{Layers: 1, Width: 32, Heads: 2}, smallOptimizer(), w.encoding)
		if err != nil {
			t.Fatal(err)
		}
		learn(t, p, w.tasks(t, 1), 0, 1, p.Freeze())
		if close {
			runtime.AddCleanup(p, func(int) { collected.Add(1) }, 0)
			runtime.AddCleanup(p.gpu, func(int) { collected.Add(1) }, 0)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	gone := make1(false)
	runtime.AddCleanup(gone, func(int) { collected.Add(1) }, 0)
	kept := make1(false)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	gone = nil
	for range policiesMade {
		make1(true)
	}
	for wait := time.Millisecond; collected.Load() < 2*policiesMade+1 && wait < 5*time.Second; wait *= 2 {
		runtime.GC()
		time.Sleep(wait)
	}
	if n := collected.Load(); n != 2*policiesMade+1 {
		t.Errorf("%d of %d are collected", n, 2*policiesMade+1)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}
