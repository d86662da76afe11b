package multiplication

import (
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/rng"
)

func (p *Problem) know() {
	key := p.env.key.Str("splits").Str(p.id)
	for i, v := range [2]int64{p.a, p.b} {
		follower := star
		if i == 1 {
			follower = equals
		}
		for k := range kind(kinds) {
			forms := p.format.forms(k, v, p.env.config.Variants, key.Int(uint64(i)))
			for _, terms := range forms {
				p.shown[i] = append(p.shown[i], shown{
					kind: k, weight: p.env.weights[k] / float64(len(forms)),
					terms: terms, tokens: append(tokensOf(terms, k), follower),
				})
			}
		}
	}
}

func tokensOf(terms []int64, k kind) []envs.Token {
	return each.Map(appendPart(nil, terms, k), func(c byte) envs.Token { return envs.Token(strings.IndexByte(symbols, c)) })
}

// forms lists expressions of a kind for an operand, at most the given number, the most
// usual first; an empty list if the kind has no expression.
func (f *format) forms(k kind, v int64, bound int, key rng.Key) [][]int64 {
	var out [][]int64
	switch k {
	case plain:
		out = [][]int64{{v}}
	case place:
		out = f.places(v)
	case near:
		out = f.nears(v)
	case factor:
		out = f.factorisations(v)
	case split:
		out = f.drawSplits(v, bound, key)
	}
	return out[:min(bound, len(out))]
}

// places lists the ways to cut the digits of a number into blocks, those with most blocks first.
func (f *format) places(v int64) [][]int64 {
	var out [][]int64
	cuts := len(strconv.FormatInt(v, 10)) - 1
	for mask := 1<<cuts - 1; mask > 0; mask-- {
		var terms []int64
		rest := v
		for cut := cuts; cut >= 0; cut-- { // bit cut-1: there is a cut above digit cut-1
			if cut > 0 && mask>>(cut-1)&1 == 0 {
				continue
			}
			block := rest
			if cut > 0 {
				block -= rest % powers[cut]
			}
			if block > 0 {
				terms = append(terms, block)
			}
			rest -= block
		}
		known := slices.ContainsFunc(out, func(t []int64) bool { return slices.Equal(t, terms) }) // blocks of zeros
		if len(terms) > 1 && len(terms) <= f.terms && !known {
			out = append(out, terms)
		}
	}
	slices.SortStableFunc(out, func(s, t []int64) int { return len(t) - len(s) })
	return out
}

// nears lists the round numbers less something that make a number, the nearest round number first.
func (f *format) nears(v int64) [][]int64 {
	var out [][]int64
	for _, p := range powers[1:] {
		round := v - v%p + p
		if round > f.largest {
			break
		}
		if last := len(out) - 1; v%p != 0 && (last < 0 || out[last][0] != round) {
			out = append(out, []int64{round, v - round})
		}
	}
	return out
}

// factorisations lists the products that make a number, those with fewest
// factors first, and among these the most balanced.
func (f *format) factorisations(v int64) [][]int64 {
	var out [][]int64
	var visit func(rest, least int64, taken []int64)
	visit = func(rest, least int64, taken []int64) {
		if len(taken) > 0 {
			out = append(out, append([]int64{rest}, taken...))
		}
		if len(taken)+1 == f.terms {
			return
		}
		for x := least; x*x <= rest; x++ {
			if rest%x == 0 {
				visit(rest/x, x, append([]int64{x}, taken...))
			}
		}
	}
	visit(v, 2, nil)
	slices.SortFunc(out, func(s, t []int64) int {
		if len(s) != len(t) {
			return len(s) - len(t)
		}
		return slices.Compare(s, t)
	})
	return out
}

// splitDraws bounds the draws for an operand's splits. Most draws give one, and any
// operand has a dozen, so that one at least is certain.
const splitDraws = 1000

// drawSplits draws sums and differences of two numbers that are of no other kind.
func (f *format) drawSplits(v int64, bound int, key rng.Key) [][]int64 {
	var out [][]int64
	r := key.Rand()
	for i := 0; i < splitDraws && len(out) < bound; i++ {
		x := 1 + r.Int64N(v-1)
		terms := []int64{max(x, v-x), min(x, v-x)}
		if r.IntN(2) == 1 {
			x = 1 + r.Int64N(min(v, f.largest-v))
			terms = []int64{v + x, -x}
		}
		known := slices.ContainsFunc(out, func(t []int64) bool { return slices.Equal(t, terms) })
		if kindOf(terms) == split && !known {
			out = append(out, terms)
		}
	}
	return out
}
