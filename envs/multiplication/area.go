package multiplication

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
)

// A side of an area model has the terms of an operand. Added pieces are drawn end to end. Pieces
// taken away are drawn past the operand's own length, over the end of the last piece.
type side struct {
	length float64 // of the operand
	reach  float64 // with the pieces taken away
	added  []piece
	taken  []piece
	equal  bool    // the pieces are copies of one
	broken float64 // middle of a gap for pieces that are not drawn, 0 for none
}

// A piece is a part of a side.
type piece struct {
	from, to float64
	value    int64
}

// layOut divides a side into the terms of an operand. To scale a 3 beside a 340 would be a
// hairline, so a piece has a least length, and the square roots of the numbers share the rest.
func layOut(terms []int64, k kind, length, least, taken float64) side {
	if k == factor {
		return strips(terms, length)
	}
	free, away, roots, last := length, 0.0, 0.0, 0
	for i, x := range terms {
		if x > 0 {
			free -= least
			roots += math.Sqrt(float64(x))
			last = i
		} else {
			away += taken
		}
	}
	var s side
	pos := 0.0
	for i, x := range terms {
		p := piece{from: pos, to: pos + taken, value: x}
		if x > 0 {
			p.to = pos + least + float64(max(free, 0)*math.Sqrt(float64(x))/roots)
			if pos = p.to; i == last {
				s.length = pos
				p.to += away
			}
			s.added = append(s.added, p)
		} else {
			pos = p.to
			s.taken = append(s.taken, p)
		}
	}
	s.reach = pos
	return s
}

// Equal strips that the eye can count; of more the first and the last are drawn.
const (
	maxStrips   = 10
	firstStrips = 4
	lastStrips  = 2
	gapStrips   = 2 // width of the gap
	stripGap    = 1.8
)

// strips cuts a side into equal parts, as many as the smallest factor.
func strips(terms []int64, length float64) side {
	s := side{length: length, reach: length, equal: true}
	value := int64(1)
	for _, x := range terms {
		value *= x
	}
	n := int(slices.Min(terms))
	gaps := 0
	if n > maxStrips {
		n, gaps = firstStrips+lastStrips, gapStrips
	}
	step := length / float64(n+gaps)
	gap := float64(min(stripGap, step/3) / 2)
	for i := range n {
		from := float64(step * float64(i))
		if gaps > 0 && i >= firstStrips {
			from += float64(step * gapStrips)
		}
		s.added = append(s.added, piece{from: from + gap, to: from + step - gap, value: value})
	}
	if gaps > 0 {
		s.broken = step * (firstStrips + gapStrips/2.0)
	}
	return s
}

// numbered are the pieces that have a number each: of equal parts, all of them together.
func (s *side) numbered() []piece {
	if s.equal {
		return []piece{{to: s.length, value: s.added[0].value}}
	}
	return slices.Concat(s.added, s.taken)
}

// visible are the numbered pieces without the end that lies below what is taken away.
func (s *side) visible() []piece {
	out := s.numbered()
	for i := range out {
		if out[i].value > 0 {
			out[i].to = min(out[i].to, s.length)
		}
	}
	return out
}

// drawArea draws an area model: the first operand runs down, the second one to the right.
func drawArea(d *envs.Drawing, left, top float64, down, across side) {
	add := func(role envs.Role, hue int, y, x piece) {
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Polygon, Role: role, Hue: hue, Points: envs.Box(left+x.from, top+y.from, left+x.to, top+y.to)})
	}
	for i, y := range down.added {
		for j, x := range across.added {
			hue := 0
			if !down.equal {
				hue += i
			}
			if !across.equal {
				hue += j
			}
			add(envs.Tile, hue%2, y, x)
		}
	}
	for _, y := range down.taken {
		add(envs.Taken, 0, y, piece{to: across.reach})
	}
	for _, x := range across.taken {
		add(envs.Taken, 1, piece{to: down.reach}, x)
	}
	if down.broken > 0 || across.broken > 0 {
		drawDots(d, left, top, down, across)
	}
	for _, y := range down.copies() {
		for _, x := range across.copies() {
			if thin := min(y.to-y.from, x.to-x.from); thin > 3 { // a narrower strip would be all edge
				d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Line, Points: envs.Frame(left+x.from, top+y.from, left+x.to, top+y.to)})
			}
		}
	}
}

// copies are the equal parts that a side consists of, or all of it.
func (s *side) copies() []piece {
	if s.equal {
		return s.added
	}
	return []piece{{to: s.length}}
}

// drawDots draws dots where strips are left out: where the gaps cross if there are two.
func drawDots(d *envs.Drawing, left, top float64, down, across side) {
	x, y, dx, dy := left+float64(across.length/2), top+float64(down.length/2), 0.0, 0.0
	if across.broken > 0 {
		x, dx = left+across.broken, 2.4
	}
	if down.broken > 0 {
		y, dy = top+down.broken, 2.4
	}
	for _, i := range []float64{-1, 0, 1} {
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Role: envs.Wall, Hue: 1, Points: envs.Point(x+float64(i*dx), y+float64(i*dy)), Size: 0.7})
	}
}

