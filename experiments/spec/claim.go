package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// A claimTable is one [[claim]] but for its lists, metric and b, and its table, null.
type claimTable struct {
	Name       string  `param:"name" doc:"short name"`
	Text       string  `param:"text" doc:"the claim in words"`
	Source     string  `param:"source" doc:"paper and figure"`
	Paper      string  `param:"paper" doc:"the paper's own numbers"`
	A          string  `param:"a" doc:"what it is about: the label of a variant, or a method (by the label it is given) at all its settings"`
	Says       string  `param:"says" doc:"a is above b, below it, or the same within by; without b a is above or below by" choices:"above,below,same"`
	By         float64 `param:"by" doc:"above: a - b is more than by; below: less; same: it is within by of 0. In the unit of the metric"`
	Times      float64 `param:"times" doc:"a is held against so many times b (times = 5: more than five times)" min:"0"`
	Of         string  `param:"of" doc:"what of the seeds is compared: their mean, or their deviation" choices:"mean,deviation"`
	Delta      float64 `param:"delta" doc:"smallest effect that matters, in the unit of the metric (of a deviation: of the logarithm of the ratio); 0: the metric's own, which bench list metrics has" min:"0"`
	Why        string  `param:"delta_why" doc:"the reason of delta"`
	Combine    string  `param:"combine" doc:"at how many of its settings the claim holds: all, most (more than half), any, or pooled (one effect, the mean over the settings in units of delta)" choices:"all,most,any,pooled"`
	Untestable string  `param:"untestable" doc:"why no seeds can answer the claim, found out after it was registered; the answer is untestable then, whatever the seeds say"`
	Gate       string  `param:"gate" doc:"the condition that was written first, on the means and 95% intervals of a and b (a.low > b.high); kept for the record, it decides nothing"`
}

// newClaimTable has the defaults of a claim.
func newClaimTable() claimTable { return claimTable{Times: 1, Of: "mean", Combine: "all"} }

