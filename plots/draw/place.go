package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A Tag is a text to place beside a mark.
type Tag struct {
	At     vg.Point  // the mark
	Radius vg.Length // of the mark
	Texts  []string  // the first of them that finds room is written
	Font   font.Font
	Ink    color.Color
}

// A Placed tag has the place of a text. The text is "" if no text found room.
type Placed struct {
	Tag
	Text     string
	Box      vg.Rectangle
	From, To vg.Point // a line from the mark to the text, if there is a gap between them
}

// Distances between a mark and its text. All but the last text of a tag stay near.
var (
	near = []vg.Length{1.2, 6, 11, 17}
	far  = []vg.Length{1.2, 6, 11, 17, 24, 32, 42, 54, 68, 84, 100}
)

// The height of a text, and of its baseline above its bottom, as shares of the font's size.
const textHigh, textLow = 0.94, 0.21

// angles are the directions in which a text may lie, in shares of a turn: to the right first,
// then left, above, below, and between. allAngles are for texts that find no room in these.
var angles, allAngles = directions()

func directions() (some, all []float64) {
	for _, sixteenths := range []float64{0, 8, 4, 12, 2, 14, 6, 10, 1, 15, 7, 9, 3, 13, 5, 11} {
		some = append(some, sixteenths/16)
	}
	const fine = 128
	for i := range fine {
		all = append(all, float64(i)/fine)
	}
	return some, all
}

// Place puts texts beside marks, so that no text lies on another text, on a mark, on the line
// of another tag, or outside of the rectangle. Lines cross only if a text would find no room
// otherwise. Tags that come first choose first, but after those that would find no room at all.
// Around those, others have their last text only. No text lies on a taken rectangle either.
func Place(tags []Tag, within vg.Rectangle, taken []vg.Rectangle) []Placed {
	marks := make([]vg.Rectangle, len(tags))
	order := make([]int, len(tags))
	for i, t := range tags {
		marks[i], order[i] = Around(t.At, t.Radius), i
	}
	const rounds, step = 16, vg.Length(12)
	short := make([]bool, len(tags)) // have their last text alone
	var best []Placed
	fewest := len(tags) + 1
	for round := range rounds {
		out := make([]Placed, len(tags))
		var placed []Placed
		var lost, found []int
		for _, i := range order {
			t := tags[i]
			if short[i] {
				t.Texts = t.Texts[len(t.Texts)-1:]
			}
			out[i] = t.place(i, placed, marks, within, taken, false)
			out[i].Tag = tags[i]
			if placed = append(placed, out[i]); out[i].Text == "" {
				lost = append(lost, i)
			} else {
				found = append(found, i)
			}
		}
		if len(lost) < fewest {
			best, fewest = out, len(lost)
		}
		if lost == nil {
			break
		}
		for _, i := range lost {
			near := Around(tags[i].At, step*vg.Length(round+1))
			for j, m := range marks {
				short[j] = short[j] || overlap(near, m)
			}
		}
		order = append(lost, found...)
	}
	for i, p := range best {
		if p.Text == "" {
			best[i] = tags[i].place(i, best, marks, within, taken, true)
		}
	}
	return best
}

func (t Tag) place(self int, placed []Placed, marks []vg.Rectangle, within vg.Rectangle, taken []vg.Rectangle, crossing bool) Placed {
	turns := angles
	if crossing {
		turns = allAngles
	}
	for i, text := range t.Texts {
		distances := near
		if i == len(t.Texts)-1 {
			distances = far
		}
		for _, distance := range distances {
			for _, angle := range turns {
				p := t.candidate(text, distance, angle)
				if p.fits(self, placed, marks, within, taken, crossing) {
					return p
				}
			}
		}
	}
	return Placed{Tag: t}
}

