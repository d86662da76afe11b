package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A FigureKind describes a kind of figure. The packages that draw figures register kinds
// here, and package spec looks them up, so that neither imports the other.
type FigureKind struct {
	Name string
	Doc  string // the content in a few words
	// Place orders lists of the kinds: by this number, then by name.
	Place int
	// Fields are the fields of [[figure]] that a figure of this kind reads, besides name,
	// kind, title and where.
	Fields []string
	// Answers is set if the kind draws the recorded answers to a problem, Claims if it draws
	// the verdicts on claims. Else it draws metrics.
	Answers, Claims bool
	// Check explains why a figure of this kind cannot be drawn from the records of a spec:
	// a FigureError, or an error of its own. It is nil if every figure can be drawn.
	Check func(fig Figure, recorded Recorded) error
}

// Shape checks the fields of a figure's size and axes, whatever it draws. The error is a FigureError.
func (f Figure) Shape() error {
	if f.Width != 0 && !(f.Width >= 1 && f.Width <= 20) {
		return &FigureError{"width", fmt.Errorf("figure %q: got a width of %g inches, want 1 to 20", f.Name, f.Width)}
	}
	for _, axis := range []string{"x", "y"} {
		ofK, log := axis == "x" && f.Kind == "k-curve", f.Logarithmic(axis)
		switch limits := f.Limits(axis); {
		case ofK && log:
			return &FigureError{"log", fmt.Errorf("figure %q: the axis of k is always logarithmic: want log = \"y\", or no log", f.Name)}
		case len(limits) == 0:
		case len(limits) != 2 || !(limits[0] < limits[1]):
			return &FigureError{axis, fmt.Errorf("figure %q: got %s = %s, want the lower limit and then the upper one: [0, 100]", f.Name, axis, listed(limits))}
		case (ofK || log) && limits[0] <= 0:
			return &FigureError{axis, fmt.Errorf("figure %q: got %s = %s, and a logarithmic axis begins above 0", f.Name, axis, listed(limits))}
		}
	}
	return nil
}

func listed(limits []float64) string { return strings.ReplaceAll(fmt.Sprint(limits), " ", ", ") }

// Logarithmic reports whether an axis, x or y, is logarithmic.
func (f Figure) Logarithmic(axis string) bool { return strings.Contains(f.Log, axis) }

// Limits are the ends of an axis, x or y; empty: they follow from the values.
func (f Figure) Limits(axis string) []float64 {
	if axis == "x" {
		return f.X
	}
	return f.Y
}

// Has reports whether the figure has a part: its title, legend or footer.
func (f Figure) Has(part string) bool { return !slices.Contains(f.Without, part) }

// Reads reports whether a figure of the kind reads a field.
func (k FigureKind) Reads(field string) bool { return slices.Contains(k.Fields, field) }

// A FigureError is the fault of a field of a figure, or of the figure as a whole if Field is empty.
type FigureError struct {
	Field string
	Err   error
}

// Error returns the text of the fault.
func (e *FigureError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FigureError) Unwrap() error { return e.Err }

// Recorded describes the records of a spec's future run, for the check of a figure.
type Recorded struct {
	K         []int // of the metrics at k
	Positions []int // of the metrics at a position
	Every     int   // training steps between evaluations
	Keep      int   // problems whose answers are recorded
	Modes     bool  // the masses of modes are recorded
	Families  []string
	// Metric explains why the variants that the figure shows have no such metric; nil if they do.
	Metric   func(name string) error
	Variants []RecordedVariant // all of them, in their order
}

// A RecordedVariant is a variant of a spec.
type RecordedVariant struct {
	Variant
	Steps      int // of training
	Env        string
	Components []string // of the reward
	Embeddings bool     // answers have embeddings
	Optimum    bool     // it is the exact optimum, which gives no answers
}

var figureKinds []FigureKind

// RegisterFigureKind makes a kind of figure known. A second kind of a name is a mistake in
// the program and panics.
func RegisterFigureKind(k FigureKind) {
	if _, known := LookupFigureKind(k.Name); known {
		panic(fmt.Sprintf("two kinds of figures are named %q", k.Name))
	}
	figureKinds = append(figureKinds, k)
	slices.SortFunc(figureKinds, func(a, b FigureKind) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Name, b.Name))
	})
}

// FigureKinds lists the kinds of figures by place; none in a program that draws none.
func FigureKinds() []FigureKind { return slices.Clone(figureKinds) }

// LookupFigureKind finds a kind of figure by its name.
func LookupFigureKind(name string) (k FigureKind, known bool) {
	i := slices.IndexFunc(figureKinds, func(k FigureKind) bool { return k.Name == name })
	if i < 0 {
		return FigureKind{}, false
	}
	return figureKinds[i], true
}
