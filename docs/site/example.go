package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/estimators/batchjson"
)

// The batches that every method's page has advantages of: one of rollouts with one answer each, and
// one of rollouts with two.
const (
	exampleFile = "docs/site/example.json"
	severalFile = "docs/site/example-several.json"
	examplesAt  = "methods/example.html"
)

// An example is one group, and what methods make of it.
type example struct {
	file  string
	kinds []kindOfRollout
}

// A kindOfRollout is rollouts of a group that are alike: their modes, rewards and tokens.
type kindOfRollout struct {
	modes    string // of the answers, with spaces between
	rewards  string
	rollouts []int
}

// readExample finds the kinds of rollouts of a batch's only group, in order of first appearance.
func readExample(root, file string) (*example, error) {
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	b, err := batchjson.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	e := &example{file: file}
	for i, r := range b.Groups[0].Rollouts {
		var modes, rewards []string
		for _, c := range r.Candidates {
			modes = append(modes, string(c.Mode))
			rewards = append(rewards, strings.ReplaceAll(fmt.Sprint(c.Reward), " ", ", "))
		}
		k := kindOfRollout{modes: strings.Join(modes, " "), rewards: strings.Join(rewards, " ")}
		if len(b.Weights) == 1 {
			k.rewards = strings.Trim(k.rewards, "[]")
		}
		at := slices.IndexFunc(e.kinds, func(other kindOfRollout) bool { return other.modes == k.modes })
		if at < 0 {
			at = len(e.kinds)
			e.kinds = append(e.kinds, k)
		}
		e.kinds[at].rollouts = append(e.kinds[at].rollouts, i)
	}
	return e, nil
}

// head has a column for each kind.
func (e *example) head(first string) []string {
	out := []string{first}
	for _, k := range e.kinds {
		name := escape(k.modes)
		if n := len(k.rollouts); n > 1 {
			name += fmt.Sprintf(" (%d rollouts)", n)
		}
		out = append(out, name)
	}
	return out
}

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

// example shows the advantages of one group, with those of GRPO above.
func (s *site) example(w *writer, m estimators.Method) error {
	e, intro := s.one, "Of eight rollouts of one problem, four are of the correct mode A, one is of the correct mode B, and three are wrong, each in a mode of its own."
	if m.Candidates > 1 {
		e, intro = s.several, "Four rollouts have two answers each. The modes A and B are correct, and each is good at one of two rewards, which weigh the same."
	}
	advantages, err := s.exampleAdvantages(e, m.Name)
	if err != nil {
		return err
	}
	rewards := []string{"reward"}
	for _, k := range e.kinds {
		rewards = append(rewards, escape(k.rewards))
	}
	rows := [][]string{rewards}
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
	w.paragraph("%s", intro)
	w.table(e.head("mode"), rows)
	if len(advantages[0]) > 1 {
		w.paragraph("Every token has an advantage of its own. An answer has two tokens here.")
	}
	w.paragraph("The numbers are what %s prints of %s. %s has those of every estimator.", code("bench estimate "+m.Name), w.link(to, code(e.file)), w.link(examplesAt, "One group, every estimator"))
	return nil
}

// examplePage has the advantages of all methods whose rollouts have one answer.
func (s *site) examplePage() error {
	w := &writer{from: examplesAt}
	w.title("One group, every estimator")
	to, err := s.place(exampleFile)
	if err != nil {
		return err
	}
	w.paragraph("Of eight rollouts of one problem, four are of the correct mode A, one is of the correct mode B, and three are wrong, each in a mode of its own. This table has the advantages that every method gives them with its defaults, as %s prints them of %s.", code("bench estimate METHOD"), w.link(to, code(exampleFile)))
	w.paragraph("Where the rare mode B gets more than the common mode A, the advantage itself keeps modes alive: the last column has by how much. Scales differ between methods, so it is the sign that compares. A method with GRPO's advantages may differ from GRPO in its loss, which its page has.")
	var others []string
	for _, f := range s.facts.families {
		var rows [][]string
		for _, m := range f.Methods {
			name := w.link(methodPath(m.Name)+"#example", code(m.Name))
			switch {
			case !m.Trains:
				continue
			case m.Candidates > 1:
				others = append(others, name)
				continue
			}
			advantages, err := s.exampleAdvantages(s.one, m.Name)
			if err != nil {
				return err
			}
			row := append([]string{name}, s.one.cells(advantages)...)
			rows = append(rows, append(row, threeDigits(s.one.kinds[1].mean(advantages)-s.one.kinds[0].mean(advantages))))
		}
		if len(rows) > 0 {
			w.heading(slug(f.Name), f.Name)
			w.table(append(s.one.head("method"), "B minus A"), rows)
		}
	}
	w.paragraph("A row of zeros has nothing to teach here: any four of these rollouts hold a correct one already, and the greedy rollout is correct.")
	w.paragraph("Methods whose rollouts have several answers show another group: %s.", strings.Join(others, ", "))
	s.add(&page{path: w.from, title: "One group, every estimator", body: w.String()})
	return nil
}
