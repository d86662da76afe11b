package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/internal/each"
	"modebench/internal/params"
)

// advantages are those that a method with its defaults gives the rollouts of an example: one number
// for each rollout, or one for each of its tokens.
func (e *example) advantages(m estimators.Method) ([][]float64, error) {
	instance := m.New()
	if instance.PerToken() {
		tokens := estimators.NewTokenAdvantages(e.batch)
		err := instance.TokenAdvantages(tokens, e.batch)
		return tokens[0], err
	}
	rollouts := estimators.NewAdvantages(e.batch)
	err := instance.Advantages(rollouts, e.batch)
	out := each.Map(rollouts[0], func(a float64) []float64 { return []float64{a} })
	return out, err
}

// cells are advantages by kind of rollout; where those of one kind differ, from the least to the
// largest.
func (e *example) cells(advantages [][]float64) []string {
	var out []string
	for _, k := range e.kinds {
		var texts []string
		var all []float64
		for _, i := range k.rollouts {
			tokens := each.Map(advantages[i], threeDigits)
			texts = append(texts, strings.Join(tokens, ", "))
			all = append(all, advantages[i]...)
		}
		if texts = slices.Compact(texts); len(texts) > 1 {
			texts[0] = threeDigits(slices.Min(all)) + " to " + threeDigits(slices.Max(all))
		}
		out = append(out, texts[0])
	}
	return out
}

func threeDigits(x float64) string {
	if text := fmt.Sprintf("%.3f", x); text != "-0.000" {
		return text
	}
	return "0.000"
}

func (k kindOfRollout) mean(advantages [][]float64) float64 {
	sum, n := 0.0, 0
	for _, i := range k.rollouts {
		for _, a := range advantages[i] {
			sum += a
			n++
		}
	}
	return sum / float64(n)
}

// exampleOf is the group that a method's page shows.
func (s *site) exampleOf(m estimators.Method) *example {
	if m.Candidates > 1 {
		return s.several
	}
	return s.single
}

// An exampleView shows the fields that a method reads of one group and its advantages, below those of GRPO.
type exampleView struct {
	Intro, File, Method, Settings string
	Head                          []string
	Rows                          [][]string
	ReadsGreedy                   bool
	Greedy                        float64
	Tokens                        int // with an advantage each, of an answer
}

func (s *site) example(m estimators.Method) *exampleView {
	e, needs := s.exampleOf(m), m.New().Requirements()
	v := &exampleView{Intro: e.intro, File: e.file, Method: m.Name, Settings: defaults(m), Head: e.head("mode"), Rows: e.read(needs), Greedy: e.greedy}
	v.ReadsGreedy = needs.RolloutFields&estimators.GroupGreedy != 0
	if e == s.single && m.Name != "grpo" {
		v.Rows = append(v.Rows, append([]string{"advantage under " + link(methodPath("grpo"), code("grpo"))}, e.cells(s.advantages(e, s.grpo))...))
	}
	advantages := s.advantages(e, m)
	v.Tokens = len(advantages[0])
	v.Rows = append(v.Rows, append([]string{"advantage under " + code(m.Name)}, e.cells(advantages)...))
	return v
}

// advantages are those of an example, which fit every method that it is shown for.
func (s *site) advantages(e *example, m estimators.Method) [][]float64 {
	advantages, err := e.advantages(m)
	if err != nil {
		s.fail(fmt.Errorf("%s: %w", m.Name, err))
	}
	return advantages
}

func defaults(m estimators.Method) string {
	var parts []string
	for _, f := range params.Fields(m.Estimator()) {
		if text := fmt.Sprint(f.Value); text != "" {
			parts = append(parts, code(f.Name+" = "+text))
		}
	}
	return strings.Join(parts, ", ")
}

// A groupView shows all fields of an example's file, and the advantages of methods.
type groupView struct {
	Intro, File, Base string
	Head              []string
	Rows              [][]string
	Families          []advantageRows
}

type advantageRows struct {
	Name string
	Head []string
	Rows [][]string
}

// examplePage has both groups, and the advantages of all methods.
func (s *site) examplePage() {
	s.place(s.single.file)
	s.place(s.several.file)
	common, rare := s.single.kinds[0], s.single.kinds[1] // A test holds that both are correct, and the first has more rollouts.
	single, several := s.single.view(), s.several.view()
	for _, f := range estimators.Families() {
		rows := s.advantageRows(f.Methods, s.single, func(advantages [][]float64) []string {
			return []string{threeDigits(rare.mean(advantages) - common.mean(advantages))}
		})
		if len(rows) > 0 {
			single.Families = append(single.Families, advantageRows{f.Name, append(s.single.head("method"), rare.modes()+" minus "+common.modes()), rows})
		}
	}
	rows := s.advantageRows(estimators.Methods(), s.several, func([][]float64) []string { return nil })
	several.Families = []advantageRows{{"", s.several.head("method"), rows}}
	s.page("methods/example.md", "examples", map[string]any{
		"Single": single, "Several": several, "Common": common.modes(), "Rare": rare.modes(), "Greedy": s.single.greedy,
	})
}

func (e *example) view() groupView {
	v := groupView{Intro: e.intro, File: e.file, Base: filepath.Base(e.file), Head: e.head("mode")}
	for _, name := range e.fields {
		v.Rows = append(v.Rows, e.row(name))
	}
	return v
}

// advantageRows are the advantages of those methods that an example is for, each with more cells behind.
func (s *site) advantageRows(methods []estimators.Method, e *example, more func([][]float64) []string) (rows [][]string) {
	for _, m := range methods {
		if !m.Trains || s.exampleOf(m) != e {
			continue
		}
		advantages := s.advantages(e, m)
		row := append([]string{link(methodPath(m.Name)+"#example", code(m.Name))}, e.cells(advantages)...)
		rows = append(rows, append(row, more(advantages)...))
	}
	return rows
}
