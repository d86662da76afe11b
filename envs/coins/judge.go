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

// Truth implements envs.Problem. Modes are listed with the most coins of the largest
// kind first; Solutions counts payments in all their orders.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(func() {
		p.truth.Front = [][]float64{rightReward}
		p.each(func(taken *purse) bool {
			n := orders(taken)
			p.truth.Modes = append(p.truth.Modes, p.mode(taken))
			p.truth.Solutions += n
			p.orders = append(p.orders, n)
			return true
		})
	})
	return p.truth
}

func (p *Problem) hasModes(n int) bool {
	p.each(func(*purse) bool {
		n--
		return n > 0
	})
	return n <= 0
}

// each calls f with every purse that makes the amount, until f returns false.
func (p *Problem) each(f func(*purse) bool) {
	var taken purse
	p.fill(&taken, p.kinds()-1, p.amount, p.limit, f)
}

// fill fills a purse with the amount left to pay, by coins of the kinds 0 to i, and reports
// whether f wants more.
func (p *Problem) fill(taken *purse, i, left, room int, f func(*purse) bool) bool {
	if left == 0 {
		return f(taken)
	}
	if i < 0 || left > room*p.value(i) {
		return true // even the largest kind left does not make it
	}
	value := p.value(i)
	for n := min(room, left/value); n >= 0; n-- {
		taken[i] = uint8(n)
		if more := p.fill(taken, i-1, left-n*value, room-n, f); !more {
			return false
		}
	}
	taken[i] = 0
	return true
}

// orders counts the orders of a purse: n! over the product of the factorials of how
// many coins are alike. It multiplies binomials, which stay whole.
func orders(taken *purse) int64 {
	total, n := int64(1), int64(0)
	for _, alike := range taken {
		for k := int64(1); k <= int64(alike); k++ {
			n++
			total = total * n / k
		}
	}
	return total
}

// completions counts the correct answers that go on from a sum and a number of coins:
// 1 for the end where nothing is left to pay, and as many as there are sequences of
// further coins that make the rest.
func (p *Problem) completions(sum, count int) int64 {
	p.countWays.Do(p.tabulate)
	if sum > p.amount || count > p.limit {
		return 0
	}
	return p.ways[p.limit-count][p.amount-sum]
}

// tabulate counts the sequences of at most room coins that make the amount left, ways[room][left].
func (p *Problem) tabulate() {
	p.ways = make([][]int64, p.limit+1)
	for room := range p.ways {
		row := make([]int64, p.amount+1)
		row[0] = 1
		for left := 1; room > 0 && left < len(row); left++ {
			for i := range p.coins {
				if value := p.value(i); value <= left {
					row[left] += p.ways[room-1][left-value]
				}
			}
		}
		p.ways[room] = row
	}
}
