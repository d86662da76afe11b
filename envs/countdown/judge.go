package countdown

import (
	"sync"

	"modebench/envs"
	"modebench/internal/arith"
)

// scratch is the memory that judging an answer needs for a while.
type scratch struct {
	nodes []arith.Node
	text  []byte
}

// scratches are shared by all problems.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Judge implements envs.Problem.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	nodes, err := p.read(s.nodes[:0], answer)
	return p.judge(s, nodes, err)
}

// JudgeText implements envs.Problem: one expression, in the last complete pair of <answer>
// tags or, without such a pair, in the whole text. "= target" may follow it, and a full
// stop.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	nodes, err := p.parse(s.nodes[:0], text)
	return p.judge(s, nodes, err)
}

// judge gives the verdict of an expression, or of a text that is not an expression.
func (p *Problem) judge(s *scratch, nodes []arith.Node, err error) *envs.Verdict {
	s.nodes = nodes
	if err != nil {
		return envs.Reject(zero, err)
	}
	whole, err := p.place(nodes)
	if err != nil {
		return envs.Reject(zero, err)
	}
	v := *p.verdict(whole)
	if v.Correct && p.shape.n >= leastFragile {
		// x/(y/z) has the mode of x*z/y, but where z is 0 it has no value.
		if _, err := arith.Eval(nodes); err != nil {
			v.Correct, v.Reward = false, formed
		}
	}
	s.text = appendVariant(s.text[:0], nodes, len(nodes)-1)
	v.Variant = string(s.text)
	return &v
}
