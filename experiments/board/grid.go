package board

import (
	"slices"

	"modebench/internal/input"
	"modebench/internal/nearest"
)

// gridFile is the name of the published grid in errors.
const gridFile = "grid.toml"

// A Grid lists the tuned values of every method, and the methods that are not on the board.
type Grid struct {
	Rates   map[string]*Rates `toml:"rates"` // by board: kinds of policy, and Profile
	Methods []Row             `toml:"method"`
	LeftOut []LeftOut         `toml:"left_out"`
}

// Rates are the learning rates that every method is tried with on a board, ascending. Those alone
// are the square of those beside values of a knob, so that all methods have as many settings.
type Rates struct {
	Beside []float64 `toml:"beside"` // as many values of a knob, the largest ones; at most three
	Alone  []float64 `toml:"alone"`  // without a knob
	Paper  float64   `toml:"paper"`  // of the untuned setting; it is in both lists, and missing for the profile
	Reason string    `toml:"reason"`
}

// A Row is the grid of one method.
type Row struct {
	Name string `toml:"name"`
	// Knob is the field that trades accuracy for diversity, under its name in a [[method]] of a
	// spec; "": the method has no such field.
	Knob   string `toml:"knob"`
	Values []any  `toml:"values"` // the knob's three, ascending: int64 or float64
	// Set has the other fields that the knob needs to take effect.
	Set map[string]any `toml:"set"` // texts, numbers, true or false
	// Pinned has fields at values that were the method's defaults when the board was made and
	// have changed since. Every setting has them, the untuned one too.
	Pinned map[string]any `toml:"pinned"`
	Reason string         `toml:"reason"`
}

// A LeftOut is a method that is not on the board.
type LeftOut struct {
	Name   string `toml:"name"`
	As     string `toml:"as"` // the row that has its formula; "": its kind rules it out
	Reason string `toml:"reason"`
}

// row is the row of a method, or nil.
func (g *Grid) row(method string) *Row {
	return First(g.Methods, func(r *Row) bool { return r.Name == method })
}

// Names lists the wanted methods of the grid, in its order; all if the list is empty.
func (g *Grid) Names(wanted []string) (out []string, err error) {
	for _, name := range wanted {
		if _, err := g.Row(name); err != nil {
			return nil, err
		}
	}
	for _, r := range g.Methods {
		if len(wanted) == 0 || slices.Contains(wanted, r.Name) {
			out = append(out, r.Name)
		}
	}
	return out, nil
}

// Row is the row of a method. For a method without a row, the error explains why.
func (g *Grid) Row(method string) (*Row, error) {
	if r := g.row(method); r != nil {
		return r, nil
	}
	var names []string
	for _, r := range g.Methods {
		names = append(names, r.Name)
	}
	for _, l := range g.LeftOut {
		if l.Name != method {
			continue
		}
		if l.As != "" {
			return nil, input.Errorf("method %s is not on the board: it is in the row of %s. %s", method, l.As, l.Reason)
		}
		return nil, input.Errorf("method %s is not on the board: %s", method, l.Reason)
	}
	return nil, input.Errorf("method %q has no row on the board; %sbench list methods has their names", method, nearest.Hint(method, names))
}
