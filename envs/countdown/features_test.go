package countdown

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// say names the meaning of a feature, by the layout alone.
func (e *Env) say(f int32) string {
	l := &e.layout
	type kind struct {
		from int32
		n    int
		name string
		base int // number of the first
	}
	all := []kind{
		{l.slot, l.numbers, "slot", 0}, {l.number, l.tokens, "number", e.low}, {l.wanted, l.tokens, "wanted", e.low},
		{l.depth, l.numbers + 1, "depth", 0}, {l.target, l.tokens, "target", e.low}, {l.done, 1, "done", 0},
	}
	for again := range l.numbers {
		all = append(all, kind{l.left + int32(again*l.tokens), l.tokens, fmt.Sprint("left again ", again), e.low})
	}
	for i, name := range []string{"top", "below", "lacks"} {
		v := &l.values[i]
		all = append(all,
			kind{v.undefined, 1, name + " undefined", 0}, kind{v.whole, 401, name, -200},
			kind{v.tens, 10, name + " tens", 0}, kind{v.units, 10, name + " units", 0},
			kind{v.den, 33, name + " over", 1}, kind{v.rest, 33, name + " rest", 1},
		)
		for _, signed := range []struct {
			from int32
			n    int
			name string
		}{{v.hundreds, 10, " hundreds"}, {v.large, 65, " bits"}} {
			if i := int(f - signed.from); f >= signed.from && i < 2*signed.n {
				return fmt.Sprint(name, signed.name, " ", i/2, []string{" above 0", " below 0"}[i%2])
			}
		}
	}
	for _, k := range all {
		if i := int(f - k.from); f >= k.from && i < k.n {
			return fmt.Sprint(k.name, " ", i+k.base)
		}
	}
	return fmt.Sprint("unknown feature ", f)
}

func (e *Env) sayAll(features []int32) (out []string) {
	for _, f := range features {
		out = append(out, e.say(f))
	}
	return out
}

// describe gives the expected features of a value, by big arithmetic; nil is undefined.
func describe(name string, v *big.Rat) (out []string) {
	if v == nil {
		return []string{name + " undefined 0"}
	}
	whole, rest := new(big.Int).DivMod(v.Num(), v.Denom(), new(big.Int))
	sign, digits := " above 0", new(big.Int).Abs(whole)
	if whole.Sign() < 0 {
		sign = " below 0"
	}
	switch text := digits.String(); {
	case digits.Cmp(big.NewInt(200)) <= 0:
		out = append(out, name+" "+whole.String())
	case len(text) == 3:
		out = append(out, name+" hundreds "+text[:1]+sign, name+" tens "+text[1:2], name+" units "+text[2:])
	default:
		out = append(out, fmt.Sprint(name, " bits ", digits.BitLen(), sign))
	}
	if rest.Sign() > 0 {
		capped := func(n *big.Int) string { return strconv.FormatInt(min(n.Int64(), 33), 10) }
		out = append(out, name+" over "+capped(v.Denom()), name+" rest "+capped(rest))
	}
	return out
}

// sees gives the expected features of a state: of the stack by big arithmetic.
func sees(p *Problem, answer []envs.Token, done bool) (out []string) {
	e := p.shape.env
	left := slices.Clone(p.given())
	var stack []*big.Rat
	for _, token := range answer {
		switch {
		case token >= firstNumber:
			number := int16(int(token-firstNumber) + e.low)
			at := slices.Index(left, number)
			left = slices.Delete(left, at, at+1)
			stack = append(stack, big.NewRat(int64(number), 1))
		case token < endToken:
			last := len(stack) - 2
			stack = append(stack[:last], bigJoin(token, stack[last], stack[last+1]))
		}
	}
	if n := len(stack); n > 0 {
		out = append(out, describe("top", stack[n-1])...)
		if stack[n-1] != nil {
			out = append(out, describe("lacks", new(big.Rat).Sub(big.NewRat(int64(p.target), 1), stack[n-1]))...)
		}
	}
	if n := len(stack); n > 1 {
		out = append(out, describe("below", stack[n-2])...)
	}
	out = append(out, fmt.Sprint("depth ", len(stack)), fmt.Sprint("target ", p.target))
	if done {
		return append(out, "done 0")
	}
	for i, number := range left {
		again := i - slices.Index(left, number)
		out = append(out, fmt.Sprint("left again ", again, " ", number))
	}
	return out
}

func bigJoin(t envs.Token, x, y *big.Rat) *big.Rat {
	switch {
	case x == nil || y == nil || t == overToken && y.Sign() == 0:
		return nil
	case t == plusToken:
		return new(big.Rat).Add(x, y)
	case t == minusToken:
		return new(big.Rat).Sub(x, y)
	case t == timesToken:
		return new(big.Rat).Mul(x, y)
	}
	return new(big.Rat).Quo(x, y)
}

// TestFeatures follows random walks over small and over the largest numbers.
func TestFeatures(t *testing.T) {
	for _, v := range append(variants, struct {
		name   string
		change func(*Config)
		hash   string
	}{"largest", func(c *Config) {
		c.Numbers, c.MaxNumber, c.TargetMax, c.MinModes, c.AtMostOnce = 5, 999, 999, 1, true
	}, ""}) {
		t.Run(v.name, func(t *testing.T) {
			e := build(t, v.change)
			r := rng.New(11).Rand()
			for range 300 {
				followFeatures(t, randomProblem(e.usual, r), r)
			}
		})
	}
}

func followFeatures(t *testing.T, p *Problem, r *rand.Rand) {
	t.Helper()
	e := p.shape.env
	var want, got [][]string
	for i, number := range p.given() {
		want = append(want, []string{fmt.Sprint("slot ", i), fmt.Sprint("number ", number)})
	}
	want = append(want, []string{fmt.Sprint("wanted ", p.target)})
	for _, position := range p.AppendPromptFeatures(nil) {
		got = append(got, e.sayAll(position))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("prompt %v, %d (-want +got)\n%s", p.given(), p.target, diff)
	}
	answer, c := randomAnswer(p, r), p.Start().(*cursor)
	for i := 0; ; i++ {
		if diff := cmp.Diff(sees(p, answer[:i], c.done), e.sayAll(c.AppendFeatures(nil))); diff != "" {
			t.Fatalf("numbers %v, target %d, after %v (-want +got)\n%s", p.given(), p.target, answer[:i], diff)
		}
		if i == len(answer) {
			return
		}
		if err := c.Push(answer[i]); err != nil {
			t.Fatal(err)
		}
	}
}
