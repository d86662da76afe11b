package problem

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/internal/arith"
	"modebench/plots/draw"
)

// A countdownTask holds the fields of a countdown problem.
type countdownTask struct {
	numbers []int64
	target  int64
	modes   []countdownMode
}

// A countdownMode is an entry of the field "solutions", or the mode of answers
// that were given.
type countdownMode struct {
	Mode     string `json:"mode"`     // canonical expression
	Answer   string `json:"answer"`   // one text of the mode
	Variants int    `json:"variants"` // different texts of the mode

	head     string // of the tree: an expression
	tree     *exprTree
	answered int    // answers given that are of this mode
	gives    string // of an incorrect one: what comes of it
}

// What a picture of a countdown problem can show apart.
const (
	maxTrees      = 12 // correct modes with a tree
	maxWrongTrees = 3  // incorrect ones
)

// countdownFigure draws a tree for each mode of the expressions that reach the
// target, and below them trees of the incorrect modes among the answers.
func countdownFigure(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	t, err := readCountdown(p)
	if err != nil {
		return nil, err
	}
	tally, err := t.count(p, answers)
	if err != nil {
		return nil, err
	}
	fills := numberFills(t.numbers)
	shown, _ := answeredFirst(t.modes, maxTrees)
	wrong, wrongRest := answeredFirst(tally.wrong, maxWrongTrees)
	bad := treeCards(wrong, nil)
	columns, width := fitCards(append(treeCards(shown, fills), bad...))
	task, taskWidth := t.taskBlock(fills)
	width = max(width, taskWidth)
	shown, rest := answeredFirst(t.modes, min(maxTrees, columns*cardRows))
	title := fmt.Sprintf("countdown %s: %s, %s", p.ID(), draw.Counted(len(t.modes), "mode"), draw.Counted(stringsOf(t.modes), "string"))
	blocks := append(draw.Heading(title, width), task, cardGrid(treeCards(shown, fills), columns, width))
	if len(bad) > 0 {
		blocks = append(blocks, draw.Paragraphs(draw.PanelFont, draw.Black, width, "Incorrect answers")...)
		blocks = append(blocks, cardGrid(bad, columns, width))
	}
	if len(answers) > tally.unparsed+tally.degenerate {
		blocks = append(blocks, draw.Legend([]draw.Entry{countEntry("given, and how often")}, width))
	}
	note := draw.Sentences(restNote(rest), treeNote, wrongRestNote(wrongRest),
		degenerateNote(tally.degenerate, len(answers)), unparsedNote(tally.unparsed, len(answers)))
	return draw.NotedPage(width, note, blocks...), nil
}

// treeNote says what the trees are.
const treeNote = "A tree for each mode: what differs in order, grouping or signs alone is one mode. Strings: its different spellings, without needless parentheses."

// restNote says what the modes without a tree are.
func restNote(rest []countdownMode) string {
	if len(rest) == 0 {
		return ""
	}
	return fmt.Sprintf("Not drawn: %s more, with %s.", draw.Counted(len(rest), "mode"), draw.Counted(stringsOf(rest), "string"))
}

// stringsOf counts the strings of some modes.
func stringsOf(modes []countdownMode) int {
	n := 0
	for _, m := range modes {
		n += m.Variants
	}
	return n
}

