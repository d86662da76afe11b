package envs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// This file holds the part of a chain that ChainOptions.Stops adds: the control token after
// each answer, and the final answer.

// Stops reports whether a control token may end a rollout before its last answer.
func (c *Chain) Stops() bool { return c.controls != nil }

// controls lists the control tokens of a chain of m answers: go on, stop, and stop
// and name one of the answers.
func controls(vocabulary, m int) []Token {
	out := make([]Token, m+2)
	for i := range out {
		out[i] = Token(vocabulary + i)
	}
	return out
}

func (c *Chain) goOn() Token { return c.controls[0] }

// due lists the control tokens that are legal after the given number of answers.
func (c *Chain) due(given int) []Token {
	if given == c.m {
		return c.controls[1:]
	}
	return c.controls[:given+2]
}

// A control is the cursor of the one control token after an answer.
type control struct {
	chain *Chain
	given int // answers before
	done  bool
}

// The part under way in a chain that stops.
const (
	answering byte = 'a'
	deciding  byte = 'c'
)

func (c *chainCursor) phase() byte {
	if _, ok := c.inner.(*control); ok {
		return deciding
	}
	return answering
}

// controlMark begins what a policy sees where a control token is due.
const controlMark = "\xffcontrol"

// AppendState implements Cursor: the number of answers given, and whether the chain may go on,
// since chains of several lengths share what a policy knows of their problem.
func (c *control) AppendState(dst []byte) []byte {
	dst = append(append(dst, controlMark...), byte(c.given))
	switch {
	case c.done:
		return append(dst, '.')
	case c.given == c.chain.m:
		return append(dst, 's')
	}
	return append(dst, 'g')
}

// notControl makes the view of an answer differ from those of control tokens. It may be any bytes;
// if it begins with the mark, as no view of an environment does, it is made longer than theirs.
func notControl(view []byte) []byte {
	if !bytes.HasPrefix(view, []byte(controlMark)) {
		return view
	}
	return append(view, controlMark...)
}

func (c *control) Legal() []Token {
	if c.done {
		return nil
	}
	return c.chain.due(c.given)
}

func (c *control) Done() bool { return c.done }

func (c *control) Push(t Token) error {
	if _, ok := slices.BinarySearch(c.Legal(), t); !ok {
		return fmt.Errorf("token %d is not legal after answer %d of a chain of up to %d", t, c.given, c.chain.m)
	}
	c.done = true
	return nil
}

// heed reads the control token behind an answer of n tokens, which is the number
// it has just been given. It returns how many tokens belong to that answer, and
// how many of the rest are read: with the control token.
func (r *reader) heed(n int) (answer, read int) {
	if n == len(r.rest) { // it has not been reached
		r.over = true
		return n, n
	}
	t := r.rest[n]
	_, legal := slices.BinarySearch(r.chain.due(r.number), t)
	if legal && t == r.chain.goOn() {
		return n, n + 1
	}
	r.over = true
	if !legal || n+1 < len(r.rest) {
		return len(r.rest), len(r.rest)
	}
	r.named = int(t - r.chain.controls[1])
	return n, n + 1
}

// JudgeAll appends m verdicts to dst whatever the chain: those of Judge and, where the
// rollout stopped early, the verdict of an empty answer for each answer that is not
// there. So rollouts that stopped at different places make pools of one shape.
func (c *Chain) JudgeAll(dst []*Verdict, rollout []Token) []*Verdict {
	whole := len(dst) + c.m
	dst = c.Judge(dst, rollout)
	for len(dst) < whole {
		dst = append(dst, c.problem.Judge(nil))
	}
	return dst
}

// Named returns which answer of a rollout its last token names as the final one, from 1, or
// 0 if it does not name an answer.
func (c *Chain) Named(rollout []Token) int {
	if !c.Stops() {
		return 0
	}
	r := c.read(rollout)
	for r.next() {
	}
	return r.named
}

// FinalVerdict returns the verdict of a rollout's final answer, given the verdicts of its answers
// (by Judge, JudgeAll or JudgeText) and which of them it names (Named, NamedText). As in SD-E2 (eq.
// 7) it is the named answer, or else the last one that has an outcome (Verdict.Answer), or nil. The
// <ANS> that eq. 7 has in between cannot be said in this grammar. A named answer without an outcome
// counts as not named, since SD-E2 (app. E) drops empty tags.
func FinalVerdict(answers []*Verdict, named int) *Verdict {
	if named >= 1 && named <= len(answers) && answers[named-1].Answer != "" {
		return answers[named-1]
	}
	for _, v := range slices.Backward(answers) {
		if v.Answer != "" {
			return v
		}
	}
	return nil
}

const finalTag = "final"

func (c *Chain) stopPrompt() string {
	return fmt.Sprintf("\nAny number of them from 1 to %d will do: number them in order, and stop when you like. "+
		"To say which one is your final answer, end with its number, as in <%s>1</%s>; if you do not, the last one is taken.", c.m, finalTag, finalTag)
}

// given is how many answers a text has.
func (c *Chain) given(text string) int {
	if !c.Stops() {
		return c.m
	}
	for i := c.m; i > 1; i-- {
		if _, tagged := c.tagged(text, i); tagged {
			return i
		}
	}
	return 1
}

// NamedText is Named of a text: the number that Tagged finds between <final> and </final>,
// with nothing but blanks around it, or 0 if it is not the number of a given answer.
func (c *Chain) NamedText(text string) int {
	if !c.Stops() {
		return 0
	}
	inside, _ := Tagged(text, finalTag)
	inside = strings.TrimSpace(inside)
	n, err := strconv.Atoi(inside)
	if err != nil || n < 1 || n > c.given(text) || inside != strconv.Itoa(n) {
		return 0 // also "+1" and "01", which no rollout's text has
	}
	return n
}