// claim reads one [[claim]] and checks it against the spec, so that a mistake in it is found
// before training.
func (d document) claim(s *Spec, table *node, eval measured) error {
	c, err := d.readClaim(table)
	if err != nil {
		return err
	}
	if err := d.checkSides(s, table, c, eval); err != nil {
		return err
	}
	if null, has := c.OfNull(); has {
		at := table.get("null")
		if len(c.B) == 0 && len(null.B) > 0 {
			return d.errorf(at, "claim %q is about a alone, and so is its null comparison: leave b away", c.Name)
		}
		if null.A == c.A && slices.Equal(null.B, c.B) && slices.Equal(null.Metrics, c.Metrics) {
			return d.errorf(at, "claim %q: null is the comparison of the claim itself", c.Name)
		}
		if err := d.checkSides(s, at, null, eval); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(s.Claims, func(other record.Claim) bool { return other.Name == c.Name }) {
		return d.errorf(table.get("name"), "two claims are named %q", c.Name)
	}
	s.Claims = append(s.Claims, c)
	return nil
}

// readClaim reads a claim without regard to the spec.
func (d document) readClaim(table *node) (c record.Claim, err error) {
	head := newClaimTable()
	if err := d.fill(table, &head, "metric", "b", "null"); err != nil {
		return c, err
	}
	c = record.Claim{
		Name: head.Name, Text: head.Text, Source: head.Source, Paper: head.Paper, A: head.A,
		Says: head.Says, By: head.By, Times: unless(head.Times, 1), Of: unless(head.Of, "mean"), Combine: unless(head.Combine, "all"),
		Delta: head.Delta, Why: head.Why, Gate: head.Gate, Untestable: head.Untestable,
	}
	if c.Metrics, err = d.texts(table, "metric"); err != nil {
		return c, err
	}
	if len(c.Metrics) == 0 {
		return c, d.errorf(table, "claim %q names no metric", c.Name)
	}
	if c.B, err = d.texts(table, "b"); err != nil {
		return c, err
	}
	if err := d.checkQuestion(table, head, len(c.B) > 0); err != nil {
		return c, err
	}
	if n := table.get("null"); n != nil {
		c.Null, err = d.null(n)
	}
	return c, err
}

// unless returns a value, or zero for the default, which records leave out.
func unless[T comparable](value, usual T) (out T) {
	if value != usual {
		out = value
	}
	return out
}

// null reads the null comparison of a claim.
func (d document) null(n *node) (*record.Null, error) {
	if len(n.fields) == 0 {
		return nil, d.errorf(n, "null of a claim must be a table with a, b or metric: null = { a = \"base\" }")
	}
	for _, field := range n.sorted() {
		if !slices.Contains([]string{"a", "b", "metric"}, field.key) {
			return nil, d.errorf(field, "null of a claim has a, b and metric, and no %s: the rest is the claim's own", field.key)
		}
	}
	head := struct {
		A string `param:"a"`
	}{}
	if err := d.fill(n, &head, "metric", "b"); err != nil {
		return nil, err
	}
	out := &record.Null{A: head.A}
	var err error
	if out.Metrics, err = d.texts(n, "metric"); err != nil {
		return nil, err
	}
	out.B, err = d.texts(n, "b")
	return out, err
}

// checkSides checks that the spec has the methods that a claim compares, and their metrics.
func (d document) checkSides(s *Spec, table *node, c record.Claim, eval measured) error {
	if !s.has(c.A) {
		return d.errorf(table.place("a"), "claim %q is about the method %q, which is not in the spec; it has %s", c.Name, c.A, strings.Join(s.labels(), "; "))
	}
	for _, b := range c.B {
		if !s.has(b) {
			return d.errorf(table.place("b"), "claim %q compares with the method %q, which is not in the spec; it has %s", c.Name, b, strings.Join(s.labels(), "; "))
		}
		if !s.meet(c.A, b) {
			return d.errorf(table, "claim %q: %s and %s have no setting in common", c.Name, c.A, b)
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
				return d.errorf(table.place("metric"), "%w", err)
			}
		}
	}
	return nil
}

// checkQuestion finds what is missing in a claim's question, or contradicts another part of it.
func (d document) checkQuestion(table *node, c claimTable, compares bool) error {
	same, deviation, scaled := c.Says == "same", c.Of == "deviation", c.Times != 1
	hint := ""
	if c.Gate != "" {
		hint = "; gate decides nothing: say what it means, as in says = \"above\" for a.low > b.high"
	}
	for _, mistake := range []struct {
		made bool
		at   *node
		text string
	}{
		{slices.Contains([]string{c.Name, c.Text, c.Says}, ""), table, "a claim has a name, a text and says = \"above\", \"below\" or \"same\"" + hint},
		{c.Times == 0, table.get("times"), "times is 0, want more: times multiplies b"},
		{same && c.By <= 0, table, fmt.Sprintf("claim %q: \"same\" takes by, how far apart the same may be, above 0", c.Name)},
		{!compares && (scaled || deviation || same), table, fmt.Sprintf("claim %q is about a alone: it is above or below by; times, of = \"deviation\" and \"same\" take b", c.Name)},
		{deviation && (scaled || c.By != 0 || same), table, fmt.Sprintf("claim %q: a deviation is above or below another; by, times and \"same\" are for means", c.Name)},
		{same && scaled, table, fmt.Sprintf("claim %q: \"same\" is of a and b themselves; leave times away", c.Name)},
		{c.Delta > 0 && c.Why == "", table, fmt.Sprintf("claim %q gives a delta of its own, and delta_why, its reason, is missing", c.Name)},
		{c.Delta == 0 && c.Why != "", table, fmt.Sprintf("claim %q: delta_why is the reason of a delta, which is missing", c.Name)},
	} {
		if mistake.made {
			return d.errorf(mistake.at, "%s", mistake.text)
		}
	}
	return nil
}
