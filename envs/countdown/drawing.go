package countdown

import (
	"fmt"
	"slices"
	"strconv"

	"modebench/envs"
	"modebench/internal/arith"
	"modebench/internal/plural"
)

// A card shows a mode: its expression, its tree and a line below.
type card struct {
	head, foot string
	tree       *exprTree
	wide, high float64 // of the tree
	wrong      bool
	strings    int64 // of a mode of the truth
	answers    []int
}

const (
	cardPad  = 3.5
	cardGap  = 3.5
	cardLine = 9.8  // height of a line of text
	cardRows = 4    // of correct modes, and 2 more with the incorrect ones
	maxTrees = 12   // correct modes with a tree
	taskRoom = 18.0 // for the line above the cards
	countOf  = 29.0 // room for a count of answers
)

// Drawing implements envs.Pictured: a tree for each mode of the expressions that reach the
// target, and below them trees of the incorrect modes among the answers. Modes with answers
// come before those without, if there are more than have room.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	truth := p.Truth()
	cards, wrong := p.cards(answers)
	slices.SortStableFunc(cards, func(a, b card) int { return min(len(b.answers), 1) - min(len(a.answers), 1) })
	shown := grown(cards, maxTrees)
	bad := grown(wrong, maxTrees)
	d := &envs.Drawing{Width: envs.DrawingWidth}
	d.Title = fmt.Sprintf("countdown %s: %s, %s", p.id, plural.Count(len(truth.Modes), "mode"), plural.Count(int(truth.Solutions), "string"))
	hue := p.drawTask(d)
	columns := fitting(d, slices.Concat(shown, bad))
	shown = shown[:min(len(shown), columns*cardRows)]
	rows := (len(shown) + columns - 1) / columns
	bad = bad[:min(len(bad), columns*(cardRows+2-rows))]
	d.Height = taskRoom
	drawCards(d, shown, columns, hue)
	if len(bad) > 0 {
		d.Write(envs.Head, 0, d.Height+9, 0, "Incorrect answers")
		d.Height += taskRoom
		drawCards(d, bad, columns, func(int64) int { return -1 })
	}
	if len(answers) > 0 {
		d.Legend = []envs.Entry{{Sample: envs.Shape{Kind: envs.Count, Points: envs.Point(0, 0), Size: letters, Align: 0.5}, Text: "given, and how often"}}
	}
	if rest := cards[len(shown):]; len(rest) > 0 {
		strings := int64(0)
		for _, c := range rest {
			strings += c.strings
		}
		d.Note = fmt.Sprintf("Not drawn: %s, with %s. ", plural.Count(len(rest), "more mode"), plural.Count(int(strings), "string"))
	}
	d.Note += "A tree for each mode: expressions that differ in order, grouping or signs alone share a mode. Strings: its different spellings, without needless parentheses."
	if rest := len(wrong) - len(bad); rest > 0 {
		d.Note += fmt.Sprintf(" Not drawn: %s of incorrect answers.", plural.Count(rest, "other mode"))
	}
	return *d
}

// cards are those of all correct modes, in the order of the truth, and of the incorrect modes
// of the answers.
func (p *Problem) cards(answers []envs.Attempt) (right, wrong []card) {
	pos := map[envs.Mode]int{}
	for i, s := range p.solutions {
		pos[s.Mode] = i
		right = append(right, card{head: s.Answer, foot: plural.Count(int(s.Variants), "string"), strings: s.Variants})
	}
	for i, a := range answers {
		place, known := pos[a.Mode]
		if a.Correct && known {
			right[place].answers = append(right[place].answers, i)
		}
		if a.Correct {
			continue
		}
		place = slices.IndexFunc(wrong, func(c card) bool { return c.head == string(a.Mode) })
		if place < 0 {
			place = len(wrong)
			wrong = append(wrong, card{head: string(a.Mode), foot: result(a), wrong: true})
		}
		wrong[place].answers = append(wrong[place].answers, i)
	}
	return right, wrong
}

