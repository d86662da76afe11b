package board

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"modebench/estimators"
	_ "modebench/estimators/all"    // the grid names methods of every family,
	_ "modebench/estimators/plugin" // and explains why plug-ins have no row
	"modebench/experiments/spec"
	"modebench/internal/input"
)

//go:embed grid.toml
var published []byte

// Published is the grid of board 2.
func Published() (*Grid, error) { return Read(gridFile, published) }

// Read reads a grid from TOML. file is its name in errors. Unknown keys are errors, and so
// are rows whose settings their methods do not take.
func Read(file string, data []byte) (*Grid, error) {
	var g Grid
	if err := DecodeTOML(file, data, &g); err != nil {
		return nil, err
	}
	if err := g.check(); err != nil {
		return nil, input.Errorf("%s: %w", file, err)
	}
	return &g, nil
}

// DecodeTOML decodes a whole TOML document, which has no keys that "to" lacks. file is its name in
// errors, which have line and column.
func DecodeTOML(file string, data []byte, to any) error {
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(to); err != nil {
		return located(file, err)
	}
	return nil
}

// located puts the place of a decoder's error before it.
func located(file string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		key := &unknown.Errors[0]
		line, column := key.Position()
		return input.Errorf("%s:%d:%d: unknown key %q", file, line, column, strings.Join(key.Key(), "."))
	}
	var value *toml.DecodeError
	if errors.As(err, &value) {
		line, column := value.Position()
		return input.Errorf("%s:%d:%d: %s", file, line, column, strings.TrimPrefix(value.Error(), "toml: "))
	}
	return input.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "toml: "))
}

// check returns the first fault of the grid.
func (g *Grid) check() error {
	for _, board := range slices.Sorted(maps.Keys(protocols)) {
		r := g.Rates[board]
		if r == nil {
			return fmt.Errorf("want rates.%s", board)
		}
		if err := r.check(board); err != nil {
			return fmt.Errorf("rates.%s: %w", board, err)
		}
	}
	if len(g.Rates) > len(protocols) {
		return fmt.Errorf("rates: got %q, want those of %q alone", slices.Sorted(maps.Keys(g.Rates)), slices.Sorted(maps.Keys(protocols)))
	}
	known := map[string]bool{}
	for i := range g.Methods {
		r := &g.Methods[i]
		if err := r.check(known); err != nil {
			return fmt.Errorf("method[%d] %q: %w", i, r.Name, err)
		}
	}
	for i, l := range g.LeftOut {
		if err := l.check(known, g.row(l.As) != nil); err != nil {
			return fmt.Errorf("left_out[%d] %q: %w", i, l.Name, err)
		}
	}
	return nil
}

func (r *Rates) check(board string) error {
	if board == Profile && r.Paper != 0 {
		return fmt.Errorf("paper: got %v, want none: every setting of the profile is tuned", r.Paper)
	}
	for _, c := range []struct {
		name  string
		rates []float64
	}{{"beside", r.Beside}, {"alone", r.Alone}} {
		if !ascending(c.rates) {
			return fmt.Errorf("%s: got %v, want ascending rates above 0", c.name, c.rates)
		}
	}
	if err := r.checkShape(); err != nil {
		return err
	}
	if !(r.Slow > 0 && r.Slow < r.Alone[0]) {
		return fmt.Errorf("slow: got %v, want a rate above 0 and below the lowest, %v", r.Slow, r.Alone[0])
	}
	if board != Profile && !slices.Contains(r.Beside, r.Paper) {
		return fmt.Errorf("beside: got %v, want paper's %v among them", r.Beside, r.Paper)
	}
	return checkReason(r.Reason)
}

// checkShape returns the first fault of the numbers of rates and of their range: it is the same with a
// knob and without one.
func (r *Rates) checkShape() error {
	if r.Values < 1 || r.Values > knobValues {
		return fmt.Errorf("values: got %d, want from 1 to %d", r.Values, knobValues)
	}
	if n := len(r.Beside); n < 1 || len(r.Alone) != n*r.Values {
		return fmt.Errorf("%d rates beside %d values of a knob and %d alone, want as many settings", n, r.Values, len(r.Alone))
	}
	for _, rate := range r.Beside {
		if !slices.Contains(r.Alone, rate) {
			return fmt.Errorf("beside: %v is not among the rates alone, %v", rate, r.Alone)
		}
	}
	if r.Alone[0] != r.Beside[0] || r.Alone[len(r.Alone)-1] != r.Beside[len(r.Beside)-1] {
		return fmt.Errorf("rates beside a knob go from %v to %v, and those alone from %v to %v: want the same range", r.Beside[0], r.Beside[len(r.Beside)-1], r.Alone[0], r.Alone[len(r.Alone)-1])
	}
	for _, wider := range [][]float64{r.Lower, r.Higher} {
		if wider != nil && len(wider) != r.Values {
			return fmt.Errorf("lower or higher: got %v, want as many rates as values of a knob, %d", wider, r.Values)
		}
	}
	if wide := r.within(Range{true, true}); !ascending(wide.Alone) {
		return fmt.Errorf("lower, alone and higher: got %v, want ascending rates above 0", wide.Alone)
	}
	return nil
}

