package multiplication

import (
	"fmt"
	"strconv"
	"strings"

	"modebench/envs"
)

// Lengths of a drawing, in points.
const (
	textLine    = 9.6
	cellDown    = 27.0 // length of the first operand in a cell
	cellAcross  = 40.0 // greatest length of the second operand
	cellTaken   = 7.0  // of a piece taken away
	cellLeast   = 4.0  // of a piece
	cellGap     = 6.0
	headWidth   = 40.0 // of the text at the head of a row or column
	braceRoom   = 4.0  // between the large rectangle and the numbers at its sides
	exampleDown = 46.0
	exampleGap  = 12.0 // between the large rectangle and its text
	exampleText = 96.0 // least width of the text
)

// A drawnFamily is a cell of the table of families.
type drawnFamily struct {
	kinds        [2]kind
	variants     int64
	right, wrong []int // answers
}

// Drawing implements envs.Pictured: the families as a table of area models, a row for each
// kind of the first operand and a column for each kind of the second. A rectangle whose
// sides are the operands shows the terms of an example of the family. A single example is
// above the table, large, with all its numbers.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	p.findExamples.Do(p.findFamilies)
	families := p.drawnFamilies(answers)
	d := &envs.Drawing{Width: envs.DrawingWidth}
	d.Title = fmt.Sprintf("multiplication %s: %d × %d, %d families", p.id, p.a, p.b, len(families))
	if len(families) == 1 {
		d.Title = strings.TrimSuffix(d.Title, "ies") + "y"
	}
	p.drawExample(d, families)
	p.drawTable(d, families, len(answers) > 0)
	for i, sample := range []envs.Shape{{Kind: envs.Count}, {Kind: envs.Count, Role: envs.Wrong}} {
		sample.Points, sample.Align = envs.Point(0, 0), 0.5
		for _, f := range families {
			if len([][]int{f.right, f.wrong}[i]) > 0 {
				d.Legend = append(d.Legend, envs.Entry{Sample: sample, Text: []string{"times given", "with a wrong product"}[i]})
				break
			}
		}
	}
	d.Note = fmt.Sprintf("Rows: how %d is written; columns: how %d is. Numbers: decompositions in the family. Hatched: taken away. Apart: equal parts. Not to scale.", p.a, p.b)
	if p.a == p.b {
		d.Note += " Both orders are one family." // why half the table is empty
	}
	return *d
}

func (p *Problem) drawnFamilies(answers []envs.Attempt) []drawnFamily {
	var out []drawnFamily
	p.eachFamily(func(first, second kind, n int64) {
		f := drawnFamily{kinds: [2]kind{first, second}, variants: n}
		for i, a := range answers {
			switch {
			case a.Mode != modes[first][second]:
			case a.Correct:
				f.right = append(f.right, i)
			default:
				f.wrong = append(f.wrong, i)
			}
		}
		out = append(out, f)
	})
	return out
}

func written(terms []int64, k kind) string {
	return strings.Trim(string(appendPart(nil, terms, k)), "()")
}

// wrapped breaks an expression before its signs into lines no wider than width.
func wrapped(text, signs string, width float64) []string {
	lines := []string{""}
	for start := 0; start < len(text); {
		end := start + 1
		for end < len(text) && !strings.ContainsRune(signs, rune(text[end])) {
			end++
		}
		last := &lines[len(lines)-1]
		if *last != "" && envs.LabelWidth(*last+text[start:end], 8) > width {
			lines = append(lines, "")
			last = &lines[len(lines)-1]
		}
		*last += text[start:end]
		start = end
	}
	return lines
}

