package transformer

import (
	"bytes"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cpu"
)

// TestSampledIsWhatUpdateSees: the numbers of a rollout, drawn from a cache and beside
// others, are to the bit those of a pass over the whole of it:
// with a shared prompt, with any rollouts beside it, at any temperature, with
// and without a mask.
func TestSampledIsWhatUpdateSees(t *testing.T) {
	for _, c := range []struct {
		name  string
		world world
		mask  bool
		tree  bool
	}{
		{"mazes", mazes(t), false, false},
		{"mazes, shared prefixes", mazes(t), false, true},
		{"chains under goals", chains(t), false, false},
		{"legal tokens only", chains(t), true, false},
		{"legal tokens only, shared prefixes", chains(t), true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.world.small(t, "", func(c2 *Config, _ *policies.Optimizer) { c2.Mask, c2.Tree = c.mask, c.tree })
			tasks := c.world.tasks(t, 5)
			for _, temperature := range []float64{1, 0.6} {
				groups := sample(t, p, tasks, 7, policies.SampleOptions{Temperature: temperature, TopP: 1, Key: rng.New(9)})
				b := policies.Batch{Groups: groups, Temperature: temperature, Want: policies.Want{Entropy: true}}
				tokens, err := p.Flatten(b)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tokens.Old, tokens.Logp); diff != "" {
					t.Errorf("log-probabilities (-drawn +learned):\n%s", diff)
				}
				var entropies []float64
				for _, g := range groups {
					for _, r := range g.Rollouts {
						entropies = append(entropies, r.Entropy...)
					}
				}
				if diff := cmp.Diff(entropies, tokens.Entropy); diff != "" {
					t.Errorf("entropies (-drawn +learned):\n%s", diff)
				}
				// Some of the rollouts, in another order, have the same numbers.
				some := []policies.Group{{Task: groups[3].Task, Rollouts: groups[3].Rollouts[2:5]}, {Task: groups[0].Task, Rollouts: groups[0].Rollouts[:1]}}
				want := slices.Concat(some[0].Rollouts[0].Logp, some[0].Rollouts[1].Logp, some[0].Rollouts[2].Logp, some[1].Rollouts[0].Logp)
				if tokens, err = p.Flatten(policies.Batch{Groups: some, Temperature: temperature}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, tokens.Logp); diff != "" {
					t.Errorf("log-probabilities of some (-drawn +learned):\n%s", diff)
				}
			}
		})
	}
}

// TestSameBits: pre-training, sampling and learning leave the same bits on every
// level of the processor's, and when they go on from a checkpoint at any step.
func TestSameBits(t *testing.T) {
	for _, w := range []struct {
		name  string
		world world
		tree  bool
	}{{"mazes", mazes(t), false}, {"chains", chains(t), false}, {"shared prefixes", chains(t), true}} {
		t.Run(w.name, func(t *testing.T) {
			tasks := w.world.tasks(t, 4)
			const steps = 4
			change := func(c *Config, _ *policies.Optimizer) { c.Tree = w.tree }
			run := func(level string) ([]byte, []float64) {
				p := w.world.small(t, level, change)
				losses := learn(t, p, tasks, 0, steps, p.Freeze())
				return bytesOf(t, p), losses
			}
			want, losses := run("")
			levels := cpu.Levels()
			if testing.Short() && len(levels) > 1 {
				levels = levels[1:] // plain Go is too slow under the race detector
			}
			for _, level := range levels {
				got, other := run(level)
				if !bytes.Equal(got, want) || !slices.Equal(other, losses) {
					t.Errorf("%s: another policy than on the fastest level; losses %v, want %v", level, other, losses)
				}
			}
			for stop := range steps {
				p := w.world.small(t, "", change)
				ref := p.Freeze()
				learn(t, p, tasks, 0, stop, ref)
				saved := bytesOf(t, p)
				// Another policy, somewhere else, takes over.
				q := w.world.small(t, "", change)
				base := q.Freeze()
				learn(t, q, tasks[:1], 0, 2, base)
				if err := q.Load(bytes.NewReader(saved)); err != nil {
					t.Fatal(err)
				}
				learn(t, q, tasks, stop, steps, base)
				if !bytes.Equal(bytesOf(t, q), want) {
					t.Errorf("resumed at step %d: another policy", stop)
				}
			}
		})
	}
}

// TestSameBitsInParts: any number of rows at a time goes through a block with the
// same result. At the sizes of other tests all of a chunk's are one part.
func TestSameBitsInParts(t *testing.T) {
	w := mazes(t)
	tasks := w.tasks(t, 4)
	var want []byte
	for _, entries := range []int{1 << 30, 1 << 12, 1 << 8} {
		p := w.small(t, "")
		p.shape.part = entries
		learn(t, p, tasks, 0, 3, p.Freeze())
		if got := bytesOf(t, p); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("in parts of %d entries: another policy than in one part", entries)
		}
	}
}

