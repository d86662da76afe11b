package main

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/spec"
)

// A runView is a spec that runs a method beside others, and the files of vectors that a page lists with it.
type runView struct {
	Beside, Spec string
	Vectors      []string
}

func (s *site) run(m estimators.Method) (v runView, err error) {
	if m.Trains {
		v.Vectors = s.facts.vectors[m.Name]
	}
	for _, file := range v.Vectors {
		s.place(file)
	}
	var links []string
	for _, name := range beside(m) {
		if name != m.Name {
			links = append(links, link(methodPath(name), code(name)))
		}
	}
	v.Beside = strings.Join(links, " and ")
	v.Spec, err = runSpec(m)
	return v, err
}

// beside lists a method and those that its spec runs it beside.
func beside(m estimators.Method) []string {
	names := []string{"base", "grpo"}
	if !slices.Contains(names, m.Name) {
		names = append(names, m.Name)
	}
	return names
}

// runSpec is a spec that runs the method beside GRPO and the base policy, on the first environment that
// all of them fit. Chains and goals are about rewards of many components, so these methods try the
// environments with the most components first.
func runSpec(m estimators.Method) (text string, err error) {
	type choice struct {
		envs.Definition
		components int
	}
	var choices []choice
	for _, name := range envs.Names() {
		d, err := envs.Lookup(name)
		if err != nil {
			return "", err
		}
		env, err := d.Default().Build()
		if err != nil {
			return "", err
		}
		choices = append(choices, choice{d, len(env.Info().Components)})
	}
	if m.Candidates > 1 || m.Goals {
		slices.SortStableFunc(choices, func(a, b choice) int { return b.components - a.components })
	}
	for _, c := range choices {
		text = fmt.Sprintf("[env]\nname = %q\n", c.Name)
		if !c.OneProblem { // by default a spec trains on one problem
			text += "\n[train]\nproblems = 100\nbatch = 16\n"
		}
		for _, name := range beside(m) {
			text += fmt.Sprintf("\n[[method]]\nname = %q\n", name)
		}
		if err = fits(text); err == nil {
			return text, nil
		}
	}
	return "", err
}

// fits returns the reason why a spec cannot be run; nil: it can.
func fits(text string) error {
	s, err := spec.Parse("mine.toml", []byte(text), spec.LoadOptions{})
	if err != nil {
		return err
	}
	for _, v := range s.Variants {
		if _, err := v.Setup(); err != nil {
			return err
		}
	}
	return nil
}
