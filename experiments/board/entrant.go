package board

import (
	"errors"
	"reflect"
	"slices"

	"modebench/estimators"
	"modebench/experiments/spec"
)

// An Entrant is a method on a task, with the settings to try.
type Entrant struct {
	Method   string
	Settings []Entry // nine with tables, four with a transformer and for the profile
	Paper    *Entry  // the untuned setting; nil: all are tuned, as for the profile
}

// Entrants makes the entries of methods on the task. Methods that do not fit are listed with
// the reason.
func (t Task) Entrants(g *Grid, methods []string, opt spec.LoadOptions) (out []Entrant, unfit []Unfit, err error) {
	fit, unfit, err := t.fit(methods, opt)
	if err != nil {
		return nil, nil, err
	}
	if t.small() {
		g, fit, unfit = t.narrow(g, fit, unfit, opt)
	}
	// A setting of each, to see what the method draws there and whether its knob is read.
	var probes []Entry
	for _, method := range fit {
		settings, err := g.Settings(t.board(), method)
		if err != nil {
			return nil, nil, err
		}
		probes = append(probes, entry(method, settings[len(settings)/2], 1))
	}
	specs, err := t.Specs(t.Evaluation(), probes, opt)
	if err != nil || len(specs) == 0 {
		return nil, unfit, err
	}
	for _, v := range specs[0].Variants {
		i := slices.IndexFunc(probes, func(e Entry) bool { return e.label() == v.Name })
		if i < 0 {
			continue // the base policy and the optimum
		}
		p, err := v.Setup()
		if err != nil {
			return nil, nil, err
		}
		if why := t.refuses(p); why != "" {
			unfit = append(unfit, Unfit{probes[i].Method, why})
			continue
		}
		e, err := t.entrant(g, probes[i].Method, p)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, e)
	}
	return out, unfit, nil
}

// entrant is a method that is set up on a task at one of its settings.
func (t Task) entrant(g *Grid, method string, p *spec.Setup) (Entrant, error) {
	row, err := g.Row(method)
	if err != nil {
		return Entrant{}, err
	}
	rates := g.Rates[t.board()]
	settings := rates.settings(row)
	if row.Knob != "" && p.Idle(row.Knob) != "" {
		settings = rates.alone(row)
	}
	pace := paceOf(p)
	out := Entrant{Method: method}
	if rates.Paper > 0 {
		plain := entry(method, rates.paper(row), pace)
		out.Paper = &plain
	}
	for _, s := range settings {
		e := entry(method, s, pace)
		out.Settings = append(out.Settings, e)
		if same, err := rates.isPaper(row, s); err != nil {
			return Entrant{}, err
		} else if same { // by another label
			out.Paper = &e
		}
	}
	return out, nil
}

// paceOf is the pace of a method that is set up on a task (Entry.Pace).
func paceOf(p *spec.Setup) int { return p.Drawn() * max(1, p.Train.Candidates) / p.Train.Group }

// isPaper reports whether a setting of a row has the rate and the fields of the untuned
// setting.
func (r *Rates) isPaper(row *Row, s Setting) (bool, error) {
	m, err := estimators.Lookup(row.Name)
	if err != nil {
		return false, err
	}
	plain, set := m.New(), m.New()
	if err := errors.Join(assign(plain, r.paper(row).Set[1:]), assign(set, s.Set[1:])); s.Set[0].Value != r.Paper || err != nil {
		return false, err
	}
	return reflect.DeepEqual(plain.Fields(), set.Fields()), nil
}

// fit tells the methods that fit the task from those that do not, in the order of the list
// of all methods.
func (t Task) fit(methods []string, opt spec.LoadOptions) (fit []string, unfit []Unfit, err error) {
	all, err := t.Specs(t.Evaluation(), []Entry{{Method: "*", TOML: `name = "*"`, Pace: 1}}, opt)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range all[0].Variants {
		if slices.Contains(methods, v.Method) {
			fit = append(fit, v.Method)
		}
	}
	for _, l := range all[0].LeftOut {
		if slices.Contains(methods, l.Method) {
			unfit = append(unfit, Unfit{l.Method, l.Why})
		}
	}
	return fit, unfit, nil
}
