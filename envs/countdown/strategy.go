package countdown

import (
	"math"

	"modebench/envs"
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
