package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/internal/params"
)

// exampleAdvantages are what bench estimate prints of an example: one number for each rollout, or
// one for each of its tokens.
func (s *site) exampleAdvantages(e *example, method string) ([][]float64, error) {
	file, err := filepath.Abs(filepath.Join(s.root, e.file))
	if err != nil {
		return nil, err
	}
	text, err := s.bench.prints("estimate", method, file)
	if err != nil {
		return nil, err
	}
	var tokens struct{ Advantages [][][]float64 }
	if json.Unmarshal([]byte(text), &tokens) == nil {
		return tokens.Advantages[0], nil
	}
	var rollouts struct{ Advantages [][]float64 }
	if err := json.Unmarshal([]byte(text), &rollouts); err != nil {
		return nil, fmt.Errorf("bench estimate %s: %w", method, err)
	}
	var out [][]float64
	for _, a := range rollouts.Advantages[0] {
		out = append(out, []float64{a})
	}
	return out, nil
}

// cells are advantages by kind of rollout; where those of one kind differ, from the least to the
// largest.
func (e *example) cells(advantages [][]float64) []string {
	var out []string
	for _, k := range e.kinds {
		var each []string
		var all []float64
		for _, i := range k.rollouts {
			var tokens []string
			for _, a := range advantages[i] {
				tokens = append(tokens, threeDigits(a))
			}
			each = append(each, strings.Join(tokens, ", "))
			all = append(all, advantages[i]...)
		}
		if each = slices.Compact(each); len(each) > 1 {
			each[0] = threeDigits(slices.Min(all)) + " to " + threeDigits(slices.Max(all))
		}
		out = append(out, each[0])
	}
	return out
}

// threeDigits writes an advantage.
func threeDigits(x float64) string {
	if text := fmt.Sprintf("%.3f", x); text != "-0.000" {
		return text
	}
	return "0.000"
}

// mean is the mean advantage of the rollouts of a kind.
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
	return s.one
}

// example shows what a method reads of one group and its advantages, with those of GRPO above.
func (s *site) example(w *writer, m estimators.Method) error {
	e, needs := s.exampleOf(m), m.New().Requirements()
	advantages, err := s.exampleAdvantages(e, m.Name)
	if err != nil {
		return err
	}
	rows := e.read(needs)
	if e == s.one && m.Name != "grpo" {
		usual, err := s.exampleAdvantages(e, "grpo")
		if err != nil {
			return err
		}
		rows = append(rows, append([]string{"advantage under " + w.link(methodPath("grpo"), code("grpo"))}, e.cells(usual)...))
	}
	rows = append(rows, append([]string{"advantage under " + code(m.Name)}, e.cells(advantages)...))
	to, err := s.place(e.file)
	if err != nil {
		return err
	}
	w.paragraph("%s", e.intro)
	w.table(e.head("mode"), rows)
	if needs.RolloutFields&estimators.GroupGreedy != 0 {
		w.paragraph("The greedy rollout has the reward %v.", e.greedy)
	}
	if n := len(advantages[0]); n > 1 {
		w.paragraph("Every token has an advantage of its own. An answer has %d tokens here.", n)
	}
	w.paragraph("%s prints these advantages from %s%s. There is also %s.", code("bench estimate "+m.Name), w.link(to, code(e.file)), ownSettings(m), w.link(examplesAt, "a page with all fields of that file and the advantages under every estimator"))
	return nil
}

// ownSettings says which settings of its own a method has by default.
func ownSettings(m estimators.Method) string {
	var parts []string
	for _, f := range params.Fields(m.Estimator()) {
		if text := fmt.Sprint(f.Value); text != "" {
			parts = append(parts, code(f.Name+" = "+text))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", with " + strings.Join(parts, ", ")
}

// examplePage has both groups, and the advantages of all methods.
func (s *site) examplePage() error {
	w := &writer{from: examplesAt}
	w.title("One group, every estimator")
	common, rare, err := s.one.commonAndRare()
	if err != nil {
		return err
	}
	if err := s.wholeExample(w, s.one); err != nil {
		return err
	}
	w.paragraph("The tables below have the advantages that every method gives them with its defaults. Where the rare mode %s gets more than the common mode %s, the advantage itself keeps modes alive: the last column has by how much. Scales differ between methods, so it is the sign that compares. A method with GRPO's advantages may differ from GRPO in its loss, which its page has.", rare.modes[0], common.modes[0])
	for _, f := range s.facts.families {
		rows, err := s.advantageRows(w, f.Methods, s.one, func(advantages [][]float64) []string {
			return []string{threeDigits(rare.mean(advantages) - common.mean(advantages))}
		})
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			w.heading(slug(f.Name), f.Name)
			w.table(append(s.one.head("method"), rare.modes[0]+" minus "+common.modes[0]), rows)
		}
	}
	w.paragraph("A row of zeros has nothing to teach here: two rollouts or more share the best reward, any %d hold a correct one, and the greedy rollout has the reward %v.", s.one.wrong()+1, s.one.greedy)
	w.heading("several-answers", "Rollouts of several answers")
	if err := s.wholeExample(w, s.several); err != nil {
		return err
	}
	rows, err := s.advantageRows(w, s.facts.methods, s.several, func([][]float64) []string { return nil })
	if err != nil {
		return err
	}
	w.paragraph("These are the advantages:")
	w.table(s.several.head("method"), rows)
	s.add(&page{path: w.from, title: "One group, every estimator", body: w.String()})
	return nil
}

// wholeExample shows all that the file of an example says.
func (s *site) wholeExample(w *writer, e *example) error {
	to, err := s.place(e.file)
	if err != nil {
		return err
	}
	w.paragraph("%s This is all that %s says of them; a method reads some of it, as its page says. %s prints the advantages.", e.intro, w.link(to, code(e.file)), code("bench estimate METHOD "+filepath.Base(e.file)))
	var rows [][]string
	for _, name := range e.fields {
		rows = append(rows, e.row(name))
	}
	w.table(e.head("mode"), rows)
	if e.answers == 1 {
		w.paragraph("A greedy rollout beside them has the reward %v.", e.greedy)
	}
	return nil
}

// advantageRows are the advantages of those methods that an example is for, and what more there is to say.
func (s *site) advantageRows(w *writer, methods []estimators.Method, e *example, more func([][]float64) []string) ([][]string, error) {
	var rows [][]string
	for _, m := range methods {
		if !m.Trains || s.exampleOf(m) != e {
			continue
		}
		advantages, err := s.exampleAdvantages(e, m.Name)
		if err != nil {
			return nil, err
		}
		row := append([]string{w.link(methodPath(m.Name)+"#example", code(m.Name))}, e.cells(advantages)...)
		rows = append(rows, append(row, more(advantages)...))
	}
	return rows, nil
}

// commonAndRare are the two correct kinds of rollouts, the one with more of them first.
func (e *example) commonAndRare() (common, rare kindOfRollout, err error) {
	var right []kindOfRollout
	for _, k := range e.kinds {
		if k.correct[0] {
			right = append(right, k)
		}
	}
	if len(right) != 2 || len(right[0].rollouts) <= len(right[1].rollouts) {
		return common, rare, fmt.Errorf("%s: want two correct kinds of rollouts, first the one with more of them", e.file)
	}
	return right[0], right[1], nil
}
