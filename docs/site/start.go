package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/experiments/board"
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

// nearly is the least share of GRPO's runs to nine tenths of accuracy with which a method is compared
// to GRPO there: means of fewer runs are means over other tasks.
const nearly = 0.9

// A modesView is the answer to which method keeps most modes when accuracy has risen.
type modesView struct {
	Best                 string
	BestModes, GRPOModes string
	Tasks                int
	Least                string // share of runs
	Often, Rare          [][]string
}

// mostModes finds the method of the board with tables that has most of all strategies when its runs
// first get nine tenths of the way, among those that get there about as often as GRPO.
func (s *site) mostModes() (v modesView) {
	const level = 2 // nine tenths, of board.Levels
	grpo := s.facts.line("tabular", board.Reference)
	best, least := grpo, nearly*grpo.Reached[level]
	lines := map[string]*board.Line{}
	var names []string
	for _, m := range estimators.Methods() {
		l := s.facts.line("tabular", m.Name)
		if l == nil || len(l.Areas) != len(grpo.Areas) {
			continue
		}
		names, lines[m.Name] = append(names, m.Name), l
		if l.Reached[level] >= least && l.LevelDiversity[level] > best.LevelDiversity[level] {
			v.Best, best = m.Name, l
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(lines[b].LevelDiversity[level], lines[a].LevelDiversity[level])
	})
	const shown = 6 // of each kind
	for _, name := range names {
		l := lines[name]
		row := []string{link(methodPath(name), code(name)), digits(l.LevelDiversity[level]), fmt.Sprintf("%.0f%%", 100*l.Reached[level])}
		switch often := l.Reached[level] >= least; {
		case often && (len(v.Often) < shown || l == grpo):
			v.Often = append(v.Often, row)
		case !often && len(v.Rare) < shown:
			v.Rare = append(v.Rare, row)
		}
	}
	v.BestModes, v.GRPOModes, v.Tasks, v.Least = digits(best.LevelDiversity[level]), digits(grpo.LevelDiversity[level]), len(grpo.Areas), fmt.Sprintf("%.0f%%", 100*least)
	return v
}
