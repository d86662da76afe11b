package spec

// maxShown bounds the figures of a spec, and its claims: each is checked against all variants.
const maxShown = 200

// show reads the columns, figures and claims and checks them against the variants.
func (d document) show(s *Spec) error {
	eval, err := s.measured()
	if err != nil {
		return err
	}
	if s.Columns == nil {
		if eval.tradeoff, err = s.tradeoff(); err != nil {
			return err
		}
		s.Columns = defaultColumns(eval)
	}
	for _, metric := range s.Columns {
		if err := checkMetric(metric, eval); err != nil {
			return d.errorf(d.root.place("columns"), "%w", err)
		}
	}
	figures, err := d.each(s, "figure", func(table *node) error { return d.figure(s, table, eval) })
	if err != nil {
		return err
	}
	if len(figures) == 0 {
		s.Figures = s.defaultFigures(eval)
	}
	if _, err := d.each(s, "claim", func(table *node) error { return d.claim(s, table, eval) }); err != nil {
		return err
	}
	return d.figureClaims(s, figures)
}

// each reads the figures or the claims.
func (d document) each(s *Spec, key string, read func(*node) error) ([]*node, error) {
	tables, err := d.tables(key)
	if err != nil {
		return nil, err
	}
	if len(tables) > maxShown {
		return nil, d.errorf(tables[maxShown], "a spec has at most %d %ss", maxShown, key)
	}
	for _, table := range tables {
		if err := d.fallsAway(s, read(table)); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// fallsAway notes that a figure or claim is left out, if the reason is a kind of policy that
// the spec was not written for, or a value of --set. Otherwise it returns the mistake.
func (d document) fallsAway(s *Spec, mistake error) error {
	if (d.adapted || d.set) && mistake != nil {
		s.Notes = append(s.Notes, "left out: "+mistake.Error())
		return nil
	}
	return mistake
}
