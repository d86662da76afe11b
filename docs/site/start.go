package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/estimators"
	"modebench/experiments/board"
)

// startPage answers the questions that readers come with, each with a link to the whole answer.
func (s *site) startPage() error {
	w := &writer{from: "index.html"}
	w.title("modebench")
	w.paragraph("What does a reinforcement-learning estimator do to the <em>diversity</em> of a policy? modebench trains small policies with the estimators of recent papers, on problems whose whole solution space is known. It answers in seconds to minutes, with the same bits on every machine. %s", w.link("README.html", "What it is, with what was found"))
	w.heading("i-want-to", "I want to …")
	questions := []struct {
		id, text string
		answer   func(*writer) error
	}{
		{"defined", "see how Poly-EPO's advantage is defined", s.definedAnswer},
		{"most-modes", "know which estimator keeps most modes at 90% accuracy", s.mostModesAnswer},
		{"own", "add my own estimator", s.ownAnswer},
		{"setpo", "know whether SetPO's main claim holds", s.setpoAnswer},
	}
	var links []string
	for _, q := range questions {
		links = append(links, fmt.Sprintf(`<a href="#%s">%s</a>`, q.id, escape(q.text)))
	}
	w.list(append(links,
		w.link("docs/tutorial-ten-minutes.html", "run it for the first time")+", in ten minutes",
		w.link("docs/which-estimator.html", "know which estimator to try first"),
		w.link("results/board.html", "see every method in one table")+", or "+w.link(examplesAt, "what each makes of the same rollouts"),
		w.link("docs/language-models.html", "use these problems with my language model"),
		w.link("docs/reproducibility.html", "check my changes against recorded results")+" in continuous integration",
		w.link("commands/index.html", "look up a command")+", "+w.link("methods/index.html", "a method")+", "+w.link("environments/index.html", "an environment")+", "+w.link("specs/index.html", "a spec")+" or "+w.link("docs/glossary.html", "a word"),
	))
	for _, q := range questions {
		w.heading(q.id, capital(q.text))
		if err := q.answer(w); err != nil {
			return fmt.Errorf("%s: %w", q.id, err)
		}
	}
	s.add(&page{path: w.from, title: "Start", body: w.String()})
	return nil
}

// definedAnswer is the beginning of the doc comment, up to the second formula.
func (s *site) definedAnswer(w *writer) error {
	of := s.docs.of["estimators/sets"]
	for _, t := range of.Types {
		if t.Name != "PolyEPO" {
			continue
		}
		text, _, found := strings.Cut(t.Doc, "in closed form")
		if !found {
			return fmt.Errorf("the doc comment of PolyEPO reads otherwise")
		}
		w.WriteString(s.docs.html(of, text, w.from))
		poly, err := estimators.Lookup("poly-epo")
		if err != nil {
			return err
		}
		if err := s.example(w, poly); err != nil {
			return err
		}
		w.paragraph("%s also has its loss, its settings and its results. %s has such a page: %s, %s and all others.", w.link(methodPath("poly-epo"), "The page of "+code("poly-epo")), w.link("methods/index.html", "Every method"), w.link(methodPath("setpo+grpo"), "SetPO"), w.link(methodPath("vpo"), "VPO"))
		return nil
	}
	return fmt.Errorf("package sets has no type PolyEPO")
}

// nearly is how often the runs of a method have to get to nine tenths of accuracy to be compared
// there with GRPO, as a share of how often GRPO's do: means of few runs are of other tasks.
const nearly = 0.9

