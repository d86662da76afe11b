package board

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"modebench/estimators"
	"modebench/experiments/spec"
)

// Entrants makes the entries of the method on each task that it fits, in the order of tasks,
// and lists why it does not fit the others. A method that fits no task is an error of its file.
// A plug-in is started, if opt allows it, to ask for its needs.
func (o *Submission) Entrants(tasks []Task, g *Grid, opt spec.LoadOptions) (fit []Task, entrants []Entrant, unfit map[string]string, err error) {
	unfit = map[string]string{}
	var first error
	for _, t := range tasks {
		t.dir = o.dir
		s, values, err := o.on(t, g, opt)
		if err != nil {
			unfit[t.Name] = err.Error()
			if first == nil {
				first = err
			}
			continue
		}
		if why, err := t.refusesAll(s); err != nil {
			return nil, nil, nil, err
		} else if why != "" {
			unfit[t.Name] = why
			if first == nil {
				first = o.errorf("method", "%s", why)
			}
			continue
		}
		n, err := o.entrant(g.Rates[t.board()], s, values)
		if err != nil {
			return nil, nil, nil, err
		}
		if o.tune != nil { // some values may not do on the task
			if _, err := t.Specs(t.Tuning(), n.Settings, opt); err != nil {
				_, why, _ := strings.Cut(err.Error(), ": ") // which begins with a line of our text
				return nil, nil, nil, o.errorf("tune.values", "%s", why)
			}
		}
		fit, entrants = append(fit, t), append(entrants, *n)
	}
	if fit == nil {
		return nil, nil, nil, first
	}
	return fit, entrants, unfit, nil
}

// on is a spec with the method alone on a task, and the values of its knob that do there. In small
// groups these may be a part of them, and then the method has one of them in the spec: its own value
// may not do.
func (o *Submission) on(t Task, g *Grid, opt spec.LoadOptions) (*spec.Spec, []any, error) {
	var values []any
	var with *spec.Spec
	if o.tune != nil {
		values = o.tune.Values
		for i := 0; t.small() && i < len(o.tune.Values); i++ {
			if i == 0 {
				values = nil
			}
			value := o.tune.Values[i]
			e, err := o.entry(setting(g.Rates[t.board()].Alone[0], []Assignment{{o.tune.Knob, value}}), o.tune.Knob, 1)
			if err != nil {
				return nil, nil, err
			}
			if specs, err := t.Specs(t.Tuning(), []Entry{e}, opt); err == nil {
				values, with = append(values, value), specs[0]
				with.Variants = slices.DeleteFunc(with.Variants, func(v *spec.Variant) bool { return v.Name != e.label() })
			}
		}
	}
	if with != nil {
		return with, values, nil
	}
	own, err := o.spec(t.Text[strings.Index(t.Text, "[env]"):], t.specName(Stage{Name: "own"}, 1), opt)
	return own, values, err
}

// Bandit is a spec with the method as its file has it on a bandit, which sets nothing else.
func (o *Submission) Bandit(opt spec.LoadOptions) (*spec.Spec, error) {
	return o.spec("[env]\nname = \"bandit\"\n", "audit", opt)
}

// spec is one of the file with more tables below it, so that errors name its lines.
func (o *Submission) spec(tables, name string, opt spec.LoadOptions) (*spec.Spec, error) {
	opt.Name = name
	return spec.Parse(o.file, slices.Concat(o.text, []byte("\n\n"+tables)), opt)
}

// entrant is the method in a spec of it alone. values are those of its knob, if it has one, that do
// there.
func (o *Submission) entrant(rates *Rates, s *spec.Spec, values []any) (*Entrant, error) {
	if len(s.Variants) != 1 {
		return nil, o.errorf("method", "a field has several values: want one of each, and those of a knob in [tune]")
	}
	setup := s.Variants[0].Setup
	p, err := setup()
	if err != nil {
		return nil, err
	}
	if !p.Method.Method.Trains {
		return nil, o.errorf("method.name", "%s does not train: there is nothing to tune", o.Name)
	}
	n := &Entrant{Method: o.Name}
	if rates.Paper > 0 {
		plain, err := o.entry(rates.paper(nil), "", paceOf(p))
		if err != nil {
			return nil, err
		}
		n.Paper = &plain
	}
	settings, knob := rates.alone(nil), ""
	if o.tune != nil {
		knob = o.tune.Knob
		if _, known := p.Method.Field(knob); !known {
			return nil, o.errorf("tune.knob", "%w", p.Method.Set(knob, o.tune.Values[0]))
		}
		for _, value := range o.tune.Values { // those too that do not do there
			at, err := setup()
			if err != nil {
				return nil, err
			}
			if err := o.set(at.Method, setting(rates.Alone[0], []Assignment{{knob, value}})); err != nil {
				return nil, err
			}
		}
		if p.Idle(knob) == "" && len(values) > 0 {
			settings = rates.settings(&Row{Name: o.Name, Knob: knob, Values: values})
		}
	}
	for _, setting := range settings {
		e, err := o.entry(setting, knob, paceOf(p))
		if err != nil {
			return nil, err
		}
		n.Settings = append(n.Settings, e)
		at, err := setup()
		if err != nil {
			return nil, err
		}
		if err := o.set(at.Method, setting); err != nil {
			return nil, err
		}
		if setting.Set[0].Value == rates.Paper && reflect.DeepEqual(p.Method.Fields(), at.Method.Fields()) {
			n.Paper = &e // the same by another label
		}
	}
	return n, nil
}

// set sets the knob of a method, if the setting has one.
func (o *Submission) set(m *estimators.Instance, s Setting) error {
	if err := assign(m, s.Set[1:]); err != nil {
		return o.errorf("tune.values", "%w", err)
	}
	if err := m.Check(); err != nil {
		return o.errorf("tune.values", "%w", err)
	}
	return nil
}

// entry is the method at a setting, whose value is that of the field knob.
func (o *Submission) entry(s Setting, knob string, pace int) (Entry, error) {
	fields := maps.Clone(o.table)
	delete(fields, "label")
	if len(s.Set) > 1 {
		delete(fields, knob)
	}
	lines, err := toml.Marshal(fields)
	return Entry{Method: o.Name, Setting: s.Label, TOML: string(lines) + s.TOML(), Pace: pace}, err
}
