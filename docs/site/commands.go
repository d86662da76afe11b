package main

import "strings"

func commandPath(name string) string { return "commands/" + name + ".md" }

func (s *site) commandPages() error {
	type command struct{ Name, Summary, Help string }
	var all []command
	for _, name := range s.facts.commands {
		help, err := s.bench.prints("help", name)
		if err != nil {
			return err
		}
		summary, _, _ := strings.Cut(help, "\n")
		c := command{name, summary, help}
		if err := s.page(commandPath(name), "command", c); err != nil {
			return err
		}
		all = append(all, c)
	}
	return s.page("commands/index.md", "commands", map[string]any{"Commands": all, "Help": s.facts.help})
}
