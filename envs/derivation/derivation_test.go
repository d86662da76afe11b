package derivation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

// variants are the parameter sets that the tests of this package run over.
var variants = []struct {
	name   string
	change func(*Config)
	pinned string // the hash of its problems
}{
	{"default", nil, "aa93ad5b6d6986e108b4fd2eaf021097e8fed7ff801d69f7f2a64bd52c912b5d"},
	{"few answers", small, "d21fc37ace6d4d7ba6d5bf7f03579b0fb39503cea212bd476ba00b84d88cb969"},
	{"no distractor", func(c *Config) { small(c); c.Distractors = 0 }, "56226b5b7dbc751d1f34acd60649494e85c0249467ead5df91cdce8d86e2f584"},
	{"every digit counts", func(c *Config) { small(c); c.Verify = "all" }, "dd8c8e5a1fb105bad9298fad61ec4c10373572cd5cd19682781c126099c7046e"},
	{"brevity pays", func(c *Config) { c.OverlongWeight, c.OverlongMax, c.OverlongCache = 0.25, 9, 8 }, "3162810b254648bb035786c7f30ac0c1ca0b843608e711efa1682c92866a93cf"},
	{"as large as may be", func(c *Config) { c.Givens, c.Steps, c.Distractors, c.Operations = 8, 6, 3, "+-" }, "57cffff630381282279f3e09424ae7a7427009effb47cfac1e634c827f15e4c8"},
	{"a blind demonstrator", func(c *Config) { c.Q, c.Sigma = 0, 0 }, "0fafb5bff98a49690461337d32642d1cffacd9c42e83da4b94f7ab7d5a2463b5"},
}

// small has 221 correct answers.
func small(c *Config) { c.Givens, c.Steps, c.Distractors, c.Operations = 2, 1, 1, "+" }

// build makes an environment from the defaults, changed.
func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

// made asks for e, with a = 3, b = 7, c = a + b = 0, d = a * b = 1, e = c - d = 9 and
// f = a - e = 4.
func made(t testing.TB, change func(*Config)) *Problem {
	t.Helper()
	e := build(t, func(c *Config) {
		c.Givens, c.Steps, c.Distractors = 2, 2, 1
		if change != nil {
			change(c)
		}
	})
	return &Problem{rules: e.rules, id: "made", asked: 4, needed: set(0).with(2).with(3), facts: []fact{
		{value: 3}, {value: 7}, {'+', 0, 1, 0}, {'*', 0, 1, 1}, {'-', 2, 3, 9}, {'-', 0, 4, 4},
	}}
}

