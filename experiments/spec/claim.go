package spec

import (
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/gate"
)

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
		named := map[string]bool{}
		for _, v := range record.Named(s.records(), name) {
			named[v.Label] = true
		}
		side := s.measuredOf(eval, func(v record.Variant) bool { return named[v.Label] })
		for _, metric := range c.Metrics {
			if err := checkMetric(metric, side); err != nil {
				return d.errorf(prefix+".metric", "%w", err)
			}
		}
	}
	if _, err := gate.Compile(c.Gate, len(c.B) == 0); err != nil {
		return d.errorf(prefix+".gate", "%w", err)
	}
	if slices.ContainsFunc(s.Claims, func(other record.Claim) bool { return other.Name == c.Name }) {
		return d.errorf(prefix+".name", "two claims are named %q", c.Name)
	}
	s.Claims = append(s.Claims, c)
	return nil
}
