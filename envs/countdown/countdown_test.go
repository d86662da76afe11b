package countdown

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

// variants are the parameter sets that the conformance suite runs over, with the
// hash of their problems.
var variants = []struct {
	name   string
	change func(*Config)
	hash   string
}{
	{"default", nil, "44fd536df377552aec85cbf0fd818fa8ca7caff8bab834e8054f2e36c6dc1239"},
	{"setpo", func(c *Config) { c.Reward, c.MinModes, c.MinNumber, c.MaxNumber, c.TargetMax = "setpo", 1, 1, 99, 100 }, "f8c8bf1d40cfc9bcd73bb099001cbd6df12e3bddbe42cbdb612641af040658ee"},
	{"at most once", func(c *Config) { c.AtMostOnce = true }, "06928819222dd01160b8df1f81546744ef4ed91331a0b08d18d6761c2b965fe9"},
	{"three small numbers, any of them", func(c *Config) {
		c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMin, c.TargetMax, c.MinModes, c.AtMostOnce = 3, 1, 9, 1, 9, 2, true
	}, "b25a796b5326ccfa59736ec03459e468c44b5ec15614dabda8fff48361db6139"},
	{"three equal numbers are common", func(c *Config) {
		c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMin, c.TargetMax, c.MinModes = 3, 2, 7, 1, 20, 1
	}, "1c53e1f5f21bd6dbe73a6a66d2abba217862342fc0e4c458e5f2ff1d4e61aca7"},
	{"a demonstrator that knows little", func(c *Config) { c.Q, c.Sigma = 0, 2 }, "725306be71da7b8a24a8eea8a073e53ff41ee6c2a03a1fd38990484f929cfafc"},
	{"a demonstrator that knows all", func(c *Config) { c.Q, c.Sigma = 0.99, 0 }, "f8aa357259cc62f9af77b7b650a8d9200e1e6b17b7f74644852400c4b3e7c1f0"},
}

func TestConformance(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			e := build(t, v.change)
			opts := []envtest.Option{envtest.Problems(2), envtest.Walks(30), envtest.Pinned(v.hash)}
			if e.config.Reward == "setpo" {
				opts = append(opts, envtest.FreeWeights())
			}
			envtest.Run(t, e, opts...)
		})
	}
}

