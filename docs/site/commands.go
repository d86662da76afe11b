package main

import (
	"strings"
)

func commandPath(name string) string { return "commands/" + name + ".html" }

// commandPages has a page for each command with what bench help prints of it, and one for bench
// help itself.
func (s *site) commandPages() error {
	text, err := s.bench.prints("help")
	if err != nil {
		return err
	}
	list := &writer{from: "commands/index.html"}
	list.title("Commands")
	list.paragraph("What %s prints, and a page for each command. %s has them with their main flags in one table, and says how documents look that commands read.", code("bench help"), list.link("docs/commands.html", "Commands and exit codes"))
	var items []string
	for _, name := range s.facts.commands {
		help, err := s.bench.prints("help", name)
		if err != nil {
			return err
		}
		summary, _, _ := strings.Cut(help, "\n")
		items = append(items, list.link(commandPath(name), code("bench "+name))+": "+escape(summary))
		w := &writer{from: commandPath(name)}
		w.title(code("bench " + name))
		w.pre(help)
		w.paragraph("This is what %s prints. %s", code("bench help "+name), w.link("commands/index.html", "All commands"))
		s.add(&page{path: w.from, title: "bench " + name + ": " + summary, body: w.String()})
	}
	list.list(items)
	list.heading("help", "bench help")
	list.pre(text)
	s.add(&page{path: list.from, title: "Commands", body: list.String()})
	return nil
}
