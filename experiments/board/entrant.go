package board

import (
	"reflect"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/experiments/spec"
)

// An Entrant is a method on a task, with the settings to try.
type Entrant struct {
	Method   string
	Settings []Entry
	Paper    *Entry // the source's setting, which may be among Settings; nil: it is not tried
	// Alone are as many settings of rates without the knob. They take the place of Settings if the knob makes
	// no difference in the first round. nil: the method has no knob, or the task never reads it.
	Alone []Entry
}

// Entrants makes the entries of methods on the task. Methods that do not fit are listed with
// the reason.
func (t Task) Entrants(g *Grid, methods []string, opt spec.LoadOptions) (out []Entrant, unfit []Unfit, err error) {
	fit, unfit, err := t.fit(g, methods, opt)
	if err != nil {
		return nil, nil, err
	}
	if t.small() {
		g, fit, unfit = t.narrow(g, fit, unfit, opt)
	}
	rates := t.rates(g)
	// A setting of each, to see what the method draws there and whether its knob is read.
	var probes []Entry
	for _, method := range fit {
		row := g.row(method)
		settings := rates.settings(row)
		probes = append(probes, row.entry(settings[len(settings)/2], 1))
	}
	specs, err := t.Specs(t.Evaluation(), probes, opt)
	if err != nil || len(specs) == 0 {
		return nil, unfit, err
	}
	base, err := (*First(specs[0].Variants, func(v **spec.Variant) bool { return (*v).Name == Base })).Setup()
	if err != nil {
		return nil, nil, err
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
		row, err := g.Row(probes[i].Method)
		if err != nil {
			return nil, nil, err
		}
		e, err := rates.entrant(row, p, func(s Setting, pace int) (Entry, error) { return row.entry(s, pace), nil }, builtIn(row.estimator(), base))
		if err != nil {
			return nil, nil, err
		}
		out = append(out, e)
	}
	return out, unfit, nil
}

// entrant is a method with the settings of its row, as it is set up on a task.
func (r *Rates) entrant(row *Row, p *spec.Setup, entry func(s Setting, pace int) (Entry, error), instance instances) (Entrant, error) {
	settings, pace, out := r.settings(row), paceOf(p), Entrant{Method: row.Name}
	switch {
	case row.Knob == "":
	case p.Idle(row.Knob) != "":
		settings = r.alone(row)
	default:
		for _, s := range r.alone(row) {
			e, err := entry(s, pace)
			if err != nil {
				return Entrant{}, err
			}
			e.Shared = r.shared(s)
			out.Alone = append(out.Alone, e)
		}
	}
	if r.Paper > 0 && row.Method == "" {
		untuned, err := entry(r.paper(row), pace)
		if err != nil {
			return Entrant{}, err
		}
		out.Paper = &untuned
	}
	for _, s := range settings {
		e, err := entry(s, pace)
		if err != nil {
			return Entrant{}, err
		}
		e.Shared = r.shared(s)
		out.Settings = append(out.Settings, e)
		if out.Paper == nil {
			continue
		}
		if same, err := r.isPaper(row, s, instance); err != nil {
			return Entrant{}, err
		} else if same { // by another label
			out.Paper = &e
		}
	}
	return out, nil
}

// paceOf is the pace of a method that is set up on a task (Entry.Pace).
func paceOf(p *spec.Setup) int { return p.Drawn() * max(1, p.Train.Candidates) / p.Train.Group }

// instances makes setups of a method with the fields of a setting other than its rate.
type instances func(Setting) (*spec.Setup, error)

// builtIn is the instances of a built-in method on a task, whose training and evaluation its base policy has.
func builtIn(method string, base *spec.Setup) instances {
	return func(s Setting) (*spec.Setup, error) {
		m, err := estimators.Lookup(method)
		if err != nil {
			return nil, err
		}
		p := spec.Bare(m)
		p.Train, p.Eval = base.Train, base.Eval
		return p, assign(p, s.Set[1:])
	}
}

