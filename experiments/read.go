package experiments

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/policies/tabular"
)

// defaultSeeds is the number of seeds of a spec that does not say: below six
// there is no verdict, ten is the suite's default.
const defaultSeeds = 10

// MaxSeeds bounds the seeds of a spec.
const MaxSeeds = 100000

// A grid is a table of the spec: fields with one value, and axes.
type grid struct {
	fixed []assignment
	axes  []axis
}

var topKeys = []string{"title", "source", "seeds", "columns", "env", "policy", "train", "eval", "method", "figure", "claim"}

// A specTable is what stands above the tables of a spec.
type specTable struct {
	Title   string   `param:"title" doc:"above tables and figures"`
	Source  string   `param:"source" doc:"paper and figure it re-makes"`
	Seeds   int      `param:"seeds" doc:"seeds 0 to seeds-1, each a run of its own; a verdict takes 6" min:"1" max:"100000"`
	Columns []string `param:"columns" doc:"metrics of the summary table; none: a few that suit the environment"`
}

// spec reads the whole document.
func (d document) spec(s *Spec, root map[string]any) error {
	for _, key := range d.keys("", root) {
		if !slices.Contains(topKeys, key) {
			return d.errorf(key, "unknown key %q; known keys: %s", key, strings.Join(topKeys, ", "))
		}
	}
	head := specTable{Seeds: defaultSeeds}
	for _, key := range d.keys("", root) {
		if _, ok := params.Lookup(&head, key); ok {
			if err := params.Set(&head, key, root[key]); err != nil {
				return d.errorf(key, "%w", err)
			}
		}
	}
	s.Title, s.Source, s.Seeds, s.Columns = head.Title, head.Source, head.Seeds, head.Columns
	if err := d.variants(s, root); err != nil {
		return err
	}
	return d.show(s, root)
}

// table returns a sub-table; a missing one is empty.
func (d document) table(root map[string]any, key string) (map[string]any, error) {
	switch t := root[key].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return t, nil
	}
	return nil, d.errorf(key, "%q must be a table: [%s]", key, key)
}

// tables returns an array of tables; a missing one is empty.
func (d document) tables(root map[string]any, key string) ([]map[string]any, error) {
	if root[key] == nil {
		return nil, nil
	}
	list, ok := root[key].([]any)
	var out []map[string]any
	for _, e := range list {
		t, isTable := e.(map[string]any)
		ok = ok && isTable
		out = append(out, t)
	}
	if !ok {
		return nil, d.errorf(key, "%q must be an array of tables: [[%s]]", key, key)
	}
	return out, nil
}

// name reads the "name" of a part.
func (d document) name(prefix string, table map[string]any, what string) (string, error) {
	switch name := table["name"].(type) {
	case string:
		return name, nil
	case nil:
		return "", d.errorf(prefix, "%s: the name of the %s is missing", prefix, what)
	}
	return "", d.errorf(prefix+".name", "the name of the %s must be a text", what)
}

// grid reads the fields of a table against the part they set; lookup finds a
// field of the part.
func (d document) grid(prefix, part string, table map[string]any, skip []string, lookup func(string) (params.Field, bool), known func() []string) (grid, error) {
	var g grid
	for _, field := range d.keys(prefix, table) {
		if slices.Contains(skip, field) {
			continue
		}
		key := join(prefix, field)
		f, ok := lookup(field)
		if !ok {
			return g, d.errorf(key, "unknown field %q of %s; known fields: %s", field, part, strings.Join(append(known(), skip...), ", "))
		}
		list, isList := table[field].([]any)
		if !isList || f.IsList() {
			g.fixed = append(g.fixed, assignment{part, field, table[field], key})
			continue
		}
		if len(list) == 0 {
			return g, d.errorf(key, "field %q: an empty list; want a value, or a list of values to try each", field)
		}
		seen := map[string]bool{}
		for _, v := range list {
			if seen[valueText(v)] {
				return g, d.errorf(key, "field %q: the value %s is listed twice", field, valueText(v))
			}
			seen[valueText(v)] = true
		}
		g.axes = append(g.axes, axis{part, field, key, list})
	}
	return g, nil
}

// gridOf is grid for a parameter struct.
func (d document) gridOf(root map[string]any, part string, ptr any, skip ...string) (grid, error) {
	table, err := d.table(root, part)
	if err != nil {
		return grid{}, err
	}
	lookup := func(name string) (params.Field, bool) { return params.Lookup(ptr, name) }
	return d.grid(part, part, table, skip, lookup, func() []string { return params.Names(ptr) })
}

