package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"modebench/experiments/claims"
)

func specPath(name string) string { return "specs/" + name + ".html" }

// specPages has a page for each built-in spec with its text and the answers to its claims, and
// the list of all.
func (s *site) specPages() error {
	results, err := filepath.Glob(filepath.Join(s.root, "results", "*.md"))
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for _, file := range results {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		texts["results/"+strings.TrimSuffix(filepath.Base(file), ".md")+".html"] = string(data)
	}
	list := &writer{from: "specs/index.html"}
	list.title("Specs")
	list.paragraph("The experiments that come with the program: %s and a name runs one. %s says how to write your own.", list.link(commandPath("run"), code("bench run")), list.link("docs/specs.html", "Specs"))
	var rows [][]string
	for _, f := range s.facts.specs {
		p, err := s.specPage(f, texts)
		if err != nil {
			return fmt.Errorf("spec %s: %w", f.Name, err)
		}
		s.add(p)
		rows = append(rows, []string{list.link(specPath(f.Name), code(f.Name)), escape(f.Title), escape(f.Source)})
	}
	list.table([]string{"spec", "what it is", "re-makes"}, rows)
	s.add(&page{path: list.from, title: "Specs", body: list.String()})
	return nil
}

func (s *site) specPage(f specFacts, results map[string]string) (*page, error) {
	w := &writer{from: specPath(f.Name)}
	w.title(code(f.Name))
	w.paragraph("%s.", escape(capital(f.Title)))
	var methods, environments, explained []string
	for _, name := range f.methods {
		if s.pages[methodPath(name)] != nil {
			methods = append(methods, w.link(methodPath(name), code(name)))
		}
	}
	for _, name := range f.envs {
		environments = append(environments, w.link(environmentPath(name), code(name)))
	}
	for _, name := range []string{"setpo", "poly-epo", "vpo", "sd-e2", "evol-rl", "own", "held-out"} {
		if at := "results/" + name + ".html"; strings.Contains(results[at], "`"+f.Name+"`") || strings.Contains(results[at], "bench run "+f.Name+" ") {
			explained = append(explained, w.link(at, code(name+".md")))
		}
	}
	rows := [][2]string{{"policy", escape(f.Policy)}}
	if f.Source != "" {
		rows = append(rows, [2]string{"re-makes", escape(f.Source)})
	}
	rows = append(rows, [2]string{"environments", strings.Join(environments, ", ")}, [2]string{"methods", strings.Join(methods, ", ")})
	if len(explained) > 0 {
		rows = append(rows, [2]string{"results", strings.Join(explained, ", ")})
	}
	w.facts(rows)
	if f.verdict != nil {
		if err := s.answers(w, f); err != nil {
			return nil, err
		}
	}
	w.heading("text", "The spec")
	w.paragraph("%s runs it. This is its text, as %s prints it:", code("bench run "+f.Name), code("bench list specs "+f.Name))
	w.pre(f.text)
	return &page{path: w.from, title: f.Name + ": spec", body: w.String()}, nil
}

// answers are what the registered seeds say of the claims of a spec.
func (s *site) answers(w *writer, f specFacts) error {
	w.heading("claims", "What it claims, and what was found")
	var rows [][]string
	for _, c := range f.verdict.Claims {
		claim, answer, settings, err := s.facts.claim(f.Name, c.Claim)
		if err != nil {
			return err
		}
		rows = append(rows, []string{escape(claim.Text), escape(claim.Source), string(answer.Answer), escape(effect(claim.Metrics, settings))})
	}
	seeds := f.verdict.Seeds.Number
	w.paragraph("The answers of %d registered seeds, from %s. %s says what an answer means.", seeds, code("results/verdicts/"+f.Name+".json"), w.link("docs/claims.html#what-a-claim-says", "Claims"))
	w.table([]string{"claim", "from", "answer", "effect"}, rows)
	return nil
}

// effect is the effect of a claim in words: with its interval where there is one setting, else
// from the least to the greatest.
func effect(metrics []string, settings []claims.AnswerAt) string {
	name := ""
	if len(metrics) == 1 {
		name = metrics[0] + " "
	}
	switch len(settings) {
	case 0:
		return ""
	case 1:
		e := settings[0].Effect
		return fmt.Sprintf("%s%s [%s, %s]", name, signed(float64(e[0])), signed(float64(e[1])), signed(float64(e[2])))
	}
	low, high := float64(settings[0].Effect[0]), float64(settings[0].Effect[0])
	for _, a := range settings {
		low, high = min(low, float64(a.Effect[0])), max(high, float64(a.Effect[0]))
	}
	return fmt.Sprintf("%s%s to %s over %d settings", name, signed(low), signed(high), len(settings))
}

// signed is a number with its sign and three digits that count.
func signed(x float64) string {
	switch size := max(x, -x); {
	case size < 0.0005:
		return "0.000"
	case size < 10:
		return fmt.Sprintf("%+.3f", x)
	}
	return fmt.Sprintf("%+.1f", x)
}
