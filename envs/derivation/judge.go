package derivation

import (
	"errors"
	"math"

	"modebench/envs"
)

// noReward is that of an answer that breaks the rules.
var noReward = []float64{0, 0}

// Judge implements envs.Problem.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	c := p.begin()
	for _, t := range answer {
		if err := c.Push(t); err != nil {
			return envs.Reject(noReward, err)
		}
	}
	return p.verdict(c)
}

// JudgeText implements envs.Problem: statements in the last complete pair of <answer> tags
// or, without such a pair, in the whole text.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	c, err := p.parse(text)
	if err != nil {
		return envs.Reject(noReward, err)
	}
	return p.verdict(c)
}

// verdict judges what has been written.
func (p *Problem) verdict(c *cursor) *envs.Verdict {
	if err := c.whole(); err != nil {
		return envs.Reject(noReward, err)
	}
	names := c.names()
	v := &envs.Verdict{
		Reward:    []float64{0, p.rules.brief(2 * c.written)},
		Correct:   p.correct(c),
		Answer:    string('0' + byte(c.claims[p.asked])),
		Mode:      p.mode(names & p.needed),
		Embedding: p.embed(names),
		Variant:   c.text(),
	}
	if v.Correct {
		v.Reward[0] = 1
	}
	return v
}

// whole returns the first part that an answer lacks, as an error.
func (c *cursor) whole() error {
	if !c.Done() {
		return errors.New("the answer does not say what " + string(letter(c.problem.asked)) + " is")
	}
	return nil
}

// correct reports whether the digits are right that have to be.
func (p *Problem) correct(c *cursor) bool {
	if p.rules.config.Verify == "answer" {
		return c.claims[p.asked] == p.facts[p.asked].value
	}
	for _, i := range c.order[:c.written] {
		if c.claims[i] != p.facts[i].value {
			return false
		}
	}
	return true
}

// brief is the second reward of an answer by its number of tokens: DAPO eq. 13, plus 1.
func (m *rules) brief(tokens int) float64 {
	longest, cache := m.config.OverlongMax, m.config.OverlongCache
	return float64(min(max(longest-tokens, 0), cache)) / float64(cache)
}

// mode names a set of needed variables.
func (p *Problem) mode(written set) envs.Mode {
	if written == 0 {
		return "-"
	}
	var room [2 * maxVariables]byte
	name := room[:0]
	for i := range p.facts {
		if written.has(i) {
			if len(name) > 0 {
				name = append(name, ',')
			}
			name = append(name, letter(i))
		}
	}
	return envs.Mode(name)
}

// text writes the statements: "d=7, f=2, g=9".
func (c *cursor) text() string {
	var room [5 * maxVariables]byte
	text := room[:0]
	for _, i := range c.order[:c.written] {
		if len(text) > 0 {
			text = append(text, ',', ' ')
		}
		text = append(text, letter(int(i)), '=', '0'+byte(c.claims[i]))
	}
	return string(text)
}

// embed marks the written variables, at unit length. The asked variable is always written.
func (p *Problem) embed(written set) []float32 {
	each := float32(1 / math.Sqrt(float64(written.size())))
	v := make([]float32, p.rules.derived())
	for i := range v {
		if written.has(p.given() + i) {
			v[i] = each
		}
	}
	return v
}
