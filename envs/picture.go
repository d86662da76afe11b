package envs

import (
	"errors"
	"fmt"
	"math"
)

// A Pictured problem gives its picture as shapes, so that whoever draws it need not
// know its environment.
type Pictured interface {
	Problem
	// Drawing returns the problem with the given answers marked in it. Answers that do
	// not parse are left out.
	Drawing(answers ...[]Token) Drawing
}

// A Drawing is a vector picture. Lengths are in points, x grows to the right and y
// grows downwards, from the corner at the top left.
type Drawing struct {
	Title         string // one line, drawn above the picture
	Width, Height float64
	Shapes        []Shape // later ones lie on top of earlier ones
	Note          string  // sentences, drawn below the picture
}

// A Shape is one element of a drawing.
type Shape struct {
	Kind   ShapeKind
	Role   Role
	Points [][2]float64 // (x, y): as many as the kind asks for
	Size   float64      // radius of a circle, height of a label's letters
	Text   string       // of a label, one line
	Middle bool         // of a label: its point is the middle of the text, not the middle of its left edge
}

// A ShapeKind says what a shape is.
type ShapeKind int

// The kinds of shapes.
const (
	Polygon ShapeKind = iota // filled; its 3 or more corners
	Line                     // through 2 points or more
	Circle                   // filled; its centre
	Label                    // a text; the point that it stands at
)

// A Role says what a shape stands for. Who draws it chooses the colours.
type Role int

// The roles.
const (
	Plain Role = iota // a part of the problem
	Faint             // what helps to read the picture
	Wall              // what stands in the way
	Path              // what can be followed
	Right             // a correct answer
	Wrong             // an incorrect answer
)

// Check says what is wrong with a drawing, if anything: a size that is not above 0, or
// a shape that has the wrong number of points, lies outside of the picture, or is of
// an unknown kind or role.
func (d *Drawing) Check() error {
	if !(d.Width > 0 && d.Height > 0) || math.IsInf(d.Width+d.Height, 0) {
		return fmt.Errorf("a drawing of %v x %v points", d.Width, d.Height)
	}
	for i, s := range d.Shapes {
		if err := d.checkShape(&s); err != nil {
			return fmt.Errorf("shape %d: %w", i, err)
		}
	}
	return nil
}

func (d *Drawing) checkShape(s *Shape) error {
	if s.Role < Plain || s.Role > Wrong {
		return fmt.Errorf("unknown role %d", s.Role)
	}
	least, most := 1, 1
	switch s.Kind {
	case Polygon:
		least, most = 3, math.MaxInt
	case Line:
		least, most = 2, math.MaxInt
	case Circle, Label:
		if !(s.Size > 0) || math.IsInf(s.Size, 0) {
			return fmt.Errorf("size %v, want a number above 0", s.Size)
		}
		if s.Kind == Label && s.Text == "" {
			return errors.New("a label without text")
		}
	default:
		return fmt.Errorf("unknown kind %d", s.Kind)
	}
	if n := len(s.Points); n < least || n > most {
		return fmt.Errorf("%d points, want at least %d and at most %d", n, least, most)
	}
	for _, p := range s.Points {
		if !(p[0] >= 0 && p[0] <= d.Width && p[1] >= 0 && p[1] <= d.Height) {
			return fmt.Errorf("the point %v lies outside of %v x %v", p, d.Width, d.Height)
		}
	}
	return nil
}
