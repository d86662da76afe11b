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
	figures, err := d.tables("figure")
	if err != nil {
		return err
	}
	if len(figures) > maxShown {
		return d.errorf(figures[maxShown], "a spec has at most %d figures", maxShown)
	}
	for _, table := range figures {
		if err := d.fallsAway(s, d.figure(s, table, eval)); err != nil {
			return err
		}
	}
	if len(figures) == 0 {
		s.Figures = s.defaultFigures(eval)
	}
	claims, err := d.tables("claim")
	if err != nil {
		return err
	}
	if len(claims) > maxShown {
		return d.errorf(claims[maxShown], "a spec has at most %d claims", maxShown)
	}
	for _, table := range claims {
		if err := d.fallsAway(s, d.claim(s, table, eval)); err != nil {
			return err
		}
	}
	return d.figureClaims(s, figures)
}

// fallsAway notes that a figure or claim is left out, where the reason is a kind of policy
// that the spec was not written for, or a value of --set. Else it returns the mistake.
func (d document) fallsAway(s *Spec, mistake error) error {
	if (d.adapted || d.set) && mistake != nil {
		s.Notes = append(s.Notes, "left out: "+mistake.Error())
		return nil
	}
	return mistake
}