// drawTable draws the cells with their heads below what the drawing holds.
func (p *Problem) drawTable(d *envs.Drawing, families []drawnFamily, answered bool) {
	cells := map[[2]kind]drawnFamily{}
	var present [2][kinds]bool
	for _, f := range families {
		cells[f.kinds] = f
		present[0][f.kinds[0]], present[1][f.kinds[1]] = true, true
	}
	columns := 0.0
	for _, some := range present[1] {
		if some {
			columns++
		}
	}
	column := (d.Width - headWidth) / columns
	x, top := headWidth+cellGap, d.Height+2*textLine
	bottom := top
	for k := range kind(kinds) {
		if present[1][k] {
			middle := x + float64((column-cellGap)/2)
			d.Write(envs.Head, middle, d.Height+1.5*textLine, 0.5, kindNames[k])
			end := writeLines(d, envs.Faint, middle, top, 0.5, wrapped(written(p.example(1, k).terms, k), "+-*", column-cellGap))
			bottom = max(bottom, end)
			x += column
		}
	}
	bottom += 4
	for k := range kind(kinds) {
		if present[0][k] {
			bottom = p.drawRow(d, k, present[1], cells, column, bottom, answered)
		}
	}
	d.Height = bottom
}

// writeLines writes lines of text from the top down and returns their lower end.
func writeLines(d *envs.Drawing, role envs.Role, x, top, align float64, lines []string) (bottom float64) {
	for _, line := range lines {
		d.Write(role, x, top+textLine/2, align, line)
		top += textLine
	}
	return top
}

// drawRow draws the cells of a kind of the first operand and returns the row's lower end.
func (p *Problem) drawRow(d *envs.Drawing, k kind, columns [kinds]bool, cells map[[2]kind]drawnFamily, column, top float64, answered bool) (bottom float64) {
	down := layOut(p.example(0, k).terms, k, cellDown, cellLeast, cellTaken)
	text := wrapped(written(p.example(0, k).terms, k), "+-*", headWidth)
	head := top + max(0, (cellDown-float64(textLine*float64(len(text)+1)))/2)
	d.Write(envs.Head, headWidth, head+textLine/2, 1, kindNames[k])
	line := top + down.reach + 1 + textLine/2
	bottom = max(writeLines(d, envs.Faint, headWidth, head+textLine, 1, text), line+textLine/2)
	if answered {
		bottom = max(bottom, line+1.5*textLine)
	}
	x := headWidth + cellGap
	for j := range kind(kinds) {
		if !columns[j] {
			continue
		}
		wide := column - cellGap
		middle := x + float64(wide/2)
		f, found := cells[[2]kind{k, j}]
		if !found {
			d.Write(envs.Faint, middle, top+cellDown/2, 0.5, "–")
			x += column
			continue
		}
		length := min(wide-cellTaken, cellAcross)
		across := layOut(p.example(1, j).terms, j, length, cellLeast, cellTaken)
		drawArea(d, max(x, middle-float64(across.reach/2)), top, down, across)
		d.Write(envs.Plain, middle, line, 0.5, f.count())
		if len(f.right) > 0 {
			d.Shapes = append(d.Shapes,
				envs.Shape{Kind: envs.Line, Points: envs.Frame(x-2, top-2, min(x+wide+2, d.Width), bottom), Answers: f.right},
				envs.Shape{Kind: envs.Count, Points: envs.Point(x+float64(wide*0.27), line+textLine), Size: 8, Align: 0.5, Answers: f.right})
		}
		if len(f.wrong) > 0 {
			d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Count, Role: envs.Wrong, Points: envs.Point(x+float64(wide*0.76), line+textLine), Size: 8, Align: 0.5, Answers: f.wrong})
		}
		x += column
	}
	return bottom + cellGap
}

// count writes how many variants the family has, short from a million on.
func (f *drawnFamily) count() string {
	switch {
	case f.variants == unknown:
		return ">9e18" // an int64 does not hold it
	case f.variants < 1e6:
		return strconv.FormatInt(f.variants, 10)
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(float64(f.variants), 'e', 1, 64), "e+")
	return mantissa + "e" + strings.TrimPrefix(power, "0")
}
