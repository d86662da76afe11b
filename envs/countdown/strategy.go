package countdown

import (
	"math/bits"

	"modebench/envs"
)

// strategy returns the part that stands for all expressions of one mode.
func (p *Problem) strategy(x part) part {
	m := p.shape.image(x, p.equal)
	x.form = m.form()
	x.flipped = m&signless == 0 && x.flipped != (m&negative != 0)
	return x
}

// code is what a strategy is looked up by.
func (x part) code() uint32 {
	n := x.form<<7 | uint32(x.slots)<<1
	if x.flipped {
		n++
	}
	return n
}

// mostVerdicts bounds the verdicts that a problem keeps, at about half a kilobyte
// each. Three and four numbers, whose modes are fewer, keep them all, in up to
// half a megabyte; beyond, wrong modes are too many to keep and are judged anew.
const mostVerdicts = 2000

// verdict is that of a mode, but for the variant; it is made once, or, if the
// mode is wrong and the problem keeps mostVerdicts, each time.
func (p *Problem) verdict(x part) *envs.Verdict {
	x = p.strategy(x)
	p.lock.RLock()
	v := p.verdicts[x.code()]
	p.lock.RUnlock()
	if v != nil {
		return v
	}
	v = p.newVerdict(x)
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.verdicts == nil {
		p.verdicts = map[uint32]*envs.Verdict{}
	}
	if v.Correct || len(p.verdicts) < mostVerdicts {
		p.verdicts[x.code()] = v // another one made meanwhile is the same
	}
	return v
}

// newVerdict works the verdict of a strategy out.
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

// value of a part as a term or as a whole, its sign included.
func (p *Problem) value(x part) value {
	v := p.magnitude(x)
	if x.flipped {
		v.num = -v.num
	}
	return v
}

// magnitude is the value of a part's form.
func (p *Problem) magnitude(x part) value {
	if bits.OnesCount8(x.slots) == 1 {
		return value{int64(p.numberAt(x.slots)), 1}
	}
	f := p.shape.algebra[bits.OnesCount8(x.slots)].forms[x.form]
	left := expand[x.slots][f.left]
	return f.op.join(p.magnitude(part{form: f.a, slots: left}), p.magnitude(part{form: f.b, slots: x.slots &^ left}))
}

// numberAt is the number of a single slot.
func (p *Problem) numberAt(slot slots) int16 { return p.numbers[bits.TrailingZeros8(slot)] }

// kind is what a part flattens to.
func (p *Problem) kind(x part) operation {
	k := bits.OnesCount8(x.slots)
	return p.shape.algebra[k].forms[x.form].op.flat()
}
