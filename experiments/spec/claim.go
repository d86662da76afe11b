package spec

import (
	"fmt"
	"slices"

	"modebench/experiments/record"
	"modebench/metrics"
)

// newClaim has the defaults of a claim, which records leave out.
func newClaim() record.Claim { return record.Claim{Times: 1, Of: "mean", Combine: "all"} }

// claim reads one [[claim]]; a mistake in it is found before training.
func (d document) claim(s *Spec, table *node, eval measured) error {
	c, err := d.readClaim(table)
	if err != nil {
		return err
	}
	if err := d.checkSides(s, table, c, eval); err != nil {
		return err
	}
	if null, has := c.OfNull(); has {
		place := table.get("null")
		if len(c.B) == 0 && len(null.B) > 0 {
			return d.errorf(place, "claim %q is about a alone, and so is its null comparison: leave b away", c.Name)
		}
		if null.A == c.A && slices.Equal(null.B, c.B) && slices.Equal(null.Metrics, c.Metrics) {
			return d.errorf(place, "claim %q: null is the comparison of the claim itself", c.Name)
		}
		if err := d.checkSides(s, place, null, eval); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(s.Claims, func(earlier record.Claim) bool { return earlier.Name == c.Name }) {
		return d.errorf(table.get("name"), "two claims are named %q", c.Name)
	}
	s.Claims = append(s.Claims, c)
	return nil
}

// readClaim reads a claim without regard to the spec.
func (d document) readClaim(table *node) (record.Claim, error) {
	c := newClaim()
	err := d.fill(table, &c, "metric", "b", "null")
	if err == nil {
		err = d.sides(table, &c.Metrics, &c.B)
	}
	if err == nil {
		err = d.checkQuestion(table, c)
	}
	if err != nil {
		return c, err
	}
	c.Times, c.Of, c.Combine = unless(c.Times, 1), unless(c.Of, "mean"), unless(c.Combine, "all")
	if n := table.get("null"); n != nil {
		c.Null, err = d.null(n)
	}
	return c, err
}

func (d document) sides(table *node, metrics, b *[]string) (err error) {
	if *metrics, err = d.texts(table, "metric"); err == nil {
		*b, err = d.texts(table, "b")
	}
	return err
}

// unless returns a value, or zero for the usual one.
func unless[T comparable](value, usual T) (out T) {
	if value != usual {
		out = value
	}
	return out
}

func (d document) null(n *node) (*record.Null, error) {
	if len(n.fields) == 0 {
		return nil, d.errorf(n, "null of a claim must be a table with a, b or metric: null = { a = \"base\" }")
	}
	for _, field := range n.sorted() {
		if !slices.Contains([]string{"a", "b", "metric"}, field.key) {
			return nil, d.errorf(field, "null of a claim has a, b and metric, and no %s: the rest is the claim's own", field.key)
		}
	}
	out := &record.Null{}
	err := d.fill(n, out, "metric", "b")
	if err == nil {
		err = d.sides(n, &out.Metrics, &out.B)
	}
	return out, err
}

func (d document) checkSides(s *Spec, table *node, c record.Claim, eval measured) error {
	for i, name := range append([]string{c.A}, c.B...) {
		key, relation := "a", "is about"
		if i > 0 {
			key, relation = "b", "compares with"
		}
		named := record.Named(s.records(), name)
		if named == nil {
			return d.errorf(table.place(key), "claim %q %s the method %q, which is not in the spec; it has %s", c.Name, relation, name, s.known(name))
		}
		if i > 0 && record.Pairs(s.records(), c.A, name) == nil {
			return d.errorf(table, "claim %q: %s and %s have no setting in common", c.Name, c.A, name)
		}
		if c.Equal != "" && slices.ContainsFunc(named, func(v record.Variant) bool { return v.Method == "base" || v.Method == "optimum" }) {
			return d.errorf(table.place(key), "claim %q %s %q at equal %s during training, and it does not train", c.Name, relation, name, c.Equal)
		}
		side := s.measuredOf(eval, func(v record.Variant) bool {
			return slices.ContainsFunc(named, func(n record.Variant) bool { return n.Label == v.Label })
		})
		for _, metric := range append(slices.Clone(c.Metrics), c.Equal) {
			key := "metric"
			if metric == c.Equal {
				key = "equal"
			}
			if err := checkMetric(metric, side); metric != "" && err != nil {
				return d.errorf(table.place(key), "%w", err)
			}
		}
	}
	return nil
}

func (d document) checkQuestion(table *node, c record.Claim) error {
	alone, same, deviation, scaled := len(c.B) == 0, c.Says == "same", c.Of == "deviation", c.Times != 1
	hint := ""
	if c.Gate != "" {
		hint = "; gate decides nothing: state its meaning, as in says = \"above\" for a.low > b.high"
	}
	for _, mistake := range []struct {
		made  bool
		place *node
		text  string
	}{
		{len(c.Metrics) == 0, table, fmt.Sprintf("claim %q names no metric", c.Name)},
		{slices.Contains([]string{c.Name, c.Text, c.Says}, ""), table, "a claim has a name, a text and says = \"above\", \"below\" or \"same\"" + hint},
		{c.Times == 0, table.get("times"), "times is 0, want more: times multiplies b"},
		{same && c.By <= 0, table, fmt.Sprintf("claim %q: \"same\" takes by, how far apart the same may be, above 0", c.Name)},
		{alone && (scaled || deviation || same), table, fmt.Sprintf("claim %q is about a alone: it is above or below by; times, of = \"deviation\" and \"same\" take b", c.Name)},
		{slices.Contains(c.Metrics, c.Equal), table.get("equal"), fmt.Sprintf("claim %q compares %s at equal values of itself: want another metric", c.Name, c.Equal)},
		{c.Equal != "" && slices.ContainsFunc(append(slices.Clone(c.Metrics), c.Equal), ofRun), table.get("equal"), fmt.Sprintf("claim %q: equal takes metrics that every evaluation has", c.Name)},
		{alone && c.Equal != "", table.get("equal"), fmt.Sprintf("claim %q is about a alone: equal compares a with b", c.Name)},
		{deviation && (scaled || c.By != 0 || same), table, fmt.Sprintf("claim %q: a deviation is above or below another; by, times and \"same\" are for means", c.Name)},
		{same && scaled, table, fmt.Sprintf("claim %q: \"same\" is of a and b themselves; leave times away", c.Name)},
		{c.Delta > 0 && c.Why == "", table, fmt.Sprintf("claim %q gives a delta of its own, and delta_why, its reason, is missing", c.Name)},
		{c.Delta == 0 && c.Why != "", table, fmt.Sprintf("claim %q: delta_why is the reason of a delta, which is missing", c.Name)},
	} {
		if mistake.made {
			return d.errorf(mistake.place, "%s", mistake.text)
		}
	}
	return nil
}

// ofRun reports whether a metric is of a whole run and of no evaluation.
func ofRun(metric string) bool {
	m, known := metrics.Lookup(metric)
	return known && m.Run
}
