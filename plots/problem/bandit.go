package problem

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// A banditArm is an entry of the bandit's field "arms".
type banditArm struct {
	Arm     string    `json:"arm"`
	Mode    string    `json:"mode"`
	Reward  []float64 `json:"reward"`
	Correct bool      `json:"correct"`
	Answer  string    `json:"answer"`
	Base    float64   `json:"base"` // probability under the base policy

	answered int // answers given that are this arm
}

func (a banditArm) key() draw.ModeKey { return draw.ModeKey{Name: a.Mode, Correct: a.Correct} }

// An armGroup is what stands together in the picture: the arms of one mode, or
// of several modes that share a row.
type armGroup struct {
	name  string // empty: the mode's
	modes []draw.ModeKey
	arms  []banditArm
}

// What a picture of a bandit can show apart.
const (
	maxBars      = 64 // where there are more, the arms of a mode share a bar
	maxBarGroups = 24 // where there are more modes than bars: correct ones shown, and others
)

// banditFigure shows what the base policy makes of a bandit: a bar for each arm,
// or for each mode where there are too many arms, by mode. Correct modes have
// the colours of a run's figure of modes.
func banditFigure(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	var arms []banditArm
	if err := readField(p, "arms", &arms); err != nil {
		return nil, err
	}
	if len(arms) == 0 {
		return nil, errors.New("the problem has no arms to draw")
	}
	for _, a := range arms {
		if a.Base < 0 || a.Base > 1+draw.Rounding {
			return nil, fmt.Errorf("arm %s: base is %v, want a probability", a.Arm, a.Base)
		}
	}
	unparsed := countAnswers(p, arms, answers)
	groups := byMembership(arms)
	layers := colouredModes(groups)
	fills := fillsOf(layers)
	shown := lumped(groups)
	table := armTable(shown, fills)
	if len(arms) > maxBars {
		table = modeTable(shown, fills)
	}
	table.answered = len(answers) > 0
	body, width := table.block()
	var marks []draw.Entry
	if table.answered {
		marks = append(marks, countEntry("given, and how often"))
	}
	blocks := append(draw.Heading(banditTitle(p, groups, len(arms)), width), body, banditLegend(layers, groups, width, "Answers:", marks...))
	note := draw.Sentences(barNote(shown, len(arms)), colourNote(layers), rewardNote(table.rows), unparsedNote(unparsed, len(answers)))
	return draw.NotedPage(width, note, blocks...), nil
}

// countAnswers counts the answers of each arm and returns how many are of no arm.
func countAnswers(p envs.Problem, arms []banditArm, answers [][]envs.Token) (unparsed int) {
	at := map[string]int{}
	for i, a := range arms {
		at[a.Arm] = i
	}
	for _, answer := range answers {
		if i, ok := at[p.AnswerText(answer)]; ok {
			arms[i].answered++
		} else {
			unparsed++
		}
	}
	return unparsed
}

// byMembership groups the arms by mode, modes in the order of their first arms.
func byMembership(arms []banditArm) []armGroup {
	var groups []armGroup
	at := map[draw.ModeKey]int{}
	for _, a := range arms {
		i, seen := at[a.key()]
		if !seen {
			i = len(groups)
			at[a.key()] = i
			groups = append(groups, armGroup{modes: []draw.ModeKey{a.key()}})
		}
		groups[i].arms = append(groups[i].arms, a)
	}
	return groups
}

func (g armGroup) correct() bool { return g.modes[0].Correct }

// isRest says whether the group stands for the modes without a row of their own.
func (g armGroup) isRest() bool { return g.name != "" }

func (g armGroup) base() float64 {
	sum := 0.0
	for _, a := range g.arms {
		sum += a.Base
	}
	return sum
}

func (g armGroup) answered() int {
	n := 0
	for _, a := range g.arms {
		n += a.answered
	}
	return n
}

// title is what the picture calls the group.
func (g armGroup) title() string {
	if g.isRest() {
		return g.name
	}
	return g.modes[0].Name
}

