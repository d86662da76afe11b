package main

import "strings"

func commandPath(name string) string { return "commands/" + name + ".md" }

func (s *site) commandPages() {
	type command struct{ Name, Summary, Help string }
	var all []command
	for _, name := range s.facts.commands {
		help, err := s.bench.prints("help", name)
		if s.fail(err) {
			return
		}
		summary, _, _ := strings.Cut(help, "\n")
		c := command{name, summary, help}
		s.page(commandPath(name), "command", c)
		all = append(all, c)
	}
	s.page("commands/index.md", "commands", map[string]any{"Commands": all, "Help": s.facts.help})
}
