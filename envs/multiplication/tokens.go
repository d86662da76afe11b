package multiplication

import (
	"strings"

	"modebench/envs"
)

// The vocabulary: ten digits, six symbols, and the end of the answer.
const (
	plus envs.Token = 10 + iota
	minus
	star
	opening
	closing
	equals
	end
	words // number of tokens
)

const symbols = "0123456789+-*()="

func vocabulary() []string { return append(strings.Split(symbols, ""), "end") }

// A choice is the set of tokens that may come next, one bit each.
type choice uint32

const (
	zero     choice = 1
	nonzero  choice = 1<<10 - 2
	anyDigit        = zero | nonzero
)

func only(t envs.Token) choice { return 1 << t }

// has reports whether a token, which may be any number, is among the choice.
func (c choice) has(t envs.Token) bool { return uint(t) < uint(words) && c>>t&1 != 0 }

// index numbers the choices that there are: of the digits none, 0, 1 to 9, or
// all, and any symbols.
func (c choice) index() int { return int(c&3 | c>>10<<2) }

// tokens lists the choice in ascending order. The slice is shared.
func (c choice) tokens() []envs.Token { return legal[c.index()] }

// legal lists the tokens of every choice, by its index.
var legal = func() (lists [1 << (2 + words - 10)][]envs.Token) {
	for i := range lists {
		c := choice(i) >> 2 << 10
		if i&1 != 0 {
			c |= zero
		}
		if i&2 != 0 {
			c |= nonzero
		}
		for t := range words {
			if c.has(t) {
				lists[i] = append(lists[i], t)
			}
		}
	}
	return lists
}()
