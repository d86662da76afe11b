package polynomial

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

func TestConformance(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			if pinned[v.name] == "" {
				t.Error("no hash")
			}
			envtest.Run(t, build(t, v.change), envtest.Problems(2), envtest.Walks(30), envtest.Pinned(pinned[v.name]))
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		want   string
	}{
		{"a constant is no relation of x and y", func(c *Config) { c.DegreeMin = 0 }, `field "degree_min": got 0, want int from 1 to 3`},
		{"bounds in the wrong order", func(c *Config) { c.DegreeMin, c.DegreeMax = 3, 2 }, `field "degree_min": got 3, want 1 to degree_max, 2`},
		{"the split ood has degree 5 then", func(c *Config) { c.DegreeMax = 4 }, `field "degree_max": got 4, want int from 1 to 3`},
		{"no degree at all", func(c *Config) { c.DegreeMax = 0 }, `field "degree_max": got 0, want int from 1 to 3`},
		{"a share above 1", func(c *Config) { c.Implicit = 1.5 }, `field "implicit": got 1.5, want a number from 0 to 1`},
		{"a negative share", func(c *Config) { c.Implicit = -0.1 }, `field "implicit": got -0.1, want a number from 0 to 1`},
		{"too few relations for three splits", func(c *Config) { c.Coefficients = 1 }, `field "coefficients": got 1, want int from 2 to 20`},
		{"larger ones might overflow", func(c *Config) { c.Coefficients = 21 }, `field "coefficients": got 21, want int from 2 to 20`},
		{"no digits", func(c *Config) { c.Digits = 0 }, `field "digits": got 0, want int from 1 to 4`},
		{"more digits than are tested", func(c *Config) { c.Digits = 5 }, `field "digits": got 5, want int from 1 to 4`},
		{"less than no decimals", func(c *Config) { c.Decimals = -1 },
			`field "decimals": got -1, want int from 0 to 3`},
		{"two million pairs", func(c *Config) { c.Decimals = 3 },
			`field "decimals": got 3, want 0 to 2 beside 3 digits: a line has up to 2*10^(digits+decimals) correct pairs, and the truth lists them all`},
		{"more decimals than are tested", func(c *Config) { c.Digits, c.Decimals = 1, 4 },
			`field "decimals": got 4, want int from 0 to 3`},
		{"a problem without a solution", func(c *Config) { c.MinModes = 0 }, `field "min_modes": got 0, want int from 1 to 1000`},
		{"nothing to demonstrate", func(c *Config) { c.Choices = 0 }, `field "choices": got 0, want int from 1 to 64`},
		{"too many to look through", func(c *Config) { c.Choices = 65 }, `field "choices": got 65, want int from 1 to 64`},
		{"an exponent below 0", func(c *Config) { c.Skew = -1 }, `field "skew": got -1, want a number from 0 to 10`},
		{"weights that vanish", func(c *Config) { c.Skew = 11 }, `field "skew": got 11, want a number from 0 to 10`},
		{"a prior of zero has no logarithm", func(c *Config) { c.Slip = 0 }, `field "slip": got 0, want a number from 0.001 to 1`},
		{"a probability above 1", func(c *Config) { c.Slip = 1.1 }, `field "slip": got 1.1, want a number from 0.001 to 1`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestNothingToAccept: parameters that no relation satisfies end in an error.
func TestNothingToAccept(t *testing.T) {
	e := build(t, func(c *Config) { c.Digits, c.Decimals, c.DegreeMin, c.Implicit, c.MinModes = 1, 0, 3, 0, 20 })
	const want = "polynomial test/3: none of 10000 relations drawn had 20 correct pairs to write; a lower min_modes, larger coefficients, more digits or more decimals leave more"
	if p, err := e.Problem(envs.Test, 3); p != nil || err == nil || err.Error() != want {
		t.Errorf("twenty integers from -9 to 9: problem %v, error %v\nwant %s", p, err, want)
	}
}

// TestConfigIsCopied: an environment does not follow later changes of its Config.
func TestConfigIsCopied(t *testing.T) {
	envtest.Copies(t, Default(), func(c *Config) { *c = Config{DegreeMin: 3, DegreeMax: 3, Coefficients: 2, Digits: 1, MinModes: 1} })
}

func TestIsRegistered(t *testing.T) { envtest.Registered(t, "polynomial", Default()) }

func TestInfo(t *testing.T) {
	want := envs.Info{
		Components: []string{"correct", "format"},
		Weights:    []float64{0.9, 0.1},
		Vocabulary: strings.Fields("0 1 2 3 4 5 6 7 8 9 - . , end + * ^ = x y"),
		MaxAnswer:  len("-123.45") + 1 + len("-123.45") + 1,
		Word:       "pair",
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
	if d := cmp.Diff(want, build(t, nil).Info()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := build(t, func(c *Config) { c.Decimals = 0 }).Info().MaxAnswer; got != len("-123")+1+len("-123")+1 {
		t.Errorf("without decimals an answer has at most %d tokens, want 10", got)
	}
}

// TestPromptTokens spells the prompt's tokens out, which must give the relation.
func TestPromptTokens(t *testing.T) {
	e := build(t, nil)
	words := e.Info().Vocabulary
	for _, split := range envs.Splits() {
		for i := range 50 {
			p := problem(t, e, split, i)
			got := ""
			for _, token := range p.Prompt() {
				got += words[token]
			}
			if want := strings.ReplaceAll(p.Fields()["relation"].(string), " ", ""); got != want {
				t.Errorf("%s/%d: got %s, want %s", split, i, got, want)
			}
		}
	}
}

func TestPromptText(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	const want = `Find a pair of numbers (x, y) that satisfies this relation:

y = x^2+3*x+7

Write each number as an integer or a decimal such as -12.5, with at most 3 digits before the point and 2 after it, and no needless zero in front; expressions, fractions and exponents are not read.
Many pairs are right, and any of them will do. Give one inside <answer>...</answer> tags, in the form <answer>x=..., y=...</answer>.`
	if d := cmp.Diff(want, p.PromptText()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMultiPrompt(t *testing.T) {
	p := relate(t, build(t, nil), round25)
	chain, err := envs.NewChain(p, 2, envs.ChainOptions{Word: "pair"})
	if err != nil {
		t.Fatal(err)
	}
	text := chain.PromptText()
	for _, want := range []string{"Find 2 different pairs of numbers (x, y) that satisfy this relation:\n\nx^2+y^2 = 25\n\n", "<pair_1>...</pair_1>, <pair_2>...</pair_2>.", "(1 and 1.0) do not count"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt for two pairs lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "<answer>") || strings.Contains(text, "pair_3") {
		t.Errorf("the prompt for two pairs shows other tags:\n%s", text)
	}
	for i, v := range chain.JudgeText("<pair_1>(x=3, y=4)</pair_1> <pair_2>y=5, x=0</pair_2>") {
		if !v.Correct {
			t.Errorf("pair %d of a right answer is judged %+v", i+1, v)
		}
	}
}
