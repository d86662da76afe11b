package coins

import (
	"errors"
	"math"
	"strconv"

	"modebench/envs"
)

// The rewards (correct, format) that verdicts share.
var (
	rightReward = []float64{1, 1}
	wrongReward = []float64{0, 1}
	noReward    = []float64{0, 0}
)

// Judge implements envs.Problem.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	c := p.begin()
	var kinds [maxCoins]int
	for i, t := range answer {
		if err := c.Push(t); err != nil {
			return envs.Reject(noReward, err)
		}
		if !c.done {
			kinds[i] = p.currency.kind(t)
		}
	}
	if !c.done {
		return envs.Reject(noReward, errors.New("the payment has no end"))
	}
	return p.verdict(c, kinds[:c.count])
}

// JudgeText implements envs.Problem: a sum in the last complete pair of <answer> tags or,
// without such a pair, in the whole text. "= amount" may follow it, and a full stop.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	kinds, c, err := p.parse(text)
	if err != nil {
		return envs.Reject(noReward, err)
	}
	return p.verdict(c, kinds)
}

// verdict judges a payment by the coins taken, and their order.
func (p *Problem) verdict(c *cursor, kinds []int) *envs.Verdict {
	v := &envs.Verdict{Reward: wrongReward, Correct: c.sum == p.amount, Mode: p.mode(&c.taken), Embedding: p.embed(&c.taken)}
	if v.Correct {
		v.Reward = rightReward
	}
	var room [4 * maxCoins]byte
	text := room[:0]
	for _, kind := range kinds {
		text = appendCoin(text, p.currency.values[kind])
	}
	v.Variant = string(text)
	return v
}

// mode names the coins of a purse, from the largest to the smallest.
func (p *Problem) mode(taken *purse) envs.Mode {
	var room [4 * maxCoins]byte
	text := room[:0]
	for i := p.kinds() - 1; i >= 0; i-- {
		for range taken[i] {
			text = appendCoin(text, p.value(i))
		}
	}
	return envs.Mode(text)
}

// appendCoin appends a coin to a sum.
func appendCoin(sum []byte, value int) []byte {
	if len(sum) > 0 {
		sum = append(sum, '+')
	}
	return strconv.AppendInt(sum, int64(value), 10)
}

// embed is how many coins of each denomination there are, at unit length.
func (p *Problem) embed(taken *purse) []float32 {
	squares := 0
	for _, n := range taken {
		squares += int(n) * int(n)
	}
	length := math.Sqrt(float64(squares))
	v := make([]float32, len(p.currency.values))
	for i, kind := range p.coins {
		v[kind] = float32(float64(taken[i]) / length)
	}
	return v
}
