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
	if _, err := gate.Compile(c.Gate, len(c.B) == 0); err != nil {
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
			if _, agree := record.Agree(va, vb); agree {
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
		out = append(out, v.Record())
	}
	return out
}
