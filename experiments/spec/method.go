package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/internal/params"
)

// A methodGrid is one [[method]] of the spec, read.
type methodGrid struct {
	method estimators.Method
	star   bool   // it is one of those that "*" stands for
	added  bool   // the spec does not name it: a Design wants it, where it fits
	name   string // what the spec calls it
	prefix string
	own    grid        // the method's own fields
	policy *policyKind // its own; nil: the spec's
	train  grid        // its overrides of [train]
	eval   grid        // and of [eval]
}

// everyOther is the name that stands for every method that the spec does not name.
const everyOther = "*"

// methods reads the methods.
func (d document) methods(root map[string]any) ([]methodGrid, error) {
	tables, err := d.tables(root, "method")
	if err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, d.errorf("", "no method: a spec has at least one [[method]]")
	}
	if len(tables) > MaxVariants {
		return nil, d.errorf(fmt.Sprintf("method[%d]", MaxVariants), "a spec has at most %d methods", MaxVariants)
	}
	named := map[string]bool{}
	for i, table := range tables {
		name, _ := table["name"].(string)
		if name == everyOther && named[name] {
			return nil, d.errorf(fmt.Sprintf("method[%d].name", i), "%q is there twice", name)
		}
		named[name] = true
	}
	var methods []methodGrid
	for i, table := range tables {
		prefix := fmt.Sprintf("method[%d]", i)
		names, star := []string{""}, table["name"] == everyOther
		if star {
			if _, given := table["label"]; given {
				return nil, d.errorf(prefix+".label", "%q stands for many methods, which one label cannot name", everyOther)
			}
			names = others(named)
		}
		for _, name := range names {
			if star {
				table = maps.Clone(table)
				table["name"] = name
			}
			m, err := d.method(prefix, table)
			if err != nil {
				return nil, err
			}
			m.star = star
			methods = append(methods, m)
		}
	}
	return methods, nil
}

// others lists the methods that a spec does not name.
func others(named map[string]bool) []string {
	var out []string
	for _, m := range estimators.Methods() {
		if !named[m.Name] {
			out = append(out, m.Name)
		}
	}
	return out
}

// method reads one [[method]].
func (d document) method(prefix string, table map[string]any) (methodGrid, error) {
	m := methodGrid{prefix: prefix}
	var err error
	if m.name, err = d.name(prefix, table, "method"); err != nil {
		return m, err
	}
	if m.method, err = estimators.Lookup(m.name); err != nil {
		return m, d.errorf(prefix+".name", "%w", err)
	}
	if label, given := table["label"]; given {
		text, ok := label.(string)
		if !ok || strings.TrimSpace(text) == "" {
			return m, d.errorf(prefix+".label", "the label of a method must be a text")
		}
		if _, err := estimators.Lookup(text); err == nil && text != m.name {
			return m, d.errorf(prefix+".label", "the label %q is the name of another method", text)
		}
		m.name = text
	}
	if _, given := table["policy"]; given {
		if m.policy, err = d.methodPolicy(prefix, table, m.method); err != nil {
			return m, err
		}
	}
	instance := m.method.New()
	known := func() []string {
		var names []string
		for _, f := range instance.Fields() {
			names = append(names, f.Name)
		}
		return names
	}
	if m.own, err = d.grid(prefix, "method", table, []string{"name", "label", "policy", "train", "eval"}, instance.Field, known); err != nil {
		return m, err
	}
	train, eval := tabularTrain(), tabularEval()
	if m.train, err = d.override(prefix, "train", table, &train, params.Names(&train)); err != nil {
		return m, err
	}
	if m.eval, err = d.override(prefix, "eval", table, &eval, methodEval); err != nil {
		return m, err
	}
	if !m.method.Goals && len(m.eval.fixed)+len(m.eval.axes) > 0 {
		return m, d.errorf(prefix+".eval", "method %s is asked for no goal, so there is none to choose in eval", m.method.Name)
	}
	return m, nil
}

// methodPolicy reads which kind of policy a method that does not train has for its
// own: a row to hold trained ones against.
func (d document) methodPolicy(prefix string, table map[string]any, m estimators.Method) (*policyKind, error) {
	key := prefix + ".policy"
	name, ok := table["policy"].(string)
	if !ok {
		return nil, d.errorf(key, "the policy of a method must be a text")
	}
	kind, err := lookupPolicy(name)
	if err != nil {
		return nil, d.errorf(key, "%w", err)
	}
	if m.Trains {
		return nil, d.errorf(key, "method %s trains the policy of the spec; only a method that does not train may have another one", m.Name)
	}
	return kind, nil
}

// methodEval lists the fields of [eval] that a method may have values of its own
// for: what it is asked. How answers are measured is the same for all.
var methodEval = []string{"goals"}

// override reads a method's own values of a table of the spec.
func (d document) override(prefix, part string, table map[string]any, ptr any, allowed []string) (grid, error) {
	values, err := d.table(table, part)
	if err != nil {
		return grid{}, d.errorf(prefix+"."+part, "%s of a method must be a table: %s = { %s = ... }", part, part, allowed[0])
	}
	return d.grid(prefix+"."+part, part, values, nil, func(name string) (params.Field, bool) {
		if !slices.Contains(allowed, name) {
			return params.Field{}, false
		}
		return params.Lookup(ptr, name)
	}, func() []string { return allowed })
}
