package envs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/internal/each"
)

// A Pictured problem describes its picture as shapes and a table, so that whoever draws
// it need not know its environment.
type Pictured interface {
	Problem
	// Drawing returns the problem with the given answers marked in it, those given most often
	// first. Marks name their answers by position, so that one drawing serves several pools.
	Drawing(answers ...Attempt) Drawing
}

// PictureModes is a Problem.Picture: a head, a line for each of the first limit modes of correct
// answers, with its number of variants and the answers that hit it, and a caption for each answer.
func PictureModes(p Problem, head string, limit int, variants func(i int) int64, answers [][]Token, caption func(answer []Token) string) string {
	hits := map[Mode][]string{}
	for i, answer := range answers {
		if v := p.Judge(answer); v.Correct {
			hits[v.Mode] = append(hits[v.Mode], strconv.Itoa(i+1))
		}
	}
	modes := p.Truth().Modes
	shown := modes[:min(limit, len(modes))]
	width := each.Largest(shown, func(mode Mode) int { return len(mode) })
	var b strings.Builder
	b.WriteString(head + "\n")
	for i, mode := range shown {
		fmt.Fprintf(&b, "  %-*s  %4d", width, mode, variants(i))
		if numbers := hits[mode]; numbers != nil {
			b.WriteString("  hit by " + strings.Join(numbers, ", "))
		}
		b.WriteByte('\n')
	}
	if more := len(modes) - len(shown); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	for i, answer := range answers {
		fmt.Fprintf(&b, "%3d: %s\n", i+1, caption(answer))
	}
	return b.String()
}

// An Attempt is an answer to mark in a drawing. Its verdict has neither an error nor the
// degenerate mode.
type Attempt struct {
	Text string // in the environment's text form; "": its mode alone is known
	*Verdict
}

// A Drawing is a vector picture with a legend, a table and a note. Lengths are in points, x
// grows to the right and y grows downwards, from the corner at the top left.
type Drawing struct {
	Title         string // one line, drawn above the picture
	Width, Height float64
	Shapes        []Shape // later ones lie on top of earlier ones
	Least         float64 // smallest scale at which its labels keep clear of each other; 0: 1
	Legend        []Entry
	Table         *Table // nil: no table
	Note          string // sentences, drawn below the picture
}

// DrawingWidth is the width of a column of a paper: a narrower drawing leaves room beside it.
const DrawingWidth = 234.0

// LabelWidth is about how wide a label is, in points.
func LabelWidth(text string, size float64) float64 {
	return float64(0.56 * size * float64(len([]rune(text))))
}

// A Shape is one element of a drawing.
type Shape struct {
	Kind   ShapeKind
	Role   Role
	Hue    int          // which of the colours of the role
	Points [][2]float64 // (x, y): as many as the kind asks for
	Size   float64      // radius of a circle, height of letters, greatest width of a line (0: any)
	Text   string       // of a label, one line
	Align  float64      // of a text: its point is its left edge (0), its middle (0.5) or its right edge (1)
	// Answers are the positions of the answers that the shape marks. It is drawn if one of them
	// was given. Without any it belongs to the problem.
	Answers []int
}

// Point is a point, as Shape has it.
func Point(x, y float64) [][2]float64 { return [][2]float64{{x, y}} }