// variants reads environment, policy, training, evaluation and methods, and
// lists every combination.
func (d document) variants(s *Spec, root map[string]any) error {
	base := Variant{policy: "tabular"}
	var settings grid
	collect := func(g grid, err error) error {
		settings.fixed = append(settings.fixed, g.fixed...)
		settings.axes = append(settings.axes, g.axes...)
		return err
	}
	env, err := d.table(root, "env")
	if err != nil {
		return err
	}
	if base.env, err = d.name("env", env, "environment"); err != nil {
		return err
	}
	def, err := envs.Lookup(base.env)
	if err != nil {
		return d.errorf("env.name", "%w", err)
	}
	if err := collect(d.gridOf(root, "env", def.Default(), "name")); err != nil {
		return err
	}
	if err := d.policyName(root); err != nil {
		return err
	}
	if err := collect(d.gridOf(root, "policy", tabular.Default(), "name")); err != nil {
		return err
	}
	eval := DefaultEval()
	g, err := d.gridOf(root, "eval", &eval)
	if err != nil {
		return err
	}
	if len(g.axes) > 0 {
		return d.errorf(g.axes[0].key, "field %q of eval takes one value: variants must be evaluated alike", g.axes[0].field)
	}
	settings.fixed = append(settings.fixed, g.fixed...)
	train := DefaultTrain()
	training, err := d.gridOf(root, "train", &train)
	if err != nil {
		return err
	}
	for _, a := range training.axes {
		if a.field == "candidates" {
			return d.errorf(a.key, "field %q of train takes one value: the base policy has to answer as the method it is held against; give methods their own, train = { candidates = 3 }", a.field)
		}
	}
	base.set = append(settings.fixed, training.fixed...)
	methods, err := d.tables(root, "method")
	if err != nil {
		return err
	}
	if len(methods) == 0 {
		return d.errorf("", "no method: a spec has at least one [[method]]")
	}
	return d.expand(s, base, settings.axes, training.axes, methods)
}

func (d document) policyName(root map[string]any) error {
	policy, err := d.table(root, "policy")
	if err != nil || policy["name"] == nil {
		return err
	}
	name, err := d.name("policy", policy, "policy")
	if err == nil && name != "tabular" {
		err = d.errorf("policy.name", "unknown policy %q; known policies: tabular", name)
	}
	return err
}

// expand lists the variants: settings outermost, then methods, then the fields
// of each method. A method that does not train ignores the axes of training,
// so it stands once where others stand once per value.
func (d document) expand(s *Spec, base Variant, settings, training []axis, tables []map[string]any) error {
	var methods []methodGrid
	for i, table := range tables {
		m, err := d.method(fmt.Sprintf("method[%d]", i), table)
		if err != nil {
			return err
		}
		methods = append(methods, m)
	}
	outer := append(append([]axis(nil), settings...), training...)
	total := 0
	for _, m := range methods {
		total += combinations(outer) * combinations(m.own.axes) * combinations(m.train.axes) * combinations(m.eval.axes)
	}
	if total > maxVariants {
		return d.errorf("", "the grid has more than %d variants; make its lists shorter", maxVariants)
	}
	seen := map[string]string{}
	var failure error
	product(outer, func(values []any) {
		for _, m := range methods {
			axes, at := outer, values
			if !m.method.Trains {
				axes, at = outer[:len(settings)], values[:len(settings)]
			}
			overridden := Variant{
				env: base.env, policy: base.policy, set: base.set,
				Name: m.name, Method: m.method.Name, Trains: m.method.Trains,
			}
			v := overridden.at(without(axes, at, m.train))
			if !m.method.Trains {
				v.set = append(v.set, firsts(training)...)
			}
			v.set = slices.Concat(v.set, m.train.fixed, m.eval.fixed, m.own.fixed)
			own := slices.Concat(m.own.axes, m.train.axes, m.eval.axes)
			product(own, func(values []any) {
				w := v.at(own, values)
				if failure == nil {
					failure = d.add(s, w, m, seen)
				}
			})
		}
	})
	return failure
}

// maxVariants bounds a grid: a spec of more is a mistake, or should be several.
const maxVariants = 10000

// combinations counts the points of a grid, or maxVariants+1 for more than that.
func combinations(axes []axis) int {
	n := 1
	for _, a := range axes {
		n = min(n*len(a.values), maxVariants+1)
	}
	return n
}

// without applies a method's own training fields to the axes of the spec: an
// axis that it lists values for itself is left out, one that it fixes takes that
// one value, so that the variant is shown at the value it runs at.
func without(axes []axis, values []any, override grid) ([]axis, []any) {
	var keptAxes []axis
	var keptValues []any
	for i, a := range axes {
		if slices.ContainsFunc(override.axes, func(o axis) bool { return o.part == a.part && o.field == a.field }) {
			continue
		}
		value := values[i]
		for _, o := range override.fixed {
			if o.part == a.part && o.field == a.field {
				value, a.key = o.value, o.key
			}
		}
		keptAxes, keptValues = append(keptAxes, a), append(keptValues, value)
	}
	return keptAxes, keptValues
}

// firsts sets every axis to its first value, without naming it.
func firsts(axes []axis) []assignment {
	var out []assignment
	for _, a := range axes {
		out = append(out, assignment{a.part, a.field, a.values[0], a.key})
	}
	return out
}

// add checks a variant by building it and appends it, unless the spec has it
// already (a method without training stands once, however many rates there are).
func (d document) add(s *Spec, v *Variant, m methodGrid, seen map[string]string) error {
	v.Label = v.label()
	p, at := v.build()
	if at != nil {
		key := at.key
		if rest, ok := strings.CutPrefix(key, "method"); ok && !strings.HasPrefix(rest, "[") {
			key = m.prefix + rest
		}
		return d.errorf(key, "%w", at.err)
	}
	v.components = len(p.env.Info().Components)
	id, err := cellID(v.cell(p, 0))
	if err != nil {
		return d.errorf(m.prefix, "%w", err)
	}
	if label, ok := seen[id]; ok {
		if label == v.Label {
			return nil
		}
		return d.errorf(m.prefix, "the variant %q is the same as %q", v.Label, label)
	}
	seen[id] = v.Label
	for _, other := range s.Variants {
		if other.Label == v.Label {
			return d.errorf(m.prefix, "two variants are labelled %q; list the values they differ in as one field, or give one of them a label", v.Label)
		}
	}
	s.Variants = append(s.Variants, v)
	return nil
}