func TestConformance(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			if v.pinned == "" {
				t.Error("no hash")
			}
			envtest.Run(t, build(t, v.change), envtest.Problems(2), envtest.Walks(20), envtest.Pinned(v.pinned))
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		want   string
	}{
		{"no two variables to join", func(c *Config) { c.Givens = 1 }, `field "givens": got 1, want int from 2 to 8`},
		{"no step", func(c *Config) { c.Steps = 0 }, `field "steps": got 0, want int from 1 to 6`},
		{"more answers than are counted", func(c *Config) { c.Distractors = 4 }, `field "distractors": got 4, want int from 0 to 3`},
		{"an operation that there is not", func(c *Config) { c.Operations = "/" }, `field "operations": got "/", want one of +, +-, +-*`},
		{"a verifier that there is not", func(c *Config) { c.Verify = "steps" }, `field "verify": got "steps", want one of answer, all`},
		{"a cache that leaves nothing", func(c *Config) { c.OverlongCache = 12 }, `field "overlong_cache": got 12, want less than overlong_max, 12`},
		{"brevity alone", func(c *Config) { c.OverlongWeight = 1 }, `field "overlong_weight": got 1, want a number from 0 to 0.99`},
		{"a prior of zero has no logarithm", func(c *Config) { c.Q = 1 }, `field "q": got 1, want a number from 0 to 0.99`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestConfigIsCopied: an environment does not follow later changes of its Config.
func TestConfigIsCopied(t *testing.T) {
	envtest.Copies(t, Default(), func(c *Config) { *c = Config{} })
}

func TestIsRegistered(t *testing.T) { envtest.Registered(t, "derivation", Default()) }

func TestInfo(t *testing.T) {
	e := build(t, func(c *Config) { small(c); c.OverlongWeight = 0.25 })
	want := envs.Info{
		Components: []string{"correct", "brief"},
		Weights:    []float64{0.75, 0.25},
		Vocabulary: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "=", "+", "-", "*", "?"},
		MaxAnswer:  2 * 3,
		Word:       "derivation",
		Votes:      true,
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
	if d := cmp.Diff(want, e.Info()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPrompts(t *testing.T) {
	p := made(t, nil)
	const task = "All numbers are digits, modulo 10: a = 3; b = 7; c = a + b; d = a * b; e = c - d; f = a - e. What is e? " +
		"You may first write the values of other variables that are not given, each at most once. End with the value of e."
	if got, want := p.PromptText(), task+" Write the statements inside <answer>...</answer> tags, for example, if z were asked for: <answer>y=4, z=7</answer>."; got != want {
		t.Errorf("the prompt is\n%s\nwant\n%s", got, want)
	}
	const want = task + "\nGive 2 different derivations, each in its own numbered tags: <derivation_1>...</derivation_1>, <derivation_2>...</derivation_2>. " +
		"Derivations that write the same of the variables on which e depends are the same."
	if got := p.MultiPromptText(2); got != want {
		t.Errorf("the prompt for two answers is\n%s\nwant\n%s", got, want)
	}
	words := p.rules.vocabulary()
	got := ""
	for _, token := range p.Prompt() {
		got += words[token] + " "
	}
	if want := "a = 3 b = 7 c = a + b d = a * b e = c - d f = a - e ? e "; got != want {
		t.Errorf("the prompt's tokens are %q, want %q", got, want)
	}
}

// TestProblems holds problems to the package's promises: operands are two different earlier
// variables, digits follow from them, and of the derived variables as many are needed as
// there are steps.
func TestProblems(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		config := e.rules.config
		for _, split := range envs.Splits() {
			asked := map[int]bool{}
			for i := range 50 {
				p := envtest.Problem[*Problem](t, e, split, i)
				steps, distractors := config.Steps, config.Distractors
				if split == envs.OOD {
					steps, distractors = steps+1, max(distractors-1, 0)
				} else if p.owner() != split {
					t.Errorf("%s belongs to the split %s", p.id, p.owner())
				}
				if len(p.facts) != config.Givens+steps+1+distractors {
					t.Errorf("%s, %s: %d variables", v.name, p.id, len(p.facts))
				}
				checkFacts(t, p)
				if needed := closure(p); needed != p.needed || needed.size() != steps {
					t.Errorf("%s, %s: needed are %b, want %b, %d of them", v.name, p.id, p.needed, needed, steps)
				}
				asked[p.asked] = true
			}
			if config.Distractors > 1 && len(asked) < 2 {
				t.Errorf("%s, %s: asked for is always the variable %v", v.name, split, asked)
			}
		}
	}
}

func checkFacts(t *testing.T, p *Problem) {
	t.Helper()
	for i, f := range p.facts {
		if f.op == 0 {
			if i >= p.given() || f.value < 0 || f.value > 9 {
				t.Errorf("%s: fact %d is %+v", p.id, i, f)
			}
			continue
		}
		if i < p.given() || f.left == f.right || min(f.left, f.right) < 0 || max(f.left, f.right) >= i {
			t.Errorf("%s: fact %d is %+v", p.id, i, f)
		}
		x, y := int(p.facts[f.left].value), int(p.facts[f.right].value)
		if want := map[byte]int{'+': x + y, '-': x + 10 - y, '*': x * y}[f.op] % 10; int(f.value) != want {
			t.Errorf("%s: %s is %d, want %d", p.id, p.definition(i), f.value, want)
		}
	}
}

// closure finds the derived variables that the asked one depends on.
func closure(p *Problem) (needed set) {
	open := []int{p.asked}
	for len(open) > 0 {
		f := p.facts[open[0]]
		open = open[1:]
		for _, i := range []int{f.left, f.right} {
			if p.facts[i].op != 0 && !needed.has(i) {
				needed = needed.with(i)
				open = append(open, i)
			}
		}
	}
	return needed
}
