package countdown

import (
	"math"
	"math/bits"
	"sync"

	"modebench/envs"
	"modebench/internal/arith"
)

// strategy returns the part that represents all expressions of one mode.
func (p *Problem) strategy(x part) part {
	m := p.shape.image(x, p.equal)
	x.form = m.form()
	x.flipped = m&signless == 0 && x.flipped != (m&negative != 0)
	return x
}

// mostVerdicts bounds the verdicts that a problem keeps, at about half a kilobyte
// each. Three and four numbers, whose modes are fewer, keep them all, in up to
// half a megabyte; beyond, wrong modes are too many to keep and are judged anew.
const mostVerdicts = 2000

// verdict is that of a mode, but for the variant; it is made once, or, if the
// mode is wrong and the problem keeps mostVerdicts, each time.
func (p *Problem) verdict(x part) *envs.Verdict {
	x = p.strategy(x)
	if v, ok := p.verdicts.Get(x.code()); ok {
		return v
	}
	v, limit := p.newVerdict(x), mostVerdicts
	if v.Correct {
		limit = math.MaxInt
	}
	p.verdicts.Put(x.code(), v, limit)
	return v
}

func (p *Problem) newVerdict(x part) *envs.Verdict {
	s := p.newModeWriter()
	defer modeWriters.Put(s)
	s.write(x)
	v := new(struct { // one allocation in place of two
		envs.Verdict
		embedding [dimension]float32
	})
	s.embed(&v.embedding, x)
	v.Mode, v.Reward, v.Embedding = envs.Mode(s.text), formed, v.embedding[:]
	if p.value(x).is(int64(p.target)) {
		v.Correct, v.Reward = true, right
	}
	return &v.Verdict
}

// The rewards there are: (correct, format). They are shared.
var (
	right  = []float64{1, 1}
	formed = []float64{0, 1}
	zero   = make([]float64, components)
)

// code is the key of a strategy.
func (x part) code() uint32 {
	n := x.form<<7 | uint32(x.slots)<<1
	if x.flipped {
		n++
	}
	return n
}

// value of a part as a term or as a whole, its sign included.
func (p *Problem) value(x part) value {
	v := p.magnitude(x)
	if x.flipped {
		v.num = -v.num
	}
	return v
}

func (p *Problem) magnitude(x part) value {
	if bits.OnesCount8(x.slots) == 1 {
		return value{int64(p.numberAt(x.slots)), 1}
	}
	f := p.shape.algebra[bits.OnesCount8(x.slots)].forms[x.form]
	left := expand[x.slots][f.left]
	return f.op.join(p.magnitude(part{form: f.a, slots: left}), p.magnitude(part{form: f.b, slots: x.slots &^ left}))
}

func (p *Problem) numberAt(slot slots) int16 { return p.numbers[bits.TrailingZeros8(slot)] }

// kind is the operation that a part flattens to.
func (p *Problem) kind(x part) operation {
	k := bits.OnesCount8(x.slots)
	return p.shape.algebra[k].forms[x.form].op.flat()
}

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

// JudgeText implements envs.Problem: one expression, in the last complete pair of <answer> tags or,
// without such a pair, in the whole text. "= target" may follow it, and a full stop.
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