func (t Tag) candidate(text string, distance vg.Length, angle float64) Placed {
	sin, cos := math.Sincos(2 * math.Pi * angle)
	reach := t.Radius + distance
	anchor := vg.Point{X: t.At.X + vg.Length(float64(reach)*cos), Y: t.At.Y + vg.Length(float64(reach)*sin)}
	width, height := TextWidth(t.Font, text), textHigh*t.Font.Size
	left := anchor.X - vg.Length(width*vg.Length((1-turned(cos))/2))
	low := anchor.Y - vg.Length(height*vg.Length((1-turned(sin))/2))
	p := Placed{Tag: t, Text: text, Box: vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: left + width, Y: low + height}}}
	if distance > near[0] {
		edge := t.Radius
		p.From = vg.Point{X: t.At.X + vg.Length(float64(edge)*cos), Y: t.At.Y + vg.Length(float64(edge)*sin)}
		p.To = anchor
	}
	return p
}

// turned is the side of a mark that a text is on: -1, 0 or 1 along an axis.
func turned(x float64) float64 {
	switch {
	case x > 0.3:
		return 1
	case x < -0.3:
		return -1
	}
	return 0
}

// fits reports whether nothing is in the way. A line may pass over marks, which are drawn above
// it, and over other lines if crossing is set.
func (p Placed) fits(self int, placed []Placed, marks []vg.Rectangle, within vg.Rectangle, taken []vg.Rectangle, crossing bool) bool {
	if p.Box.Min.X < within.Min.X || p.Box.Max.X > within.Max.X || p.Box.Min.Y < within.Min.Y || p.Box.Max.Y > within.Max.Y {
		return false
	}
	for i, m := range marks {
		if i != self && overlap(p.Box, m) {
			return false
		}
	}
	return !slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(p.Box, r) }) &&
		!slices.ContainsFunc(placed, func(o Placed) bool { return o.Text != "" && p.meets(o, crossing) })
}

// meets reports whether two texts or their lines lie on each other.
func (p Placed) meets(o Placed, crossing bool) bool {
	return overlap(p.Box, padded(o.Box)) || o.Leads() && crosses(o.From, o.To, p.Box) ||
		p.Leads() && crosses(p.From, p.To, o.Box) || !crossing && p.Leads() && o.Leads() && cross(p.From, p.To, o.From, o.To)
}

// padded is the room of a text beside others: with a gap at both ends, so that two numbers are
// not read as one.
func padded(box vg.Rectangle) vg.Rectangle {
	const gap = 1.8
	box.Min.X, box.Max.X = box.Min.X-gap, box.Max.X+gap
	return box
}

// Leads reports whether a line goes from the mark to the text.
func (p Placed) Leads() bool { return p.From != p.To }

// Around is the square around a point.
func Around(centre vg.Point, radius vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: centre.X - radius, Y: centre.Y - radius}, Max: vg.Point{X: centre.X + radius, Y: centre.Y + radius}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// crosses reports whether a line from a to b touches a rectangle.
func crosses(a, b vg.Point, r vg.Rectangle) bool {
	in := func(p vg.Point) bool {
		return p.X >= r.Min.X && p.X <= r.Max.X && p.Y >= r.Min.Y && p.Y <= r.Max.Y
	}
	upper, lower := vg.Point{X: r.Min.X, Y: r.Max.Y}, vg.Point{X: r.Max.X, Y: r.Min.Y}
	return in(a) || in(b) || cross(a, b, r.Min, r.Max) || cross(a, b, upper, lower)
}

// cross reports whether two lines between points cross.
func cross(a, b, c, d vg.Point) bool {
	return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

// side reports whether p lies to the left of the way from a to b.
func side(a, b, p vg.Point) bool {
	return (b.X-a.X)*(p.Y-a.Y) > (b.Y-a.Y)*(p.X-a.X)
}

// PaintTags writes texts beside marks that are drawn already: see Place.
func PaintTags(c Canvas, tags []Tag, taken []vg.Rectangle) {
	for _, t := range Place(tags, c.Rectangle, taken) {
		t.PaintLeader(c)
		t.PaintText(c)
	}
}

// PaintLeader draws the line from the mark to the text.
func (p Placed) PaintLeader(c Canvas) {
	if p.Text != "" && p.Leads() {
		c.StrokeLine2(LineStyle{Color: Grey, Width: 0.4}, p.From.X, p.From.Y, p.To.X, p.To.Y)
	}
}

// PaintText writes the text.
func (p Placed) PaintText(c Canvas) {
	Write(c, p.Font, p.Ink, p.Box.Min.X, p.Box.Min.Y+textLow*p.Font.Size, 0, p.Text)
}