func result(a envs.Attempt) string {
	nodes, err := arith.Parse(nil, a.Text)
	if err != nil {
		return "incorrect"
	}
	value, err := arith.Eval(nodes)
	if err != nil {
		return err.Error()
	}
	return "gives " + value.String()
}

// grown are the first cards whose expression has a tree, up to a limit.
func grown(cards []card, limit int) []card {
	var out []card
	for _, c := range cards[:min(len(cards), limit)] {
		t, err := parsedTree(c.head)
		if err != nil {
			continue
		}
		c.tree = t
		c.wide, c.high = t.place(0, 0)
		out = append(out, c)
	}
	return out
}

// drawTask writes the task above the cards, and returns the colours of the numbers: equal
// numbers have the same.
func (p *Problem) drawTask(d *envs.Drawing) (hue func(number int64) int) {
	x := 0.0
	word := func(text string) {
		d.Write(envs.Plain, x, 7, 0, text)
		x += envs.LabelWidth(text, letters) + 4
	}
	chip := func(role envs.Role, hue int, n int16) {
		text := strconv.Itoa(int(n))
		x += float64(chipWidth(text) / 2)
		drawChip(d, role, hue, x, 7, text)
		x += float64(chipWidth(text)/2) + 4
	}
	word("Make")
	chip(envs.Wall, 0, p.target)
	word("from")
	hues := map[int64]int{}
	for _, n := range p.given() {
		if _, known := hues[int64(n)]; !known {
			hues[int64(n)] = len(hues)
		}
		chip(envs.Tint, hues[int64(n)], n)
	}
	d.Width = max(d.Width, x)
	return func(number int64) int { return hues[number] }
}

// fitting is how many cards, at most 4, fit side by side. A card may be wider than the drawing was.
func fitting(d *envs.Drawing, cards []card) (columns int) {
	widest := 0.0
	for _, c := range cards {
		foot := envs.LabelWidth(c.foot, letters) + countOf
		widest = max(widest, max(c.wide, envs.LabelWidth(c.head, 8.5), foot)+2*cardPad)
	}
	d.Width = max(d.Width, widest)
	return max(1, min(4, int((d.Width+cardGap)/(widest+cardGap))))
}

// drawCards adds the cards in rows alike: 2 and 2 rather than 3 and 1. A row is as high as its
// highest tree.
func drawCards(d *envs.Drawing, cards []card, columns int, hue func(number int64) int) {
	rows := (len(cards) + columns - 1) / columns
	each := (len(cards) + rows - 1) / rows
	wide := (d.Width+cardGap)/float64(each) - cardGap
	for row := range slices.Chunk(cards, each) {
		high := 0.0
		for _, c := range row {
			high = max(high, c.high)
		}
		high += 2*cardLine + 3.5*cardPad
		for i, c := range row {
			left := float64(float64(i) * (wide + cardGap))
			c.draw(d, left, d.Height, left+wide, d.Height+high, hue)
		}
		d.Height += high + cardGap
	}
}

func (c *card) draw(d *envs.Drawing, left, top, right, bottom float64, hue func(number int64) int) {
	d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Line, Role: envs.Faint, Hue: 1, Points: envs.Frame(left, top, right, bottom)})
	middle := float64((left + right) / 2)
	d.Write(envs.Head, middle, top+cardPad+cardLine/2, 0.5, c.head)
	c.tree.draw(d, middle-float64(c.wide/2), top+cardLine+float64(1.7*cardPad), hue)
	line := bottom - cardPad - 3
	d.Write(envs.Faint, left+cardPad, line, 0, c.foot)
	if len(c.answers) == 0 {
		return
	}
	role := envs.Plain
	if c.wrong {
		role = envs.Wrong
	}
	d.Shapes = append(d.Shapes,
		envs.Shape{Kind: envs.Line, Role: role, Points: envs.Frame(left, top, right, bottom), Answers: c.answers},
		envs.Shape{Kind: envs.Count, Points: envs.Point(right-cardPad, line), Size: letters, Align: 1, Answers: c.answers})
}
