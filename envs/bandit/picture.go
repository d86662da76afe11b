package bandit

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/plural"
)

// barWidth is the length of the bar of an arm that holds all the probability.
const barWidth = 40

// Picture implements envs.Problem: one line per arm with its reward, answer class and a bar of its
// probability under the base policy; the given answers are counted at the end of the line.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	count := map[envs.Token]int{}
	for _, a := range answers {
		if len(a) == 1 {
			count[a[0]]++
		}
	}
	var b strings.Builder
	c := p.env.config
	fmt.Fprintf(&b, "bandit %s: %s, %d correct (*), %s each\n", p.id, plural.Of(c.Modes, "mode"), len(p.truth.Modes), plural.Of(c.ArmsPerMode, "arm"))
	for a, v := range p.verdicts {
		mark := " "
		if v.Correct {
			mark = "*"
		}
		prob := exact.Exp(p.prior[a])
		bar := strings.Repeat("#", int(float64(barWidth*prob)+0.5))
		line := fmt.Sprintf("%s %s  answer %-4s reward %s  base %.3f %s", mark, p.env.arms[a], v.Answer, vector(v.Reward), prob, bar)
		if n := count[envs.Token(a)]; n > 0 {
			line += fmt.Sprintf("  <- %d", n)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func vector(r []float64) string {
	words := make([]string, len(r))
	for i, x := range r {
		words[i] = fmt.Sprintf("%.3g", x)
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// Fields implements envs.Problem: "arms" lists every arm with its verdict and
// its probability under the base policy.
func (p *Problem) Fields() map[string]any {
	type arm struct {
		Arm     string    `json:"arm"`
		Mode    envs.Mode `json:"mode"`
		Reward  []float64 `json:"reward"`
		Correct bool      `json:"correct"`
		Answer  string    `json:"answer"`
		Base    float64   `json:"base"`
	}
	var arms []arm
	for a, v := range p.verdicts {
		arms = append(arms, arm{p.env.arms[a], v.Mode, v.Reward, v.Correct, v.Answer, exact.Exp(p.prior[a])})
	}
	return map[string]any{"arms": arms}
}
