package multiplication

import (
	"strconv"

	"modebench/envs"
)

// rewards are the reward vectors, by the bits product, decomposition and
// expansion. They are shared.
var rewards = func() (r [1 << components][]float64) {
	for i := range r {
		r[i] = make([]float64, components)
		for j := range r[i] {
			r[i][j] = float64(i >> j & 1)
		}
	}
	return r
}()

// Judge implements envs.Problem. What is no whole answer of the token grammar is
// judged by its text.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	c := cursor{problem: p}
	var room leaves
	d, r, whole := c.run(answer, &room)
	switch {
	case !whole:
		return p.JudgeText(p.AnswerText(answer))
	case !c.valid:
		return p.degenerate(c.value)
	}
	return p.verdict(&d, r, c.matched, c.value)
}

// verdict is that of an answer with a valid decomposition.
func (p *Problem) verdict(d *decomposition, r reading, expanded bool, product int64) *envs.Verdict {
	s := p.solution(d, r)
	v := &envs.Verdict{Answer: p.vote(product), Mode: r.mode(), Variant: s.variant, Embedding: s.embedding[:]}
	reward := 0b010
	if v.Correct = product == p.product; v.Correct {
		reward |= 0b001
	}
	if expanded {
		reward |= 0b100
	}
	v.Reward = rewards[reward]
	return v
}

// A solution is what the verdicts of one variant share.
type solution struct {
	variant   string
	embedding [dimensions]float32
}

// maxSolutions bounds the solutions that a problem keeps, about 400 bytes each:
// answers repeat few variants, but who samples at random meets ever more.
const maxSolutions = 1024

// solution is that of a valid reading, kept from an earlier answer if there was
// one: writing and embedding a variant costs more than looking it up.
func (p *Problem) solution(d *decomposition, r reading) *solution {
	var room [96]byte
	text := d.appendVariant(room[:0], r)
	p.solving.RLock()
	s, full := p.solutions[string(text)], len(p.solutions) == maxSolutions
	p.solving.RUnlock()
	if s != nil {
		return s
	}
	s = &solution{variant: string(text)}
	d.embed(&s.embedding, r)
	if full {
		return s
	}
	p.solving.Lock()
	defer p.solving.Unlock()
	if p.solutions == nil {
		p.solutions = map[string]*solution{}
	}
	if len(p.solutions) < maxSolutions {
		p.solutions[s.variant] = s
	}
	return s
}

// degenerate is the verdict of an answer that has a product and no valid
// decomposition.
func (p *Problem) degenerate(product int64) *envs.Verdict {
	v := &envs.Verdict{Reward: rewards[0], Answer: p.vote(product), Mode: envs.Degenerate}
	if v.Correct = product == p.product; v.Correct {
		v.Reward = rewards[0b001]
	}
	return v
}

// vote is the text of a product.
func (p *Problem) vote(product int64) string {
	if product == p.product {
		return p.answer
	}
	return strconv.FormatInt(product, 10)
}

func reject(err error) *envs.Verdict {
	return &envs.Verdict{Reward: rewards[0], Mode: envs.Degenerate, Err: err}
}
