package spec

import (
	"fmt"
	"math"
	"strings"

	"modebench/experiments/record"
)

// A Spec is an experiment: every variant of its grid, what to show of them, and
// what it claims.
type Spec struct {
	Name     string
	Title    string
	Source   string   // paper and figure it re-makes
	Policy   string   // kind of policy of its methods
	Overlays []string // other kinds of policies that it says what changes under
	Seeds    int      // seeds 0 .. Seeds-1
	Variants []*Variant
	Columns  []string // metrics of the summary table
	Timings  bool     // show what the parts of a step take
	Figures  []record.Figure
	Claims   []record.Claim
	LeftOut  []LeftOut
	// Notes say, a line each, what of the spec does not hold under a kind of policy
	// that it was not written for.
	Notes []string
}

// LeftOut is a method that a spec does without on an environment, and why: one that "*"
// would stand for, or a row of a policy that the environment does not give. Method is
// what the spec calls it.
type LeftOut struct{ Method, Env, Why string }

// A Variant is a method at one point of the spec's grid.
type Variant struct {
	Label  string
	Name   string // what the spec calls the method; the method itself unless it says
	Method string
	Trains bool
	Axes   []record.Axis

	Env, policy string
	defaults    string // the kind of policy whose defaults of training and evaluation hold: the spec's; "" is policy
	envKey      string // where the spec names its environment, for errors
	set         []assignment
	components  int  // of the environment's reward, once the variant is in a spec
	variants    bool // its verdicts carry variants; likewise
	votes       bool // its verdicts carry answers to vote with; likewise
	plugins     *pluginDesk
}

// An assignment sets one field of one part. Keeping them, and not the parts
// they make, lets every cell build parts of its own.
type assignment struct {
	part  string // "env", "policy", "train", "eval" or "method"
	field string
	value any
	key   string // where it stands in the spec, for errors
}

// An axis is a field of the spec that lists several values.
type axis struct {
	part, field, key string
	values           []any
}

// name is what filters and figures call the axis: fields of the method stand
// alone, others behind their part.
func (a axis) name() string {
	if a.part == "method" {
		return a.field
	}
	return a.part + "." + a.field
}

// product calls f with every combination of one value per axis; the last axis
// varies fastest.
func product(axes []axis, f func(values []any)) {
	values := make([]any, len(axes))
	var walk func(i int)
	walk = func(i int) {
		if i == len(axes) {
			f(values)
			return
		}
		for _, v := range axes[i].values {
			values[i] = v
			walk(i + 1)
		}
	}
	walk(0)
}

// at applies one value per axis to a copy of the variant.
func (v Variant) at(axes []axis, values []any) *Variant {
	v.set = append([]assignment(nil), v.set...)
	v.Axes = append([]record.Axis(nil), v.Axes...)
	for i, a := range axes {
		v.set = append(v.set, assignment{a.part, a.field, values[i], a.key})
		v.Axes = append(v.Axes, record.Axis{Field: a.name(), Value: valueText(values[i])})
	}
	return &v
}

// label names the variant by its method and its axes, the method's own first.
func (v *Variant) label() string {
	words := []string{v.Name}
	for _, own := range []bool{true, false} {
		for _, a := range v.Axes {
			if strings.Contains(a.Field, ".") != own {
				words = append(words, a.Field[strings.IndexByte(a.Field, '.')+1:]+"="+a.Value)
			}
		}
	}
	return strings.Join(words, " ")
}

// valueText writes an axis value; whole floats look like the integers they may
// have been written as, so that filters match either.
func valueText(value any) string {
	if x, ok := value.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprint(value)
}
