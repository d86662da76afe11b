package coins

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
	{"default", nil, "69bbb9b772f5a10726faaa237e0cb0f9e4032e0a2dd538f586d0608e1eeb2866"},
	{"few answers", func(c *Config) {
		c.Denominations, c.Kinds, c.MostCoins, c.AmountMin, c.AmountMax, c.MinModes = []int{1, 2, 3, 4, 5}, 3, 4, 3, 9, 1
	}, "8bb2b8597a1719ca6efab5705a88ffb3bbaae1b31b7a177b37a3869c1e37c436"},
	{"real money", func(c *Config) {
		c.Denominations, c.Kinds, c.MostCoins = []int{1, 2, 5, 10, 20, 50, 100, 200}, 5, 8
	}, "9efd1b47078e33de0f7d07dd3352868007dfe4d5d8e3730ffb9bcb9dc0e4f88d"},
	{"as large as may be", func(c *Config) {
		c.Denominations, c.Kinds, c.MostCoins, c.AmountMin, c.AmountMax, c.MinModes = []int{1, 7, 20, 50, 99, 200, 500, 750, 999}, 8, 12, 900, 999, 20
	}, "bdf8467928426ec2d1af13512dd3b7c55357c56665b0c174c86e22ebde63a5a9"},
	{"a blind demonstrator", func(c *Config) { c.Q, c.Sigma = 0, 0 }, "73697d5c0b57a5511409914339603f21ad4d428c858878eb4db73537e79b3645"},
}

// build makes an environment from the defaults, changed.
func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

// made is the problem of paying 13 with at most 4 coins of 1, 3, 5 and 10.
func made(t testing.TB) *Problem {
	t.Helper()
	e := build(t, nil)
	p := &Problem{currency: e.currency, id: "made", amount: 13, limit: 4}
	for kind, value := range e.currency.values {
		if value == 1 || value == 3 || value == 5 || value == 10 {
			p.coins = append(p.coins, kind)
		}
	}
	return p
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
		{"coins worth nothing", func(c *Config) { c.Denominations[0] = 0 }, `field "denominations": entry 0: got 0, want list of int from 1 to 999`},
		{"one value twice", func(c *Config) { c.Denominations[1] = 1 }, `field "denominations": entry 1: got 1 after 1, want ascending values`},
		{"too many", func(c *Config) { c.Denominations = count(65) }, `field "denominations": got 65, want at most 64`},
		{"none left for split ood", func(c *Config) { c.Denominations = count(4) }, `field "kinds": got 4, want fewer than the 4 denominations: split ood has one more`},
		{"no denominations", func(c *Config) { c.Denominations = nil }, `field "kinds": got 4, want fewer than the 0 denominations: split ood has one more`},
		{"one kind", func(c *Config) { c.Kinds = 1 }, `field "kinds": got 1, want int from 2 to 8`},
		{"one coin", func(c *Config) { c.MostCoins = 1 }, `field "most_coins": got 1, want int from 2 to 12`},
		{"more coins than are counted", func(c *Config) { c.MostCoins = 13 }, `field "most_coins": got 13, want int from 2 to 12`},
		{"amounts in the wrong order", func(c *Config) { c.AmountMin = 61 }, `field "amount_min": got 61, want at most amount_max, 60`},
		{"no mode", func(c *Config) { c.MinModes = 0 }, `field "min_modes": got 0, want int from 1 to 1000`},
		{"a prior of zero has no logarithm", func(c *Config) { c.Q = 1 }, `field "q": got 1, want a number from 0 to 0.99`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// count lists the values 1 to n.
func count(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = i + 1
	}
	return values
}

// TestNothingToAccept: parameters that no problem satisfies end in an error.
func TestNothingToAccept(t *testing.T) {
	e := build(t, func(c *Config) { c.MinModes = 1000 })
	const want = "coins test/3: none of 10000 problems drawn belonged to the split and had 1000 modes; a lower min_modes, more coins, or another range of amounts leave more"
	if p, err := e.Problem(envs.Test, 3); p != nil || err == nil || err.Error() != want {
		t.Errorf("a thousand modes: problem %v, error %v\nwant %s", p, err, want)
	}
}

// TestConfigIsCopied: an environment does not follow later changes of its Config.
func TestConfigIsCopied(t *testing.T) {
	envtest.Copies(t, Default(), func(c *Config) {
		for i := range c.Denominations {
			c.Denominations[i] = 1
		}
		*c = Config{}
	})
}

func TestIsRegistered(t *testing.T) { envtest.Registered(t, "coins", Default()) }

func TestInfo(t *testing.T) {
	e := build(t, func(c *Config) { c.Denominations, c.Kinds, c.AmountMin, c.AmountMax = []int{1, 2, 5}, 2, 1, 2 })
	want := envs.Info{
		Components: []string{"correct", "format"},
		Weights:    []float64{0.9, 0.1},
		Vocabulary: []string{"end", "1", "2", "5", "=1", "=2", "=3", "=4"},
		MaxAnswer:  7 + 1,
		Word:       "payment",
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
	if d := cmp.Diff(want, e.Info()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPrompts(t *testing.T) {
	p := made(t)
	const task = "Pay 13 with coins of 1, 3, 5, 10. Take as many of each kind as you like, but at most 4 coins in all."
	if got, want := p.PromptText(), task+" Give the coins inside <answer>...</answer> tags, for example, for 2000 with coins of 500 and 1000: <answer>1000+500+500</answer>."; got != want {
		t.Errorf("the prompt is\n%s\nwant\n%s", got, want)
	}
	const want = task + "\nGive 2 different payments, each in its own numbered tags: <payment_1>...</payment_1>, <payment_2>...</payment_2>. " +
		"Payments that differ in the order of their coins alone are the same."
	if got := p.MultiPromptText(2); got != want {
		t.Errorf("the prompt for two payments is\n%s\nwant\n%s", got, want)
	}
	words := build(t, nil).Info().Vocabulary
	got := ""
	for _, token := range p.Prompt() {
		got += words[token] + " "
	}
	if want := "1 3 5 10 =13 "; got != want {
		t.Errorf("the prompt's tokens are %q, want %q", got, want)
	}
}

// TestSplits: the split ood is harder in every way that the package names.
func TestSplits(t *testing.T) {
	e := build(t, nil)
	for _, split := range envs.Splits() {
		for i := range 50 {
			p := envtest.Problem[*Problem](t, e, split, i)
			kinds, most, low, high := 4, 6, 10, 60
			if split == envs.OOD {
				kinds, most, low, high = 5, 7, 61, 120
			} else if p.owner() != split {
				t.Errorf("%s belongs to the split %s", p.id, p.owner())
			}
			if p.kinds() != kinds || p.limit != most || p.amount < low || p.amount > high || len(p.Truth().Modes) < 4 {
				t.Errorf("%s: %d kinds, %d coins, amount %d, %d modes", p.id, p.kinds(), p.limit, p.amount, len(p.Truth().Modes))
			}
		}
	}
}
