package coins

import "modebench/envs"

// A layout holds the first feature of each kind.
type layout struct {
	count   envs.Numbering
	kinds   int   // on offer, at most
	slot    int32 // of a coin on offer
	coin    int32 // by its place among the values
	amount  number
	left    number // to pay
	room    int32  // coins that may still be taken
	offered int32  // a coin is on offer
	ended   int32
}

// A number is described by its sign, its hundreds and its last two digits, and one near 0
// has a feature of its own besides.
type number struct{ negative, hundreds, tens, units, near int32 }

// 13 coins of 999 have fewer than 131 hundreds.
const (
	hundreds = 131
	near     = 60 // a feature each from -near to near
)

// numberWidth is most features of a number.
const numberWidth = 5

func newLayout(denominations int, in bounds) layout {
	l := layout{kinds: in.kinds}
	take := l.count.Take
	number := func() number { return number{take(1), take(hundreds), take(10), take(10), take(2*near + 1)} }
	l.slot, l.coin = take(in.kinds), take(denominations)
	l.amount, l.left = number(), number()
	l.room, l.offered, l.ended = take(in.limit+1), take(denominations), take(1)
	return l
}

func (m *currency) features() envs.Features {
	l := &m.layout
	return envs.Features{Count: int(l.count), Width: numberWidth + 1 + l.kinds, Prompt: l.kinds + 1, Tokens: int(firstCoin) + len(m.values)}
}

// AppendPromptFeatures implements envs.DescribedProblem: a position for each coin, with
// its place among those on offer, and one for the amount.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	l := &p.currency.layout
	for i, kind := range p.coins {
		dst = envs.AppendPosition(dst, l.slot+int32(i), l.coin+int32(kind))
	}
	var room [numberWidth]int32
	return envs.AppendPosition(dst, l.amount.append(room[:0], p.amount)...)
}

// AppendFeatures implements envs.DescribedCursor: the amount left to pay, how many coins
// may be taken, and which.
func (c *cursor) AppendFeatures(dst []int32) []int32 {
	p := c.problem
	l := &p.currency.layout
	dst = append(l.left.append(dst, p.amount-c.sum), l.room+int32(p.limit-c.count))
	if c.done {
		return append(dst, l.ended)
	}
	for _, kind := range p.coins {
		dst = append(dst, l.offered+int32(kind))
	}
	return dst
}

func (f *number) append(dst []int32, n int) []int32 {
	if -near <= n && n <= near {
		dst = append(dst, f.near+int32(n+near))
	}
	if n < 0 {
		dst, n = append(dst, f.negative), -n
	}
	return append(dst, f.hundreds+int32(n/100), f.tens+int32(n/10%10), f.units+int32(n%10))
}
