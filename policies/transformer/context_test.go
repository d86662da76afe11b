package transformer

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/internal/testkit"
	"modebench/policies"
	"modebench/policies/internal/device/cpu"
)

// TestCallsHeedTheContext: long calls end soon after the context does, wherever that
// is, and the policy is as it was.
func TestCallsHeedTheContext(t *testing.T) {
	w := mazes(t)
	p, tasks := w.small(t, ""), w.tasks(t, 4)
	plain := policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(1)}
	groups := sample(t, p, tasks, 40, plain)
	batch := policies.Batch{Groups: groups, Temperature: 1, Loss: func(*loss.Tokens) error { return nil }}
	for range groups {
		batch.Advantages = append(batch.Advantages, make([]float64, 40))
	}
	before := bytesOf(t, p)
	calls := map[string]func(ctx context.Context) error{
		"Flatten": func(ctx context.Context) error {
			b := batch
			b.Context = ctx
			_, err := p.Flatten(b)
			return err
		},
		"Update": func(ctx context.Context) error {
			b := batch
			b.Context = ctx
			_, err := p.Update(b)
			return err
		},
	}
	other := w.small(t, "") // a policy's groups are valid until its next call
	calls["Sample"] = func(ctx context.Context) error {
		opt := plain
		opt.Context = ctx
		_, err := other.Sample(tasks, 40, opt)
		return err
	}
	stride := int64(1)
	if testing.Short() {
		stride = 9
	}
	for what, call := range calls {
		asked := 0
		for most := int64(0); ; most += stride {
			ctx := testkit.NewEndsAt(most)
			err := call(ctx)
			if err == nil {
				break
			}
			if asked++; !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", what, err)
			}
			if !bytes.Equal(bytesOf(t, p), before) {
				t.Fatalf("%s, ended after %d questions: the policy has changed", what, most)
			}
		}
		if asked *= int(stride); asked < 4 {
			t.Errorf("%s: it asks about %d times, want at every position or chunk", what, asked)
		}
		before = bytesOf(t, p) // of an update that was not stopped
	}
}

// TestPretrainingHeedsTheContext: after its end no more demonstrations are made than are under
// way, and nothing is drawn.
func TestPretrainingHeedsTheContext(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Batch = 5000 })
	for _, at := range []int64{1, 3000, 7000} {
		ctx, cancel := context.WithCancel(context.Background())
		var made atomic.Int64
		err := p.Pretrain(ctx, func(i uint64) (Demonstration, error) {
			if n := made.Add(1); n == at {
				cancel()
			} else if n > at {
				<-ctx.Done() // begun before the end, which another goroutine brings about
			}
			return w.demonstration(i)
		}, nil)
		if late := made.Load() - at; !errors.Is(err, context.Canceled) || late > int64(runtime.GOMAXPROCS(0)) {
			t.Errorf("ended at demonstration %d: %d more were made, %v", at, late, err)
		}
	}
	kernels, err := cpu.New("")
	if err != nil {
		t.Fatal(err)
	}
	for most := range int64(4) {
		ctx := testkit.NewEndsAt(most)
		if _, err := newOn(ctx, kernels, nil, Config{Layers: 2, Width: 128, Heads: 2}, smallOptimizer(), w.encoding); !errors.Is(err, context.Canceled) || ctx.Late() > 1 {
			t.Errorf("parameters, ended after %d questions: %d more, %v", most, ctx.Late(), err)
		}
	}
}
