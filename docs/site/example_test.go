package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
	"modebench/estimators/batchjson"
)

// TestExample: the example has the advantages of the conformance vectors, which were enumerated in
// exact fractions: -1/280, 47/560 and -13/560.
func TestExample(t *testing.T) {
	s := ofRepository(t)
	if page := words(s.pages[methodPath("poly-epo")].body); !strings.Contains(page, "reward 1 1 0 0 0 advantage under grpo 0.775 0.775 -1.291 -1.291 -1.291 advantage under poly-epo -0.004 0.084 -0.023 -0.023 -0.023") {
		t.Error("the page of poly-epo has other advantages")
	}
}

// TestEveryEstimator: the page of all advantages has those of every method, as the methods themselves
// work them out, and all that the files say.
func TestEveryEstimator(t *testing.T) {
	s := ofRepository(t)
	all := s.pages[examplesAt].body
	for _, m := range estimators.Methods() {
		if !m.Trains {
			continue
		}
		e := s.exampleOf(m)
		row := `<tr><td><a href="` + relative(examplesAt, methodPath(m.Name)) + `#example"><code>` + escape(m.Name) + `</code></a></td><td>` + strings.Join(e.cells(ownAdvantages(t, m, e.file)), "</td><td>") + "</td>"
		if !strings.Contains(all, row) {
			t.Errorf("the page of all advantages lacks the row\n%s", row)
		}
	}
	for _, e := range []*example{s.one, s.several} {
		for _, field := range e.fields {
			if row := "<tr><td>" + strings.Join(e.row(field), "</td><td>") + "</td></tr>"; !strings.Contains(all, row) {
				t.Errorf("the page of all advantages lacks the row\n%s", row)
			}
		}
	}
}

// ownAdvantages are a method's of the rollouts of a file, without the program.
func ownAdvantages(t *testing.T, m estimators.Method, file string) (out [][]float64) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := batchjson.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if instance := m.New(); instance.PerToken() {
		dst := estimators.NewTokenAdvantages(b)
		err = instance.TokenAdvantages(dst, b)
		out = dst[0]
	} else {
		dst := estimators.NewAdvantages(b)
		err = instance.Advantages(dst, b)
		for _, a := range dst[0] {
			out = append(out, []float64{a})
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return out
}

// TestExampleShowsWhatIsRead: the example of a method shows all that the method reads.
func TestExampleShowsWhatIsRead(t *testing.T) {
	s := ofRepository(t)
	section := regexp.MustCompile(`(?s)<h2 id="example">.*?<h2 `)
	for _, m := range estimators.Methods() {
		if !m.Trains {
			continue
		}
		text := words(section.FindString(s.pages[methodPath(m.Name)].body))
		needs := m.New().Requirements()
		for _, name := range append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...) {
			want := " " + words(strings.Join(s.exampleOf(m).row(name), " ")) + " "
			switch name {
			case "mode":
				want = " mode A "
			case "greedy":
				want = "The greedy rollout has the reward 1."
			}
			if !strings.Contains(text, want) {
				t.Errorf("the example of %s does not show %q", m.Name, want)
			}
		}
	}
	for method, want := range map[string]string{
		"evol-rl":                "reward (not read) 1 1 0 0 0 answer 24 24 20 21 25 embedding",
		"em-rl-sequence":         "logprob -0.9163 -2.5257 -1.6094 -2.1203 -2.5257 advantage",
		"grpo-cfl":               "final 24 24 24 21 advantage",
		"setpo+grpo":             "embedding [1, 0, 0] [0, 1, 0] [0, 0, 1] [0, 0.6, 0.8] [0.6, 0, 0.8] advantage",
		"sd-e2":                  "embedding [1, 0, 0] [0, 1, 0] [1, 0, 0] [1, 0, 0] [1, 0, 0] [0, 0, 1] [0, 0, 1] [0, 0.6, 0.8] final",
		"differential-smoothing": "correct yes yes no no no",
	} {
		if page := words(s.pages[methodPath(method)].body); !strings.Contains(page, want) {
			t.Errorf("the page of %s does not say %q", method, want)
		}
	}
}

// TestIntro: what pages say of an example is what its file says.
func TestIntro(t *testing.T) {
	s := ofRepository(t)
	for _, c := range []struct {
		of      *example
		rollout string // how many rollouts there are of which modes, and which are correct
		weights []float64
	}{
		{s.one, "4 [A] [true], 1 [B] [true], 1 [C] [false], 1 [D] [false], 1 [E] [false]", []float64{1}},
		{s.several, "1 [A B] [true true], 1 [A A] [true true], 1 [A C] [true false], 1 [C D] [false false]", []float64{0.5, 0.5}},
	} {
		var kinds []string
		for _, k := range c.of.kinds {
			kinds = append(kinds, fmt.Sprint(len(k.rollouts), " ", k.modes, " ", k.correct))
		}
		if got := strings.Join(kinds, ", "); got != c.rollout || !slices.Equal(c.of.weights, c.weights) {
			t.Errorf("%s has the rollouts %s and the weights %v, and pages say %q", c.of.file, got, c.of.weights, c.of.intro)
		}
	}
}

// TestKinds: rollouts of one mode of which the file says other things are kinds of their own.
func TestKinds(t *testing.T) {
	e, err := parseExample([]byte(`{"seed": 1, "step": 1, "weights": [1], "groups": [{"problem": "p", "rollouts": [
		{"final": "1", "candidates": [{"mode": "A", "correct": true}]}, {"final": "2", "candidates": [{"mode": "A", "correct": true}]}, {"final": "1", "candidates": [{"mode": "A", "correct": true}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.kinds) != 2 || !slices.Equal(e.kinds[0].rollouts, []int{0, 2}) || !slices.Equal(e.head("mode"), []string{"mode", "A (2 rollouts)", "A"}) {
		t.Errorf("got the kinds %v", e.kinds)
	}
}

// TestRowsOfZeros: the page of all advantages says why a row has zeros alone. It is so of sets that are
// larger than the wrong rollouts are many, of a lead over the second best, and of a greedy rollout that is right.
func TestRowsOfZeros(t *testing.T) {
	s := ofRepository(t)
	rows := 0
	for _, m := range estimators.Methods() {
		if !m.Trains || s.exampleOf(m) != s.one {
			continue
		}
		if cells := s.one.cells(ownAdvantages(t, m, s.one.file)); slices.ContainsFunc(cells, func(c string) bool { return c != "0.000" }) {
			continue
		}
		rows++
		needs := m.New().Requirements()
		if needs.MinGroup <= s.one.wrong() && needs.RolloutFields&estimators.GroupGreedy == 0 && m.Name != "grpo-passk" {
			t.Errorf("the page does not say why %s has a row of zeros", m.Name)
		}
	}
	if rows == 0 || s.one.greedy != 1 {
		t.Errorf("%d rows of zeros, and the greedy rollout has the reward %v", rows, s.one.greedy)
	}
}
