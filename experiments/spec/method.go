package spec

import (
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/internal/params"
)

// A methodGrid is one [[method]] of the spec.
type methodGrid struct {
	method estimators.Method
	star   bool   // it is among the methods of "*"
	added  bool   // the spec does not name it: a Design adds it to settings that it fits
	name   string // its name in the spec
	table  *node
	fields []axis      // the method's own
	policy *policyKind // its own; nil: the spec's
	train  []axis      // its overrides of [train]
	eval   []axis      // and of [eval]
}

// checkEval refuses values of a method for a field of [eval] that lists several: each of these has a row
// of the base policy, and the method could be compared with any of them.
func (d document) checkEval(methods []methodGrid, shared []axis) error {
	for _, m := range methods {
		for _, own := range m.eval {
			if slices.ContainsFunc(shared, func(a axis) bool { return a.named && a.part == own.part && a.field == own.field }) {
				return d.errorf(own.node, "field %q of eval: [eval] lists several values, so no method may set another; want one value there", own.field)
			}
		}
	}
	return nil
}

// everyOther is the name for every method that the spec does not name.
const everyOther = "*"

func (d document) methods() ([]methodGrid, error) {
	tables, err := d.tables("method")
	if err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, d.errorf(d.root, "no method: a spec has at least one [[method]]")
	}
	if len(tables) > MaxVariants {
		return nil, d.errorf(tables[MaxVariants], "a spec has at most %d methods", MaxVariants)
	}
	named := map[string]bool{}
	for _, table := range tables {
		name := table.text("name")
		if name == everyOther && named[name] {
			return nil, d.errorf(table.get("name"), "%q is given twice", name)
		}
		named[name] = true
	}
	var methods []methodGrid
	for _, table := range tables {
		name, err := d.name(table, "method")
		if err != nil {
			return nil, err
		}
		names, star := []string{name}, name == everyOther
		if label := table.get("label"); star && label != nil {
			return nil, d.errorf(label, "%q selects many methods, and a single label cannot name them", everyOther)
		}
		if star {
			names = methodsBeside(named)
		}
		for _, name := range names {
			m, err := d.method(table, name)
			if err != nil {
				return nil, err
			}
			m.star = star
			methods = append(methods, m)
		}
	}
	return methods, nil
}

// methodsBeside lists the methods that a spec does not name.
func methodsBeside(named map[string]bool) (names []string) {
	for _, m := range estimators.Methods() {
		if !named[m.Name] {
			names = append(names, m.Name)
		}
	}
	return names
}

func (d document) method(table *node, name string) (methodGrid, error) {
	m := methodGrid{table: table, name: name}
	var err error
	if m.method, err = estimators.Lookup(name); err != nil {
		return m, d.errorf(table.get("name"), "%w", err)
	}
	if label := table.get("label"); label != nil {
		m.name = table.text("label")
		if strings.TrimSpace(m.name) == "" {
			return m, d.errorf(label, "the label of a method must be a text")
		}
		if _, err := estimators.Lookup(m.name); err == nil && m.name != name {
			return m, d.errorf(label, "the label %q is the name of another method", m.name)
		}
	}
	if policy := table.get("policy"); policy != nil {
		if m.policy, err = d.methodPolicy(policy, m.method); err != nil {
			return m, err
		}
	}
	if m.fields, err = d.grid(table, "method", m.method.New().Fields(), append([]string{"name"}, fieldNames(methodKeys())...)...); err != nil {
		return m, err
	}
	if m.train, err = d.override(table, "train", params.Fields(tabularTrain())); err != nil {
		return m, err
	}
	if m.eval, err = d.override(table, "eval", methodEvalFields()); err != nil {
		return m, err
	}
	for _, a := range m.eval {
		if a.field == "goals" && !m.method.Goals {
			return m, d.errorf(a.node, "method %s is asked for no goal, so eval cannot choose a goal", m.method.Name)
		}
	}
	return m, nil
}

// methodPolicy reads the policy of a method that does not train: a row to hold trained ones
// against.
func (d document) methodPolicy(policy *node, m estimators.Method) (*policyKind, error) {
	name, ok := policy.value.(string)
	if !ok {
		return nil, d.errorf(policy, "the policy of a method must be a text")
	}
	kind, err := lookupPolicy(name)
	if err != nil {
		return nil, d.errorf(policy, "%w", err)
	}
	if m.Trains {
		return nil, d.errorf(policy, "method %s trains the policy of the spec; only a method that does not train may have another policy", m.Name)
	}
	return kind, nil
}

// methodKeys are the keys of a [[method]] besides its name and the fields of the method.
func methodKeys() []params.Field {
	policies, _ := Policies()
	return []params.Field{
		{Name: "label", Type: "text", Doc: "its name in tables, figures and claims; none: that of the method"},
		{Name: "policy", Type: "text", Choices: policies, Doc: "the policy that is measured, of a method that does not train; none: the spec's"},
		{Name: "train", Type: "table", Doc: "fields of [train] that it has values of its own for"},
		{Name: "eval", Type: "table", Doc: "fields of [eval] that it has values of its own for"},
	}
}

// methodEval are the fields of [eval] that a method may set for itself: how it answers. The problems,
// and how answers are measured, are the same for all.
var methodEval = []string{"temperature", "top_p", "interpolate", "goals"}

func methodEvalFields() (out []params.Field) {
	for _, name := range methodEval {
		f, _ := params.Lookup(tabularEval(), name)
		out = append(out, f)
	}
	return out
}

func (d document) override(method *node, part string, known []params.Field) ([]axis, error) {
	table, err := d.table(method, part)
	if err != nil {
		return nil, d.errorf(method.get(part), "%s of a method must be a table: %s = { %s = ... }", part, part, known[0].Name)
	}
	return d.grid(table, part, known)
}
