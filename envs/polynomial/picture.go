package polynomial

import (
	"fmt"
	"strings"

	"modebench/envs"
)

// A plot shows 2*columns+1 by 2*rows+1 points of the plane around the origin.
const (
	columns = 30
	rows    = 10
)

// Picture implements envs.Problem: the plane around the easiest correct pairs, with all correct
// pairs marked and the numbers of the given answers where they lie, then one line per answer.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	truth := p.Truth()
	v := p.view()
	var b strings.Builder
	fmt.Fprintf(&b, "polynomial %s: %s; %d correct pairs, spelled in %d ways\n", p.id, &p.relation, len(truth.Modes), truth.Solutions)
	fmt.Fprintf(&b, "x from %d to %d, y from %d to %d; ● pairs of integers, · others, * several answers\n", -v.wide, v.wide, -v.high, v.high)
	v.axes()
	v.curve(&p.curve)
	captions := make([]string, len(answers))
	for i, answer := range answers {
		captions[i] = p.caption(v, i, answer)
	}
	edge := strings.Repeat("─", 2*columns+3)
	b.WriteString("┌" + edge + "┐\n")
	for _, row := range v.cells {
		b.WriteString("│ " + string(row[:]) + " │\n")
	}
	b.WriteString("└" + edge + "┘\n" + strings.Join(captions, ""))
	return b.String()
}

func (p *Problem) caption(v *view, i int, answer []envs.Token) string {
	verdict := p.Judge(answer)
	if verdict.Err != nil {
		return fmt.Sprintf("%3d: does not parse: %v\n", i+1, verdict.Err)
	}
	c := cursor{grammar: &p.env.grammar}
	for _, t := range answer {
		c.step(t)
	}
	outside := ""
	if !v.mark(int64(c.x), c.number.value(c.grammar), i) {
		outside = ", outside of the picture"
	}
	word := "wrong"
	if verdict.Correct {
		word = "right"
	}
	spelled := ""
	if verdict.Variant != string(verdict.Mode) {
		spelled = fmt.Sprintf(" (spelled %s)", verdict.Variant)
	}
	return fmt.Sprintf("%3d: %s%s: %s%s\n", i+1, verdict.Mode, spelled, word, outside)
}

type view struct {
	unit       int64
	wide, high int64 // it reaches from -wide to wide, and from -high to high
	cells      [2*rows + 1][2*columns + 1]rune
}

// view chooses the part of the plane that holds the demonstrator's choices.
func (p *Problem) view() *view {
	p.lazyChoices.Do(p.findChoices)
	wide, high := int64(0), int64(0)
	for _, choice := range p.choices {
		ys, n := p.curve.solve(choice.x)
		for _, y := range ys[:n] {
			wide, high = max(wide, abs(choice.x)), max(high, abs(y))
		}
	}
	unit := p.curve.unit
	return &view{unit: unit, wide: round(wide, unit), high: round(high, unit)}
}

// round returns the least of 1, 2, 5, 10, 20, 50, ... that is not below a number of units.
func round(v, unit int64) int64 {
	for decade := int64(1); ; decade *= 10 {
		for _, n := range [3]int64{1, 2, 5} {
			if n*decade*unit >= v {
				return n * decade
			}
		}
	}
}

func (v *view) axes() {
	for r := range v.cells {
		copy(v.cells[r][:], []rune(strings.Repeat(" ", columns)+"│"+strings.Repeat(" ", columns)))
	}
	copy(v.cells[rows][:], []rune(strings.Repeat("─", columns)+"┼"+strings.Repeat("─", columns)))
}

// curve marks the correct pairs. Integers win over others that share their cell.
func (v *view) curve(c *curve) {
	for x, y := range c.pairs() {
		cell := v.cell(x, y)
		switch {
		case cell == nil:
		case x%v.unit == 0 && y%v.unit == 0:
			*cell = '●'
		case *cell != '●':
			*cell = '·'
		}
	}
}

// mark writes the number of an answer, a letter from the tenth on, or a star
// where answers share a cell. It reports whether the pair lies in the view.
func (v *view) mark(x, y int64, i int) bool {
	cell := v.cell(x, y)
	if cell == nil {
		return false
	}
	const names = "123456789abcdefghijklmnopqrstuvwxyz"
	if i >= len(names) || *cell < 0x80 && *cell != ' ' {
		*cell = '*'
	} else {
		*cell = rune(names[i])
	}
	return true
}

// cell is where a pair in units lies, or nil.
func (v *view) cell(x, y int64) *rune {
	if abs(x) > v.wide*v.unit || abs(y) > v.high*v.unit {
		return nil
	}
	column := nearest(x*columns, v.wide*v.unit)
	row := nearest(y*rows, v.high*v.unit)
	return &v.cells[rows-row][columns+column]
}

// nearest rounds a/b, b > 0, to an integer, halves away from zero.
func nearest(a, b int64) int64 {
	if a < 0 {
		return -nearest(-a, b)
	}
	return (2*a + b) / (2 * b)
}