// mostModesAnswer is the method of the board with tables that has most of all strategies where its
// runs first get nine tenths of the way, among those that get there about as often as GRPO.
func (s *site) mostModesAnswer(w *writer) error {
	value := func(name, column string) float64 {
		x, err := strconv.ParseFloat(s.facts.rows["tabular "+name][column], 64)
		if err != nil {
			return 0
		}
		return x
	}
	best, least := "grpo", nearly*value("grpo", "reached90")
	var names []string
	for _, m := range s.facts.methods {
		if value(m.Name, "tasks") != value("grpo", "tasks") {
			continue
		}
		names = append(names, m.Name)
		if value(m.Name, "reached90") >= least && value(m.Name, "at90") > value(best, "at90") {
			best = m.Name
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(value(b, "at90"), value(a, "at90")) })
	answers, err := answersOfDiversity("tabular")
	if err != nil {
		return err
	}
	const shown = 6 // of each kind
	var often, rare [][]string
	for _, name := range names {
		row := []string{w.link(methodPath(name), code(name)), fmt.Sprintf("%.3f", value(name, "at90")), fmt.Sprintf("%.0f%%", 100*value(name, "reached90"))}
		switch gets := value(name, "reached90") >= least; {
		case gets && (len(often) < shown || name == "grpo"):
			often = append(often, row)
		case !gets && len(rare) < shown:
			rare = append(rare, row)
		}
	}
	fmt.Fprintf(w, "<div class=\"answer\"><p><strong>%s.</strong> When one of its runs first covers 90%% of the gap between the base policy and the optimum, %d sampled answers still hold %.3f of all correct modes. With %s they hold %.3f.</p></div>\n",
		w.link(methodPath(best), code(best)), answers, value(best, "at90"), w.link(methodPath("grpo"), code("grpo")), value("grpo", "at90"))
	w.paragraph("Compared are methods whose runs get there at least nine tenths as often as GRPO's: %.0f%% of runs or more. Policies are tabular, and all methods had as many settings to choose from. A run is one seed on one of %d tasks. The means have no intervals here: neighbours may be in either order.", 100*least, len(s.facts.boards["tabular"]))
	head := []string{"method", "share of correct modes still found", "runs that get there"}
	w.table(head, often)
	w.paragraph("Of other methods fewer runs get there. What they miss are mostly hard tasks, such as polynomial, where few modes survive under any method: their means are of easier tasks.")
	w.table(head, rare)
	w.paragraph("A mode is a kind of correct answer; other pages also call it a strategy. With small transformers hardly any run gets that far.")
	w.paragraph("%s has what each choice costs. %s has every method.", w.link("docs/which-estimator.html#to-keep-strategies-while-accuracy-rises", "Which estimator should I use?"), w.link("results/board/tabular/table.html", "The whole table"))
	return nil
}

// answersOfDiversity is how many answers a board's diversity is of: the k of its metrics at k.
func answersOfDiversity(policy string) (int, error) {
	tasks, err := board.Tasks(policy)
	if err != nil {
		return 0, err
	}
	answers := 0
	for _, t := range tasks {
		_, text, _ := strings.Cut(t.Diversity, "@")
		k, err := strconv.Atoi(text)
		if err != nil || answers > 0 && k != answers {
			return 0, fmt.Errorf("diversity on %s is %s, want a metric at one k on all tasks", t.Name, t.Diversity)
		}
		answers = k
	}
	return answers, nil
}

func (s *site) ownAnswer(w *writer) error {
	w.list([]string{
		"In Python it is a function of the rewards of a batch, in a file that a spec names (" + w.link("docs/plug-ins.html#in-python", "an example of six lines") + ", or " + w.link("docs/tutorial-ten-minutes.html#your-own-estimator", "step by step") + ").",
		"In a notebook it is a function with a decorator: " + w.link("python/README.html#your-estimator", "the package for Python") + ".",
		"In any other language it is a program that speaks JSON: " + w.link("docs/plug-ins.html", "plug-ins") + ".",
		"An objective over sets of answers needs no program: write it as " + w.link("docs/specs.html#expressions", "an expression in the spec") + ".",
		"In Go it is one file: " + w.link("CONTRIBUTING.html#add-an-estimator", "what it holds") + ".",
	})
	w.paragraph("%s goes the whole way: run it beside GRPO, register a claim, test it, and guard the result against regressions.", w.link("docs/tutorial-an-hour.html", "An hour with your own estimator"))
	return nil
}

// setpoAnswer is the box of SetPO's page.
func (s *site) setpoAnswer(w *writer) error {
	for _, b := range boxes {
		if b.page != "setpo" {
			continue
		}
		text, err := b.markdown(s.facts)
		if err != nil {
			return err
		}
		_, body, err := s.render("results/setpo.md", w.from, []byte(text))
		if err != nil {
			return err
		}
		w.WriteString(body)
	}
	var others []string
	for _, p := range papers {
		if p.name != "SetPO" {
			others = append(others, w.link(p.page, p.name))
		}
	}
	w.paragraph("%s has every claim with its numbers. So have the pages of %s. %s lists the claims about tables, %s those about small transformers on held-out problems.", w.link("results/setpo.html", "The page of SetPO"), strings.Join(others, ", "), w.link("results/claims.html", "One page"), w.link("results/held-out.html", "another"))
	return nil
}
