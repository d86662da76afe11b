package profile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/experiments/spec"
	"modebench/internal/lined"
	"modebench/results"
)

func publishedGrid(t *testing.T) *board.Grid {
	t.Helper()
	g, err := board.Published()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func capabilitiesOf(t *testing.T) []board.Task {
	t.Helper()
	all, err := Capabilities()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCapabilities: there are eight, each with a reason for its measurements and its score, and
// no policy has a board of their name.
func TestCapabilities(t *testing.T) {
	all := capabilitiesOf(t)
	var names []string
	for i, task := range all {
		names = append(names, task.Name)
		for _, want := range []string{"# Capability: ", "# Score: ", " 0 is ", "1 "} {
			if head, _, _ := strings.Cut(task.Text, "\ntitle = "); !strings.Contains(head, want) {
				t.Errorf("%s.toml says nothing of %q before its settings", task.Name, want)
			}
		}
		if !strings.Contains(task.Text, fmt.Sprintf("title = %q", "profile: "+task.Name)) {
			t.Errorf("%s.toml has another title", task.Name)
		}
		if capabilities[i].title == "" || task.Score == nil || !slices.Equal(task.Protocol().Rounds, []board.Stage{{Name: "tuning", FirstSeed: 8000, Seeds: 2}}) || task.Look(0) != task.Evaluation() || len(task.Protocol().Looks) != 1 || task.Evaluation() != (board.Stage{Name: "evaluation", FirstSeed: 9000, Seeds: 10}) || task.Budget == 0 || task.Steps == 0 || task.Group == 0 || !slices.Contains(task.K, 64) {
			t.Errorf("%s: %+v", task.Name, task)
		}
	}
	if want := []string{"reach", "keep", "find", "best-at-k", "vector", "without-labels", "noisy-judge", "small-groups"}; !slices.Equal(names, want) {
		t.Errorf("capabilities %q, want %q", names, want)
	}
	if _, err := board.Tasks(board.Profile); err == nil {
		t.Error("there is a board under policy profile")
	}
}

// TestEntrantsOfCapabilities: every method has four settings of its own at every capability
// that it fits, but for those that learn slowly, and no setting of the source.
func TestEntrantsOfCapabilities(t *testing.T) {
	g := publishedGrid(t)
	methods, err := g.Names(nil)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		methods = []string{"grpo", "poly-epo", "vpo", "ttrl", "pkpo", "em-rl-token"}
	}
	for _, task := range capabilitiesOf(t) {
		if !slices.Contains([]string{"keep", "without-labels", "small-groups"}, task.Name) {
			continue // like a capability of the list
		}
		entrants, unfit, err := task.Entrants(g, methods, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(entrants)+len(unfit) != len(methods) {
			t.Errorf("%s: %d fit and %d do not, of %d", task.Name, len(entrants), len(unfit), len(methods))
		}
		var entries []board.Entry
		for _, n := range entrants {
			row, err := g.Row(n.Method)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{false: 4, true: 1}[row.Slow]; len(n.Settings) != want || n.Paper != nil {
				t.Errorf("%s: %s has %d settings and the source's %v, want %d and none", task.Name, n.Method, len(n.Settings), n.Paper, want)
			}
			entries = append(entries, n.Settings...)
		}
		specs, err := task.Specs(task.Protocol().Rounds[0], entries, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		cells := map[string]string{}
		for _, s := range specs {
			for _, v := range s.Variants {
				p, err := v.Setup()
				if err != nil {
					t.Fatal(err)
				}
				cell, err := json.Marshal(p.Cell(0))
				if err != nil {
					t.Fatal(err)
				}
				if other := cells[string(cell)]; other != "" && v.Name != board.Base && v.Name != board.Optimum {
					t.Errorf("%s: %s is the same cell as %s", task.Name, v.Name, other)
				}
				cells[string(cell)] = v.Name
			}
		}
		fits := func(method string) bool {
			return slices.ContainsFunc(entrants, func(n board.Entrant) bool { return n.Method == method })
		}
		// Sets of four, Poly-EPO's own, do not fit groups of four; those of two do.
		if !fits("poly-epo") != task.LabelFree || !fits("ttrl") || fits("grpo") == task.LabelFree {
			t.Errorf("%s: the methods that fit are not those that should, and %+v do not", task.Name, unfit)
		}
	}
}

// TestScoresOfCapabilities holds the scores against numbers that were worked out by hand.
func TestScoresOfCapabilities(t *testing.T) {
	base := map[string]float64{"pass@1": 0.2, "coverage@64": 0.5, "ew_best@1": 0.3, "ew_best@64": 0.6}
	optimum := map[string]float64{"pass@1": 1, "pass@64": 1, "coverage@64": 1, "ew_best@64": 0.9}
	for _, c := range []struct {
		reason string
		task   string
		last   map[string]float64
		want   float64
	}{
		{"three quarters of the way from 0.2 to 1", "reach", map[string]float64{"pass@1": 0.8}, 0.75},
		{"a method that unlearns is below 0", "small-groups", map[string]float64{"pass@1": 0.1}, -0.125},
		{"0.75 times the coverage", "keep", map[string]float64{"pass@1": 0.8, "coverage@64": 0.4}, 0.3},
		{"below the base policy no coverage counts", "noisy-judge", map[string]float64{"pass@1": 0.1, "coverage@64": 1}, 0},
		{"0.75 of the gain from 0.5 to 0.9, of 0.5", "find", map[string]float64{"pass@1": 0.8, "coverage@64": 0.9}, 0.6},
		{"strategies were lost", "find", map[string]float64{"pass@1": 1, "coverage@64": 0.25}, -0.5},
		{"below the base policy nothing counts, and no product of two losses is a gain", "find", map[string]float64{"pass@1": 0.1, "coverage@64": 0.25}, 0},
		{"half of the way from one answer of the base policy to all problems", "best-at-k", map[string]float64{"pass@64": 0.6}, 0.5},
		{"half of the way from one answer to the Pareto front", "vector", map[string]float64{"ew_best@64": 0.6}, 0.5},
		{"0.75 times the problems that 16 answers solve", "without-labels", map[string]float64{"pass@1": 0.8, "pass@16": 0.8}, 0.6},
	} {
		for _, task := range capabilitiesOf(t) {
			if task.Name != c.task {
				continue
			}
			if got := task.Score(&board.Final{Last: c.last, Scale: board.Scale{Base: base, Optimum: optimum}}); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s: %s: got %v, want %v", c.task, c.reason, got, c.want)
			}
		}
	}
}

// TestPublishedSettings: the published results, which board 1's program made, have the settings that this
// program would try, in their order, and the first of the best is the chosen one.
func TestPublishedSettings(t *testing.T) {
	g := publishedGrid(t)
	for _, task := range capabilitiesOf(t) {
		if testing.Short() && task.Name != "small-groups" && task.Name != "reach" {
			continue
		}
		data, err := results.Board.ReadFile("board/profile/" + task.Name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(task.Name+".json", data)
		if err != nil {
			t.Fatal(err)
		}
		var methods []string
		for _, s := range m.Methods {
			methods = append(methods, s.Method)
		}
		entrants, unfit, err := task.Entrants(g, methods, spec.LoadOptions{})
		if err != nil || len(unfit) > 0 || len(entrants) != len(methods) {
			t.Fatalf("%s: %d of %d methods fit, %v, %v", task.Name, len(entrants), len(methods), unfit, err)
		}
		for _, n := range entrants {
			s := m.scored(n.Method)
			var tried []board.Tried
			for i, e := range n.Settings {
				if i >= len(s.Tried) || s.Tried[i].Setting != e.Setting {
					t.Fatalf("%s: %s was tried at %v, and would be at %s", task.Name, n.Method, s.Tried, e.Setting)
				}
				tried = append(tried, board.Tried{Setting: e.Setting, Scores: []lined.Number{s.Tried[i].Score}})
			}
			rounds := n.NewRounds(tried, len(task.Protocol().Rounds))
			if got := rounds.Chosen().Setting; got != s.Setting || len(rounds.Missing(0)) > 0 {
				t.Errorf("%s: %s would be chosen at %s, and is at %s; missing %v", task.Name, n.Method, got, s.Setting, rounds.Missing(0))
			}
		}
	}
}
