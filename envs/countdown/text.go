package countdown

import (
	"errors"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/arith"
)

// rank orders operators by how tight they bind.
func rank(op arith.Op) int {
	switch op {
	case arith.Add, arith.Sub:
		return 1
	case arith.Mul, arith.Div:
		return 2
	}
	return 3 // signs and numbers
}

// appendVariant writes an expression without the parentheses that precedence and associativity make
// redundant: a+(b-c) is a+b-c, a*(b/c) is a*b/c; a-(b+c) and a/(b*c) keep theirs.
func appendVariant(dst []byte, nodes []arith.Node, root int) []byte {
	return appendExpression(dst, nodes, root, false)
}

// appendExpression writes the expression that ends at a node. If exactly, it keeps
// the parentheses that tell a+(b+c) from a+b+c.
func appendExpression(dst []byte, nodes []arith.Node, root int, exactly bool) []byte {
	n := &nodes[root]
	if n.Op == arith.Number {
		return strconv.AppendInt(dst, n.Value, 10)
	}
	left, outer := rank(nodes[n.Left].Op), rank(n.Op)
	if n.Op == arith.Neg {
		return appendOperand(append(dst, '-'), nodes, int(n.Left), left < outer, exactly)
	}
	dst = appendOperand(dst, nodes, int(n.Left), left < outer, exactly)
	dst = append(dst, "+-*/"[n.Op-arith.Add])
	right := rank(nodes[n.Right].Op)
	matters := exactly || n.Op == arith.Sub || n.Op == arith.Div
	return appendOperand(dst, nodes, int(n.Right), right < outer || right == outer && matters, exactly)
}

func appendOperand(dst []byte, nodes []arith.Node, root int, enclosed, exactly bool) []byte {
	if !enclosed {
		return appendExpression(dst, nodes, root, exactly)
	}
	return append(appendExpression(append(dst, '('), nodes, root, exactly), ')')
}

// AnswerText implements envs.Problem: the expression with the parentheses that
// tell its tokens from others. Tokens that are no whole answer are written one by
// one with "..." after them, which does not parse.
func (p *Problem) AnswerText(answer []envs.Token) string {
	var room [16]arith.Node
	if nodes, err := p.read(room[:0], answer); err == nil {
		return string(appendExpression(nil, nodes, len(nodes)-1, true))
	}
	var b strings.Builder
	for _, t := range answer {
		b.WriteString(p.shape.env.word(t))
		b.WriteByte(' ')
	}
	b.WriteString("...")
	return b.String()
}

// AnswerTokens implements envs.Problem. An expression with a minus sign that has
// one operand has no token form.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	nodes, err := p.parse(nil, text)
	if err != nil {
		return nil, err
	}
	if _, err := p.place(nodes); err != nil {
		return nil, err
	}
	answer := make([]envs.Token, 0, len(nodes)+1)
	for _, n := range nodes {
		switch n.Op {
		case arith.Number:
			answer = append(answer, p.token(int16(n.Value)))
		case arith.Neg:
			return nil, errors.New("a minus sign with one operand has no token form; write it as a difference")
		default:
			answer = append(answer, envs.Token(n.Op-arith.Add))
		}
	}
	if p.shape.env.config.AtMostOnce {
		answer = append(answer, endToken)
	}
	return answer, nil
}

// Rewrite implements envs.Rewriter: an equation with the target on one side, and with steps of
// the calculation between.
func (p *Problem) Rewrite(answer string) string { return envs.Equated(answer, int(p.target)) }

// word is the text of a token; one outside the vocabulary is "?".
func (e *Env) word(t envs.Token) string {
	switch {
	case t >= plusToken && t <= overToken:
		return "+-*/"[t : t+1]
	case t == endToken:
		return "end"
	case t >= firstNumber && int(t-firstNumber) <= e.high-e.low:
		return strconv.Itoa(int(t-firstNumber) + e.low)
	}
	return "?"
}

// The tokens: operators, the end of an answer (with at_most_once), and the numbers from Env.low on.
const (
	plusToken envs.Token = iota
	minusToken
	timesToken
	overToken
	endToken
	firstNumber
)
