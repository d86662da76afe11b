package estimators

import (
	"fmt"
	"slices"
	"strings"

	"modebench/internal/params"
)

// A Method is an estimator with its objective, under the name its paper uses.
type Method struct {
	Name    string
	Summary string // one line
	Source  string // paper and section, or framework
	Trains  bool   // false for base and optimum
	// Candidates is the number of answers per rollout in the method's own
	// protocol: 3 for multi-answer chains (VPO sec. 4.1), else 1; never 0.
	Candidates int
	// Goals: the prompt states the weights that the group's rollouts are scored
	// under, Group.Weights (goal conditioning, VPO sec. 4.2).
	Goals bool
	// Optimum: no policy at all, but the exact optimum of each metric; the row
	// that bounds the others.
	Optimum bool
	// estimator returns a fresh estimator with the method's defaults.
	estimator func() Estimator
	objective Objective
}

// An Instance is a method whose fields can be set.
type Instance struct {
	Method    Method
	Estimator Estimator
	Objective Objective
}

// New returns the method with its defaults.
func (m Method) New() *Instance {
	return &Instance{Method: m, Estimator: m.estimator(), Objective: m.objective}
}

// Field returns a field of the method, of its estimator or of its objective.
func (i *Instance) Field(name string) (params.Field, bool) {
	if f, ok := params.Lookup(i.Estimator, name); ok {
		return f, true
	}
	return params.Lookup(&i.Objective, name)
}

// Fields lists the fields of the estimator, then those of the objective. Base
// has none.
func (i *Instance) Fields() []params.Field {
	if !i.Method.Trains {
		return nil
	}
	return append(params.Fields(i.Estimator), params.Fields(&i.Objective)...)
}

// Set sets a field from a decoded value; see params.Set.
func (i *Instance) Set(name string, value any) error {
	part, err := i.holder(name)
	if err != nil {
		return err
	}
	before := i.Objective
	if err := params.Set(part, name, value); err != nil {
		return fmt.Errorf("method %s: %w", i.Method.Name, err)
	}
	return i.check(before)
}

// SetText sets a field from "name=value".
func (i *Instance) SetText(pair string) error {
	name, _, _ := strings.Cut(pair, "=")
	part, err := i.holder(strings.TrimSpace(name))
	if err != nil {
		return err
	}
	before := i.Objective
	if err := params.SetPair(part, pair); err != nil {
		return fmt.Errorf("method %s: %w", i.Method.Name, err)
	}
	return i.check(before)
}

// check puts the objective back as it was where the fields now contradict.
func (i *Instance) check(before Objective) error {
	if err := i.Objective.Check(); err != nil {
		i.Objective = before
		return fmt.Errorf("method %s: %w", i.Method.Name, err)
	}
	return nil
}

// holder is the part of the method that has the field.
func (i *Instance) holder(name string) (any, error) {
	if i.Method.Trains {
		if _, ok := params.Lookup(i.Estimator, name); ok {
			return i.Estimator, nil
		}
		if _, ok := params.Lookup(&i.Objective, name); ok {
			return &i.Objective, nil
		}
	}
	var known []string
	for _, f := range i.Fields() {
		known = append(known, f.Name)
	}
	if known == nil {
		return nil, fmt.Errorf("method %s: unknown field %q; it has no fields", i.Method.Name, name)
	}
	return nil, fmt.Errorf("method %s: unknown field %q; known fields: %s", i.Method.Name, name, strings.Join(known, ", "))
}

// Methods lists every method: baselines first, then family by family.
func Methods() []Method {
	all := slices.Clone(methods)
	for i := range all {
		all[i] = all[i].complete()
	}
	return all
}

// complete fills in what the registry leaves out.
func (m Method) complete() Method {
	m.Candidates = max(m.Candidates, 1)
	return m
}

// Lookup returns the method of that name, or an error listing the known ones.
func Lookup(name string) (Method, error) {
	var names []string
	for _, m := range methods {
		if m.Name == name {
			return m.complete(), nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("unknown method %q; known methods: %s", name, strings.Join(names, ", "))
}