// Box are the corners of a rectangle.
func Box(left, top, right, bottom float64) [][2]float64 {
	return [][2]float64{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// Frame is the line around a rectangle.
func Frame(left, top, right, bottom float64) [][2]float64 {
	return append(Box(left, top, right, bottom), [2]float64{left, top})
}

// Write adds a label in small print.
func (d *Drawing) Write(role Role, x, y, align float64, text string) {
	d.Shapes = append(d.Shapes, Shape{Kind: Label, Role: role, Points: Point(x, y), Size: 8, Align: align, Text: text})
}

// A ShapeKind is a form of shapes.
type ShapeKind int

// The kinds of shapes.
const (
	Polygon  ShapeKind = iota // filled; its 3 or more corners
	Line                      // through 2 points or more
	Segments                  // lines between the points 0 and 1, 2 and 3, ...
	Circle                    // filled; its centre
	Ring                      // the line of a circle
	Cross                     // its centre
	Label                     // a text; its place
	Count                     // how many answers were given of those that it marks; its place
)

// A Role is the meaning of a shape. The program that draws it chooses the colours.
type Role int

// The roles.
const (
	Plain Role = iota // a part of the problem
	Faint             // an aid to reading, lighter in hue 1 and warm in hue 2; of a count: 1 is left out
	Wall              // an obstacle; hue 1: an end of the way. Labels on it are white
	Path              // a connection
	Right             // a correct answer
	Wrong             // an incorrect answer
	Head              // a heading
	Curve             // a set of points
	Tint              // an area in a light colour; hue -1: white
	Tile              // a part of an area, with hues 0 and 1 for neighbours; a label hides what is behind it
	Taken             // an area that is taken away, hatched upwards (hue 0) or downwards (hue 1); labels as of Tile
	Bar               // a number of a correct mode; hue OtherModes: others, hue WrongModes: incorrect ones
	Route             // a way of a mode, with the hues of Bar; the more answers, the wider
)

// Hues of modes that have no colour of their own.
const (
	OtherModes = -1
	WrongModes = -2
)

// An Entry explains a shape, whose points are relative to the middle of its sample.
type Entry struct {
	Head   string // of a group of entries; "": that of the entry before
	Sample Shape
	Text   string
	// Answers, if any, are those whose number is written behind the text.
	Answers []int
}

// A Table lists the meanings of shapes, or shows numbers as bars.
type Table struct {
	Caption string // "": none
	Heads   []string
	Rows    []Row
	Bars    string // name of the values; "": the rows have samples of a line in place of bars
}

// A Row is a line of a table. Where answers were given, the row tells how many are its own.
type Row struct {
	Role    Role // of its line or bar
	Hue     int
	Texts   []string
	Value   float64 // length of the bar
	Bare    bool    // no bar
	First   bool    // begins a group
	Answers []int
}

// Check returns the first fault of a drawing: a size that is not above 0, a row without a text for
// each head, or a shape that has the wrong number of points, lies outside of the picture, marks an
// answer beyond the number of answers, or is of an unknown kind or role.
func (d *Drawing) Check(answers int) error {
	if !(d.Width > 0 && d.Height > 0) && (d.Table == nil || len(d.Shapes) > 0) || math.IsInf(d.Width+d.Height, 0) {
		return fmt.Errorf("a drawing of %v x %v points", d.Width, d.Height)
	}
	for i, s := range d.Shapes {
		if err := cmp.Or(d.checkShape(&s), checkAnswers(s.Answers, answers)); err != nil {
			return fmt.Errorf("shape %d: %w", i, err)
		}
	}
	if d.Table == nil {
		return nil
	}
	for i, row := range d.Table.Rows {
		if len(row.Texts) != len(d.Table.Heads) {
			return fmt.Errorf("row %d: %d texts, want %d", i, len(row.Texts), len(d.Table.Heads))
		}
		if err := checkAnswers(row.Answers, answers); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

func checkAnswers(marked []int, answers int) error {
	for _, position := range marked {
		if position < 0 || position >= answers {
			return fmt.Errorf("it marks answer %d of %d", position, answers)
		}
	}
	return nil
}

// shapeKinds has the number of points of each kind of shapes, and whether it has a size.
var shapeKinds = [...]struct {
	atLeast, atMost int
	sized           bool
}{
	Polygon: {3, math.MaxInt, false}, Line: {2, math.MaxInt, false}, Segments: {2, math.MaxInt, false}, Cross: {1, 1, false},
	Circle: {1, 1, true}, Ring: {1, 1, true}, Label: {1, 1, true}, Count: {1, 1, true},
}

func (d *Drawing) checkShape(s *Shape) error {
	if s.Kind < 0 || int(s.Kind) >= len(shapeKinds) {
		return fmt.Errorf("unknown kind %d", s.Kind)
	}
	kind, points := shapeKinds[s.Kind], len(s.Points)
	switch {
	case s.Role < Plain || s.Role > Route:
		return fmt.Errorf("unknown role %d", s.Role)
	case kind.sized && (!(s.Size > 0) || math.IsInf(s.Size, 0)):
		return fmt.Errorf("size %v, want a number above 0", s.Size)
	case s.Kind == Label && s.Text == "":
		return errors.New("a label without text")
	case points < kind.atLeast || points > kind.atMost:
		return fmt.Errorf("%d points, want at least %d and at most %d", points, kind.atLeast, kind.atMost)
	}
	for _, p := range s.Points {
		if !d.holds(p[0], p[1]) {
			return fmt.Errorf("the point %v lies outside of %v x %v", p, d.Width, d.Height)
		}
	}
	return nil
}

func (d *Drawing) holds(x, y float64) bool {
	const rounding = 1e-6
	return min(x, y) >= -rounding && x <= d.Width+rounding && y <= d.Height+rounding
}
