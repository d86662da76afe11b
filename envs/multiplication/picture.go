package multiplication

import (
	"fmt"
	"strings"

	"modebench/envs"
)

// Picture implements envs.Problem: the families of correct decompositions, each
// with the number of its variants and an example, then one line per answer given
// with its reward and mode. A family is marked with the numbers of the answers in
// it that are correct.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	p.findExamples.Do(p.findFamilies)
	marks := map[envs.Mode]string{}
	var captions strings.Builder
	for i, answer := range answers {
		v := p.Judge(answer)
		if v.Correct {
			marks[v.Mode] += fmt.Sprintf(" %d", i+1)
		}
		captions.WriteString(p.caption(i+1, answer, v) + "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "multiplication %s: %s = %s, %d families, %s variants\n", p.id, p.operands(), p.answer, len(p.families), orUnknown(p.Truth().Solutions))
	width := 0
	for _, f := range p.families {
		width = max(width, len(orUnknown(f.count())))
	}
	for _, f := range p.families {
		line := fmt.Sprintf("  %-13s %*s  %s", f.Mode, width, orUnknown(f.count()), f.Answer)
		if mark := marks[f.Mode]; mark != "" {
			line += "  <-" + mark
		}
		b.WriteString(line + "\n")
	}
	return b.String() + captions.String()
}

func orUnknown(n int64) string {
	if n == unknown {
		return "?"
	}
	return fmt.Sprint(n)
}

func (p *Problem) caption(number int, answer []envs.Token, v *envs.Verdict) string {
	if v.Err != nil {
		return fmt.Sprintf("%3d: does not parse: %v", number, v.Err)
	}
	parts := make([]string, len(v.Reward))
	for i, r := range v.Reward {
		parts[i] = fmt.Sprint(r)
	}
	mode := string(v.Mode)
	if v.Mode == envs.Degenerate {
		mode = "degenerate"
	}
	return fmt.Sprintf("%3d: %s; reward (%s), mean %.3g; %s", number, p.AnswerText(answer),
		strings.Join(parts, ", "), v.Scalar(envs.UniformWeights(components)), mode)
}