// colouredModes are the layers that correct modes have in a river whose masses
// are those of the base policy.
func colouredModes(groups []armGroup) []draw.Layer {
	size := map[draw.ModeKey]float64{}
	var correct []draw.ModeKey
	for _, g := range groups {
		if g.correct() {
			correct = append(correct, g.modes[0])
			size[g.modes[0]] = g.base()
		}
	}
	return draw.AppendRewarded(nil, correct, size)
}

func fillsOf(layers []draw.Layer) map[draw.ModeKey]color.NRGBA {
	fills := map[draw.ModeKey]color.NRGBA{}
	for _, l := range layers {
		for _, key := range l.Modes {
			fills[key] = l.Color
		}
	}
	return fills
}

// fill is the colour of a group's bars.
func (g armGroup) fill(fills map[draw.ModeKey]color.NRGBA) color.NRGBA {
	switch {
	case !g.correct():
		return draw.PlainColors[1]
	case g.isRest():
		return draw.RestColor
	}
	return fills[g.modes[0]]
}

// lumped shows the modes that have answers, then the likeliest, as far as there are bars for
// them. The rest of the correct ones share a row, and so do the rest of the others.
func lumped(groups []armGroup) []armGroup {
	if len(groups) <= maxBars {
		return groups
	}
	var out []armGroup
	for _, correct := range []bool{true, false} {
		of, size := map[draw.ModeKey]armGroup{}, map[draw.ModeKey]float64{}
		var keys []draw.ModeKey
		for _, g := range groups {
			if key := g.modes[0]; g.correct() == correct {
				of[key] = g
				keys = append(keys, key)
				size[key] = g.base() + float64(g.answered()) // a probability is at most 1
			}
		}
		large, small := draw.SplitModes(keys, size, maxBarGroups)
		for _, key := range large {
			out = append(out, of[key])
		}
		if len(small) > 0 {
			rest := armGroup{name: fmt.Sprintf("%d more", len(small)), modes: small}
			for _, key := range small {
				rest.arms = append(rest.arms, of[key].arms...)
			}
			out = append(out, rest)
		}
	}
	return out
}

