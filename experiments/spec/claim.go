package spec

import (
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

// newClaimTable has what a claim says that does not say otherwise.
func newClaimTable() claimTable { return claimTable{Times: 1, Of: "mean", Combine: "all"} }

// claim reads one [[claim]] and checks what it says, so that a mistake in it is
// found before training.
func (d document) claim(s *Spec, prefix string, table map[string]any, eval measured) error {
	c := record.Claim{}
	head := newClaimTable()
	err := d.fill(prefix, table, &head, "metric", "b", "null")
	if err != nil {
		return err
	}
	c.Name, c.Text, c.Source, c.Paper, c.A, c.Gate = head.Name, head.Text, head.Source, head.Paper, head.A, head.Gate
	c.Untestable = head.Untestable
	c.Says, c.By, c.Delta, c.Why = head.Says, head.By, head.Delta, head.Why
	if head.Times != 1 {
		c.Times = head.Times
	}
	if head.Of != "mean" {
		c.Of = head.Of
	}
	if head.Combine != "all" {
		c.Combine = head.Combine
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
	if err := d.checkQuestion(prefix, head, len(c.B) > 0); err != nil {
		return err
	}
	if err := d.checkSides(s, prefix, c, eval); err != nil {
		return err
	}
	if c.Null, err = d.null(prefix+".null", table); err != nil {
		return err
	}
	if null, has := c.OfNull(); has {
		if len(c.B) == 0 && len(null.B) > 0 {
			return d.errorf(prefix+".null", "claim %q is about a alone, and so is its null comparison: leave b away", c.Name)
		}
		if null.A == c.A && slices.Equal(null.B, c.B) && slices.Equal(null.Metrics, c.Metrics) {
			return d.errorf(prefix+".null", "claim %q: null is the comparison of the claim itself", c.Name)
		}
		if err := d.checkSides(s, prefix+".null", null, eval); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(s.Claims, func(other record.Claim) bool { return other.Name == c.Name }) {
		return d.errorf(prefix+".name", "two claims are named %q", c.Name)
	}
	s.Claims = append(s.Claims, c)
	return nil
}

// null reads the null comparison of a claim; nil: it names none.
func (d document) null(prefix string, table map[string]any) (*record.Null, error) {
	if table["null"] == nil {
		return nil, nil
	}
	of, ok := table["null"].(map[string]any)
	if !ok || len(of) == 0 {
		return nil, d.errorf(prefix, "null of a claim must be a table with a, b or metric: null = { a = \"base\" }")
	}
	for _, key := range d.keys(prefix, of) {
		if key != "a" && key != "b" && key != "metric" {
			return nil, d.errorf(join(prefix, key), "null of a claim has a, b and metric, and no %s: the rest is the claim's own", key)
		}
	}
	head := struct {
		A string `param:"a"`
	}{}
	if err := d.fill(prefix, of, &head, "metric", "b"); err != nil {
		return nil, err
	}
	out := &record.Null{A: head.A}
	var err error
	if out.Metrics, err = d.texts(prefix, "metric", of); err != nil {
		return nil, err
	}
	out.B, err = d.texts(prefix, "b", of)
	return out, err
}

// checkSides checks that what a claim compares is in the spec, and has the metrics.
func (d document) checkSides(s *Spec, prefix string, c record.Claim, eval measured) error {
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
	return nil
}

// checkQuestion says what of a claim's question is missing or contradicts itself.
func (d document) checkQuestion(prefix string, c claimTable, compares bool) error {
	switch {
	case c.Name == "" || c.Text == "" || c.Says == "":
		hint := ""
		if c.Gate != "" {
			hint = "; gate decides nothing: say what it means, as in says = \"above\" for a.low > b.high"
		}
		return d.errorf(prefix, "a claim has a name, a text and says = \"above\", \"below\" or \"same\"%s", hint)
	case c.Times == 0:
		return d.errorf(prefix+".times", "times is 0, want more: a is held against so many times b")
	case c.Says == "same" && c.By <= 0:
		return d.errorf(prefix, "claim %q: \"same\" takes by, how far apart the same may be, above 0", c.Name)
	case !compares && (c.Times != 1 || c.Of == "deviation" || c.Says == "same"):
		return d.errorf(prefix, "claim %q is about a alone: it is above or below by; times, of = \"deviation\" and \"same\" take b", c.Name)
	case c.Of == "deviation" && (c.Times != 1 || c.By != 0 || c.Says == "same"):
		return d.errorf(prefix, "claim %q: a deviation is above or below another; by, times and \"same\" are for means", c.Name)
	case c.Says == "same" && c.Times != 1:
		return d.errorf(prefix, "claim %q: \"same\" is of a and b themselves; leave times away", c.Name)
	case c.Delta > 0 && c.Why == "":
		return d.errorf(prefix, "claim %q gives a delta of its own: delta_why says the reason", c.Name)
	case c.Delta == 0 && c.Why != "":
		return d.errorf(prefix, "claim %q: delta_why is the reason of a delta, which is missing", c.Name)
	}
	return nil
}
