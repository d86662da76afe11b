package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// gateSide is what a claim's gate sees of one method: the mean over seeds of the
// claim's metric after training, with its 95% interval.
type gateSide struct {
	Mean float64 `expr:"mean"`
	Low  float64 `expr:"low"`
	High float64 `expr:"high"`
	N    int     `expr:"n"`
}

type gateEnv struct {
	A gateSide `expr:"a"`
	B gateSide `expr:"b"`
}

// claim reads one [[claim]] and compiles its gate, so that a mistake in it is
// found before training.
func (d document) claim(s *Spec, prefix string, table map[string]any, eval Eval) error {
	c := struct {
		Name   string `param:"name"`
		Text   string `param:"text"`
		Source string `param:"source"`
		Metric string `param:"metric"`
		A      string `param:"a"`
		B      string `param:"b"`
		Gate   string `param:"gate"`
	}{}
	if err := d.fill(prefix, table, &c); err != nil {
		return err
	}
	if c.Name == "" || c.Text == "" || c.Gate == "" {
		return d.errorf(prefix, "a claim has a name, a text and a gate")
	}
	if err := checkMetric(c.Metric, eval); err != nil {
		return d.errorf(prefix+".metric", "%w", err)
	}
	for _, side := range [][2]string{{"a", c.A}, {"b", c.B}} {
		if !s.has(side[1]) {
			return d.errorf(prefix+"."+side[0], "the claim compares the method %q, which is not in the spec", side[1])
		}
	}
	if _, err := compileGate(c.Gate); err != nil {
		return d.errorf(prefix+".gate", "%w", err)
	}
	if slices.ContainsFunc(s.Claims, func(other record.Claim) bool { return other.Name == c.Name }) {
		return d.errorf(prefix+".name", "two claims are named %q", c.Name)
	}
	if !s.meet(c.A, c.B) {
		return d.errorf(prefix, "claim %q: %s and %s have no setting in common", c.Name, c.A, c.B)
	}
	s.Claims = append(s.Claims, record.Claim(c))
	return nil
}

// has says whether the spec runs a method.
func (s *Spec) has(method string) bool {
	return slices.ContainsFunc(s.Variants, func(v *Variant) bool { return v.Method == method })
}

// meet says whether some variants of two methods agree on the axes they share.
func (s *Spec) meet(a, b string) bool {
	for _, va := range s.Variants {
		for _, vb := range s.Variants {
			if _, agree := shared(va.record(), vb.record()); agree && va.Method == a && vb.Method == b {
				return true
			}
		}
	}
	return false
}

func compileGate(gate string) (*vm.Program, error) {
	program, err := expr.Compile(gate, expr.Env(gateEnv{}), expr.AsBool())
	var at *file.Error
	if errors.As(err, &at) {
		return nil, fmt.Errorf("gate, column %d: %s in %q (a and b have mean, low, high and n)", at.Column+1, at.Message, gate)
	}
	if err != nil {
		return nil, fmt.Errorf("gate %q: %w", gate, err)
	}
	return program, nil
}

// A Setting is a claim at one setting: a variant of method A and one of method
// B that agree on every axis they share.
type Setting struct {
	A, B   string // labels
	Axes   []record.Axis
	ValueA stats.Interval
	ValueB stats.Interval
	Holds  bool
	Reason string // why there is no verdict; "" when there is one
}

// minSeeds is the fewest seeds a verdict needs.
const minSeeds = 6

// Judge evaluates a claim at every setting of a run.
func Judge(run *record.Run, c record.Claim) ([]Setting, error) {
	program, err := compileGate(c.Gate)
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, a := range run.Variants {
		for _, b := range run.Variants {
			axes, agree := shared(a, b)
			if a.Method != c.A || b.Method != c.B || !agree {
				continue
			}
			s := Setting{A: a.Label, B: b.Label, Axes: axes}
			if s.ValueA, err = finalInterval(run, a, c.Metric); err != nil {
				return nil, err
			}
			if s.ValueB, err = finalInterval(run, b, c.Metric); err != nil {
				return nil, err
			}
			if err := s.judge(program); err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func (s *Setting) judge(program *vm.Program) error {
	if n := min(s.ValueA.N, s.ValueB.N); n < minSeeds {
		s.Reason = fmt.Sprintf("underpowered: %d seeds, need %d", n, minSeeds)
		return nil
	}
	holds, err := expr.Run(program, gateEnv{A: side(s.ValueA), B: side(s.ValueB)})
	if err != nil {
		return err
	}
	s.Holds = holds.(bool) // AsBool checked the type
	return nil
}

func side(i stats.Interval) gateSide {
	return gateSide{Mean: i.Mean, Low: i.Low, High: i.High, N: i.N}
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

// ClaimText is the table of a claim's settings, for a terminal.
func ClaimText(c record.Claim, settings []Setting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "claim %s: %s", c.Name, c.Text)
	if c.Source != "" {
		fmt.Fprintf(&b, " (%s)", c.Source)
	}
	fmt.Fprintf(&b, "\n  gate: %s, on %s after training; a = %s, b = %s\n", c.Gate, c.Metric, c.A, c.B)
	rows := [][]string{{"setting", "a", "b", "holds"}}
	holds, judged := 0, 0
	for _, s := range settings {
		verdict := s.Reason
		if verdict == "" {
			judged++
			verdict = "no"
			if s.Holds {
				holds++
				verdict = "yes"
			}
		}
		rows = append(rows, []string{axesText(s.Axes), intervalText(s.ValueA), intervalText(s.ValueB), verdict})
	}
	b.WriteString(indent(alignColumns(rows)))
	fmt.Fprintf(&b, "  holds at %d of %d settings", holds, len(settings))
	if judged < len(settings) {
		fmt.Fprintf(&b, " (%d underpowered)", len(settings)-judged)
	}
	b.WriteString("\n")
	return b.String()
}

func axesText(axes []record.Axis) string {
	var words []string
	for _, a := range axes {
		words = append(words, a.Field[strings.IndexByte(a.Field, '.')+1:]+"="+a.Value)
	}
	if words == nil {
		return "all"
	}
	return strings.Join(words, " ")
}
