package audit

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
	"modebench/internal/params"
)

// Methods reads methods as a command line gives them: NAME, or NAME:FIELD=VALUE with several fields
// after commas. None represent every method that trains, and every label is there once.
func Methods(args []string) ([]Method, error) {
	if len(args) == 0 {
		for _, m := range estimators.Methods() {
			if m.Trains {
				args = append(args, m.Name)
			}
		}
	}
	var out []Method
	for _, arg := range args {
		m, err := methodOf(arg)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Method) bool { return o.Label == m.Label }) {
			return nil, fmt.Errorf("%q is there twice", arg)
		}
		out = append(out, m)
	}
	return out, nil
}

// nextField is a comma before a field's name; any other comma belongs to a value.
var nextField = regexp.MustCompile(`,\s*[a-z_]+\s*=($|[^=])`)

func methodOf(arg string) (Method, error) {
	name, rest, given := strings.Cut(arg, ":")
	method, err := estimators.Lookup(name)
	switch {
	case err != nil:
		return Method{}, err
	case name == plugin.Name:
		return Method{}, fmt.Errorf("a plug-in comes from a spec, which names its command: --spec FILE")
	case !method.Trains:
		return Method{}, fmt.Errorf("method %s trains nothing, so it has no step to audit", name)
	case given && strings.TrimSpace(rest) == "":
		return Method{}, fmt.Errorf("%q: no field behind the colon, want %s:FIELD=VALUE", arg, name)
	}
	var pairs []string
	for rest != "" {
		bounds := nextField.FindStringIndex(rest)
		if bounds == nil {
			bounds = []int{len(rest)}
		}
		pairs = append(pairs, strings.TrimSpace(rest[:bounds[0]]))
		rest = strings.TrimPrefix(rest[bounds[0]:], ",")
	}
	build := func() (*estimators.Instance, func() error, error) {
		instance := method.New()
		for _, pair := range pairs {
			if err := instance.SetText(pair); err != nil {
				return nil, nil, err
			}
		}
		return instance, func() error { return nil }, instance.Check()
	}
	instance, _, err := build()
	if err != nil {
		return Method{}, err
	}
	return Method{Label: strings.Join(append([]string{name}, pairs...), " "), New: build, Steps: stepsOf(instance)}, nil
}

// FromSpec takes the methods of a spec with their fields, and its bandit; if the spec sets nothing
// of its bandit, the audit's is used, which notes reports. Methods that do not train are left out;
// any other environment, or several bandits, are an error. The context ends its plug-ins. notes may
// be nil.
func FromSpec(ctx context.Context, spec *spec.Spec, notes func(line string)) ([]Method, envs.Config, error) {
	var out []Method
	var config envs.Config
	first := record.Component{}
	for _, v := range spec.Variants {
		if !v.OneProblem() {
			return nil, nil, input.Errorf("%s: an audit enumerates a bandit, and the spec's environment is %s", spec.Name, v.Env)
		}
		if !v.Trains {
			continue
		}
		p, err := v.Setup()
		if err != nil {
			return nil, nil, &input.Error{Err: err}
		}
		cell := p.Cell(0)
		switch {
		case config == nil:
			config, first = p.EnvConfig, cell.Env
		case !reflect.DeepEqual(first, cell.Env):
			return nil, nil, input.Errorf("%s: an audit takes one bandit, and the spec has several", spec.Name)
		}
		out = append(out, Method{Label: v.Label, Steps: stepsOf(p.Method), New: func() (*estimators.Instance, func() error, error) {
			p, err := v.Setup()
			if err != nil {
				return nil, nil, err
			}
			end, err := p.OpenPlugin(ctx, v.Label, notes)
			return p.Method, end, err
		}})
	}
	if len(out) == 0 {
		return nil, nil, input.Errorf("%s: no method of the spec trains, so there is no step to audit", spec.Name)
	}
	if reflect.DeepEqual(params.Values(config), params.Values(bandit.Default())) {
		config = Bandit()
		if notes != nil {
			notes(spec.Name + " sets no field of its bandit, so its methods are audited on the audit's own bandits")
		}
	}
	return out, config, nil
}