// TestSameBitsOnThreads: a batch of many chunks gives the same bits with 1, 2 and 16
// threads.
func TestSameBitsOnThreads(t *testing.T) {
	t.Run("apart", func(t *testing.T) { onThreads(t, false) })
	t.Run("shared prefixes", func(t *testing.T) { onThreads(t, true) })
}

func onThreads(t *testing.T, tree bool) {
	w := mazes(t)
	tasks := w.tasks(t, 24)
	var want []byte
	for _, threads := range []int{1, 2, 16} {
		before := runtime.GOMAXPROCS(threads)
		p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Batch, c.Tree = 48, tree })
		if n := len(p.chunks); n < 5 {
			t.Errorf("pre-training has %d chunks, too few to see in which order they are summed", n)
		}
		learn(t, p, tasks, 0, 3, p.Freeze())
		if n := len(p.chunks); n < 5 {
			t.Errorf("learning has %d chunks", n)
		}
		runtime.GOMAXPROCS(before)
		if got := bytesOf(t, p); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d threads: another policy than with 1", threads)
		}
	}
}

// TestSharingNothing: rollouts that share no prefix, each of which is a group of its own, give the same bits as a
// tree and apart. Others do not, and give the same gradient but for rounding.
func TestSharingNothing(t *testing.T) {
	w := mazes(t)
	tasks := w.tasks(t, 6)
	for _, n := range []int{1, 8} {
		var learned, grads [2][]float32
		for i, tree := range []bool{false, true} {
			p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Tree = tree })
			b := policies.Batch{Groups: sample(t, p, tasks, n, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(3)}), Temperature: 1}
			for range tasks {
				b.Advantages = append(b.Advantages, make([]float64, n))
			}
			b.Loss = func(tokens *loss.Tokens) error {
				for k := range tokens.DLogp {
					tokens.DLogp[k] = float64(k%5) - 2.5
				}
				return nil
			}
			if _, err := p.Update(b); err != nil {
				t.Fatal(err)
			}
			learned[i], grads[i] = p.weights.flat, p.grad
		}
		if same := slices.Equal(learned[0], learned[1]); same != (n == 1) {
			t.Errorf("groups of %d: the same bits: %v", n, same)
		}
		for i, x := range grads[0] {
			if d := math.Abs(float64(x - grads[1][i])); !(d <= 1e-5+1e-4*math.Abs(float64(x))) {
				t.Fatalf("groups of %d: entry %d of the gradient is %v apart and %v shared", n, i, x, grads[1][i])
			}
		}
	}
}

// TestSameBitsOfManyLanes: rollouts that take their steps together by hundreds, as on a
// card, are those of the small units of the processor, on however many goroutines they
// are encoded and drawn.
func TestSameBitsOfManyLanes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	w := mazes(t)
	tasks := w.tasks(t, 3)
	lesson, err := w.demonstration(0)
	if err != nil {
		t.Fatal(err)
	}
	const n = 7 * lanesOfPart / 3
	for _, masked := range []bool{false, true} {
		p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask = masked })
		var u unit
		for _, opt := range []policies.SampleOptions{
			{Temperature: 0.9, TopP: 1, Key: rng.New(5)},
			{Temperature: 0.8, TopP: 0.9, Bits: 8, Key: rng.New(6)},
			{Temperature: 1, TopP: 1, Key: rng.New(7), Prefix: lesson.Tokens[:1]},
		} {
			var want, got []policies.Group
			for _, g := range sample(t, p, tasks, n, opt) {
				want = append(want, policies.Group{Task: g.Task, Rollouts: slices.Clone(g.Rollouts)})
				got = append(got, policies.Group{Task: g.Task, Rollouts: make([]policies.Rollout, n)})
			}
			u.deal(p, got, shares{len(tasks), 1}, 0, mostLanes, &opt)
			if err := u.draw(p, p.weights, &opt); err != nil {
				t.Fatal(err)
			}
			if len(u.parts) < 5 {
				t.Errorf("%d lanes in %d parts", len(tasks)*n, len(u.parts))
			}
			for i := range want {
				if !reflect.DeepEqual(want[i].Rollouts, got[i].Rollouts) {
					d := cmp.Diff(want[i].Rollouts, got[i].Rollouts)
					t.Errorf("masked %v, %+v, task %d: other rollouts (-want +got):\n%.500s", masked, opt, i, d)
				}
			}
		}
	}
}
