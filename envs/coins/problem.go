package coins

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"modebench/envs"
	"modebench/internal/each"
)

// A Problem is an amount and the coins to pay it with.
type Problem struct {
	currency *currency
	id       string
	coins    []int // kinds on offer, ascending: places among the values of the currency
	amount   int
	limit    int // coins of a payment

	countWays sync.Once
	ways      [][]int64 // see completions

	findTruth sync.Once
	truth     envs.Truth
	orders    []int64 // variants of each mode
}

// A purse is how many coins of each kind on offer have been taken.
type purse [maxKinds]uint8

func (p *Problem) value(i int) int { return p.currency.values[p.coins[i]] }
func (p *Problem) kinds() int      { return len(p.coins) }

// offer finds the place on offer of a kind of coin, or -1.
func (p *Problem) offer(kind int) int { return slices.Index(p.coins, kind) }

// owner is the split that the coins and the amount belong to, of pretrain, train and test.
func (p *Problem) owner() envs.Split {
	key := p.currency.key.Str("share").Int(uint64(p.amount))
	for i := range p.coins {
		key = key.Int(uint64(p.value(i)))
	}
	return envs.Owner(key.Uint64())
}

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

// Prompt implements envs.Problem: the coins on offer, and then the amount. How many
// may be taken follows from how many kinds there are.
func (p *Problem) Prompt() []envs.Token {
	out := make([]envs.Token, 0, len(p.coins)+1)
	for _, kind := range p.coins {
		out = append(out, p.currency.coin(kind))
	}
	return append(out, p.currency.amount(p.amount))
}

func (p *Problem) values() []int {
	return each.Map(p.coins, func(kind int) int { return p.currency.values[kind] })
}

// offered lists the coins on offer: "2, 5, 10".
func (p *Problem) offered() string {
	return strings.Join(each.Map(p.values(), strconv.Itoa), ", ")
}

// task is the text that prompts for one and for several payments share.
func (p *Problem) task() string {
	return fmt.Sprintf("Pay %d with coins of %s. Take as many of each kind as you like, but at most %d coins in all.", p.amount, p.offered(), p.limit)
}

// PromptText implements envs.Problem.
func (p *Problem) PromptText() string {
	return p.task() + " Give the coins inside <answer>...</answer> tags, " + example
}

// example shows the form of an answer. No problem offers a coin of 1000, so who copies it
// earns nothing.
const example = "for example, for 2000 with coins of 500 and 1000: <answer>1000+500+500</answer>."

// MultiPromptText implements envs.MultiPrompter: the prompt for m payments.
func (p *Problem) MultiPromptText(m int) string {
	return fmt.Sprintf("%s\nGive %d different payments, each in its own numbered tags: %s. Payments that differ in the order of their coins alone are the same.",
		p.task(), m, envs.Tags("payment", m))
}

// Fields implements envs.Problem.
func (p *Problem) Fields() map[string]any {
	return map[string]any{"coins": p.values(), "amount": p.amount, "most_coins": p.limit}
}
