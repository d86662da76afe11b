package main

import (
	"fmt"
	"slices"
	"strings"

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
		if _, err := s.place(file); err != nil {
			return v, err
		}
	}
	var others []string
	for _, name := range beside(m) {
		if name != m.Name {
			others = append(others, link(methodPath(name), code(name)))
		}
	}
	v.Beside = strings.Join(others, " and ")
	v.Spec, err = runSpec(m)
	return v, err
}

// beside lists a method and those that its spec runs it beside.
func beside(m estimators.Method) []string {
	names := []string{"base"}
	for _, name := range []string{"grpo", m.Name} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// runSpec is a spec that runs the method beside GRPO and the base policy, on the first environment that
// all of them fit.
func runSpec(m estimators.Method) (string, error) {
	environments := []string{"bandit", "maze", "multiplication"}
	if m.Candidates > 1 || m.Goals {
		environments = environments[1:] // a bandit's reward has one component, and its answer one token
	}
	var err error
	for _, environment := range environments {
		var b strings.Builder
		fmt.Fprintf(&b, "[env]\nname = %q\n", environment)
		if environment != "bandit" { // the default is one problem, and a bandit is one
			b.WriteString("\n[train]\nproblems = 100\nbatch = 16\n")
		}
		for _, name := range beside(m) {
			fmt.Fprintf(&b, "\n[[method]]\nname = %q\n", name)
		}
		if err = fits(b.String()); err == nil {
			return b.String(), nil
		}
	}
	return "", err
}

// fits is the reason why a spec cannot be run; nil: it can.
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
