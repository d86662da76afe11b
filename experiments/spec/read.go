package spec

import (
	"reflect"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/params"
)

// defaultSeeds is the suite's default; below six seeds there is no verdict.
const defaultSeeds = 10

// MaxSeeds bounds the seeds of a spec.
const MaxSeeds = 100000

// topKeys are the keys of a spec besides the overlays.
var topKeys = []string{"title", "source", "seeds", "first_seed", "nested", "quick", "columns", "timings", "env", "policy", "train", "eval", "method", "figure", "claim"}

func (d document) spec(s *Spec) error {
	if err := d.head(s); err != nil {
		return err
	}
	d.design.apply(s)
	if err := d.variants(s); err != nil {
		return err
	}
	d.noteNested(s)
	if err := d.show(s); err != nil {
		return err
	}
	d.design.prune(s)
	return nil
}

func (d document) head(s *Spec) error {
	if err := d.graphic(d.root, false); err != nil {
		return err
	}
	s.Seeds = defaultSeeds
	var tables []string
	for _, n := range d.root.sorted() {
		if !slices.Contains(topKeys, n.key) {
			known := slices.Concat(topKeys, overlayNames())
			return d.errorf(n, "unknown key %q; %sknown keys: %s", n.key, hint("", n.key, known), strings.Join(known, ", "))
		}
		if _, ok := params.Lookup(s, n.key); !ok {
			tables = append(tables, n.key)
		}
	}
	if n := d.root.get("nested"); n != nil {
		if number, single := n.value.(int64); single {
			n.value, n.list = nil, []*node{{value: number}}
		}
	}
	if err := d.fill(d.root, s, tables...); err != nil {
		return err
	}
	var err error
	if s.Nested, err = nestedOf(s.Nested); err != nil {
		return d.errorf(d.root.place("nested"), "%w", err)
	}
	return nil
}

// variants reads environments, policy, training, evaluation and methods, and
// lists every combination, environment by environment.
func (d document) variants(s *Spec) error {
	tables, err := d.oneOrMore("env", "environment")
	if err != nil {
		return err
	}
	methods, err := d.methods()
	if err != nil {
		return err
	}
	methods = d.design.optimum(methods)
	shared, err := d.settings()
	if err != nil {
		return err
	}
	if err := d.checkEval(methods, shared); err != nil {
		return err
	}
	policies, err := d.policies(s)
	if err != nil {
		return err
	}
	soFar := variantsSoFar{map[string]standing{}, map[string]bool{}}
	total, first := 0, map[string]*node{}
	for _, table := range tables {
		def, fields, err := d.env(s, table)
		if err != nil {
			return err
		}
		if earlier := first[def.Name]; earlier != nil {
			return d.errorf(table, "%s and %s are the same environment; give one of them lists of values instead", table.path, earlier.path)
		}
		first[def.Name] = table
		base := Variant{Env: def.Name, nested: s.Nested, envTable: table, plugins: d.plugins, policy: d.kind.name, defaults: d.kind.name}
		if len(tables) > 1 {
			base.Axes = []record.Axis{{Field: "env", Value: def.Name}}
		}
		for _, policy := range policies {
			e := expansion{spec: s, base: base, methods: methods, expanded: soFar, settings: slices.Concat(fields, policy, shared)}
			if total += e.size(); total > MaxVariants {
				return d.errorf(d.root, "the grid has more than %d variants; make its lists shorter", MaxVariants)
			}
			if err := d.expand(e); err != nil {
				return err
			}
		}
	}
	s.noteOneProblem()
	if len(s.Variants) == 0 {
		return d.errorf(methods[0].table, "no method of the spec fits its environments: %s", s.LeftOut[0].Why)
	}
	return d.heedIdle(s)
}

func (d document) env(s *Spec, table *node) (def envs.Definition, fields []axis, err error) {
	name, err := d.name(table, "environment")
	if err != nil {
		return def, fields, err
	}
	if def, err = envs.Lookup(name); err != nil {
		return def, fields, d.errorf(table.get("name"), "%w", err)
	}
	if err := d.checkNested(s, table, drawField); err != nil {
		return def, fields, err
	}
	fields, err = d.grid(table, "env", params.Fields(def.Default()), "name")
	return def, fields, err
}

// noteOneProblem notes a spec that trains on one problem, a poor sample of most environments.
func (s *Spec) noteOneProblem() {
	given := func(a assignment) bool { return a.part == "train" && a.field == "problems" }
	var noted []string
	for _, v := range s.Variants {
		if !v.Trains || v.OneProblem() || slices.Contains(noted, v.Env) || slices.ContainsFunc(v.set, given) {
			continue
		}
		if p, err := v.build(); err == nil && p.Train.Problems == 1 {
			s.Notes = append(s.Notes, v.Env+": trains on one problem alone; problems in [train] sets their number, batch the number of a step")
			noted = append(noted, v.Env)
		}
	}
}

