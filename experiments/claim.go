package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"modebench/experiments/record"
	"modebench/internal/expression"
	"modebench/metrics/stats"
)

// gateSide is what a claim's gate sees of one method: the mean over seeds of one
// of the claim's metrics after training, with its 95% interval, and the sample
// deviation of the seeds.
type gateSide struct {
	Mean float64 `expr:"mean"`
	Low  float64 `expr:"low"`
	High float64 `expr:"high"`
	SD   float64 `expr:"sd"`
	N    int     `expr:"n"`
}

type gateEnv struct {
	A gateSide `expr:"a"`
	B gateSide `expr:"b"`
}

type gateAlone struct {
	A gateSide `expr:"a"`
}

// A claimTable is one [[claim]] but for its lists, metric and b.
type claimTable struct {
	Name   string `param:"name" doc:"short name"`
	Text   string `param:"text" doc:"the claim in words"`
	Source string `param:"source" doc:"paper and figure"`
	Paper  string `param:"paper" doc:"the paper's own numbers"`
	A      string `param:"a" doc:"what it is about: the label of a variant, or a method (by the label it is given) at all its settings"`
	Gate   string `param:"gate" doc:"condition on the means and 95% intervals over seeds of a and b: a.low > b.high (mean, low, high, sd, n)"`
}

// claim reads one [[claim]] and compiles its gate, so that a mistake in it is
// found before training.
func (d document) claim(s *Spec, prefix string, table map[string]any, eval measured) error {
	c := record.Claim{}
	head := claimTable{}
	err := d.fill(prefix, table, &head, "metric", "b")
	if err != nil {
		return err
	}
	c.Name, c.Text, c.Source, c.Paper, c.A, c.Gate = head.Name, head.Text, head.Source, head.Paper, head.A, head.Gate
	if c.Name == "" || c.Text == "" || c.Gate == "" {
		return d.errorf(prefix, "a claim has a name, a text and a gate")
	}
	if c.Metrics, err = d.texts(prefix, "metric", table); err != nil {
		return err
	}
	if len(c.Metrics) == 0 {
		return d.errorf(prefix, "claim %q names no metric", c.Name)
	}
	if c.B, err = d.texts(prefix, "b", table); err != nil {
		return err
	}
	if !s.has(c.A) {
		return d.errorf(prefix+".a", "claim %q is about the method %q, which is not in the spec; it has %s", c.Name, c.A, strings.Join(s.labels(), "; "))
	}
	for _, b := range c.B {
		if !s.has(b) {
			return d.errorf(prefix+".b", "claim %q compares with the method %q, which is not in the spec; it has %s", c.Name, b, strings.Join(s.labels(), "; "))
		}
		if !s.meet(c.A, b) {
			return d.errorf(prefix, "claim %q: %s and %s have no setting in common", c.Name, c.A, b)
		}
	}
	for _, name := range append([]string{c.A}, c.B...) {
		named := record.Named(s.records(), name)
		side := s.measuredOf(eval, func(v record.Variant) bool {
			return slices.ContainsFunc(named, func(n record.Variant) bool { return n.Label == v.Label })
		})
		for _, metric := range c.Metrics {
			if err := checkMetric(metric, side); err != nil {
				return d.errorf(prefix+".metric", "%w", err)
			}
		}
	}
	if _, err := compileGate(c); err != nil {
		return d.errorf(prefix+".gate", "%w", err)
	}
	if slices.ContainsFunc(s.Claims, func(other record.Claim) bool { return other.Name == c.Name }) {
		return d.errorf(prefix+".name", "two claims are named %q", c.Name)
	}
	s.Claims = append(s.Claims, c)
	return nil
}

// texts reads a key that holds one text or a list of them.
func (d document) texts(prefix, key string, table map[string]any) ([]string, error) {
	list, isList := table[key].([]any)
	if table[key] != nil && !isList {
		list = []any{table[key]}
	}
	var out []string
	for _, entry := range list {
		text, ok := entry.(string)
		if !ok || text == "" || slices.Contains(out, text) {
			return nil, d.errorf(prefix+"."+key, "%s: want a text, or a list of different texts, got %v", key, table[key])
		}
		out = append(out, text)
	}
	return out, nil
}

// has says whether the spec runs a method.
func (s *Spec) has(method string) bool { return record.Named(s.records(), method) != nil }

// meet says whether some variants of two methods agree on the axes they share.
func (s *Spec) meet(a, b string) bool {
	for _, va := range record.Named(s.records(), a) {
		for _, vb := range record.Named(s.records(), b) {
			if _, agree := shared(va, vb); agree {
				return true
			}
		}
	}
	return false
}

// records lists the variants as the manifest writes them, without cells.
func (s *Spec) records() []record.Variant {
	var out []record.Variant
	for _, v := range s.Variants {
		out = append(out, v.record())
	}
	return out
}

// compileGate compiles a claim's gate: over a and b, or over a alone where the
// claim compares with nothing.
func compileGate(c record.Claim) (*vm.Program, error) {
	var env any = gateEnv{}
	sides := "a and b have"
	if len(c.B) == 0 {
		env, sides = gateAlone{}, "the claim is about a alone; a has"
	}
	program, err := expr.Compile(c.Gate, expr.Env(env), expr.AsBool())
	if err != nil {
		mistake := expression.Explain(c.Gate, err)
		if mistake.Column == 0 {
			return nil, fmt.Errorf("gate %q: %w", c.Gate, err)
		}
		mistake.Message = strings.ReplaceAll(mistake.Message, "experiments.gateSide", "a side")
		mistake.Hint = sides + " mean, low, high, sd and n"
		return nil, fmt.Errorf("gate, %w", mistake)
	}
	return program, nil
}

