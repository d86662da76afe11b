package bandit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/exact"
	"modebench/internal/plural"
)

// Limits of a drawing.
const (
	maxRows    = 64 // of more arms, those of a mode share a row
	maxModes   = 24 // of more modes than rows: correct ones with a row, and others
	maxColours = 7  // correct modes with a colour
	longVector = 4  // number of components from which equal neighbours are written together
)

// A drawnMode is a mode with its arms, or the modes without a row of their own.
type drawnMode struct {
	name    string
	first   int // arm
	arms    int
	modes   int
	correct bool
	hue     int
	base    float64
	class   string // of answers
	reward  string
	answers [][]int // by arm
}

// Drawing implements envs.Pictured: a row with a bar of the base probability for each arm, or for
// each mode if the arms are many. Correct modes have the colours of a run's figure of modes.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	modes := p.drawnModes(answers)
	d := envs.Drawing{Table: &envs.Table{Bars: "base probability"}}
	d.Title = fmt.Sprintf("bandit %s: %s, %d correct", p.id, plural.Count(len(modes), "mode"), len(p.truth.Modes))
	if len(p.verdicts) != len(modes) {
		d.Title += ", " + plural.Count(len(p.verdicts), "arm")
	}
	rest := colour(modes)
	d.Legend = legend(modes, rest)
	if len(p.verdicts) <= maxRows {
		p.armRows(d.Table, modes)
		d.Note = "Base probability: of an arm under the base policy, before training."
	} else {
		shown := lumped(modes)
		modeRows(d.Table, shown)
		d.Note = "Base probability: of a mode under the base policy, before training, summed over its arms."
		if len(shown) < len(modes) {
			d.Note += fmt.Sprintf(" At most %d correct modes and %d others have a row, first those with answers, then the likeliest; the rest are summed up without a bar.", maxModes, maxModes)
		}
	}
	if rest > 0 {
		d.Note += fmt.Sprintf(" The %d likeliest correct modes have a colour each.", maxColours)
	}
	if slices.ContainsFunc(d.Table.Rows, func(r envs.Row) bool { return strings.Contains(r.Texts[len(r.Texts)-1], "×") }) {
		d.Note += " Rewards: 3×0.5 means three equal components in a row."
	}
	d.Note += " Answer class: the vote of an answer (maj@k). A vote cannot tell modes of a class apart."
	return d
}

// drawnModes are all modes, with the answers to their arms. An answer whose mode alone is known
// is one to all arms of the mode.
func (p *Problem) drawnModes(answers []envs.Attempt) []*drawnMode {
	arms := p.env.config.ArmsPerMode
	out := make([]*drawnMode, len(p.correct))
	for m, correct := range p.correct {
		out[m] = &drawnMode{name: string(p.env.modes[m]), first: m * arms, arms: arms, modes: 1, correct: correct, answers: make([][]int, arms)}
		out[m].class, out[m].reward = p.verdicts[m*arms].Answer, rewardText(p.verdicts[m*arms].Reward)
		for a := range arms {
			out[m].base += exact.Exp(p.prior[m*arms+a])
		}
	}
	for i, answer := range answers {
		for _, m := range out {
			for a := range arms {
				if answer.Text == p.env.arms[m.first+a] || answer.Text == "" && string(answer.Mode) == m.name && answer.Correct == m.correct {
					m.answers[a] = append(m.answers[a], i)
				}
			}
		}
	}
	return out
}

func likelier(a, b *drawnMode) int { return cmp.Compare(b.base, a.base) }

// colour gives the likeliest correct modes a colour each, in the order of the modes, and returns
// how many of the correct modes have no colour.
func colour(modes []*drawnMode) (rest int) {
	var correct []*drawnMode
	for _, m := range modes {
		if m.hue = envs.WrongModes; m.correct {
			m.hue = envs.OtherModes
			correct = append(correct, m)
		}
	}
	slices.SortStableFunc(correct, likelier)
	few := correct[:min(maxColours, len(correct))]
	slices.SortFunc(few, func(a, b *drawnMode) int { return a.first - b.first })
	for i, m := range few {
		m.hue = i
	}
	return len(correct) - len(few)
}

// legend names the coloured modes, and counts the other correct ones and the incorrect ones.
func legend(modes []*drawnMode, rest int) []envs.Entry {
	entry := func(hue int, text string) envs.Entry {
		return envs.Entry{Sample: envs.Shape{Kind: envs.Polygon, Role: envs.Bar, Hue: hue, Points: envs.Box(-12, -3.5, 12, 3.5)}, Text: text}
	}
	var out []envs.Entry
	wrong := 0
	for _, m := range modes {
		if m.hue >= 0 {
			out = append(out, entry(m.hue, m.name))
		} else if !m.correct {
			wrong++
		}
	}
	if rest > 0 {
		out = append(out, entry(envs.OtherModes, plural.Count(rest, "other mode")))
	}
	if len(out) > 0 {
		out[0].Head = "Correct:"
	}
	if wrong > 0 {
		e := entry(envs.WrongModes, plural.Count(wrong, "mode"))
		e.Head = "Incorrect:"
		out = append(out, e)
	}
	return out
}