// armTable has a row for each arm. Where the arms' names do not begin with their
// mode's, as m03.1 does, that stands before the first arm of the mode.
func armTable(groups []armGroup, fills map[draw.ModeKey]color.NRGBA) barTable {
	named := false
	for _, g := range groups {
		for _, a := range g.arms {
			named = named || !strings.HasPrefix(a.Arm, a.Mode)
		}
	}
	several := slices.ContainsFunc(groups, func(g armGroup) bool { return len(g.arms) > 1 })
	t := barTable{heads: []string{"arm", "answer class", "reward"}}
	if named {
		t.heads = append([]string{"mode"}, t.heads...)
	}
	for _, g := range groups {
		for i, a := range g.arms {
			row := barRow{
				texts:  []string{a.Arm, a.Answer, vectorText(a.Reward)},
				value:  a.Base,
				count:  a.answered,
				fill:   g.fill(fills),
				strong: a.Correct,
				first:  several && i == 0,
			}
			if named {
				name := ""
				if i == 0 {
					name = g.title()
				}
				row.texts = append([]string{name}, row.texts...)
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// modeTable has a row for each group.
func modeTable(groups []armGroup, fills map[draw.ModeKey]color.NRGBA) barTable {
	t := barTable{heads: []string{"mode", "arms", "answer class", "reward"}}
	for i, g := range groups {
		t.rows = append(t.rows, barRow{
			texts: []string{
				g.title(), strconv.Itoa(len(g.arms)),
				common(g.arms, func(a banditArm) string { return a.Answer }),
				common(g.arms, func(a banditArm) string { return vectorText(a.Reward) }),
			},
			value:  g.base(),
			count:  g.answered(),
			fill:   g.fill(fills),
			strong: g.correct(),
			first:  i > 0 && groups[i-1].isRest(),
			bare:   g.isRest(),
		})
	}
	return t
}

// common is the text that all arms share.
func common(arms []banditArm, text func(banditArm) string) string {
	for _, a := range arms[1:] {
		if text(a) != text(arms[0]) {
			return "several"
		}
	}
	return text(arms[0])
}

// longVector is the number of components from which equal neighbours are
// written together.
const longVector = 4

// vectorText writes a reward vector: "1", "(1, 0.5, 0)", or, when it is long,
// "(1, 7×0.5)".
func vectorText(r []float64) string {
	words := make([]string, len(r))
	for i, x := range r {
		words[i] = strconv.FormatFloat(x, 'g', 3, 64)
	}
	if len(r) == 1 {
		return words[0]
	}
	if len(r) >= longVector {
		words = runs(words)
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// runs writes equal neighbours as one word with their number.
func runs(words []string) []string {
	var out []string
	for start := 0; start < len(words); {
		end := start
		for end < len(words) && words[end] == words[start] {
			end++
		}
		word := words[start]
		if n := end - start; n > 1 {
			word = strconv.Itoa(n) + "×" + word
		}
		out = append(out, word)
		start = end
	}
	return out
}

// barNote says what the bars are.
func barNote(shown []armGroup, arms int) string {
	if arms <= maxBars {
		return "Bars: probability of an arm under the base policy, before training."
	}
	return draw.Sentences("Bars: probability of a mode under the base policy, before training, summed over its arms.", rowsNote(shown, "summed up without a bar"))
}

// rowsNote says which modes have a row where not all do, and what the rest are.
func rowsNote(shown []armGroup, rest string) string {
	if !slices.ContainsFunc(shown, armGroup.isRest) {
		return ""
	}
	return fmt.Sprintf("At most %d correct modes and %d others have a row, first those with answers, then the likeliest; the rest are %s.", maxBarGroups, maxBarGroups, rest)
}

// colourNote says which correct modes have a colour when not all do.
func colourNote(layers []draw.Layer) string {
	if !slices.ContainsFunc(layers, func(l draw.Layer) bool { return l.Group == draw.RewardedModes }) {
		return ""
	}
	return fmt.Sprintf("The %d likeliest correct modes have a colour each.", draw.MaxRewarded)
}

// rewardNote explains the short form of long vectors where a row uses it.
func rewardNote(rows []barRow) string {
	for _, row := range rows {
		for _, text := range row.texts {
			if strings.HasPrefix(text, "(") && strings.Contains(text, "×") {
				return "Rewards: 3×0.5 stands for three equal components in a row."
			}
		}
	}
	return ""
}

// banditTitle counts what there is.
func banditTitle(p envs.Problem, groups []armGroup, arms int) string {
	correct := 0
	for _, g := range groups {
		if g.correct() {
			correct++
		}
	}
	title := fmt.Sprintf("bandit %s: %s, %d correct", p.ID(), draw.Counted(len(groups), "mode"), correct)
	if arms != len(groups) {
		title += ", " + draw.Counted(arms, "arm")
	}
	return title
}

// banditLegend names the coloured modes, the grey ones and, below a label, marks.
func banditLegend(layers []draw.Layer, groups []armGroup, width vg.Length, label string, marks ...draw.Entry) draw.Block {
	var correct, other []draw.Entry
	plain := len(groups)
	for _, l := range layers {
		text := l.Modes[0].Name
		if l.Group == draw.RewardedModes {
			text = draw.Counted(len(l.Modes), "other mode")
		}
		correct = append(correct, barEntry(text, l.Color, true))
		plain -= len(l.Modes)
	}
	if plain > 0 {
		other = append(other, barEntry(draw.Counted(plain, "mode"), draw.PlainColors[1], false))
	}
	return draw.GroupedLegend([]string{"Correct:", "Incorrect:", label}, [][]draw.Entry{correct, other, marks}, width)
}
