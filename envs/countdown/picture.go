package countdown

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/arith"
)

// Picture implements envs.Problem: the numbers and the target, the modes of
// correct answers with the number of their variants and the answers that hit
// them, and then a line for each answer.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	truth := p.Truth()
	var b strings.Builder
	fmt.Fprintf(&b, "countdown %s: make %d from %s; %d modes, %d expressions\n",
		p.id, p.target, list(p.given()), len(truth.Modes), truth.Solutions)
	hits := map[envs.Mode][]string{}
	for i, answer := range answers {
		// An answer that divides by zero does not hit a mode of correct answers.
		if v := p.Judge(answer); v.Correct {
			hits[v.Mode] = append(hits[v.Mode], fmt.Sprint(i+1))
		}
	}
	shown := p.solutions[:min(most, len(p.solutions))]
	width := 0
	for _, s := range shown {
		width = max(width, len(s.Mode))
	}
	for _, s := range shown {
		line := fmt.Sprintf("  %-*s  %4d", width, s.Mode, s.Variants)
		if by := hits[s.Mode]; by != nil {
			line += "  hit by " + strings.Join(by, ", ")
		}
		b.WriteString(line + "\n")
	}
	if more := len(p.solutions) - len(shown); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	for i, answer := range answers {
		fmt.Fprintf(&b, "%3d: %s\n", i+1, p.caption(answer))
	}
	return b.String()
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
