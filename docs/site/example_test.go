package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
)

// TestExampleAdvantages: the example has the advantages of the conformance vectors, which were enumerated in
// exact fractions: -1/280, 47/560 and -13/560.
func TestExampleAdvantages(t *testing.T) {
	contains(t, "methods/poly-epo.md", "| reward | 1 | 1 | 0 | 0 | 0 |", "| 0.775 | 0.775 | -1.291 | -1.291 | -1.291 |", "| -0.004 | 0.084 | -0.023 | -0.023 | -0.023 |")
}

// TestEstimatePrintsTheAdvantages: bench estimate prints the advantages that pages show of both files, by rollout and by token.
func TestEstimatePrintsTheAdvantages(t *testing.T) {
	s := ofRepository(t)
	for _, name := range []string{"poly-epo", "em-rl-token", "vpo"} {
		m, err := estimators.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		e := s.exampleOf(m)
		file, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(e.file)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.bench.prints("estimate", name, file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.advantages(m)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if numbers := flat(got.(map[string]any)["advantages"]); !slices.Equal(numbers, slices.Concat(want...)) {
			t.Errorf("bench estimate %s prints %v, pages show %v", name, numbers, want)
		}
	}
}

// flat lists the numbers of nested lists.
func flat(value any) (out []float64) {
	if x, ok := value.(float64); ok {
		return []float64{x}
	}
	list, _ := value.([]any)
	for _, each := range list {
		out = append(out, flat(each)...)
	}
	return out
}

// TestExamplePage: the page of all advantages has a row for each method that trains and for each field of the files.
func TestExamplePage(t *testing.T) {
	s := ofRepository(t)
	for _, m := range estimators.Methods() {
		if m.Trains {
			contains(t, "methods/example.md", "| ["+code(m.Name)+"](/"+methodPath(m.Name)+"#example) | ")
		}
	}
	for _, e := range []*example{s.single, s.several} {
		for _, field := range e.fields {
			contains(t, "methods/example.md", "| "+strings.Join(e.row(field), " | ")+" |\n")
		}
	}
}

// TestExampleShowsFieldsThatAreRead: the example of a method shows every field that the method reads.
func TestExampleShowsFieldsThatAreRead(t *testing.T) {
	s := ofRepository(t)
	for _, m := range estimators.Methods() {
		if !m.Trains {
			continue
		}
		needs := m.New().Requirements()
		for _, name := range append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...) {
			want := "| " + strings.Join(s.exampleOf(m).row(name), " | ") + " |"
			switch name {
			case "mode":
				want = "| mode | A "
			case "greedy":
				want = "The greedy rollout has the reward 1."
			}
			contains(t, methodPath(m.Name), want)
		}
	}
	contains(t, "methods/evol-rl.md", "| reward (not read) | 1 | 1 | 0 | 0 | 0 |\n| answer | 24 | 24 | 20 | 21 | 25 |\n| embedding")
	contains(t, "methods/differential-smoothing.md", "| correct | yes | yes | no | no | no |")
	contains(t, "methods/em-rl-sequence.md", "| logprob | -0.9163 | -2.5257 | -1.6094 | -2.1203 | -2.5257 |")
}

// TestIntroDescribesTheFile: the description of an example on pages is that of its file.
func TestIntroDescribesTheFile(t *testing.T) {
	s := ofRepository(t)
	for _, c := range []struct {
		of      *example
		rollout string // how many rollouts there are of which modes, and which are correct
		weights []float64
	}{
		{s.single, "4 A: yes, 1 B: yes, 1 C: no, 1 D: no, 1 E: no", []float64{1}},
		{s.several, "1 A B: yes yes, 1 A A: yes yes, 1 A C: yes no, 1 C D: no no", []float64{0.5, 0.5}},
	} {
		var kinds []string
		for _, k := range c.of.kinds {
			kinds = append(kinds, fmt.Sprintf("%d %s: %s", len(k.rollouts), k.modes(), k.values["correct"]))
		}
		if got := strings.Join(kinds, ", "); got != c.rollout || !slices.Equal(c.of.batch.Weights, c.weights) {
			t.Errorf("%s has the rollouts %s and the weights %v, and pages have %q", c.of.file, got, c.of.batch.Weights, c.of.intro)
		}
	}
}

// TestKindsDifferInAnyField: rollouts of one mode with other values in the file are separate kinds.
func TestKindsDifferInAnyField(t *testing.T) {
	e, err := parseExample([]byte(`{"seed": 1, "step": 1, "weights": [1], "groups": [{"problem": "p", "rollouts": [
		{"final": "1", "candidates": [{"mode": "A", "correct": true}]}, {"final": "2", "candidates": [{"mode": "A", "correct": true}]}, {"final": "1", "candidates": [{"mode": "A", "correct": true}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.kinds) != 2 || !slices.Equal(e.kinds[0].rollouts, []int{0, 2}) || !slices.Equal(e.head("mode"), []string{"mode", "A (2 rollouts)", "A"}) {
		t.Errorf("got the kinds %v", e.kinds)
	}
}

// TestRowsOfZerosAreExplained: the page of all advantages names the reason for each row of zeros: sets that are
// larger than the number of wrong rollouts, a lead over the second best, or a greedy rollout that is right.
func TestRowsOfZerosAreExplained(t *testing.T) {
	s := ofRepository(t)
	const wrong = 3 // rollouts, as TestIntroDescribesTheFile holds
	rows := 0
	for _, m := range estimators.Methods() {
		if !m.Trains || s.exampleOf(m) != s.single {
			continue
		}
		advantages, err := s.single.advantages(m)
		if err != nil {
			t.Fatal(err)
		}
		if cells := s.single.cells(advantages); slices.ContainsFunc(cells, func(c string) bool { return c != "0.000" }) {
			continue
		}
		rows++
		needs := m.New().Requirements()
		if needs.MinGroup <= wrong && needs.RolloutFields&estimators.GroupGreedy == 0 && !slices.Contains([]string{"grpo-passk", "max-at-k@code"}, m.Name) { // the sets of the second are half of the group
			t.Errorf("the page does not say why %s has a row of zeros", m.Name)
		}
	}
	if rows == 0 || s.single.greedy != 1 {
		t.Errorf("%d rows of zeros, and the greedy rollout has the reward %v", rows, s.single.greedy)
	}
}
