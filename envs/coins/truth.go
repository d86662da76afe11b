package coins

import "modebench/envs"

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
	p.fill(&taken, p.kinds()-1, p.amount, p.most, f)
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
	if sum > p.amount || count > p.most {
		return 0
	}
	return p.ways[p.most-count][p.amount-sum]
}

// tabulate counts the sequences of at most room coins that make the amount left,
// ways[room][left].
func (p *Problem) tabulate() {
	p.ways = make([][]int64, p.most+1)
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
