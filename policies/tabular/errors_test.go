package tabular_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

var errLoss = errors.New("the loss is not a number")

// TestFailedUpdate: an update that fails leaves nothing behind. Right after it
// the policy is as it was, and all later updates go as if it had never been
// tried.
func TestFailedUpdate(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	problems := []envs.Task{one, two}
	token := func(tokens ...envs.Token) func(*policies.Batch) {
		return func(b *policies.Batch) { b.Groups[1].Rollouts[3] = written(two, tokens).Rollouts[0] }
	}
	for _, c := range []struct {
		reason string
		words  string
		copied bool // the groups are a copy, not those of the last sample
		spoil  func(*policies.Batch)
	}{
		{"the loss fails at once", "not a number", false, func(b *policies.Batch) {
			b.Loss = func(*loss.Tokens) error { return errLoss }
		}},
		{"the loss fails after its work", "not a number", false, func(b *policies.Batch) {
			b.Loss = func(l *loss.Tokens) error { return errors.Join(asLoss(losses[5].token)(l), errLoss) }
		}},
		{"the loss fails on copied rollouts", "not a number", true, func(b *policies.Batch) {
			b.Loss = func(l *loss.Tokens) error { return errors.Join(asLoss(losses[5].token)(l), errLoss) }
		}},
		{"an illegal first token", "token 0 of a rollout", true, token(3, 1, 3)},
		{"an illegal later token, between legal ones", "token 1 of a rollout", true, token(2, 2, 3)},
		{"an illegal token where tokens have no gap", "token 2 of a rollout", true, token(5, 11, 6)},
		{"a token beyond the last", "token 2 of a rollout", true, token(5, 11, math.MaxInt32)},
		{"a token below zero", "token 2 of a rollout", true, token(5, 11, math.MinInt32)},
		{"a token after the end", "token 1 of a rollout", true, token(9, 9)},
		{"a log-probability short", "log-prob", true, func(b *policies.Batch) {
			b.Groups[1].Rollouts[3] = policies.Rollout{Tokens: []envs.Token{2, 1, 3}, Logp: []float64{-1, -1}}
		}},
		{"advantages for one group only", "advantages for 1 groups, want 2", false, func(b *policies.Batch) { b.Advantages = b.Advantages[:1] }},
		{"one advantage short in the last group", "advantages for 3 rollouts, want 4", false, func(b *policies.Batch) { b.Advantages[1] = b.Advantages[1][:3] }},
		{"one advantage too many", "advantages for 5 rollouts, want 4", true, func(b *policies.Batch) { b.Advantages[1] = append(b.Advantages[1], 1) }},
		{"temperature zero", "temperature 0", false, func(b *policies.Batch) { b.Temperature = 0 }},
		{"no temperature at all", "temperature NaN", false, func(b *policies.Batch) { b.Temperature = math.NaN() }},
		{"no reference", "reference", false, func(b *policies.Batch) { b.Reference = nil }},
	} {
		for _, sharing := range []string{"problem", "shared"} {
			t.Run(c.reason+"/"+sharing, func(t *testing.T) {
				p, _ := grown(t, sharing, problems...)
				q, _ := grown(t, sharing, problems...)
				for step := range 3 {
					bad := batch(t, p, problems, 60+step, c.copied)
					c.spoil(&bad)
					before := save(t, p)
					noPanic(t, func() {
						_, err := p.Update(bad)
						wantError(t, err, c.words)
					})
					if !bytes.Equal(save(t, p), before) {
						t.Fatal("the failed update moved the policy")
					}
					// Other rollouts than the spoilt ones, so that a row may be met
					// again or not.
					for _, policy := range []*tabular.Policy{p, q} {
						if _, err := policy.Update(batch(t, policy, problems, 80+step, c.copied)); err != nil {
							t.Fatal(err)
						}
					}
					if !bytes.Equal(save(t, p), save(t, q)) {
						t.Fatalf("good update %d after a failed one ended elsewhere than without it", step)
					}
				}
			})
		}
	}
}

// batch samples a batch that reads everything.
func batch(t testing.TB, p *tabular.Policy, problems []envs.Task, step int, copied bool) policies.Batch {
	opt := plain(uint64(step))
	groups := sample(t, p, problems, 4, opt)
	if copied {
		groups = keep(groups)
	}
	return policies.Batch{
		Groups: groups, Advantages: advantages(groups, opt.Key), Want: everything, Reference: p.Freeze(),
		Loss: asLoss(losses[5].token), Temperature: 1,
	}
}

