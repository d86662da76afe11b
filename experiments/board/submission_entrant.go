package board

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

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
		s, values, err := o.alone(t, g, opt)
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
		n, err := o.entrant(t.rates(g), s, values)
		if err != nil {
			return nil, nil, nil, err
		}
		if o.tune != nil { // some values may not do on the task
			if _, err := t.Specs(t.Protocol().Rounds[0], n.Settings, opt); err != nil {
				_, why, _ := strings.Cut(err.Error(), ": ") // which begins with a line of our text
				return nil, nil, nil, o.errorf("tune.values", "%s", why)
			}
		}
		fit, entrants = append(fit, t), append(entrants, n)
	}
	if fit == nil {
		return nil, nil, nil, first
	}
	return fit, entrants, unfit, nil
}

// alone is a spec with the method alone on a task, and the values of its knob that the task takes. In
// small groups these may be a part of them, and then the method has one of them in the spec: the value
// of its file may not do.
func (o *Submission) alone(t Task, g *Grid, opt spec.LoadOptions) (with *spec.Spec, values []any, err error) {
	if o.tune != nil {
		values = o.tune.Values
	}
	if o.tune != nil && t.small() {
		values = nil
		for _, value := range o.tune.Values {
			e, err := o.entry(setting(t.rates(g).Alone[0], []Assignment{{o.tune.Knob, value}}), 1)
			if err != nil {
				return nil, nil, err
			}
			if specs, err := t.Specs(t.Protocol().Rounds[0], []Entry{e}, opt); err == nil {
				values, with = append(values, value), specs[0]
				with.Variants = slices.DeleteFunc(with.Variants, func(v *spec.Variant) bool { return v.Name != e.label() })
			}
		}
	}
	if with == nil {
		with, err = o.spec(t.Text[strings.Index(t.Text, "[env]"):], t.specName(Stage{Name: "own"}, 1), opt)
	}
	return with, values, err
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

// entrant is the method in a spec of it alone. values are those of its knob, if it has one, that the
// task takes.
func (o *Submission) entrant(rates *Rates, s *spec.Spec, values []any) (Entrant, error) {
	if len(s.Variants) != 1 {
		return Entrant{}, o.errorf("method", "a field has several values: want one of each, and those of a knob in [tune]")
	}
	setup := s.Variants[0].Setup
	p, err := setup()
	if err != nil {
		return Entrant{}, err
	}
	if !p.Method.Method.Trains {
		return Entrant{}, o.errorf("method.name", "%s does not train: there is nothing to tune", o.Name)
	}
	instance := func(s Setting) (*spec.Setup, error) {
		fresh, err := setup()
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(assign(fresh, s.Set[1:]), fresh.Method.Check()); err != nil {
			return nil, o.errorf("tune.values", "%w", err)
		}
		return fresh, nil
	}
	row := &Row{Name: o.Name}
	if o.tune != nil {
		knob := o.tune.Knob
		if _, known := p.Method.Field(knob); !known {
			return Entrant{}, o.errorf("tune.knob", "%w", p.Method.Set(knob, o.tune.Values[0]))
		}
		for _, value := range o.tune.Values { // those too that the task does not take
			if _, err := instance(setting(rates.Alone[0], []Assignment{{knob, value}})); err != nil {
				return Entrant{}, err
			}
		}
		if len(values) > 0 {
			row.Knob, row.Values = knob, values
		}
	}
	return rates.entrant(row, p, o.entry, instance)
}

// entry is the method at a setting.
func (o *Submission) entry(s Setting, pace int) (Entry, error) {
	fields := maps.Clone(o.table)
	delete(fields, "label")
	if len(s.Set) > 1 {
		delete(fields, s.Set[1].Field) // the knob
	}
	lines, err := toml.Marshal(fields)
	return Entry{Method: o.Name, Setting: s.Label, TOML: string(lines) + s.TOML(), Pace: pace}, err
}
