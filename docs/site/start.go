package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"modebench/estimators"
)

// startPage answers the questions that readers come with, each with a link to the whole answer.
func (s *site) startPage() error {
	definition, _, found := strings.Cut(s.docs.typeDoc("estimators/sets", "PolyEPO"), "in closed form")
	if !found {
		return fmt.Errorf("the doc comment of sets.PolyEPO does not have the words %q", "in closed form")
	}
	poly, err := estimators.Lookup("poly-epo")
	if err != nil {
		return err
	}
	example, err := s.example(poly)
	if err != nil {
		return err
	}
	setpo, err := os.ReadFile(filepath.Join(s.root, "results", "setpo.md"))
	if err != nil {
		return err
	}
	_, box, _ := strings.Cut(string(setpo), "\n\n")
	box, _, _ = strings.Cut(box, "\n\n")
	verdict, err := s.relink("results", box)
	if err != nil {
		return err
	}
	return s.page("index.md", "start", map[string]any{
		"Definition": s.docs.markdown(3, s.docs.packages["estimators/sets"], definition), "Example": example, "Modes": s.mostModes(), "SetPO": string(verdict),
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
	value := func(name, column string) float64 {
		x, err := strconv.ParseFloat(s.facts.rows["tabular "+name][column], 64)
		if err != nil {
			return 0
		}
		return x
	}
	best, least := "grpo", nearly*value("grpo", "reached90")
	var names []string
	for _, m := range estimators.Methods() {
		if value(m.Name, "tasks") != value("grpo", "tasks") {
			continue
		}
		names = append(names, m.Name)
		if value(m.Name, "reached90") >= least && value(m.Name, "at90") > value(best, "at90") {
			best = m.Name
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(value(b, "at90"), value(a, "at90")) })
	const shown = 6 // of each kind
	for _, name := range names {
		row := []string{link(methodPath(name), code(name)), fmt.Sprintf("%.3f", value(name, "at90")), fmt.Sprintf("%.0f%%", 100*value(name, "reached90"))}
		switch often := value(name, "reached90") >= least; {
		case often && (len(v.Often) < shown || name == "grpo"):
			v.Often = append(v.Often, row)
		case !often && len(v.Rare) < shown:
			v.Rare = append(v.Rare, row)
		}
	}
	v.Best, v.BestModes, v.GRPOModes = best, fmt.Sprintf("%.3f", value(best, "at90")), fmt.Sprintf("%.3f", value("grpo", "at90"))
	v.Tasks, v.Least = len(s.facts.boards["tabular"]), fmt.Sprintf("%.0f%%", 100*least)
	return v
}
