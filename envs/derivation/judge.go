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

// Truth implements envs.Problem. Modes are in the order of the binary numbers whose lowest
// digit tells whether the first needed variable is written. Nothing is better than the
// right digit alone: it is correct, and no answer is shorter.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(func() { p.truth = p.count() })
	return p.truth
}

func (p *Problem) count() envs.Truth {
	truth := envs.Truth{
		Modes: make([]envs.Mode, 0, 1<<p.needed.size()),
		Front: [][]float64{{1, p.rules.brief(2)}},
	}
	ways := int64(base)
	if p.rules.config.Verify == "all" {
		ways = 1
	}
	truth.Solutions = arrangements(p.derived()-1, ways)
	// The subsets of a set in ascending order: adding 1 to the bits that are not in it
	// carries to the next subset.
	for s := set(0); ; s = (s - p.needed) & p.needed {
		truth.Modes = append(truth.Modes, p.mode(s))
		if s == p.needed {
			return truth
		}
	}
}

// arrangements counts the sequences of any of r things without repetition, each of them in
// a number of ways:
//
//	sum over j = 0..r of r (r-1) ... (r-j+1) ways^j
//
// Of the variables besides the asked one these are the correct answers, as a statement has 10
// digits to choose from, or 1 where all have to be right; the end is always the same.
func arrangements(r int, ways int64) int64 {
	total := int64(1)
	for n := int64(1); n <= int64(r); n++ {
		total = 1 + n*ways*total
	}
	return total
}
