package problem

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// polynomialFigure draws the plane around the easiest correct pairs: the curve that
// the relation describes, the pairs on it, and the pairs that were given.
func polynomialFigure(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	t, err := readCurve(p)
	if err != nil {
		return nil, err
	}
	unparsed, err := t.count(p, answers)
	if err != nil {
		return nil, err
	}
	plane := newPlane(t.window())
	inside, outside := 0, 0
	for _, q := range t.pairs {
		if plane.holds(q) {
			inside++
		}
	}
	for _, q := range t.given {
		if !plane.holds(q) {
			outside += q.times
		}
	}
	width := draw.ColumnWidth
	blocks := draw.Heading(fmt.Sprintf("polynomial %s: %s", p.ID(), t.relation), width)
	caption := draw.Counted(len(t.pairs), "correct pair")
	if inside < len(t.pairs) {
		caption += fmt.Sprintf(", %d of them in the picture", inside)
	}
	blocks = append(blocks, draw.Paragraphs(draw.PanelFont, draw.Black, width, caption)...)
	dots, thinned := plane.dots(t.pairs)
	blocks = append(blocks, plane.block(t, dots), t.legend(plane, width))
	note := draw.Sentences("Every correct pair that can be written is a mode.", thinnedNote(thinned), outsideNote(outside, len(answers)), unparsedNote(unparsed, len(answers)))
	return draw.NotedPage(width, note, blocks...), nil
}

// thinnedNote says that there are fewer dots than pairs; empty where there are not.
func thinnedNote(thinned bool) string {
	if !thinned {
		return ""
	}
	return "Dots that would cover each other are drawn once."
}

// outsideNote counts the answers that the picture does not show; empty for none.
func outsideNote(n, of int) string {
	switch {
	case n == 0:
		return ""
	case of == 1:
		return "The answer given lies outside."
	case n == 1:
		return fmt.Sprintf("1 of the %d answers given lies outside.", of)
	}
	return fmt.Sprintf("%d of the %d answers given lie outside.", n, of)
}

// legend explains the marks, with the numbers of the correct pairs in the picture
// and of all answers given.
func (t *curveTask) legend(plane plane, width vg.Length) draw.Block {
	var whole, decimal, right, wrong, rightModes int
	for _, q := range t.pairs {
		switch {
		case !plane.holds(q):
		case q.decimals == 0:
			whole++
		default:
			decimal++
		}
	}
	for _, q := range t.given {
		if q.wrong {
			wrong += q.times
		} else {
			right += q.times
			rightModes++
		}
	}
	var entries []draw.Entry
	add := func(n int, text string, paint func(c draw.Canvas, at vg.Point)) {
		if n > 0 {
			entries = append(entries, draw.Entry{Text: text, Paint: func(c draw.Canvas) { paint(c, c.Center()) }})
		}
	}
	add(whole, fmt.Sprintf("whole numbers: %s", draw.Counted(whole, "pair")), paintWhole)
	add(decimal, fmt.Sprintf("decimals: %s", draw.Counted(decimal, "pair")), paintDecimal)
	add(right, fmt.Sprintf("given, correct: %d in %s", right, draw.Counted(rightModes, "mode")), paintGiven)
	add(wrong, fmt.Sprintf("given, incorrect: %d", wrong), func(c draw.Canvas, at vg.Point) { paintCross(c, draw.Red, at) })
	return draw.Legend(entries, width)
}
