package transformer

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/internal/rng"
	"modebench/policies"
)

// TestKeptRows: an update that recalls what sampling worked out gives the bits of an update that works it out
// again. It recalls all chunks whose rollouts the present parameters drew in the latest call, and no others.
func TestKeptRows(t *testing.T) {
	for _, c := range []struct {
		name string
		// change makes a batch of the drawn groups, after anything else that happens to the policy.
		change func(t *testing.T, p *Policy, groups []policies.Group) []policies.Group
		recall bool
	}{
		{"all", func(_ *testing.T, _ *Policy, groups []policies.Group) []policies.Group { return groups }, true},
		{"some, in another order", func(_ *testing.T, _ *Policy, groups []policies.Group) []policies.Group {
			slices.Reverse(groups)
			for g := range groups {
				groups[g].Rollouts = groups[g].Rollouts[g%3 : 5]
				slices.Reverse(groups[g].Rollouts)
			}
			return groups[1:]
		}, true},
		{"rollouts of another task", func(_ *testing.T, _ *Policy, groups []policies.Group) []policies.Group {
			for g := range groups { // which differs by its goal
				drawn := groups[g].Task.(*envs.Goal)
				for goal := range 2 {
					if other := envs.NewGoal(drawn.Unwrap(), envs.GoalWeights(2), goal); other.ID() != drawn.ID() {
						groups[g].Task = other
					}
				}
			}
			return groups
		}, false},
		{"a rollout from elsewhere", func(_ *testing.T, _ *Policy, groups []policies.Group) []policies.Group {
			groups = slices.Clone(groups)
			groups[0].Rollouts = slices.Clone(groups[0].Rollouts)
			r := &groups[0].Rollouts[3]
			r.Tokens = slices.Clone(r.Tokens)
			return groups
		}, false},
		{"learned since", func(t *testing.T, p *Policy, groups []policies.Group) []policies.Group {
			update(t, p, groups, 1)
			return groups
		}, false},
		{"interpolated since", func(t *testing.T, p *Policy, groups []policies.Group) []policies.Group {
			undo, err := p.Interpolate(p.Freeze(), 0.5)
			if err != nil {
				t.Fatal(err)
			}
			undo()
			return groups
		}, false},
		{"other parameters since", func(t *testing.T, p *Policy, groups []policies.Group) []policies.Group {
			saved := bytesOf(t, p)
			if err := p.Load(bytes.NewReader(saved)); err != nil {
				t.Fatal(err)
			}
			return groups
		}, false},
	} {
		for _, tree := range []bool{false, true} {
			for _, masked := range []bool{false, true} {
				w := chains(t)
				tasks := w.tasks(t, 5)
				learned := func(learn bool) ([]byte, []bool) {
					p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask, c.Tree = masked, tree })
					groups := sample(t, p, tasks, 6, policies.SampleOptions{Temperature: 0.7, TopP: 0.95, Bits: 9, Key: rng.New(5), Learn: learn})
					update(t, p, c.change(t, p, groups), 2)
					var recalled []bool
					for _, k := range p.cut(p.batch) {
						recalled = append(recalled, k.recalled)
					}
					return bytesOf(t, p), recalled
				}
				want, never := learned(false)
				got, recalled := learned(true)
				if !bytes.Equal(got, want) {
					t.Errorf("%s, tree %v, masked %v: other bits than without keeping", c.name, tree, masked)
				}
				if slices.Contains(recalled, false) == c.recall || slices.Contains(never, true) {
					t.Errorf("%s, tree %v, masked %v: of the chunks %v are recalled, and %v without keeping", c.name, tree, masked, recalled, never)
				}
			}
		}
	}
}

// TestKeptRowsInPart: rows that there is no room for are worked out again, with the same bits.
func TestKeptRowsInPart(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	w := mazes(t)
	tasks := w.tasks(t, 4)
	var want []byte
	for _, blocks := range []int{1 << 20, 2, 1, 0} {
		p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Tree = true })
		p.shape.mostKept = blocks * keptRows * p.shape.keptNumbers(p.encoding.Prompt+p.encoding.Rollout)
		groups := sample(t, p, tasks, 24, policies.SampleOptions{Temperature: 0.7, TopP: 1, Key: rng.New(5), Learn: true})
		if used := p.sampler.kept[0].used; used > blocks || blocks > 2 && used < 4 {
			t.Errorf("%d blocks are used, with room for %d", used, blocks)
		}
		update(t, p, groups, 2)
		if got := bytesOf(t, p); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("with room for %d blocks: other bits", blocks)
		}
	}
}

// update makes a step that pushes tokens by their number.
func update(t *testing.T, p *Policy, groups []policies.Group, by float64) {
	t.Helper()
	b := policies.Batch{Groups: groups, Temperature: 0.7, Loss: func(tokens *loss.Tokens) error {
		for k := range tokens.DLogp {
			tokens.DLogp[k] = by * (float64(k%5) - 2.5)
		}
		return nil
	}}
	for _, g := range groups {
		b.Advantages = append(b.Advantages, make([]float64, len(g.Rollouts)))
	}
	if _, err := p.Update(b); err != nil {
		t.Fatal(err)
	}
}
