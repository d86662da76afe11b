package board

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/spec"
	"modebench/internal/each"
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

// Rates are the learning rates of all methods on a board, ascending. All methods have the same lowest
// and highest rate and as many settings: Alone has len(Beside)*Values rates.
type Rates struct {
	Beside []float64 `toml:"beside"` // each with Values values of a knob; all of them are in Alone
	Alone  []float64 `toml:"alone"`  // without a knob
	Values int       `toml:"values"` // of a knob: the largest ones, at most three
	Paper  float64   `toml:"paper"`  // of the setting with a method's own fields; missing for the profile
	// Lower and Higher are rates that make a task's range wider if many methods choose the lowest or the
	// highest. There are as many as Values. The outermost of them goes beside values of a knob.
	Lower  []float64 `toml:"lower"`
	Higher []float64 `toml:"higher"`
	Slow   float64   `toml:"slow"` // of rows that learn slowly
	Reason string    `toml:"reason"`
}

// within are the rates in a range.
func (r *Rates) within(wide Range) *Rates {
	out := *r
	if wide.Lower && r.Lower != nil {
		out.Beside, out.Alone = slices.Concat(r.Lower[:1], out.Beside), slices.Concat(r.Lower, out.Alone)
	}
	if wide.Higher && r.Higher != nil {
		out.Beside, out.Alone = slices.Concat(out.Beside, r.Higher[len(r.Higher)-1:]), slices.Concat(out.Alone, r.Higher)
	}
	return &out
}

// rates are those of the task's board in its range.
func (t Task) rates(g *Grid) *Rates { return g.Rates[t.board()].within(t.Range) }

// A Row is the grid of one method.
type Row struct {
	Name string `toml:"name"`
	// Method is the method that runs; "": the one called Name.
	Method string `toml:"method"`
	// Control describes a row that needs no new estimator, such as a lower rate or a higher temperature, for
	// comparison with the methods; "": the row is a method.
	Control string `toml:"control"`
	// Slow: the slow rate, without tuning.
	Slow bool `toml:"slow"`
	// Knob is the field that trades accuracy for diversity, under its name in a [[method]] of a
	// spec, as lambda or eval.temperature; "": the method has no such field.
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
	names := each.Map(g.Methods, func(r Row) string { return r.Name })
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

// An Assignment sets one field of a method: Field is a key of a [[method]] of a spec, such
// as lambda, train.lr or eval.temperature.
type Assignment struct {
	Field string
	Value any // int64, float64, string or bool
}

// A Setting is one of the settings that a method is tried with.
type Setting struct {
	Label string       // the tuned fields, as in "lr=0.1 lambda=3"
	Set   []Assignment // the rate, the knob, then fields that the knob needs
}

// rateField is the learning rate as a method of a spec has it.
const rateField = "train.lr"

// estimator is the name of the row's method in specs.
func (r *Row) estimator() string { return cmp.Or(r.Method, r.Name) }

// settings are those of a row: each rate with as many of the knob's values, the largest ones. A
// row with fewer values has the largest of them at the rates alone.
func (r *Rates) settings(row *Row) []Setting {
	if row.Slow {
		return []Setting{row.plain(r.Slow)}
	}
	if row.Knob == "" {
		return r.alone(row)
	}
	var out []Setting
	if n := len(row.Values); n < r.Values {
		for _, rate := range r.Alone {
			out = append(out, setting(rate, row.assignments(row.Values[n-1])))
		}
		return out
	}
	for _, rate := range r.Beside {
		for _, value := range r.values(row) {
			out = append(out, setting(rate, row.assignments(value)))
		}
	}
	return out
}

// shared reports whether all methods have a setting's rate.
func (r *Rates) shared(s Setting) bool {
	return slices.ContainsFunc(r.Beside, func(rate float64) bool { return s.Set[0].Value == rate })
}

// values are those of the row's knob that are tried.
func (r *Rates) values(row *Row) []any { return row.Values[len(row.Values)-r.Values:] }

// alone lists the settings of rates alone: for methods without a knob, and for methods whose
// knob makes no difference on the task (spec.Setup.Idle), so that all its values would be one.
func (r *Rates) alone(row *Row) []Setting {
	return each.Map(r.Alone, row.plain)
}

// paper is the setting of the source: every field at the method's default, except for the fields
// that its row pins. The rate is the same for all methods, since papers' rates are for other policies.
func (r *Rates) paper(row *Row) Setting { return row.plain(r.Paper) }

// plain is the setting at a rate without the knob.
func (r *Row) plain(rate float64) Setting {
	s := setting(rate, nil)
	s.Set = append(s.Set, sorted(r.Pinned)...)
	return s
}

// assignments sets the knob to a value, then the fields that it needs and the pinned fields, by
// name.
func (r *Row) assignments(value any) []Assignment {
	return slices.Concat([]Assignment{{r.Knob, value}}, sorted(r.Set), sorted(r.Pinned))
}

// assign gives a method fields.
func assign(p *spec.Setup, fields []Assignment) error {
	for _, a := range fields {
		if err := p.Set(a.Field, a.Value); err != nil {
			return err
		}
	}
	return nil
}

// besideKnob are the assignments of a row but for its knob's.
func (r *Row) besideKnob() []Assignment { return r.assignments(nil)[1:] }

// sorted are assignments by the names of their fields.
func sorted(set map[string]any) []Assignment {
	return each.Map(slices.Sorted(maps.Keys(set)), func(field string) Assignment { return Assignment{field, set[field]} })
}

// setting is a setting at a rate. Of the fields the first, if any, is the knob.
func setting(rate float64, fields []Assignment) Setting {
	s := Setting{"lr=" + text(rate), append([]Assignment{{rateField, rate}}, fields...)}
	if len(fields) > 0 {
		s.Label += " " + fields[0].Field + "=" + text(fields[0].Value)
	}
	return s
}

// text writes a value as TOML has it.
func text(value any) string {
	switch x := value.(type) {
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case string: // JSON's escapes are TOML's too
		quoted, _ := json.Marshal(x) // no text fails
		return string(quoted)
	}
	return fmt.Sprint(value)
}

// TOML writes the assignments as lines of a [[method]] table of a spec.
func (s Setting) TOML() string {
	var b strings.Builder
	for _, a := range s.Set {
		fmt.Fprintf(&b, "%s = %s\n", a.Field, text(a.Value))
	}
	return b.String()
}
