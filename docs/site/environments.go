package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
)

func environmentPath(name string) string { return "environments/" + name + ".html" }

// shownProblem finds which problem of an environment the manual shows: `bench env countdown --index 4`.
var shownProblem = regexp.MustCompile("`bench env (\\w+)((?: --index \\d+)?)`: ")

// environmentPages has a page for each environment, and the list of all.
func (s *site) environmentPages() error {
	manual, err := os.ReadFile(filepath.Join(s.root, "docs", "environments.md"))
	if err != nil {
		return err
	}
	flags := map[string][]string{}
	for _, m := range shownProblem.FindAllStringSubmatch(string(manual), -1) {
		flags[m[1]] = strings.Fields(m[2])
	}
	list := &writer{from: "environments/index.html"}
	list.title("Environments")
	list.paragraph("Every solution of every problem is known. %s has them side by side: what is judged, what is known, splits, base policies and noise.", list.link("docs/environments.html", "The page of the manual"))
	var rows [][]string
	for _, d := range s.facts.envs {
		p, err := s.environmentPage(d, flags[d.Name], string(manual))
		if err != nil {
			return fmt.Errorf("environment %s: %w", d.Name, err)
		}
		s.add(p)
		rows = append(rows, []string{list.link(environmentPath(d.Name), code(d.Name)), escape(d.Summary), escape(d.Source)})
	}
	list.table([]string{"environment", "what it is", "source"}, rows)
	s.add(&page{path: list.from, title: "Environments", body: list.String()})
	return nil
}

func (s *site) environmentPage(d envs.Definition, problem []string, manual string) (*page, error) {
	config := d.Default()
	env, err := config.Build()
	if err != nil {
		return nil, err
	}
	w := &writer{from: environmentPath(d.Name)}
	w.title(code(d.Name))
	w.paragraph("%s.", escape(capital(d.Summary)))
	info := env.Info()
	w.facts([][2]string{
		{"source", escape(d.Source)},
		{"reward", escape(strings.Join(info.Components, ", "))},
		{"gives", escape(strings.Join(info.Provides().Names(), ", "))},
		{"in short", w.link("docs/environments.html#what-is-judged-and-what-is-known", "what counts as an answer, as correct and as a strategy")},
	})
	w.heading("problem", "One problem, and all that is known of it")
	args := append([]string{d.Name}, problem...)
	picture, err := s.bench.picture(args...)
	if err != nil {
		return nil, err
	}
	file := "environments/" + d.Name + ".svg"
	s.files[file] = picture
	fmt.Fprintf(w, "<p><img src=\"%s.svg\" alt=\"A problem of %s, drawn; the text below says the same\"></p>\n", d.Name, d.Name)
	text, err := s.bench.prints(append([]string{"env"}, args...)...)
	if err != nil {
		return nil, err
	}
	w.paragraph("%s prints the prompt, and then the truth:", code("bench env "+strings.Join(args, " ")))
	w.pre(text)
	w.heading("rules", "Rules")
	folder := "envs/" + d.Name
	of := s.docs.of[folder]
	if of == nil || of.Doc == "" {
		return nil, fmt.Errorf("package %s has no doc comment", folder)
	}
	w.WriteString(s.docs.html(of, of.Doc, w.from))
	w.paragraph("From %s.", w.link(apiPath(folder), code("go doc ./"+folder)))
	s.basePolicy(w, d, manual)
	w.heading("settings", "Settings")
	s.fieldTable(w, params.Fields(config))
	s.specsWith(w, "This environment is in", func(f specFacts) bool { return slices.Contains(f.envs, d.Name) })
	return &page{path: w.from, title: d.Name + ": environment", body: w.String()}, nil
}

// basePolicy says what training starts from.
func (s *site) basePolicy(w *writer, d envs.Definition, manual string) {
	w.heading("base-policy", "Base policy")
	w.paragraph("A tabular policy starts from the environment's demonstrator, and a transformer from what it learns of demonstrations (%s).", w.link("docs/environments.html#base-policies", "more"))
	var lines []string
	for line := range strings.Lines(manual) {
		if strings.HasPrefix(line, "base env="+d.Name+" ") {
			lines = append(lines, line)
		}
		if strings.HasPrefix(line, "method  ") && strings.Contains(line, "coverage@64") {
			lines = append(lines[:0], line)
		}
	}
	if len(lines) > 1 {
		w.paragraph("Of the first 100 problems with tables (%s):", code("bench run base-policies"))
		w.pre(strings.Join(lines, ""))
	}
	if t := d.Transformer; t.Width > 0 {
		w.paragraph("A small transformer learns it with vectors of %d and %d heads, from %d steps of %d demonstrations at rate %v.", t.Width, t.Heads, t.Steps, t.Batch, t.LR)
	}
}
