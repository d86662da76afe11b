package transformer

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
)

// shallow is a policy of one layer that shares prefixes.
func (w world) shallow(t testing.TB, level string) *Policy {
	return w.small(t, level, func(c *Config, _ *policies.Optimizer) { c.Tree, c.Layers = true, 1 })
}

// looked returns rollouts that a policy draws. The first has the policy's log-probabilities of all tokens, and
// their divergences from the base, as its Sampler.
func looked(t testing.TB, p *Policy, tasks []envs.Task, base policies.Reference) []policies.Group {
	t.Helper()
	groups := copied(sample(t, p, tasks, 4, policies.SampleOptions{Temperature: 0.9, TopP: 1, Key: rng.New(4)}))
	tokens, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 1, Want: policies.Want{KL: true}, Reference: base})
	if err != nil {
		t.Fatal(err)
	}
	groups[0].Rollouts[0].Sampler = slices.Concat(tokens.Logp, tokens.KL)
	return groups
}

// TestInterpolate: at share 0 a policy draws what the base draws, to the bit, and at share 1 what it draws
// itself. Interpolation changes neither its later rollouts nor its training. A card gives the same bits.
func TestInterpolate(t *testing.T) {
	w := mazes(t)
	tasks := w.tasks(t, 3)
	var halfway [][]policies.Group
	for _, level := range []string{"", onCard} {
		learned := func(measure bool) []byte {
			p := w.shallow(t, level)
			base := p.Freeze()
			then := looked(t, p, tasks, base)
			learn(t, p, tasks, 0, 2, base)
			now := looked(t, p, tasks, base)
			between := func(share float64) []policies.Group {
				undo, err := p.Interpolate(base, share)
				if err != nil {
					t.Fatal(err)
				}
				defer undo()
				return looked(t, p, tasks, base)
			}
			if measure {
				half := between(0.5)
				halfway = append(halfway, half)
				for what, same := range map[string]bool{
					"with share 0 it is the base":         cmp.Equal(between(0), then, byID),
					"with share 1 it is itself":           cmp.Equal(between(1), now, byID),
					"halfway it is another than the base": !cmp.Equal(half, then, byID),
					"halfway it is another than itself":   !cmp.Equal(half, now, byID),
					"halfway it is the same again":        cmp.Equal(half, between(0.5), byID),
					"afterwards it is itself":             cmp.Equal(looked(t, p, tasks, base), now, byID),
				} {
					if !same {
						t.Errorf("%q: not so: %s", level, what)
					}
				}
			}
			learn(t, p, tasks, 2, 4, base)
			return bytesOf(t, p)
		}
		if !bytes.Equal(learned(true), learned(false)) {
			t.Errorf("%q: it learns otherwise after it was interpolated", level)
		}
	}
	if !cmp.Equal(halfway[0], halfway[1], byID) {
		t.Error("halfway it is another on a card")
	}
}

// TestInterpolateParameters: halfway a policy is one whose parameters are the means.
func TestInterpolateParameters(t *testing.T) {
	w := mazes(t)
	tasks := w.tasks(t, 3)
	p := w.shallow(t, "")
	base := p.Freeze()
	learn(t, p, tasks, 0, 2, base)
	other := w.shallow(t, "")
	begun := other.Freeze()
	for i, x := range p.frozen(base).flat {
		other.weights.flat[i] = float32((float64(x) + float64(p.weights.flat[i])) / 2)
	}
	other.publish(other.weights)
	if _, err := p.Interpolate(base, 0.5); err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(looked(t, p, tasks, base), looked(t, other, tasks, begun), byID) {
		t.Error("it is another policy")
	}
	if _, err := p.Interpolate(begun, 0.5); err == nil {
		t.Error("interpolated from what another policy has frozen")
	}
}