// wrongRestNote counts the incorrect answers without a tree.
func wrongRestNote(rest []countdownMode) string {
	n := 0
	for _, m := range rest {
		n += m.answered
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Not drawn: %s of %s.", draw.Counted(n, "incorrect answer"), draw.Counted(len(rest), "other mode"))
}

// readCountdown reads and checks the problem's fields.
func readCountdown(p envs.Problem) (*countdownTask, error) {
	t := &countdownTask{}
	for _, field := range []struct {
		name string
		out  any
	}{{"numbers", &t.numbers}, {"target", &t.target}, {"solutions", &t.modes}} {
		if err := readField(p, field.name, field.out); err != nil {
			return nil, err
		}
	}
	switch {
	case len(t.numbers) == 0:
		return nil, errors.New("the problem has no numbers to draw")
	case len(t.numbers) > maxTreeNumbers:
		return nil, fmt.Errorf("the problem has %d numbers, and at most %d can be drawn", len(t.numbers), maxTreeNumbers)
	case len(t.modes) == 0:
		return nil, errors.New("the problem has no solutions to draw")
	}
	for i := range t.modes {
		m := &t.modes[i]
		if m.Variants < 1 {
			return nil, fmt.Errorf("solutions[%d]: the mode has %d variants, want at least 1", i, m.Variants)
		}
		if err := m.grow(); err != nil {
			return nil, fmt.Errorf("solutions[%d]: %w", i, err)
		}
	}
	return t, nil
}

// grow finds the mode's tree. Canonical forms are drawn as they are written;
// where one is no expression, an answer stands for it.
func (m *countdownMode) grow() error {
	m.head = m.Mode
	nodes, err := arith.Parse(nil, m.head)
	if err != nil {
		m.head = m.Answer
		nodes, err = arith.Parse(nil, m.head)
	}
	if err != nil {
		return fmt.Errorf("answer %.40q: %w", m.Answer, err)
	}
	m.tree, err = treeOf(nodes)
	return err
}

// A countdownTally is what the answers add up to, besides the correct ones.
type countdownTally struct {
	wrong                []countdownMode // incorrect modes, those given most often first
	unparsed, degenerate int
}

// count notes how often each mode was given.
func (t *countdownTask) count(p envs.Problem, answers [][]envs.Token) (tally countdownTally, err error) {
	right, bad := map[string]int{}, map[string]int{}
	for i, m := range t.modes {
		right[m.Mode] = i
	}
	for i, answer := range answers {
		v := p.Judge(answer)
		name := string(v.Mode)
		at, known := right[name]
		switch {
		case v.Err != nil:
			tally.unparsed++
		case v.Mode == envs.Degenerate:
			tally.degenerate++
		case v.Correct && known:
			t.modes[at].answered++
		case v.Correct:
			return tally, fmt.Errorf("answer %d: the mode %.40q is correct and not among the solutions", i+1, name)
		default:
			at, known := bad[name]
			if !known {
				at = len(tally.wrong)
				bad[name] = at
				m, err := wrongMode(name, p.AnswerText(answer))
				if err != nil {
					return tally, fmt.Errorf("answer %d: %w", i+1, err)
				}
				tally.wrong = append(tally.wrong, m)
			}
			tally.wrong[at].answered++
		}
	}
	slices.SortStableFunc(tally.wrong, func(a, b countdownMode) int { return b.answered - a.answered })
	return tally, nil
}

// wrongMode is the mode of an incorrect answer, with what the answer gives.
func wrongMode(mode, answer string) (countdownMode, error) {
	m := countdownMode{Mode: mode, Answer: answer}
	if err := m.grow(); err != nil {
		return m, err
	}
	nodes, err := arith.Parse(nil, m.Answer)
	if err != nil {
		return m, err
	}
	value, err := arith.Eval(nodes)
	m.gives = "gives " + value.String()
	if err != nil {
		m.gives = err.Error()
	}
	return m, nil
}

// answeredFirst splits off the first n modes; those with answers come before the
// others, which keep their order.
func answeredFirst(modes []countdownMode, n int) (first, rest []countdownMode) {
	if len(modes) <= n {
		return modes, nil
	}
	kept := map[int]bool{}
	for _, given := range []bool{true, false} {
		for i, m := range modes {
			if len(kept) < n && m.answered > 0 == given {
				kept[i] = true
			}
		}
	}
	for i, m := range modes {
		if kept[i] {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	return first, rest
}

// chipColors are light enough for black numbers.
var chipColors = []color.NRGBA{
	draw.Mixed(draw.Sky, draw.White, 0.35), draw.Yellow, draw.Mixed(draw.Orange, draw.White, 0.25), draw.Mixed(draw.Green, draw.White, 0.45),
	draw.Mixed(draw.Purple, draw.White, 0.3), draw.Mixed(draw.Grey, draw.White, 0.6), draw.Mixed(draw.Red, draw.White, 0.4), draw.Mixed(draw.Blue, draw.White, 0.4),
}

// numberFills gives every number its colour; equal numbers have the same.
func numberFills(numbers []int64) map[int64]color.NRGBA {
	fills := map[int64]color.NRGBA{}
	for _, n := range numbers {
		if _, seen := fills[n]; !seen {
			fills[n] = chipColors[len(fills)%len(chipColors)]
		}
	}
	return fills
}

// A taskWord is a word of what is asked for, or a number in its box.
type taskWord struct {
	text string
	chip bool
	fill color.NRGBA
}

func (w taskWord) width() vg.Length {
	if w.chip {
		return chipWidth(w.text)
	}
	return draw.TextWidth(draw.LabelFont, w.text)
}

// taskBlock draws what is asked for, the target and the numbers to make it of, and
// returns the width that this takes.
func (t *countdownTask) taskBlock(fills map[int64]color.NRGBA) (b draw.Block, width vg.Length) {
	const gap = vg.Length(4)
	words := []taskWord{{text: "Make"}, {strconv.FormatInt(t.target, 10), true, wallFill}, {text: "from"}}
	for _, n := range t.numbers {
		words = append(words, taskWord{strconv.FormatInt(n, 10), true, fills[n]})
	}
	for _, w := range words {
		width += w.width() + gap
	}
	return draw.Block{Height: chipHeight + 1, Paint: func(c draw.Canvas) {
		x, y := c.Min.X, c.Max.Y-(chipHeight+1)/2
		for _, w := range words {
			if w.chip {
				paintChip(c, vg.Point{X: x + w.width()/2, Y: y}, w.text, w.fill)
			} else {
				draw.Write(c, draw.LabelFont, draw.Black, x, y-0.35*draw.LabelFont.Size, 0, w.text)
			}
			x += w.width() + gap
		}
	}}, width
}

// treeCards are the trees with what stands around them. Without fills they are
// those of incorrect answers.
func treeCards(modes []countdownMode, fills map[int64]color.NRGBA) []treeCard {
	cards := make([]treeCard, len(modes))
	for i, m := range modes {
		cards[i] = treeCard{head: m.head, tree: m.tree, fills: fills, count: m.answered}
		if fills == nil {
			cards[i].foot = m.gives
		} else {
			cards[i].foot = draw.Counted(m.Variants, "string")
		}
		m.tree.place()
	}
	return cards
}