// TestCopiedRolloutsTrainAlike: rollouts of the last sample and a copy of them
// show the objective the same and move the policy to the same bits, also when
// the caller has meanwhile looked elsewhere.
func TestCopiedRolloutsTrainAlike(t *testing.T) {
	problems := []envs.Task{&priored{grammar: branching("one", 0)}, branching("two", 3)}
	for _, want := range []policies.Want{{}, {Ref: true}, {Entropy: true}, {KL: true}, everything} {
		var saved [2][]byte
		var stats [2]policies.UpdateStats
		for i, copied := range []bool{false, true} {
			p, _ := grown(t, "problem", problems...)
			ref := p.Freeze()
			train(t, p, problems, 100, 3)
			b := batch(t, p, problems, 60, copied)
			b.Reference, b.Want, b.Temperature = ref, want, 0.7
			for range 2 { // two epochs of one batch
				enumerate(t, p, problems[1], ways[2].opt)
				var err error
				if stats[i], err = p.Update(b); err != nil {
					t.Fatal(err)
				}
			}
			saved[i] = save(t, p)
		}
		if !bytes.Equal(saved[0], saved[1]) || stats[0] != stats[1] {
			t.Errorf("%+v: %+v for the last sample, %+v for its copy, or other parameters", want, stats[0], stats[1])
		}
	}
}

// TestChangedGroups: who changes the groups that Sample returned, in place,
// trains on their present numbers, and the next sample is whole again.
func TestChangedGroups(t *testing.T) {
	problems := []envs.Task{&priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}}
	for _, c := range []struct {
		reason string
		change func([]policies.Group)
	}{
		{"groups in another order", slices.Reverse[[]policies.Group]},
		{"only some rollouts are trained on", func(g []policies.Group) { g[1].Rollouts = g[1].Rollouts[:2] }},
		{"other rollouts than the first", func(g []policies.Group) { g[1].Rollouts = g[1].Rollouts[2:] }},
		{"rollouts in another order", func(g []policies.Group) { slices.Reverse(g[1].Rollouts) }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			var saved [2][]byte
			for i, copied := range []bool{true, false} {
				p, _ := grown(t, "problem", problems...)
				b := batch(t, p, problems, 60, copied)
				c.change(b.Groups)
				b.Advantages = advantages(b.Groups, plain(60).Key)
				noPanic(t, func() {
					if _, err := p.Update(b); err != nil {
						t.Error(err)
					}
					for i, g := range sample(t, p, problems, 4, plain(61)) {
						if len(g.Rollouts) != 4 || g.Task != problems[i] {
							t.Errorf("the next sample has %d rollouts of %s, want 4 of %s", len(g.Rollouts), g.Task.ID(), problems[i].ID())
						}
					}
				})
				saved[i] = save(t, p)
			}
			if !bytes.Equal(saved[0], saved[1]) {
				t.Error("the policy did not train on what the groups say")
			}
		})
	}
}

// TestWhatAnObjectiveSees: offsets, advantages, old log-probabilities; and
// nothing that was not asked for, also after a batch that did ask.
func TestWhatAnObjectiveSees(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p := tabular.New(*tabular.Default(), sgd(1))
	groups := []policies.Group{written(g, []envs.Token{5, 11, 3}, []envs.Token{9}), written(g, []envs.Token{2, 4})}
	for i := range groups {
		for j, r := range groups[i].Rollouts {
			for k := range r.Logp {
				r.Logp[k] = float64(-100*i - 10*j - k)
			}
		}
	}
	look(t, p, groups, p.Freeze())
	_, err := p.Update(policies.Batch{
		Groups: groups, Advantages: [][]float64{{1, 2}, {3}}, Temperature: 1,
		Loss: func(l *loss.Tokens) error {
			clear(l.DLogp)
			if !slices.Equal(l.Start, []int{0, 3, 4, 6}) || l.Sequences() != 3 {
				t.Errorf("sequences start at %v", l.Start)
			}
			if !slices.Equal(l.Advantage, []float64{1, 2, 3}) {
				t.Errorf("advantages %v", l.Advantage)
			}
			if !slices.Equal(l.Old, []float64{0, -1, -2, -10, -100, -101}) {
				t.Errorf("old log-probabilities %v", l.Old)
			}
			if len(l.Logp) != 6 || len(l.DLogp) != 6 {
				t.Errorf("%d log-probabilities, %d derivatives, want 6", len(l.Logp), len(l.DLogp))
			}
			if n := len(l.Ref) + len(l.Entropy) + len(l.KL) + len(l.DEntropy) + len(l.DKL); n > 0 {
				t.Errorf("%d entries that nobody asked for", n)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEmptyBatch: nothing to learn from is no mistake, and moves nothing.
func TestEmptyBatch(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	before := save(t, p)
	for _, groups := range [][]policies.Group{nil, {written(g)}, {written(g, nil)}} {
		b := policies.Batch{Groups: groups, Temperature: 1, Loss: func(*loss.Tokens) error { return nil }}
		b.Advantages = advantages(groups, plain(1).Key)
		noPanic(t, func() {
			if stats, err := p.Update(b); err != nil || stats != (policies.UpdateStats{}) {
				t.Errorf("%d groups: %+v, error %v, want zeros", len(groups), stats, err)
			}
		})
	}
	if !bytes.Equal(save(t, p), before) {
		t.Error("an empty batch moved the policy")
	}
}
