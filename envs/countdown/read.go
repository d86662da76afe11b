package countdown

import (
	"cmp"
	"errors"
	"fmt"

	"modebench/envs"
	"modebench/internal/arith"
)

// parse reads the text of an answer: an expression, with "= target" after it or without, and perhaps
// a full stop at the end. If columns count from inside the tags, the error tells.
func (p *Problem) parse(dst []arith.Node, text string) ([]arith.Node, error) {
	inside, tagged := envs.Tagged(text, "answer")
	if tagged {
		text = inside
	}
	err := envs.CheckListed(text)
	expression, wrong := envs.CutClaim(envs.Unquoted(text), "target", int(p.target))
	if err = cmp.Or(err, wrong); err == nil {
		dst, err = arith.Parse(dst, expression)
	}
	if err != nil && tagged {
		err = fmt.Errorf("in the answer, %w", err)
	}
	return dst, err
}

// place puts the numbers of an expression into slots, and returns its form.
func (p *Problem) place(nodes []arith.Node) (part, error) {
	al := p.shape.algebra
	// Slots run out before the stack does.
	var stack [maxSlots]part
	top, used := -1, slots(0)
	for _, n := range nodes {
		switch n.Op {
		case arith.Number:
			slot := p.slot(n.Value, used)
			if slot == 0 {
				return part{}, p.misused(n.Value)
			}
			used |= slot
			top++
			stack[top] = part{slots: slot}
		case arith.Neg:
			stack[top].flipped = !stack[top].flipped
		default:
			top--
			stack[top] = al.combine(n.Op, stack[top], stack[top+1])
		}
	}
	if used != p.shape.full && !p.shape.env.config.AtMostOnce {
		return part{}, p.unused(used)
	}
	return stack[0], nil
}

// slot is the first free slot that holds a number; the empty set if there is no such slot.
func (p *Problem) slot(number int64, used slots) slots {
	for i, given := range p.given() {
		if int64(given) == number && used>>i&1 == 0 {
			return 1 << i
		}
	}
	return 0
}

// misused returns the reason why there is no slot for a number.
func (p *Problem) misused(number int64) error {
	if p.slot(number, 0) != 0 {
		return fmt.Errorf("%d is used more often than it is given; the numbers are %s", number, list(p.given()))
	}
	return fmt.Errorf("%d is not given; the numbers are %s", number, list(p.given()))
}

// unused names a number that an expression lacks, given that it lacks one.
func (p *Problem) unused(used slots) error {
	missing := p.numberAt(p.shape.full &^ used)
	uses, times := 0, 0
	for i, number := range p.given() {
		if number == missing {
			uses += int(used >> i & 1)
			times++
		}
	}
	if uses == 0 {
		return fmt.Errorf("%d is not used; the numbers are %s", missing, list(p.given()))
	}
	return fmt.Errorf("%d is used %s and given %s; the numbers are %s", missing, often(uses), often(times), list(p.given()))
}

func often(times int) string {
	switch times {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", times)
}

// read turns token answers into nodes. An answer that is not complete, or goes on
// when it is, is an error.
func (p *Problem) read(dst []arith.Node, answer []envs.Token) ([]arith.Node, error) {
	e := p.shape.env
	if len(answer) > e.longest {
		return dst, fmt.Errorf("%d tokens, want at most %d", len(answer), e.longest)
	}
	body := answer
	if last := len(answer) - 1; e.config.AtMostOnce && last >= 0 && answer[last] == endToken {
		body = answer[:last]
	}
	var room [2 * maxSlots]int32 // longer than an answer without operators may be
	dst, values, err := e.join(dst, room[:0], body)
	switch {
	case err != nil:
		return dst, err
	case len(values) != 1:
		return dst, fmt.Errorf("%d values are left, want 1", len(values))
	case e.config.AtMostOnce && len(body) == len(answer):
		return dst, errors.New("the answer has no end")
	}
	return dst, nil
}

// join appends the nodes of numbers and operators, and the places of the values that are left.
func (e *Env) join(dst []arith.Node, values []int32, tokens []envs.Token) ([]arith.Node, []int32, error) {
	for i, t := range tokens {
		switch {
		case t >= firstNumber && int(t-firstNumber) <= e.high-e.low:
			dst = append(dst, arith.Node{Op: arith.Number, Value: int64(t-firstNumber) + int64(e.low)})
		case t < plusToken || t > overToken:
			return dst, nil, fmt.Errorf("token %d, %q, cannot stand there", i+1, e.word(t))
		case len(values) < 2:
			return dst, nil, fmt.Errorf("token %d, %q, finds fewer than two values to join", i+1, e.word(t))
		default:
			last := len(values) - 2
			dst = append(dst, arith.Node{Op: arith.Add + arith.Op(t), Left: values[last], Right: values[last+1]})
			values = values[:last]
		}
		values = append(values, int32(len(dst)-1))
	}
	return dst, values, nil
}
