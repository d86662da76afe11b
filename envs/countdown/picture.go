package countdown

import (
	"fmt"

	"modebench/envs"
	"modebench/internal/arith"
)

// Picture implements envs.Problem: the numbers and the target, the modes of
// correct answers with the number of their variants and the answers that hit
// them, and then a line for each answer.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	truth := p.Truth()
	head := fmt.Sprintf("countdown %s: make %d from %s; %d modes, %d expressions", p.id, p.target, list(p.given()), len(truth.Modes), truth.Solutions)
	return envs.PictureModes(p, head, most, func(i int) int64 { return p.solutions[i].Variants }, answers, p.caption)
}

// caption describes an answer and its verdict in one line.
func (p *Problem) caption(answer []envs.Token) string {
	v := p.Judge(answer)
	if v.Err != nil {
		return fmt.Sprintf("%s: degenerate: %v", p.AnswerText(answer), v.Err)
	}
	value, outcome := "undefined", "wrong"
	if nodes, err := p.read(nil, answer); err == nil {
		if x, err := arith.Eval(nodes); err == nil {
			value = x.String()
		}
	}
	if v.Correct {
		outcome = "right"
	}
	return fmt.Sprintf("%s = %s: %s; mode %s", p.AnswerText(answer), value, outcome, v.Mode)
}