// evalAxes lists the fields of [eval] that may list several values. All variants are measured
// alike but for methodEval.
var evalAxes = []string{"temperature", "top_p", "interpolate", "split"}

// listable reports whether a field of a table that holds one value may list several, to try each.
func listable(table, field string) bool {
	switch table {
	case "env", "policy", "method":
		return true
	case "eval":
		return slices.Contains(evalAxes, field)
	}
	return table == "train" && field != "candidates"
}

func (d document) settings() ([]axis, error) {
	measured, err := d.part("eval", d.kind.eval())
	if err != nil {
		return nil, err
	}
	for _, a := range measured {
		if a.named && !listable("eval", a.field) {
			return nil, d.errorf(a.node, "field %q of eval takes one value: only %s may list several", a.field, strings.Join(evalAxes, ", "))
		}
	}
	training, err := d.part("train", d.kind.train())
	if err != nil {
		return nil, err
	}
	for _, a := range training {
		if a.named && !listable("train", a.field) {
			return nil, d.errorf(a.node, "field %q of train takes one value: the base policy has to answer as the method it is held against; give methods their own, train = { candidates = 3 }", a.field)
		}
	}
	return slices.Concat(measured, training), nil
}

func (d document) part(key string, ptr any) ([]axis, error) {
	table, err := d.table(d.root, key)
	if err != nil {
		return nil, err
	}
	return d.grid(table, key, params.Fields(ptr))
}

// policies reads the grid of each [policy]. Several are of one kind, and labels distinguish them by
// the first field whose values all differ, as by a listed field.
func (d document) policies(s *Spec) ([][]axis, error) {
	tables, err := d.oneOrMore("policy", "policy")
	if err != nil {
		return nil, err
	}
	var out [][]axis
	for _, table := range tables {
		if err := d.checkNested(s, table, baseField); err != nil {
			return nil, err
		}
		g, err := d.grid(table, "policy", params.Fields(d.kind.config("")), "name")
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	if len(out) == 1 {
		return out, nil
	}
	field, ok := telling(tables)
	if !ok {
		return nil, d.errorf(d.root.get("policy"), "no field has another value in each [[policy]]; want a field that differs, such as width")
	}
	for i, axes := range out {
		k := slices.IndexFunc(axes, func(a axis) bool { return a.field == field })
		axes[k].named = true
		out[i] = slices.Concat(axes[k:k+1], axes[:k], axes[k+1:]) // labels have it first
	}
	return out, nil
}

// telling finds the first field that has one value in each table, and no value twice.
func telling(tables []*node) (string, bool) {
next:
	for _, field := range tables[0].sorted() {
		for i, t := range tables {
			n := t.get(field.key)
			if n == nil || n.list != nil || n.key == "name" {
				continue next
			}
			for _, other := range tables[:i] {
				if reflect.DeepEqual(n.plain(), other.get(n.key).plain()) {
					continue next
				}
			}
		}
		return field.key, true
	}
	return "", false
}

func (d document) policyKind() (*policyKind, error) {
	tables, err := d.oneOrMore("policy", "policy")
	if err != nil {
		return nil, err
	}
	var kind *policyKind
	for _, table := range tables {
		this := &policyKinds[0] // without a name
		if n := table.get("name"); n != nil {
			name, err := d.name(table, "policy")
			if err != nil {
				return nil, err
			}
			if this, err = lookupPolicy(name); err != nil {
				return nil, d.errorf(n, "%w", err)
			}
		}
		if kind != nil && this != kind {
			return nil, d.errorf(table, "policy %s beside policy %s: want several of one kind", this.name, kind.name)
		}
		kind = this
	}
	return kind, nil
}

// Fields lists the fields of a spec ("spec": above its tables) and of its tables "figure" and
// "claim".
func Fields(table string) []params.Field {
	switch table {
	case "spec":
		return params.Fields(&Spec{Seeds: defaultSeeds})
	case "figure":
		return append(figureFields(), params.Field{Name: "where", Type: "table", Value: struct{}{}, Doc: `keeps the variants whose fields take one of these values: where = { method = ["grpo", "vpo"], "train.lr" = 0.1 }`})
	case "claim":
		claim := newClaim()
		return append(params.Fields(&claim),
			params.Field{Name: "metric", Type: textOrTexts, Value: "", Doc: "the metrics that the claim is about, each by itself"},
			params.Field{Name: "b", Type: textOrTexts, Value: "", Doc: "what a is compared with, one after the other; none: a is above or below by"},
			params.Field{Name: "null", Type: "table", Value: struct{}{}, Doc: "a comparison that ought not to hold: null = { a = \"base again\" }; if it holds too, the claim is untestable; of a, b and metric it has those that are not the claim's own"})
	}
	return nil
}

// textOrTexts is the type of a field that document.texts reads.
const textOrTexts = "text or list of texts"