// drawExample draws a family large, with all its numbers, and its text beside it: a family that
// adds for the first operand and takes away for the second, or else the first one.
func (p *Problem) drawExample(d *envs.Drawing, families []drawnFamily) {
	best := 0
	for i, f := range families {
		terms := [2][]int64{p.example(0, f.kinds[0]).terms, p.example(1, f.kinds[1]).terms}
		several := len(terms[0]) > 1 && len(terms[1]) > 1 && f.kinds[0] != factor && f.kinds[1] != factor
		if several && slices.Min(terms[0]) > 0 && slices.Min(terms[1]) < 0 {
			best = i
			break
		}
	}
	kinds := families[best].kinds
	first, second := p.example(0, kinds[0]).terms, p.example(1, kinds[1]).terms
	wide := envs.LabelWidth(numeral(-slices.Max(first)*slices.Max(second)), 8)
	if kinds[0] == factor || kinds[1] == factor {
		wide = envs.LabelWidth(p.answer, 8)
	}
	taken := max(13, envs.LabelWidth(numeral(slices.Max(first)*slices.Min(second)), 8)+4)
	down := layOut(first, kinds[0], exampleDown, 11, 13)
	across := layOut(second, kinds[1], max(74, float64(1.2*wide*float64(len(second)))), wide+4, taken)
	left := envs.LabelWidth(numeral(-slices.Max(first)), 8) + 2*braceRoom
	right := left + across.reach
	if len(down.taken) > 0 {
		right += left
	}
	d.Width = max(d.Width, right+exampleGap+exampleText)
	family := p.families[best]
	var lines []string
	for i, text := range strings.Split(family.Answer, "=") {
		text = strings.Join(strings.Fields(text), "")
		if i > 0 {
			text = "= " + text
		}
		for j, line := range wrapped(text, "+-", d.Width-right-exampleGap-7) {
			if j > 0 {
				line = "\u2003" + line
			}
			lines = append(lines, line)
		}
	}
	room := textLine + braceRoom // for the numbers above and below
	height := max(down.reach+2*room, float64(textLine*float64(len(lines)+1))+2)
	top := float64((height-down.reach)/2) + 1
	drawArea(d, left, top, down, across)
	drawNumbers(d, left, top, down, across)
	text := float64((height - float64(textLine*float64(len(lines)+1))) / 2)
	d.Write(envs.Head, right+exampleGap, text+textLine/2, 0, string(family.Mode))
	writeLines(d, envs.Plain, right+exampleGap, text+textLine+2, 0, lines)
	d.Height = height + 2
}

func numeral(x int64) string { return strings.Replace(strconv.FormatInt(x, 10), "-", "−", 1) }

// drawNumbers writes the terms along the sides, what is added above and at the left, what is
// taken away below and at the right, and the partial products into the area.
func drawNumbers(d *envs.Drawing, left, top float64, down, across side) {
	const tick = 1.5
	brace := func(from, to [2]float64, dx, dy float64) {
		points := [][2]float64{from, to}
		for _, end := range [][2]float64{from, to} {
			points = append(points, [2]float64{end[0] - dx, end[1] - dy}, [2]float64{end[0] + dx, end[1] + dy})
		}
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Segments, Role: envs.Faint, Points: points})
	}
	for _, x := range across.numbered() {
		y, label := top-braceRoom, top-braceRoom-textLine/2-1
		if x.value < 0 {
			y = top + down.reach + braceRoom
			label = y + textLine/2 + 1
		}
		brace([2]float64{left + x.from + 0.6, y}, [2]float64{left + x.to - 0.6, y}, 0, tick)
		d.Write(envs.Plain, left+float64((x.from+x.to)/2), label, 0.5, numeral(x.value))
	}
	for _, y := range down.numbered() {
		x, label, align := left-braceRoom, left-braceRoom-3, 1.0
		if y.value < 0 {
			x = left + across.reach + braceRoom
			label, align = x+3, 0
		}
		brace([2]float64{x, top + y.from + 0.6}, [2]float64{x, top + y.to - 0.6}, tick, 0)
		d.Write(envs.Plain, label, top+float64((y.from+y.to)/2), align, numeral(y.value))
	}
	for i, y := range down.visible() {
		for j, x := range across.visible() {
			role, hue := envs.Tile, (i+j)%2
			if y.value < 0 || x.value < 0 {
				role, hue = envs.Taken, 0
			}
			d.Shapes = append(d.Shapes, envs.Shape{
				Kind: envs.Label, Role: role, Hue: hue, Points: envs.Point(left+float64((x.from+x.to)/2), top+float64((y.from+y.to)/2)), Size: 8, Align: 0.5, Text: numeral(y.value * x.value),
			})
		}
	}
}
