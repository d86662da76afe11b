package train

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/internal/testkit"
)

// TestStoppedAnywhere: a cell that is stopped, within steps and evaluations too, and continued by
// another run leaves the bytes of an uninterrupted one.
func TestStoppedAnywhere(t *testing.T) {
	before := ReachedAfter
	ReachedAfter = 1
	t.Cleanup(func() { ReachedAfter = before })
	large := struct{ Name, Text string }{"steps of many rollouts", `
[env]
name = "bandit"
[train]
steps = 3
problems = 2
batch = 2
group = 600
[eval]
every = 2
k = [1]
samples = 600
enumerate = 0
[[method]]
name = "dapo"
train = { epochs = 2 }
[[method]]
name = "grpo"
`}
	epochs := struct{ Name, Text string }{"a transformer that makes several updates a step", `
[env]
name = "bandit"
` + exptest.TinyPolicy + `
[train]
steps = 3
problems = 2
batch = 2
group = 4
epochs = 2
minibatches = 2
[eval]
every = 2
k = [1]
samples = 1
problems = 1
[[method]]
name = "grpo"
`}
	for _, c := range append(slices.Clone(exptest.Resumables), large, epochs) {
		t.Run(c.Name, func(t *testing.T) {
			if testing.Short() && !strings.Contains(c.Text, "transformer") {
				t.Skip("a cell of tables has one goroutine")
			}
			for _, v := range exptest.Load(t, "resumed.toml", "seeds = 1\n"+c.Text).Variants {
				stopsAnywhere(t, v)
			}
		})
	}
}

// stopsAnywhere stops a cell at some twenty places, with -short at four, and compares each with an
// uninterrupted cell.
func stopsAnywhere(t *testing.T, v *spec.Variant) {
	t.Helper()
	opt := Options{Bases: &Bases{opt: BaseOptions{Dir: t.TempDir()}}, Observer: unobserved{}, Notes: func(line string) { t.Error(line) }}
	whole := t.TempDir()
	var ctx *testkit.EndsAt
	for _, dir := range []string{t.TempDir(), whole} { // the first run makes the base policy, too
		ctx = testkit.NewEndsAt(1 << 40)
		if err := Run(ctx, dir, v, 0, opt); err != nil {
			t.Fatal(err)
		}
	}
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	_, workers := p.Policy.(*spec.TransformerPolicy) // each of which asks
	asks, places := ctx.Asked(), int64(20)
	if testing.Short() {
		places = 4
	}
	for most := asks / 40; most < asks; most += 1 + asks/places {
		out := t.TempDir()
		ctx := testkit.NewEndsAt(most)
		if err := Run(ctx, out, v, 0, opt); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", v.Label, err)
		}
		if late := ctx.Late(); late > 5 && !workers {
			t.Errorf("%s: after the end it was asked %d times whether it had ended", v.Label, late)
		}
		if err := Run(context.Background(), out, v, 0, opt); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(exptest.Tree(t, whole), exptest.Tree(t, out)); d != "" {
			t.Errorf("%s: a cell that was stopped at question %d of %d has other files (-one that was not):\n%.2000s", v.Label, most, asks, d)
		}
	}
}

// counting is an environment that counts the problems that it makes, and ends a context at a number
// of them.
type counting struct {
	envs.Env
	made, most int
	end        func()
}

func (c *counting) Problem(split envs.Split, index int) (envs.Problem, error) {
	if c.made++; c.made == c.most {
		c.end()
	}
	return c.Env.Problem(split, index)
}

// TestPhasesHeedTheContext: no more problems are made, demonstrations drawn, answers judged or
// truths worked out after the context has ended.
func TestPhasesHeedTheContext(t *testing.T) {
	setup := func(text string) *spec.Setup {
		p, err := exptest.Load(t, "phases.toml", text).Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const text = "[env]\nname = \"bandit\"\n[policy]\ndemonstrations = 1000000\n[train]\nproblems = 1000000\n[eval]\nproblems = 1000\nenumerate = 0\n[[method]]\nname = \"grpo\"\n"

	p := setup(text)
	ctx, cancel := context.WithCancel(context.Background())
	env := &counting{Env: p.Env, most: 7, end: cancel}
	p.Env = env
	if _, err := newTrainer(ctx, p, policyOf(t, p), 0); !errors.Is(err, context.Canceled) || env.made != 7 {
		t.Errorf("problems to train on: %d were made, want 7; %v", env.made, err)
	}

	p = setup(text)
	ctx, cancel = context.WithCancel(context.Background())
	env = &counting{Env: p.Env, most: 5, end: cancel}
	p.Env = env
	if _, err := newEvaluator(ctx, p, policyOf(t, p), 0); !errors.Is(err, context.Canceled) || env.made != 5 {
		t.Errorf("problems to evaluate: %d were made, want 5; %v", env.made, err)
	}

	for _, c := range []struct{ what, text string }{
		{"demonstrations", strings.Replace(text, "problems = 1000000", "problems = 1", 1)},
		{"an evaluation", strings.Replace(text, "demonstrations = 1000000", "demonstrations = 1", 1)},
		{"the exact optimum, which is truth alone", strings.Replace(text, "grpo", "optimum", 1)},
	} {
		p := setup(c.text)
		e, err := newEvaluator(context.Background(), p, policyOf(t, p), 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx := testkit.NewEndsAt(10)
		e.ctx = ctx
		if _, err := e.evaluate(0); !errors.Is(err, context.Canceled) || ctx.Late() > 2 {
			t.Errorf("%s: asked %d times after the end, %v", c.what, ctx.Late(), err)
		}
	}
}
