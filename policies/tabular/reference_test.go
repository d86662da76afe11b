package tabular_test

import (
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

// everything asks for all optional inputs.
var everything = policies.Want{Ref: true, Entropy: true, KL: true}

// look returns what an objective sees of the groups, without moving the policy,
// which must use plain gradient descent.
func look(t testing.TB, p *tabular.Policy, groups []policies.Group, ref policies.Reference) (loss.Tokens, policies.UpdateStats) {
	t.Helper()
	var seen loss.Tokens
	stats, err := p.Update(policies.Batch{
		Groups: groups, Advantages: advantages(groups, plain(1).Key), Want: everything, Reference: ref, Temperature: 1,
		Loss: func(l *loss.Tokens) error {
			clear(l.DLogp)
			clear(l.DEntropy)
			clear(l.DKL)
			seen.Logp, seen.Ref = slices.Clone(l.Logp), slices.Clone(l.Ref)
			seen.KL, seen.Entropy = slices.Clone(l.KL), slices.Clone(l.Entropy)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen, stats
}

// TestFreeze: a reference is the policy at the moment of freezing, to the bit,
// and stays so.
func TestFreeze(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	problems := []envs.Task{one, two}
	for _, sharing := range []string{"problem", "shared"} {
		p, _ := grown(t, sharing, problems...)
		groups := keep(sample(t, p, problems, 30, plain(50)))
		ref := p.Freeze()
		then, stats := look(t, p, groups, ref)
		if !slices.Equal(then.Ref, then.Logp) || stats.KL != 0 || slices.Max(then.KL) != 0 {
			t.Errorf("sharing %s: right after freezing KL is %v, %v; want 0 and equal log-probabilities", sharing, stats.KL, then.KL)
		}
		train(t, p, problems, 100, 10)
		later := p.Freeze()
		now, stats := look(t, p, groups, ref)
		if !slices.Equal(now.Ref, then.Logp) {
			t.Errorf("sharing %s: updates moved the reference", sharing)
		}
		if slices.Equal(now.Logp, then.Logp) || !(stats.KL > 0) || !(slices.Max(now.KL) > 0) {
			t.Errorf("sharing %s: after 10 steps KL is %v, %v; want above 0", sharing, stats.KL, slices.Max(now.KL))
		}
		// Two references by turns are not mixed up.
		if got, _ := look(t, p, groups, later); !slices.Equal(got.Ref, now.Logp) {
			t.Errorf("sharing %s: the second reference is not the policy it was made from", sharing)
		}
		if got, _ := look(t, p, groups, ref); !slices.Equal(got.Ref, then.Logp) {
			t.Errorf("sharing %s: the first reference changed when the second was used", sharing)
		}
	}
}

// TestReferenceOfUnseenStates: states that the policy had not met when it was frozen
// it had not trained, so the reference has the base policy there.
func TestReferenceOfUnseenStates(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p := tabular.New(*tabular.Default(), sgd(1))
	root := written(g, []envs.Token{9})
	push := func(group policies.Group) {
		for range 5 {
			_, err := p.Update(policies.Batch{
				Groups: []policies.Group{group}, Advantages: [][]float64{{1}}, Loss: reinforce, Temperature: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	push(root)
	frozen := model{delta: trained(t, p), temperature: 1}
	if len(frozen.delta) != 1 {
		t.Fatalf("%d states were met before freezing, want the first alone", len(frozen.delta))
	}
	ref := p.Freeze()
	answer := []envs.Token{5, 11, 3}
	push(written(g, answer))
	now := model{delta: trained(t, p), temperature: 1}
	seen, _ := look(t, p, []policies.Group{written(g, answer)}, ref)
	for k, state := range g.states(answer) {
		i := g.index(state, answer[k])
		near(t, "reference in "+state, seen.Ref[k], frozen.logp(g, state)[i], 1e-14)
		near(t, "policy in "+state, seen.Logp[k], now.logp(g, state)[i], 1e-14)
		near(t, "divergence in "+state, seen.KL[k], kl(now.logp(g, state), frozen.logp(g, state)), 1e-13)
		if seen.KL[k] < 1e-3 {
			t.Errorf("state %s: divergence %g, the policy did not move and this tests nothing", state, seen.KL[k])
		}
	}
}

// TestReferenceByTemperature: a reference is asked at several temperatures by turns.
func TestReferenceByTemperature(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	groups := keep(sample(t, p, []envs.Task{g}, 30, plain(50)))
	temperatures := []float64{1, 2, 0.5, 1}
	flat := func(temperature float64, ref policies.Reference) *loss.Tokens {
		tokens, err := p.Flatten(policies.Batch{Groups: groups, Want: everything, Reference: ref, Temperature: temperature})
		if err != nil {
			t.Fatal(err)
		}
		return tokens
	}
	ref := p.Freeze()
	var want [][]float64
	for _, temperature := range temperatures {
		want = append(want, slices.Clone(flat(temperature, ref).Logp))
	}
	train(t, p, []envs.Task{g}, 100, 10)
	for i, temperature := range temperatures {
		if got := flat(temperature, ref); !slices.Equal(got.Ref, want[i]) || slices.Equal(got.Logp, want[i]) {
			t.Errorf("at temperature %v the reference is not the policy that was frozen, or the policy did not move", temperature)
		}
	}
}

// TestReferenceOfTheSame: one reference is of another policy, as it was before it loaded,
// and the next of this one, so it gives no gradient.
func TestReferenceOfTheSame(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	q := tabular.New(tabular.Config{Sharing: "problem", Smoothing: 0.3}, sgd(1))
	base := q.Freeze()
	load(t, q, save(t, p))
	batch := policies.Batch{
		Groups: keep(sample(t, q, []envs.Task{g}, 30, plain(50))), Want: everything, Reference: base, Temperature: 1,
	}
	if seen, err := q.Flatten(batch); err != nil || !(slices.Max(seen.KL) > 0) {
		t.Fatalf("divergences from the base %v, error %v; want some above 0", seen.KL, err)
	}
	batch.Reference, batch.Advantages = q.Freeze(), advantages(batch.Groups, plain(1).Key)
	batch.Loss = func(l *loss.Tokens) error {
		clear(l.DLogp)
		clear(l.DEntropy)
		for i := range l.DKL {
			l.DKL[i] = 1
		}
		return nil
	}
	if stats, err := q.Update(batch); err != nil || stats.GradNorm != 0 {
		t.Errorf("the divergence from the policy itself has a gradient of norm %v, error %v; want 0", stats.GradNorm, err)
	}
}

// TestReferenceSurvivesLoad: a run that resumes makes its reference of the
// base, then loads.
func TestReferenceSurvivesLoad(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	q := tabular.New(tabular.Config{Sharing: "problem", Smoothing: 0.3}, sgd(1))
	base := q.Freeze()
	load(t, q, save(t, p))
	groups := keep(sample(t, q, []envs.Task{g}, 30, plain(50)))
	seen, _ := look(t, q, groups, base)
	at := 0
	for _, r := range groups[0].Rollouts {
		for k, state := range g.states(r.Tokens) {
			near(t, "reference in "+state, seen.Ref[at], model{temperature: 1}.logp(g, state)[g.index(state, r.Tokens[k])], 1e-14)
			at++
		}
	}
}

// foreign is a reference that no tabular policy made.
type foreign struct{}

func (foreign) Frozen() {}

// TestReferenceRefused: a policy accepts only references it made itself.
func TestReferenceRefused(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	other, _ := grown(t, "problem", g)
	groups := keep(sample(t, p, []envs.Task{g}, 3, plain(50)))
	for _, c := range []struct {
		reason string
		ref    policies.Reference
	}{
		{"none", nil},
		{"one of another kind of policy", foreign{}},
		{"one that another tabular policy made", other.Freeze()},
	} {
		for _, want := range []policies.Want{{Ref: true}, {KL: true}} {
			_, err := p.Update(policies.Batch{
				Groups: groups, Advantages: advantages(groups, plain(1).Key), Want: want, Reference: c.ref, Temperature: 1,
				Loss: asLoss(func(tokenInput) (float64, slopes) { return 0, slopes{} }),
			})
			if err == nil {
				t.Errorf("%s, %+v: no error", c.reason, want)
				continue
			}
			wantError(t, err, "reference")
		}
	}
}