func TestConformanceOfFive(t *testing.T) {
	if testing.Short() {
		t.Skip("six numbers, which split ood has here, take a quarter of a second to demonstrate")
	}
	e := build(t, func(c *Config) { c.Numbers, c.Q, c.Sigma = 5, 0.3, 0.5 })
	envtest.Run(t, e, envtest.Problems(1), envtest.Walks(3))
	for _, split := range []envs.Split{envs.Train, envs.OOD} {
		p := problem(t, e, split, 0)
		for _, mode := range p.Truth().Modes {
			tokens, err := p.AnswerTokens(string(mode))
			if err != nil {
				t.Fatal(err)
			}
			if v := p.Judge(tokens); !v.Correct || v.Mode != mode || p.AnswerText(tokens) != string(mode) {
				t.Fatalf("%s: %+v", mode, v)
			}
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		want   string
	}{
		{"two numbers make six expressions", func(c *Config) { c.Numbers = 2 }, `field "numbers": got 2, want int from 3 to 6`},
		{"seven slots have millions of forms", func(c *Config) { c.Numbers = 7 }, `field "numbers": got 7, want int from 3 to 6`},
		{"beyond the tokens", func(c *Config) { c.MaxNumber = 1000 }, `field "max_number": got 1000, want int from 1 to 999`},
		{"twice as large would be beyond", func(c *Config) { c.Numbers, c.MaxNumber = 6, 500 }, `field "max_number": got 500, want 1 to 499 with 6 numbers`},
		{"bounds in the wrong order", func(c *Config) { c.MinNumber = 26 }, `field "min_number": got 26, want 1 to max_number, 25`},
		{"zero is no number to use", func(c *Config) { c.MinNumber = 0 }, `field "min_number": got 0, want int from 1 to 999`},
		{"beyond the tokens", func(c *Config) { c.TargetMax = 1000 }, `field "target_max": got 1000, want int from 1 to 999`},
		{"bounds in the wrong order", func(c *Config) { c.TargetMin = 100 }, `field "target_min": got 100, want 1 to target_max, 99`},
		{"targets are positive", func(c *Config) { c.TargetMin = 0 }, `field "target_min": got 0, want int from 1 to 999`},
		{"a problem has a solution", func(c *Config) { c.MinModes = 0 }, `field "min_modes": got 0, want int from 1 to 1000`},
		{"an unknown reward", func(c *Config) { c.Reward = "vpo" }, `field "reward": got "vpo", want one of tinyzero, setpo`},
		{"a prior of zero has no logarithm", func(c *Config) { c.Q = 1 }, `field "q": got 1, want a number from 0 to 0.99`},
		{"less than nothing", func(c *Config) { c.Sigma = -1 }, `field "sigma": got -1, want a number from 0 to 100`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestNothingToAccept: parameters that no problem satisfies end in an error.
func TestNothingToAccept(t *testing.T) {
	e := build(t, func(c *Config) { c.Numbers, c.MaxNumber, c.MinModes = 3, 5, 500 })
	const want = "countdown test/3: none of the 100000 draws that belong to split test had 500 modes; fewer modes, or another range of numbers or targets, leave more"
	if p, err := e.Problem(envs.Test, 3); p != nil || err == nil || err.Error() != want {
		t.Errorf("problem %v, error %v\nwant %s", p, err, want)
	}
	twos := build(t, func(c *Config) { c.Numbers, c.MaxNumber, c.MinModes, c.TargetMin = 4, 2, 1, 1 })
	const none = "countdown pretrain/0: no numbers from 2 to 2 belong to split pretrain; a wider range has some that do"
	if p, err := twos.Problem(envs.Pretrain, 0); p != nil || err == nil || err.Error() != none {
		t.Errorf("problem %v, error %v\nwant %s", p, err, none)
	}
}

// TestConfigIsCopied: an environment does not follow later changes of its Config.
func TestConfigIsCopied(t *testing.T) {
	envtest.Copies(t, Default(), func(c *Config) { *c = Config{Numbers: 3, MinNumber: 1, MaxNumber: 2, MinModes: 1} })
}

func TestIsRegistered(t *testing.T) { envtest.Registered(t, "countdown", Default()) }

func TestInfo(t *testing.T) {
	want := envs.Info{
		Components: []string{"correct", "format"},
		Weights:    []float64{0.9, 0.1},
		Vocabulary: strings.Fields("+ - * / end 2 3 4 5 6 7 8 9 10 11 12"),
		MaxAnswer:  7,
		Word:       "expression",
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
	small := func(c *Config) {
		c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMin, c.TargetMax = 3, 2, 9, 5, 12
	}
	if d := cmp.Diff(want, build(t, small).Info()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got := build(t, func(c *Config) { small(c); c.AtMostOnce, c.Reward = true, "setpo" }).Info()
	if got.MaxAnswer != 8 || !slices.Equal(got.Weights, []float64{1, 0.1}) {
		t.Errorf("at most once, setpo: longest answer %d and weights %v, want 8 and [1 0.1]", got.MaxAnswer, got.Weights)
	}
	six := build(t, func(c *Config) { c.Numbers, c.MaxNumber, c.TargetMax = 6, 30, 50 }).Info()
	if last := six.Vocabulary[len(six.Vocabulary)-1]; six.MaxAnswer != 11 || last != "60" {
		t.Errorf("six numbers: longest answer %d and last token %s, want 11 and 60", six.MaxAnswer, last)
	}
}

// TestRewardsAreTinyZeros: 1 for a right answer, 0.1 for an answer that is only well
// formed, and nothing for others.
func TestRewardsAreTinyZeros(t *testing.T) {
	for reward, want := range map[string][3]float64{"tinyzero": {1, 0.1, 0}, "setpo": {1.1, 0.1, 0}} {
		e := build(t, func(c *Config) { c.Reward = reward })
		p := newProblem(e.usual, "p", [maxSlots]int16{3, 21, 24, 54}, 63)
		for i, text := range []string{"54/3+24+21", "54/3+24-21", "54/3+24"} {
			if got := p.JudgeText(text).Scalar(e.Info().Weights); got != want[i] {
				t.Errorf("%s: %s earns %v, want %v", reward, text, got, want[i])
			}
		}
	}
}

// TestSplitsShareNoNumbers: the numbers of a problem tell its split, and ood
// problems have more of them.
func TestSplitsShareNoNumbers(t *testing.T) {
	e := build(t, func(c *Config) { c.MaxNumber = 12 })
	owner := map[string]envs.Split{}
	counts := map[envs.Split]int{}
	for _, split := range envs.Splits() {
		for i := range 300 {
			p := problem(t, e, split, i)
			want := 4
			if split == envs.OOD {
				want = 5
			}
			if len(p.given()) != want || !slices.IsSorted(p.given()) {
				t.Fatalf("%s: numbers %v, want %d in ascending order", p.ID(), p.given(), want)
			}
			if len(p.Truth().Modes) < 4 {
				t.Fatalf("%s: %d modes, want 4 or more", p.ID(), len(p.Truth().Modes))
			}
			key := list(p.given())
			if owner[key] == "" {
				owner[key] = split
				counts[split]++
			}
			if owner[key] != split {
				t.Fatalf("%s has the numbers %s, and so has split %s", p.ID(), key, owner[key])
			}
		}
	}
	if counts[envs.Pretrain] <= counts[envs.Train] || counts[envs.Pretrain] <= counts[envs.Test] {
		t.Errorf("different numbers by split: %v, want most in pretrain", counts)
	}
}

// TestDistribution: numbers and targets are as frequent as among all draws that
// are accepted, counted one by one.
func TestDistribution(t *testing.T) {
	e := build(t, func(c *Config) {
		c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMin, c.TargetMax, c.MinModes = 3, 1, 6, 1, 12, 3
	})
	expected, total := map[string]float64{}, 0.0
	for code := range 6 * 6 * 6 {
		numbers := []int16{int16(code%6) + 1, int16(code/6%6) + 1, int16(code/36) + 1}
		slices.Sort(numbers)
		g := newGenerator(e.usual)
		copy(g.numbers[:], numbers)
		if g.owner() != envs.Pretrain {
			continue
		}
		for target := int16(1); target <= 12; target++ {
			p := newProblem(e.usual, "p", g.numbers, target)
			if len(p.Truth().Modes) >= 3 {
				expected[p.PromptText()]++
				total++
			}
		}
	}
	const draws = 20_000
	got := map[string]float64{}
	for i := range draws {
		got[problem(t, e, envs.Pretrain, i).PromptText()]++
	}
	chi := 0.0
	for text, weight := range expected {
		want := draws * weight / total
		chi += (got[text] - want) * (got[text] - want) / want
		delete(got, text)
	}
	freedom := float64(len(expected) - 1)
	if len(got) > 0 || len(expected) < 20 || chi > freedom+5*math.Sqrt(2*freedom) {
		t.Errorf("chi-square %.1f with %.0f degrees of freedom; %d problems that none should be", chi, freedom, len(got))
	}
}

func TestPrompts(t *testing.T) {
	e := build(t, nil)
	p := newProblem(e.usual, "p", [maxSlots]int16{3, 21, 24, 54}, 63)
	var words []string
	for _, token := range p.Prompt() {
		words = append(words, e.Info().Vocabulary[token])
	}
	if got := strings.Join(words, " "); got != "3 21 24 54 63" {
		t.Errorf("prompt %q", got)
	}
	for _, want := range []string{"the numbers 3, 21, 24, 54 ", " equals 63.", "exactly once", "<answer>(1 + 2) / 3</answer>"} {
		if !strings.Contains(p.PromptText(), want) {
			t.Errorf("the prompt lacks %q:\n%s", want, p.PromptText())
		}
	}
	chain, err := envs.NewChain(p, 2, envs.ChainOptions{Word: "expression"})
	if err != nil {
		t.Fatal(err)
	}
	text := chain.PromptText()
	if !strings.Contains(text, "<expression_1>...</expression_1>, <expression_2>...</expression_2>") || strings.Contains(text, "<answer>") {
		t.Errorf("the prompt for two expressions:\n%s", text)
	}
	often := newProblem(build(t, func(c *Config) { c.AtMostOnce = true }).usual, "p", p.numbers, 63)
	if !strings.Contains(often.PromptText(), "at most once") {
		t.Errorf("the prompt lacks \"at most once\":\n%s", often.PromptText())
	}
}
