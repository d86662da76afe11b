package imported

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/envs/judging"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/internal/visible"
	"modebench/metrics"
)

// Method is the method of cells and variants of imports.
const Method = "imported"

// Is reports whether a manifest is that of an import.
func Is(m *record.Manifest) bool {
	return len(m.Variants) > 0 && !slices.ContainsFunc(m.Variants, func(v record.Variant) bool { return v.Method != Method })
}

type fact = record.Axis

func (g *group) facts() []fact {
	ref := g.kind.ref
	out := []fact{{Field: "env", Value: ref.Env}}
	for _, f := range params.Fields(ref.Config) {
		out = append(out, fact{Field: "env." + f.Name, Value: fmt.Sprint(f.Value)})
	}
	out = append(out,
		fact{Field: "eval.split", Value: string(ref.Split)},
		fact{Field: "train.candidates", Value: fmt.Sprint(ref.Candidates)},
		fact{Field: "train.stops", Value: fmt.Sprint(ref.Stops)},
	)
	if ref.Weights != nil {
		out = append(out, fact{Field: "eval.weights", Value: fmt.Sprint(ref.Weights)})
	}
	return out
}

// axes are the fields in which groups differ. Groups of other environments differ by the
// environment: a field counts among the groups that have it.
func (m *importer) axes() [][]record.Axis {
	values, having := map[string]map[string]bool{}, map[string]int{}
	for _, g := range m.groups {
		for _, f := range g.facts() {
			if values[f.Field] == nil {
				values[f.Field] = map[string]bool{}
			}
			values[f.Field][f.Value] = true
			having[f.Field]++
		}
	}
	out := make([][]record.Axis, len(m.groups))
	for i, g := range m.groups {
		out[i] = []record.Axis{}
		for _, f := range g.facts() {
			some := f.Field == "eval.weights" && having[f.Field] < len(m.groups) // others state none
			if len(values[f.Field]) > 1 || some {
				out[i] = append(out[i], f)
			}
		}
	}
	return out
}

func (g *group) variant(axes []record.Axis) record.Variant {
	name := visible.Text(g.name)
	words := []string{name}
	for _, a := range axes {
		words = append(words, a.Field[strings.IndexByte(a.Field, '.')+1:]+"="+visible.Text(a.Value))
	}
	v := record.Variant{Label: strings.Join(words, " "), Name: name, Method: Method, Axes: axes}
	for _, c := range g.cells {
		v.Trains = v.Trains || len(c.steps) > 1
	}
	return v
}

func (m *importer) cell(g *group, c *cell, kept []int) record.Cell {
	ref := g.kind.ref
	numbers := map[int]bool{}
	smallest := 0
	for _, pools := range c.steps {
		for number, p := range pools {
			numbers[number] = true
			if n := p.answers(); smallest == 0 || n < smallest {
				smallest = n
			}
		}
	}
	eval := map[string]any{
		"k": m.opt.K, "samples": smallest, "split": string(ref.Split), "problems": len(numbers),
		"draws": metrics.DefaultDraws, "delta": metrics.DefaultDelta, "measure": m.measured(), "keep": len(kept), "enumerate": 0,
	}
	if m.opt.Reading == judging.Lenient {
		eval["reading"] = string(judging.Lenient)
	}
	if ref.Weights != nil {
		eval["weights"] = ref.Weights
	}
	return record.Cell{
		Version: record.Version,
		Env:     record.Component{Name: ref.Env, Params: params.Values(ref.Config)},
		Policy:  record.Component{Name: Method, Params: map[string]any{"answers": c.hash()}},
		Method:  Method,
		Train:   map[string]any{"candidates": ref.Candidates, "stops": ref.Stops},
		Eval:    eval,
		Seed:    c.seed,
	}
}

func (m *importer) kept(c *cell) []int {
	numbers := map[int]bool{}
	for _, pools := range c.steps {
		for number := range pools {
			numbers[number] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(numbers))
	return sorted[:min(m.opt.Keep, len(sorted))]
}

// measuredBy are the metrics that every variant has at its last step, as the table shows it.
type measuredBy map[string]int

func (m measuredBy) shared(cells int, names ...string) []string {
	var out []string
	for _, name := range names {
		if m[name] == cells && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// show fills in the presentation of the manifest: the columns of the table, and figures.
func (m *importer) show(manifest *record.Manifest, have measuredBy, cells int) {
	last := slices.Max(m.opt.K)
	pass, coverage := fmt.Sprintf("pass@%d", last), fmt.Sprintf("coverage@%d", last)
	first := fmt.Sprintf("pass@%d", slices.Min(m.opt.K))
	manifest.Columns = have.shared(cells, first, pass, coverage, "distinct_correct", "entropy_mode")
	if len(m.opt.K) > 1 {
		families := []string{"pass"}
		if have[coverage] == cells {
			families = append(families, "coverage")
		}
		manifest.Figures = append(manifest.Figures, record.Figure{
			Name: "k", Kind: "k-curve", Title: "A correct answer among k, and the share of modes that k answers show", Metrics: families,
		})
	}
	if slices.ContainsFunc(manifest.Variants, func(v record.Variant) bool { return v.Trains }) {
		manifest.Figures = append(manifest.Figures, record.Figure{
			Name: "steps", Kind: "curve", Title: "Over training steps", Metrics: have.shared(cells, first, pass, coverage, "entropy_mode"),
		})
	}
}

func (m *importer) title() string {
	first := m.logs.files[0].Name
	if n := len(m.logs.files); n > 1 {
		return fmt.Sprintf("Answers imported from %s and %d more", first, n-1)
	}
	return "Answers imported from " + first
}
