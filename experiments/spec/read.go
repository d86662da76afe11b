package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/params"
)

// defaultSeeds is the number of seeds of a spec that does not say: below six
// there is no verdict, ten is the suite's default.
const defaultSeeds = 10

// MaxSeeds bounds the seeds of a spec.
const MaxSeeds = 100000

// topKeys are the keys of a spec; beside them it may have an overlay for each kind of
// policy.
var topKeys = []string{"title", "source", "seeds", "first_seed", "nested", "quick", "columns", "timings", "env", "policy", "train", "eval", "method", "figure", "claim"}

// A specTable is what stands above the tables of a spec.
type specTable struct {
	Title   string   `param:"title" doc:"above tables and figures"`
	Source  string   `param:"source" doc:"paper and figure it re-makes"`
	Seeds   int      `param:"seeds" doc:"number of seeds, each a run of its own; a verdict takes 6" min:"1" max:"100000"`
	First   int      `param:"first_seed" doc:"the first seed; the others follow it" min:"0" max:"1000000000"`
	Nested  []int    `param:"nested" doc:"[p, b]: p seeds in turn share a draw of problems (env_seed), and b of them, which divides p, a base policy (pretrain_seed); p alone: they share both; none: all seeds share one of each" min:"1" max:"100000"`
	Quick   []string `param:"quick" doc:"what --quick changes, as --set has it, and seeds=N: a form of the spec that shows the direction of its effects within minutes"`
	Timings bool     `param:"timings" doc:"show what the parts of a training step take, from the cells' provenance"`
	Columns []string `param:"columns" doc:"metrics of the summary table; none: a few that suit the environment"`
}

// spec reads the whole document.
func (d document) spec(s *Spec, root map[string]any) error {
	if err := d.graphic("", root); err != nil {
		return err
	}
	for _, key := range d.keys("", root) {
		if !slices.Contains(topKeys, key) {
			known := slices.Concat(topKeys, overlayNames())
			return d.errorf(key, "unknown key %q; %sknown keys: %s", key, hint("", key, known), strings.Join(known, ", "))
		}
	}
	head := specTable{Seeds: defaultSeeds}
	for _, key := range d.keys("", root) {
		if _, ok := params.Lookup(&head, key); ok {
			value := root[key]
			if n, one := value.(int64); one && key == "nested" {
				value = []any{n}
			}
			if err := params.Set(&head, key, value); err != nil {
				return d.errorf(key, "%w", err)
			}
		}
	}
	s.Title, s.Source, s.Seeds, s.Columns, s.Timings = head.Title, head.Source, head.Seeds, head.Columns, head.Timings
	s.FirstSeed = head.First
	var err error
	if s.Nested, err = nestedOf(head.Nested); err != nil {
		return d.errorf("nested", "%w", err)
	}
	d.design.apply(s)
	if err := d.variants(s, root); err != nil {
		return err
	}
	d.noteNested(s)
	if err := d.show(s, root); err != nil {
		return err
	}
	d.design.prune(s)
	return nil
}

// variants reads environments, policy, training, evaluation and methods, and
// lists every combination, environment by environment.
func (d document) variants(s *Spec, root map[string]any) error {
	tables, err := d.envs(root)
	if err != nil {
		return err
	}
	methods, err := d.methods(root)
	if err != nil {
		return err
	}
	methods = d.design.optimum(methods)
	shared, err := d.settings(root)
	if err != nil {
		return err
	}
	policies, err := d.policies(s, root)
	if err != nil {
		return err
	}
	seen := seen{map[string]standing{}, map[string]bool{}}
	total := 0
	for _, table := range tables {
		name, err := d.name(table.prefix, table.fields, "environment")
		if err != nil {
			return err
		}
		def, err := envs.Lookup(name)
		if err != nil {
			return d.errorf(table.prefix+".name", "%w", err)
		}
		if err := d.checkNested(s, table.prefix, table.fields, drawField); err != nil {
			return err
		}
		config := def.Default()
		lookup := func(field string) (params.Field, bool) { return params.Lookup(config, field) }
		own, err := d.grid(table.prefix, "env", table.fields, []string{"name"}, lookup, func() []string { return params.Names(config) })
		if err != nil {
			return err
		}
		base := Variant{Env: name, nested: s.Nested, envKey: table.prefix, plugins: d.plugins, policy: d.kind.name, defaults: d.kind.name}
		if len(tables) > 1 {
			base.Axes = []record.Axis{{Field: "env", Value: name}}
		}
		for _, policy := range policies {
			base := base
			base.set = slices.Concat(own.fixed, policy.fixed, shared.train.fixed)
			e := expansion{
				spec: s, base: base, methods: methods, seen: seen,
				settings: slices.Concat(own.axes, policy.axes, shared.eval), training: shared.train.axes,
			}
			if total += e.size(); total > MaxVariants {
				return d.errorf("", "the grid has more than %d variants; make its lists shorter", MaxVariants)
			}
			if err := d.expand(e); err != nil {
				return err
			}
		}
	}
	s.noteOneProblem()
	if len(s.Variants) == 0 {
		return d.errorf("method[0]", "no method of the spec fits its environments: %s", s.LeftOut[0].Why)
	}
	return d.heedIdle(s)
}

