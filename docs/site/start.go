package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/experiments/board"
	"modebench/internal/plural"
	"modebench/metrics/stats"
)

// startPage answers the questions that readers come with, each with a link to the whole answer.
func (s *site) startPage() {
	definition, _, found := strings.Cut(s.docs.typeDoc("estimators/sets", "PolyEPO"), "in closed form")
	if !found {
		s.fail(fmt.Errorf("the doc comment of sets.PolyEPO does not have the words %q", "in closed form"))
	}
	poly, err := estimators.Lookup("poly-epo")
	if s.fail(err) {
		return
	}
	setpo, err := fs.ReadFile(s.repo, "results/setpo.md")
	s.fail(err)
	_, box, _ := strings.Cut(string(setpo), "\n\n")
	box, _, _ = strings.Cut(box, "\n\n")
	s.page("index.md", "start", map[string]any{
		"Definition": s.docs.markdown(3, s.docs.packages["estimators/sets"], definition), "Example": s.example(poly), "Modes": s.mostModes(), "SetPO": string(s.relink("results", box)),
	})
}

// A modesView is the answer of a board to which method keeps most modes at equal accuracy.
type modesView struct {
	Policies   string // in words
	Best, Gain string
	Tasks      string     // with their number
	Rows       [][]string // the first methods by gain, GRPO and the controls
}

// mostModes finds the methods of each board with the largest gain, among those that fit all of its tasks and
// are not worse than GRPO: a gain at low accuracies alone is no answer.
func (s *site) mostModes() (out []modesView) {
	for i, policy := range policies {
		tasks := len(s.facts.boards[policy].Tasks)
		if tasks == 0 {
			continue // no task is published
		}
		v := modesView{Policies: []string{"With tables", "With small transformers, on held-out problems"}[i], Tasks: plural.Count(tasks, "task")}
		gain := func(l board.Line) float64 { return l.Paired["gain"].Mean }
		lines := slices.DeleteFunc(slices.Clone(s.facts.boards[policy].Rows), func(l board.Line) bool { return len(l.Areas) < tasks || math.IsNaN(gain(l)) })
		slices.SortStableFunc(lines, func(a, b board.Line) int { return cmp.Compare(gain(b), gain(a)) })
		const shown = 6
		first := 0
		for _, l := range lines {
			usual := l.Control != "" || l.Method == board.Reference
			if !usual && (l.Decision.Standing == stats.Worse || first == shown) {
				continue
			}
			if !usual {
				first++
			}
			if v.Best == "" && l.Decision.Standing != stats.Worse {
				v.Best, v.Gain = l.Method, interval(l.Paired["gain"])
			}
			name := code(l.Method)
			if _, err := estimators.Lookup(l.Method); err == nil { // a control is another method's
				name = link(methodPath(l.Method), name)
			}
			if l.Control != "" {
				name += ": " + escape(l.Control)
			}
			v.Rows = append(v.Rows, []string{name, interval(l.Paired["gain"]), interval(l.Paired["accuracy"]), answer(&l)})
		}
		out = append(out, v)
	}
	return out
}
