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
	// One allocation for both.
	v := &struct {
		envs.Verdict
		embedding [dimensions]float32
	}{}
	reward := 0b010
	if v.Correct = product == p.product; v.Correct {
		reward |= 0b001
	}
	if expanded {
		reward |= 0b100
	}
	v.Reward = rewards[reward]
	v.Answer = p.vote(product)
	v.Mode = r.mode()
	var text [96]byte
	v.Variant = string(d.appendVariant(text[:0], r))
	d.embed(&v.embedding, r)
	v.Embedding = v.embedding[:]
	return &v.Verdict
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
