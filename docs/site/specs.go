package main

import (
	"fmt"
	"io/fs"
	"strings"

	"modebench/experiments/claims"
)

func specPath(name string) string { return "specs/" + name + ".md" }

// specPages has a page for each built-in spec with its text and the answers to its claims, and
// the list of all, and the schema of specs, for editors.
func (s *site) specPages() {
	texts := map[string]string{}
	for _, name := range explaining {
		data, err := fs.ReadFile(s.repo, "results/"+name+".md")
		s.fail(err)
		texts[name] = string(data)
	}
	var rows [][]string
	for _, f := range s.facts.specs {
		s.specPage(f, texts)
		rows = append(rows, []string{link(specPath(f.Name), code(f.Name)), escape(f.Title), escape(f.Source)})
	}
	s.page("specs/index.md", "specs", rows)
	schema, err := s.bench.prints("list", "spec", "--format", "json")
	s.fail(err)
	s.files["spec.schema.json"] = []byte(schema)
}

// explaining are the pages of results, in the order in which a spec's page lists them.
var explaining = []string{"setpo", "poly-epo", "vpo", "sd-e2", "evol-rl", "own", "held-out"}

func (s *site) specPage(f specFacts, results map[string]string) {
	var methods, environments, explained []string
	for _, name := range f.methods {
		if s.files[methodPath(name)] != nil {
			methods = append(methods, link(methodPath(name), code(name)))
		}
	}
	for _, name := range f.envs {
		environments = append(environments, link(environmentPath(name), code(name)))
	}
	for _, name := range explaining {
		if text := results[name]; strings.Contains(text, "`"+f.Name+"`") || strings.Contains(text, "bench run "+f.Name+" ") {
			explained = append(explained, link("results/"+name+".md", code(name+".md")))
		}
	}
	s.page(specPath(f.Name), "spec", map[string]any{
		"Spec": f, "Text": f.text, "Methods": methods, "Environments": environments, "Explained": explained, "Answers": s.answers(f),
	})
}

func (s *site) answers(f specFacts) (rows [][]string) {
	if f.Verdict == nil {
		return nil
	}
	for _, c := range f.Verdict.Claims {
		claim, answer, settings, err := s.facts.claim(f.Name, c.Claim)
		if s.fail(err) {
			return nil
		}
		rows = append(rows, []string{escape(claim.Text), escape(claim.Source), string(answer.Answer), escape(effect(claim.Metrics, settings))})
	}
	return rows
}

// effect is the effect of a claim in words: with its interval if there is one setting, else
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