// noteOneProblem says of a spec that names no number of problems what that comes to. A
// bandit is one problem to most; of other environments one says little.
func (s *Spec) noteOneProblem() {
	given := func(a assignment) bool { return a.part == "train" && a.field == "problems" }
	var noted []string
	for _, v := range s.Variants {
		if !v.Trains || v.Env == "bandit" || slices.Contains(noted, v.Env) || slices.ContainsFunc(v.set, given) {
			continue
		}
		if p, err := v.build(); err == nil && p.Train.Problems == 1 {
			s.Notes = append(s.Notes, v.Env+": trains on one problem alone; problems in [train] says on how many, batch how many a step has")
			noted = append(noted, v.Env)
		}
	}
}

// A placedTable is a table of the spec, unread, of which there may be several.
type placedTable struct {
	prefix string // of its keys: "env", or "env[1]" where there are several
	fields map[string]any
}

// oneOrMore lists the tables of a part: the one of [key], or those of [[key]].
func (d document) oneOrMore(root map[string]any, key, what string) ([]placedTable, error) {
	if _, several := root[key].([]any); !several {
		table, err := d.table(root, key)
		return []placedTable{{key, table}}, err
	}
	list, err := d.tables(root, key)
	if err == nil && len(list) == 0 {
		err = d.errorf(key, "no %s: want [%s], or one [[%s]] at least", what, key, key)
	}
	var out []placedTable
	for i, table := range list {
		out = append(out, placedTable{fmt.Sprintf("%s[%d]", key, i), table})
	}
	return out, err
}

// envs lists the environments. Several have names that differ.
func (d document) envs(root map[string]any) ([]placedTable, error) {
	out, err := d.oneOrMore(root, "env", "environment")
	if len(out) < 2 {
		return out, err
	}
	first := map[string]string{}
	for _, e := range out {
		name, failed := d.name(e.prefix, e.fields, "environment")
		if other, twice := first[name]; twice && failed == nil {
			failed = d.errorf(e.prefix, "%s and %s are the same environment; give one of them lists of values instead", e.prefix, other)
		}
		if err == nil {
			err = failed
		}
		first[name] = e.prefix
	}
	return out, err
}

// sharedGrids are what all environments of a spec have in common.
type sharedGrids struct {
	train grid
	eval  []axis
}

// evalAxes lists the fields of [eval] that may list several values: how answers are
// drawn. What is measured of them is the same for all variants.
var evalAxes = []string{"temperature", "top_p", "split"}

// settings reads training and evaluation; the fixed fields of the latter are among those of
// training.
func (d document) settings(root map[string]any) (g sharedGrids, err error) {
	eval := d.kind.eval()
	measured, err := d.gridOf(root, "eval", &eval)
	if err != nil {
		return g, err
	}
	for _, a := range measured.axes {
		if !slices.Contains(evalAxes, a.field) {
			return g, d.errorf(a.key, "field %q of eval takes one value: only %s may list several", a.field, strings.Join(evalAxes, ", "))
		}
	}
	g.eval = measured.axes
	train := d.kind.train()
	if g.train, err = d.gridOf(root, "train", &train); err != nil {
		return g, err
	}
	for _, a := range g.train.axes {
		if a.field == "candidates" {
			return g, d.errorf(a.key, "field %q of train takes one value: the base policy has to answer as the method it is held against; give methods their own, train = { candidates = 3 }", a.field)
		}
	}
	g.train.fixed = slices.Concat(measured.fixed, g.train.fixed)
	return g, nil
}
