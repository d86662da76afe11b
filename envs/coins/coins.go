// Package coins asks for a payment: coins of given kinds that add up to an amount. 37 is 20+10+5+2,
// and it is 20+5+5+5+2. Which coins are taken is the strategy, and the order in which they are put
// down is not; so the task tells real variety from surface variety, as the arms of a mode do on the
// bandit, on problems with a structure that has to be learnt. It comes from no paper. Everything
// about it is counted exactly.
//
// The mode of a payment is its coins without their order, written from the largest to the smallest.
// A variant is the payment in its order. So a mode of n coins has n! variants, fewer where coins
// are alike.
//
// The rules:
//
//   - A problem offers some kinds of coins, drawn from the denominations, and an
//     amount. There are as many coins of each kind as one likes, but a payment has at
//     most most_coins of them. A problem that fewer than min_modes modes solve is
//     rejected.
//   - An answer is `5+5+2+1`, in any order. Blanks may surround numbers; after the sum "=
//     amount" may follow, and a full stop, but nothing else. A number is digits without a
//     zero in front.
//   - A payment with a coin that is not on offer, or with too many coins, is degenerate and
//     earns nothing. A payment of another amount is valid and wrong; it has a mode, and
//     earns the format reward.
//   - The reward components are correct and format, under w* = (0.9, 0.1), as in countdown:
//     a correct payment scores 1, a wrong payment in the right form 0.1.
//   - A hash of the coins and the amount decides whether a problem belongs to the split
//     pretrain (half of all), train or test (a quarter each). Within a split problems may
//     come twice.
//   - Problems of the split ood offer one kind more, allow one coin more, and have
//     amounts from amount_max+1 to twice amount_max.
//
// As tokens a payment is its coins in order, and an end.
package coins

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// Config holds the parameters of the environment.
type Config struct {
	Denominations []int `param:"denominations" doc:"values that coins may have, in ascending order" min:"1" max:"999"`
	Kinds         int   `param:"kinds" doc:"how many of them a problem offers; split ood has one more" min:"2" max:"8"`
	MostCoins     int   `param:"most_coins" doc:"most coins of a payment; split ood has one more" min:"2" max:"12"`
	AmountMin     int   `param:"amount_min" doc:"smallest amount" min:"1" max:"999"`
	AmountMax     int   `param:"amount_max" doc:"largest amount; split ood has larger ones, up to twice that" min:"1" max:"999"`
	MinModes      int   `param:"min_modes" doc:"fewest modes of correct payments that a problem may have" min:"1" max:"1000"`

	Q     float64 `param:"q" doc:"demonstrator: share of its moves that are drawn from the correct completions; the rest is uniform" min:"0" max:"0.99" readers:"demonstrator"`
	Sigma float64 `param:"sigma" doc:"demonstrator: standard deviation of the noise on its logits, by problem and state" min:"0" max:"100" readers:"demonstrator"`

	envs.Draw
}

// maxDenominations bounds the list of denominations.
const maxDenominations = 64

func init() {
	envs.Register(envs.Definition{
		Name:        "coins",
		Summary:     "pay an amount with coins of given kinds; modes are what is paid with, in whatever order; all of them counted",
		Source:      "none; what arms_per_mode is on the bandit, with a structure",
		Default:     func() envs.Config { return Default() },
		Transformer: envs.Transformer{Width: 32, Heads: 2, Steps: 300, Batch: 64, LR: 3e-3},
	})
}

// Default offers 4 kinds of 12, 6 coins of which make an amount from 10 to 60 in 4 ways or more.
func Default() *Config {
	return &Config{
		Denominations: []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25}, Kinds: 4, MostCoins: 6,
		AmountMin: 10, AmountMax: 60, MinModes: 4, Q: 0.5, Sigma: 1,
	}
}

// Build makes the environment. Parameters out of their bounds, and contradicting ones,
// are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	for i, d := range c.Denominations {
		if i > 0 && d <= c.Denominations[i-1] {
			return nil, params.Errorf("denominations", "entry %d: got %d after %d, want ascending values", i, d, c.Denominations[i-1])
		}
	}
	switch n := len(c.Denominations); {
	case n > maxDenominations:
		return nil, params.Errorf("denominations", "got %d, want at most %d", n, maxDenominations)
	case c.Kinds >= n:
		return nil, params.Errorf("kinds", "got %d, want fewer than the %d denominations: split ood has one more", c.Kinds, n)
	case c.AmountMin > c.AmountMax:
		return nil, params.Errorf("amount_min", "got %d, want at most amount_max, %d", c.AmountMin, c.AmountMax)
	}
	e := &Env{config: *c}
	e.usual = bounds{kinds: c.Kinds, limit: c.MostCoins, low: c.AmountMin, high: c.AmountMax}
	e.harder = bounds{kinds: c.Kinds + 1, limit: c.MostCoins + 1, low: c.AmountMax + 1, high: 2 * c.AmountMax}
	e.currency = &currency{
		key: envs.Draw{}.Key("coins"), values: slices.Clone(c.Denominations), highest: e.harder.high,
		q: c.Q, sigma: c.Sigma, layout: newLayout(len(c.Denominations), e.harder),
	}
	return e, nil
}

// Env is the environment with its parameters fixed.
type Env struct {
	config   Config
	currency *currency
	usual    bounds // of the splits pretrain, train and test
	harder   bounds // of the split ood
}

// Info implements envs.Env.
func (e *Env) Info() envs.Info {
	return envs.Info{
		Components: []string{"correct", "format"},
		Weights:    []float64{0.9, 0.1},
		Vocabulary: e.currency.vocabulary(),
		MaxAnswer:  e.harder.limit + 1,
		Word:       "payment",
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
}

// Features implements envs.Describer.
func (e *Env) Features() envs.Features { return e.currency.features() }

// Problem implements envs.Env.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	in := e.usual
	if split == envs.OOD {
		in = e.harder
	}
	refused := fmt.Sprintf("problems drawn belonged to the split and had %d modes; a lower min_modes, more coins, or another range of amounts leave more", e.config.MinModes)
	return e.config.Find("coins", split, index, refused, func(key rng.Key) envs.Problem {
		coins, amount := e.currency.draw(key.Rand(), in)
		p := &Problem{currency: e.currency, id: e.config.ID(split, index), limit: in.limit, coins: coins, amount: amount}
		if (split == envs.OOD || p.owner() == split) && p.hasModes(e.config.MinModes) {
			return p
		}
		return nil
	})
}