// A Setting is a claim at one setting: a metric, and a variant of A with one of B
// that agree on every axis they share.
type Setting struct {
	Metric string
	A, B   string // labels; B is empty for a claim about A alone
	Axes   []record.Axis
	ValueA stats.Interval
	ValueB stats.Interval
	// Effect is A less B, over the seeds that both have, or ValueA where there is no B.
	// Of a gate over deviations it is their difference, without bounds.
	Effect stats.Interval
	Holds  bool
	Reason string // why there is no verdict; "" when there is one

	a, b record.Variant
}

// judge evaluates a claim at every setting of a run.
func (f ends) judge(c record.Claim) ([]Setting, error) {
	program, err := compileGate(c)
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, metric := range c.Metrics {
		for _, s := range settings(f.run.Variants, c) {
			s.Metric = metric
			if err := s.judge(f, program, ofDeviations(c)); err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// settings lists the pairs of variants that a claim compares, or, where it is
// about A alone, the variants of A.
func settings(variants []record.Variant, c record.Claim) []Setting {
	var out []Setting
	for _, a := range record.Named(variants, c.A) {
		if len(c.B) == 0 {
			out = append(out, Setting{A: a.Label, Axes: a.Axes, a: a})
		}
		for _, name := range c.B {
			for _, b := range record.Named(variants, name) {
				if axes, agree := shared(a, b); agree {
					out = append(out, Setting{A: a.Label, B: b.Label, Axes: axes, a: a, b: b})
				}
			}
		}
	}
	return out
}

// underpowered begins the reason of a setting that has too few seeds for a verdict.
const underpowered = "underpowered"

// few says that the setting has too few seeds for a verdict.
func (s *Setting) few() bool { return strings.HasPrefix(s.Reason, underpowered) }

// seeds is the number of seeds of the side that has fewer.
func (s *Setting) seeds() int {
	if s.B == "" {
		return s.ValueA.N
	}
	return min(s.ValueA.N, s.ValueB.N)
}

// judge fills in the intervals and the verdict.
func (s *Setting) judge(f ends, program *vm.Program, deviations bool) error {
	var err error
	if s.ValueA, err = f.interval(s.a, s.Metric); err != nil {
		return err
	}
	s.Effect = s.ValueA
	a, err := f.gateOf(s.a, s.Metric, s.ValueA)
	if err != nil {
		return err
	}
	var env any = gateAlone{A: a}
	if s.B != "" {
		if s.ValueB, err = f.interval(s.b, s.Metric); err != nil {
			return err
		}
		if s.Effect, err = f.difference(s.a, s.b, s.Metric); err != nil {
			return err
		}
		b, err := f.gateOf(s.b, s.Metric, s.ValueB)
		if err != nil {
			return err
		}
		env = gateEnv{A: a, B: b}
		if deviations {
			s.Effect = stats.Interval{N: s.seeds(), Mean: a.SD - b.SD, Low: math.NaN(), High: math.NaN()}
		}
	}
	for _, side := range []struct {
		label string
		value stats.Interval
	}{{s.A, s.ValueA}, {s.B, s.ValueB}} {
		if math.IsNaN(side.value.Mean) {
			s.Reason = fmt.Sprintf("undefined: no %s of %s", s.Metric, side.label)
			return nil
		}
	}
	if n := s.seeds(); n < stats.MinSeeds {
		s.Reason = fmt.Sprintf(underpowered+": %d seeds, need %d", n, stats.MinSeeds)
		if n == 1 {
			s.Reason = fmt.Sprintf(underpowered+": 1 seed, need %d", stats.MinSeeds)
		}
		return nil
	}
	holds, err := expr.Run(program, env)
	if err != nil {
		return err
	}
	s.Holds = holds.(bool) // AsBool checked the type
	return nil
}

// difference is a less b in a metric after training, seed by seed where they share
// seeds.
func (f ends) difference(a, b record.Variant, metric string) (stats.Interval, error) {
	old, err := f.finals(b)
	if err != nil {
		return stats.Interval{}, err
	}
	new, err := f.finals(a)
	if err != nil {
		return stats.Interval{}, err
	}
	values := SeedValues{metric, valuesBySeed(old, metric), valuesBySeed(new, metric)}
	return compareOne(values, StatisticMean).Delta, nil
}

// ofDeviations says whether a claim is about how much the seeds of two sides scatter,
// and about nothing else.
func ofDeviations(c record.Claim) bool {
	return len(c.B) > 0 && strings.Contains(c.Gate, ".sd") &&
		!strings.Contains(c.Gate, ".mean") && !strings.Contains(c.Gate, ".low") && !strings.Contains(c.Gate, ".high")
}

// gateOf is what a gate sees of a variant.
func (f ends) gateOf(v record.Variant, metric string, i stats.Interval) (gateSide, error) {
	xs, err := f.values(v, metric)
	return gateSide{Mean: i.Mean, Low: i.Low, High: i.High, SD: stats.Deviation(xs), N: i.N}, err
}

// shared lists the axes of two variants, those of b first, and says whether they
// agree on the ones they share.
func shared(a, b record.Variant) ([]record.Axis, bool) {
	axes := slices.Clone(b.Axes)
	for _, axis := range a.Axes {
		value, ok := b.Value(axis.Field)
		if !ok {
			axes = append(axes, axis)
		} else if value != axis.Value {
			return nil, false
		}
	}
	return axes, true
}