// lumped are the modes that have answers, then the likeliest, as far as there are rows for them.
// The rest of the correct ones share a row, and so do the rest of the others.
func lumped(modes []*drawnMode) []*drawnMode {
	if len(modes) <= maxRows {
		return modes
	}
	var out []*drawnMode
	for _, correct := range []bool{true, false} {
		some := slices.DeleteFunc(slices.Clone(modes), func(m *drawnMode) bool { return m.correct != correct })
		slices.SortStableFunc(some, func(a, b *drawnMode) int {
			return cmp.Or(min(1, len(b.given()))-min(1, len(a.given())), likelier(a, b))
		})
		large := some[:min(maxModes, len(some))]
		slices.SortFunc(large, func(a, b *drawnMode) int { return a.first - b.first })
		out = append(out, large...)
		small := some[len(large):]
		if len(small) == 0 {
			continue
		}
		rest := *small[0]
		rest.name, rest.hue = fmt.Sprintf("%d more", len(small)), min(rest.hue, envs.OtherModes)
		for _, m := range small[1:] {
			rest.arms, rest.modes, rest.base = rest.arms+m.arms, rest.modes+1, rest.base+m.base
			if m.class != rest.class {
				rest.class = "several"
			}
			if m.reward != rest.reward {
				rest.reward = "several"
			}
			rest.answers = slices.Concat(rest.answers, m.answers)
		}
		out = append(out, &rest)
	}
	return out
}

// given are the answers to the arms of a mode.
func (m *drawnMode) given() []int {
	return each.Distinct(slices.Concat(m.answers...))
}

func (p *Problem) armRows(t *envs.Table, modes []*drawnMode) {
	t.Heads = []string{"arm", "answer class", "reward"}
	for _, m := range modes {
		for a, answers := range m.answers {
			arm := m.first + a
			t.Rows = append(t.Rows, envs.Row{
				Role: envs.Bar, Hue: m.hue, Value: exact.Exp(p.prior[arm]), First: m.arms > 1 && a == 0, Answers: answers,
				Texts: []string{p.env.arms[arm], m.class, m.reward},
			})
		}
	}
}

func modeRows(t *envs.Table, modes []*drawnMode) {
	t.Heads = []string{"mode", "arms", "answer class", "reward"}
	for i, m := range modes {
		t.Rows = append(t.Rows, envs.Row{
			Role: envs.Bar, Hue: m.hue, Value: m.base, Bare: m.modes > 1, First: i > 0 && modes[i-1].modes > 1, Answers: m.given(),
			Texts: []string{m.name, strconv.Itoa(m.arms), m.class, m.reward},
		})
	}
}

// rewardText writes a reward vector: "1", "(1, 0.5, 0)", or, if it is long, "(1, 7×0.5)".
func rewardText(r []float64) string {
	words := numerals(r)
	if len(r) == 1 {
		return words[0]
	}
	var out []string
	for start := 0; start < len(words); {
		end := start + 1
		for end < len(words) && words[end] == words[start] && len(r) >= longVector {
			end++
		}
		word := words[start]
		if n := end - start; n > 1 {
			word = strconv.Itoa(n) + "×" + word
		}
		out = append(out, word)
		start = end
	}
	return "(" + strings.Join(out, ", ") + ")"
}

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
	fmt.Fprintf(&b, "bandit %s: %s, %d correct (*), %s each\n", p.id, plural.Count(c.Modes, "mode"), len(p.truth.Modes), plural.Count(c.ArmsPerMode, "arm"))
	for a, v := range p.verdicts {
		mark := " "
		if v.Correct {
			mark = "*"
		}
		prob := exact.Exp(p.prior[a])
		bar := strings.Repeat("#", int(float64(barWidth*prob)+0.5))
		line := fmt.Sprintf("%s %s  answer %-4s reward (%s)  base %.3f %s", mark, p.env.arms[a], v.Answer, strings.Join(numerals(v.Reward), ", "), prob, bar)
		if n := count[envs.Token(a)]; n > 0 {
			line += fmt.Sprintf("  <- %d", n)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func numerals(r []float64) []string {
	return each.Map(r, func(x float64) string { return fmt.Sprintf("%.3g", x) })
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
