package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/visible"
)

// A Variant is a method at one point of the spec's grid.
type Variant struct {
	Label  string
	Name   string // the method's name in the spec: its label, if it has one
	Method string
	Trains bool
	Axes   []record.Axis

	Env, policy string
	defaults    string // the kind of policy whose defaults of training and evaluation hold: the spec's; "" is policy
	envTable    *node  // of its environment in the spec, for errors
	set         []assignment
	components  int  // of the environment's reward, once the variant is in a spec
	variants    bool // its verdicts carry variants; likewise
	votes       bool // its verdicts carry answers to vote with; likewise
	plugins     *pluginCache
	nested      record.Nested // the spec's

	// The following are found once the variant is in a spec.
	idle    map[*node]string // why an assignment's field is idle, by its value
	unmoved []string         // fields of the objective that one update a batch leaves without effect
}

// An assignment sets one field of one part. A variant holds assignments and not built parts,
// so that every cell builds its own.
type assignment struct {
	part  string // "env", "policy", "train", "eval" or "method"
	field string
	value any
	at    *node // in the spec
	index int   // of the value among those of its axis
	named bool  // it is an axis of the variant
	// listed: the value is one of several that the spec tries each.
	listed bool
}

// with returns a copy of the variant with more assignments.
func (v Variant) with(set []assignment) *Variant {
	v.set = slices.Concat(v.set, set)
	v.Axes = slices.Clone(v.Axes)
	for _, a := range set {
		if !a.named {
			continue
		}
		field := a.field // of the method, or else behind its part
		if a.part != "method" {
			field = a.part + "." + field
		}
		v.Axes = append(v.Axes, record.Axis{Field: field, Value: valueText(a.value)})
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
	return visible.Text(fmt.Sprint(value))
}

// OneProblem reports whether a single problem is the whole task of the variant's environment.
func (v *Variant) OneProblem() bool {
	def, err := envs.Lookup(v.Env)
	return err == nil && def.OneProblem
}

// Record is the variant as the manifest writes it, without cells.
func (v *Variant) Record() record.Variant {
	return record.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Tokens: v.tokens(), Axes: v.Axes}
}

// tokens is the budget of tokens that the spec gives the variant, 0 without one.
func (v *Variant) tokens() int {
	budget := 0
	for _, a := range v.set {
		if n, ok := a.value.(int64); ok && v.Trains && a.part == "train" && a.field == "tokens" {
			budget = int(n)
		}
	}
	return budget
}
