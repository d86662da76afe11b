package tabular_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

// A counter counts how often it is asked for a demonstration.
type counter struct {
	*corridor
	asked int
}

func (c *counter) Demonstrate(r *rand.Rand) []envs.Token {
	c.asked++
	return c.corridor.Demonstrate(r)
}

// TestDemonstrationsAreCountedOnce: however many tasks are made of a problem, and
// for the reference and after a Load too.
func TestDemonstrationsAreCountedOnce(t *testing.T) {
	problem := &counter{corridor: &corridor{"c", 5, 1}}
	goals := envs.GoalWeights(3)
	tasks := []envs.Task{problem, chain(t, problem, 2, envs.ChainOptions{}), chain(t, problem, 3, envs.ChainOptions{})}
	for i := range goals {
		tasks = append(tasks, envs.NewGoal(problem, goals, i))
	}
	p := tabular.New(tabular.Config{Sharing: "problem", Context: tabular.ContextAdd, Demonstrations: 40, Smoothing: 0.3}, sgd(1))
	for range 2 {
		b := batch(t, p, tasks, 1, false)
		if _, err := p.Update(b); err != nil {
			t.Fatal(err)
		}
		load(t, p, save(t, p))
	}
	if problem.asked != 40 {
		t.Errorf("%d demonstrations, want 40", problem.asked)
	}
}

// A broken corridor has other tokens in some states of one view.
type broken struct {
	*corridor
	late bool // only where no demonstration leads
}

func (b broken) Start() envs.Cursor {
	return &brokenCursor{corridorCursor{corridor: b.corridor, cell: 1}, b.late}
}

func (b broken) Demonstrate(*rand.Rand) []envs.Token {
	if b.late {
		return []envs.Token{goRight, goRight}
	}
	return []envs.Token{goRight, goLeft, goLeft}
}

type brokenCursor struct {
	corridorCursor
	late bool
}

func (c *brokenCursor) Legal() []envs.Token {
	out := c.corridorCursor.Legal()
	if c.late && c.steps == 3 && len(out) > 1 {
		out = slices.Clone(out)
		out[len(out)-1]++
	}
	if !c.late && c.steps == 2 {
		return out[:1]
	}
	return out
}

// nothing is a task that is made of no problem.
type nothing struct{}

func (nothing) ID() string           { return "nothing" }
func (nothing) Prompt() []envs.Token { return nil }
func (nothing) Start() envs.Cursor   { return (&corridor{}).Start() }

// TestBrokenTasks: a task that has no table is an error that explains why, each
// time, and leaves the policy as it was.
func TestBrokenTasks(t *testing.T) {
	for _, c := range []struct {
		reason string
		task   envs.Task
		words  string
	}{
		{"no problem in it", nothing{}, "task nothing is not made of a problem"},
		{"a zero byte in the ID, which keys are cut at", &corridor{"a\x00b", 4, 0}, "no zero byte"},
		{"a view with other tokens in another state", broken{&corridor{"late", 9, 0}, true}, "has the legal tokens"},
		{"a view with fewer tokens in another state", broken{&corridor{"early", 9, 0}, false}, "legal tokens in one state and"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p := tabular.New(*tabular.Default(), sgd(1))
			for range 2 {
				noPanic(t, func() {
					_, err := p.Sample([]envs.Task{c.task}, 200, plain(1))
					wantError(t, err, c.words)
					_, _, err = p.Enumerate(c.task, plain(1), 100000)
					wantError(t, err, c.words)
				})
			}
			train(t, p, []envs.Task{&corridor{"fine", 4, 0}}, 0, 1)
		})
	}
}

// TestChainsOfOddProblems: answers without tokens, and a chain of answers whose
// grammar goes round.
func TestChainsOfOddProblems(t *testing.T) {
	noPanic(t, func() {
		p := tabular.New(*tabular.Default(), sgd(1))
		empty := chain(t, &priored{grammar: &grammar{id: "empty"}}, 2, envs.ChainOptions{})
		_, err := p.Sample([]envs.Task{empty}, 1, plain(1))
		wantError(t, err, "no token is legal")
		round := chain(t, &priored{grammar: loop("l")}, 2, envs.ChainOptions{})
		for _, r := range sample(t, p, []envs.Task{round}, 20, plain(1))[0].Rollouts {
			for i, answer := range round.Split(r.Tokens) {
				if n := len(answer); n == 0 || answer[n-1] != 7 || slices.Index(answer, 7) != n-1 {
					t.Errorf("answer %d of %v is %v, want one that 7 ends", i, r.Tokens, answer)
				}
			}
		}
	})
}

// TestPartsOfRollouts: a rollout that stops short is learnt from as far as it
// goes; the error for an illegal token has the token's number in the whole rollout.
func TestPartsOfRollouts(t *testing.T) {
	two := chain(t, &corridor{"c", 5, 1}, 2, envs.ChainOptions{})
	p := tabular.New(*tabular.Default(), sgd(1))
	push(t, p, two, []envs.Token{goRight, goRight, goLeft}, 3)
	for _, c := range []struct {
		words   string
		rollout []envs.Token
	}{
		{"task c*2: token 2 of a rollout", []envs.Token{goRight, goRight, takeIt}},
		{"task c*2: token 4 of a rollout", []envs.Token{goRight, goRight, goRight, goRight, goLeft}},
	} {
		b := policies.Batch{Groups: []policies.Group{written(two, c.rollout)}, Advantages: [][]float64{{1}}, Temperature: 1, Loss: reinforce}
		_, err := p.Update(b)
		wantError(t, err, c.words)
	}
}

// TestReferenceOfChains: a reference of chains and goals is the policy as it
// was, under every choice of context, and two of them differ.
func TestReferenceOfChains(t *testing.T) {
	for _, context := range contexts() {
		p, then, tasks := moved(t, "problem", context, sgd(0.5))
		ref := p.Freeze()
		train(t, p, tasks, 100, 10)
		later, now := p.Freeze(), newSlow(then.config, trained(t, p))
		groups := keep(sample(t, p, tasks, 6, plain(50)))
		at := seats(now, policies.Batch{Groups: groups, Advantages: advantages(groups, plain(1).Key)})
		for _, c := range []struct {
			ref    policies.Reference
			frozen *slow
		}{{ref, then}, {later, now}, {ref, then}} {
			seen, _ := look(t, p, groups, c.ref)
			for k, want := range see(now, c.frozen, 1, at, policies.Want{}) {
				near(t, "policy", seen.Logp[k], want.logp, 1e-13)
				near(t, "reference", seen.Ref[k], want.ref, 1e-13)
				near(t, "divergence", seen.KL[k], want.kl, 1e-13)
			}
		}
		load(t, p, save(t, p))
		seen, _ := look(t, p, groups, ref)
		for k, want := range see(now, then, 1, at, policies.Want{}) {
			near(t, "reference after a Load", seen.Ref[k], want.ref, 1e-13)
		}
	}
}
