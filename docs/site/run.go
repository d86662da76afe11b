package main

import (
	"fmt"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/experiments/spec"
)

// howToRun has a spec that runs the method beside GRPO, and commands about it.
func (s *site) howToRun(w *writer, m estimators.Method) error {
	text, err := runSpec(m)
	if err != nil {
		return err
	}
	w.heading("run", "How to run it")
	w.paragraph("Save this as %s and run %s: %s.%s", code("mine.toml"), code("bench run mine.toml"), beside(m), answersOf(m))
	w.pre(text)
	commands := []string{code("bench list methods "+m.Name) + ": its fields with their defaults"}
	if m.Trains {
		commands = append(commands,
			code("bench audit "+m.Name)+": what its steps climb ("+w.link("commands/audit.html", "how")+")",
			code("bench estimate "+m.Name+" <batch.json>")+": the advantages of a batch of yours ("+w.link("commands/estimate.html", "how")+")")
		for _, file := range s.facts.vectors[m.Name] {
			to, err := s.place(file)
			if err != nil {
				return err
			}
			commands = append(commands, w.link(to, code(file))+": batches and their advantages, for an implementation in another language")
		}
	}
	w.list(commands)
	return nil
}

// beside says what the spec of a method runs.
func beside(m estimators.Method) string {
	switch {
	case m.Name == "grpo":
		return "the method beside the base policy"
	case m.Name == "base":
		return "the base policy beside GRPO"
	case m.Optimum:
		return "the optimum beside GRPO and the base policy"
	}
	return "the method beside GRPO and the base policy"
}

// answersOf says that what runs beside a method of chains gives no chains.
func answersOf(m estimators.Method) string {
	if m.Candidates == 1 {
		return ""
	}
	least := ""
	if m.Stops {
		least = "1 to "
	}
	return fmt.Sprintf(" The method gives chains of %s%d answers. The other two answer once.", least, m.Candidates)
}

// runSpec is a spec that runs the method beside GRPO and the base policy, on the first environment that
// all of them fit.
func runSpec(m estimators.Method) (string, error) {
	environments := []string{"bandit", "maze", "multiplication"}
	if m.Candidates > 1 || m.Goals {
		environments = environments[1:] // a bandit's reward has one component, and its answer one token
	}
	names := []string{"base"}
	for _, name := range []string{"grpo", m.Name} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var err error
	for _, environment := range environments {
		var b strings.Builder
		fmt.Fprintf(&b, "[env]\nname = %q\n", environment)
		if environment != "bandit" { // the default is one problem, which is what a bandit is
			b.WriteString("\n[train]\nproblems = 100\nbatch = 16\n")
		}
		for _, name := range names {
			fmt.Fprintf(&b, "\n[[method]]\nname = %q\n", name)
		}
		if err = fits(b.String()); err == nil {
			return b.String(), nil
		}
	}
	return "", err
}

// fits says why a spec cannot be run; nil: it can.
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