// ascending reports whether rates are finite and ascend from above 0.
func ascending(rates []float64) bool {
	last := 0.0
	for _, rate := range rates {
		if !(rate > last) || math.IsInf(rate, 1) {
			return false
		}
		last = rate
	}
	return true
}

// checkName returns the fault of a method's name, and marks the name as known.
func checkName(name string, known map[string]bool) (estimators.Method, error) {
	m, err := estimators.Lookup(name)
	if err == nil && known[name] {
		err = errors.New("the method is there twice")
	}
	known[name] = true
	return m, err
}

// checkReason returns the fault of a reason: it goes into a cell of a table.
func checkReason(reason string) error {
	if !strings.HasSuffix(reason, ".") || strings.ContainsAny(reason, "\n|") {
		return fmt.Errorf("got the reason %q, want a sentence on one line, without |, that ends with a full stop", reason)
	}
	return nil
}

// checkName returns the method of the row, or the fault of its name.
func (r *Row) checkName(known map[string]bool) (estimators.Method, error) {
	if r.Method == "" {
		return checkName(r.Name, known)
	}
	if _, err := estimators.Lookup(r.Name); err == nil || known[r.Name] {
		return estimators.Method{}, errors.New("the row runs another method, and its own name is that of a method or of a row")
	}
	known[r.Name] = true
	return estimators.Lookup(r.Method)
}

func (r *Row) check(known map[string]bool) error {
	m, err := r.checkName(known)
	if err != nil {
		return err
	}
	if !m.Trains {
		return errors.New("the method does not train: want it among left_out")
	}
	if r.Knob == "" && len(r.Values)+len(r.Set) > 0 {
		return errors.New("values and set are of a knob: want one, or neither of them")
	}
	for _, a := range r.besideKnob() {
		switch a.Value.(type) {
		case string, bool, int64, float64:
		default:
			return fmt.Errorf("%q is %v, want a text, a number, true or false", a.Field, a.Value)
		}
	}
	if r.Slow && r.Knob != "" {
		return errors.New("slow is of a row without a knob")
	}
	if slices.ContainsFunc(r.assignments(nil), func(a Assignment) bool { return a.Field == rateField }) {
		return fmt.Errorf("%s is among the row's fields, and its values are in rates", rateField)
	}
	if err := assign(spec.Bare(m), sorted(r.Pinned)); err != nil {
		return err
	}
	if r.Knob != "" {
		if err := r.checkKnob(m); err != nil {
			return err
		}
	}
	return checkReason(r.Reason)
}

// checkKnob returns the first value of the knob that the method refuses.
func (r *Row) checkKnob(m estimators.Method) error {
	fields := r.besideKnob()
	for i, a := range fields {
		if a.Field == r.Knob {
			return fmt.Errorf("set or pinned has the knob %q itself, whose values are in values", r.Knob)
		}
		if slices.ContainsFunc(fields[:i], func(b Assignment) bool { return a.Field == b.Field }) {
			return fmt.Errorf("%q is in set and in pinned, want it in one of them", a.Field)
		}
	}
	if err := checkValues(r.Knob, r.Values); err != nil {
		return err
	}
	for _, value := range r.Values {
		p := spec.Bare(m)
		if err := assign(p, r.assignments(value)); err != nil {
			return err
		}
		if err := p.Method.Check(); err != nil {
			return err
		}
	}
	return nil
}

// knobValues is how many values of a knob a grid has.
const knobValues = 3

// checkValues returns the first fault of the values of a knob.
func checkValues(knob string, values []any) error {
	if len(values) != knobValues {
		return fmt.Errorf("%q has %d values, want %d", knob, len(values), knobValues)
	}
	for i, value := range values {
		x, ok := number(value)
		if ok && i > 0 {
			last, _ := number(values[i-1])
			ok = x > last
		}
		if !ok {
			return fmt.Errorf("%q: got %v, want three ascending numbers", knob, values)
		}
	}
	return nil
}

func (l *LeftOut) check(known map[string]bool, row bool) error {
	if _, err := checkName(l.Name, known); err != nil {
		return err
	}
	if l.As != "" && !row {
		return fmt.Errorf("as names %q, which has no row", l.As)
	}
	return checkReason(l.Reason)
}

// number is a value of TOML as a finite number.
func number(value any) (float64, bool) {
	switch x := value.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return 0, false
}