// isPaper reports whether a setting of a row has the rate and the fields of the source's setting.
func (r *Rates) isPaper(row *Row, s Setting, instance instances) (bool, error) {
	untuned, err := instance(r.paper(row))
	if err != nil {
		return false, err
	}
	tuned, err := instance(s)
	same := err == nil && s.Set[0].Value == r.Paper && reflect.DeepEqual(untuned.Method.Fields(), tuned.Method.Fields())
	return same && reflect.DeepEqual(untuned.Train, tuned.Train) && reflect.DeepEqual(untuned.Eval, tuned.Eval), err
}

// fit separates the methods that fit the task from those that do not, in their order.
func (t Task) fit(g *Grid, methods []string, opt spec.LoadOptions) (fit []string, unfit []Unfit, err error) {
	all, err := t.Specs(t.Evaluation(), []Entry{{Method: "*", TOML: `name = "*"`, Pace: 1}}, opt)
	if err != nil {
		return nil, nil, err
	}
	for _, method := range methods {
		row, err := g.Row(method)
		if err != nil {
			return nil, nil, err
		}
		if l := First(all[0].LeftOut, func(l *spec.LeftOut) bool { return l.Method == row.estimator() }); l != nil {
			unfit = append(unfit, Unfit{method, l.Why})
		} else {
			fit = append(fit, method)
		}
	}
	return fit, unfit, nil
}

// gridGroup is how many rollouts a group has for which all values of the grid do.
const gridGroup = 16

// small reports whether groups are of fewer rollouts.
func (t Task) small() bool { return t.Group < gridGroup }

// narrow is the grid for a task whose groups are too small for some values of knobs, which are
// left out. A method fits if one value does. A method whose default does not fit moves from
// unfit to fit if another value fits.
func (t Task) narrow(g *Grid, fit []string, unfit []Unfit, opt spec.LoadOptions) (*Grid, []string, []Unfit) {
	narrowed := *g
	narrowed.Methods = slices.Clone(g.Methods)
	still := slices.Clone(unfit)
	for i := range narrowed.Methods {
		r := &narrowed.Methods[i]
		fits := slices.Contains(fit, r.Name)
		if r.Knob == "" || !fits && !slices.ContainsFunc(unfit, func(u Unfit) bool { return u.Method == r.Name }) {
			continue
		}
		var values []any
		var first error
		for _, value := range r.Values {
			probe := r.entry(setting(t.rates(g).Alone[0], r.assignments(value)), 1)
			if _, err := t.Specs(t.Evaluation(), []Entry{probe}, opt); err == nil {
				values = append(values, value)
			} else if first == nil {
				first = err
			}
		}
		switch {
		case values != nil && !fits:
			fit = append(fit, r.Name)
			still = slices.DeleteFunc(still, func(u Unfit) bool { return u.Method == r.Name })
		case values == nil && fits:
			_, why, _ := strings.Cut(first.Error(), ": ") // which begins with a line of our text
			fit = slices.DeleteFunc(fit, func(n string) bool { return n == r.Name })
			still = append(still, Unfit{r.Name, why})
		}
		if values != nil {
			r.Values = values
		}
	}
	return &narrowed, fit, still
}

// NeedsLabels begins the reason why a method cannot enter a task without labels.
const NeedsLabels = "it needs labels: "

// refuses explains why a method that is set up on the task cannot enter; "": it can.
func (t Task) refuses(p *spec.Setup) string {
	if !t.LabelFree || !p.ReadsRewards() {
		return ""
	}
	return NeedsLabels + "training reads correctness or rewards"
}

// refusesAll is refuses of the variants of a spec.
func (t Task) refusesAll(s *spec.Spec) (string, error) {
	for _, v := range s.Variants {
		p, err := v.Setup()
		if err != nil {
			return "", err
		}
		if why := t.refuses(p); why != "" {
			return why, nil
		}
	}
	return "", nil
}
