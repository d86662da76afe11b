package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/estimators"
	"modebench/experiments/audit"
	"modebench/experiments/board"
	"modebench/internal/plural"
	"modebench/metrics/stats"
)

// digits writes a number with three decimals; "": it is missing.
func digits(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

type auditView struct {
	Bandits int
	Head    []string
	Rows    [][]string
	Noise   string // signal to noise
}

// audit is nil for a method without a row.
func (s *site) audit(name string, needs estimators.Requirements) *auditView {
	steps := s.facts.steps
	for _, m := range steps.Methods {
		if m.Method != name {
			continue
		}
		v := &auditView{Bandits: audit.Default().Problems}
		v.Head = []string{fmt.Sprintf("groups of %d, its own settings", audit.Rollouts)}
		row := []string{"cosine"}
		for i, k := range steps.K {
			v.Head = append(v.Head, fmt.Sprintf("pass@%d", k))
			row = append(row, number(float64(m.Pass[i])))
		}
		v.Rows = [][]string{row}
		var words []string
		for i, g := range steps.Groups {
			word := fmt.Sprintf("%s in groups of %d", number(float64(m.SNR[i])), g)
			if math.IsNaN(float64(m.SNR[i])) && g < needs.TrainGroup {
				word += ", where every advantage is 0"
			}
			words = append(words, word)
		}
		v.Noise = strings.Join(words, "; ")
		return v
	}
	return nil
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "not defined"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// interval writes a mean with three decimals, and its bounds if it has them.
func interval(i stats.Interval) string {
	if math.IsNaN(i.Mean) || math.IsNaN(i.Low) || i.Low == i.High {
		return digits(i.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", digits(i.Mean), digits(i.Low), digits(i.High))
}

// A boardView is a method's rows of both boards, the methods that it surely differs from on each, its curves,
// and its profile; without rows, the reason.
type boardView struct {
	Rows, Profile             [][]string
	Differs                   []string // HTML to open
	Curves, Why               string
	Capabilities, SmallGroups []string
}

func (s *site) board(name string, needs estimators.Requirements) (v boardView) {
	for _, policy := range policies {
		if l := s.facts.line(policy, name); l != nil {
			v.Rows, v.Differs = append(v.Rows, boardRow(policy, l)), append(v.Differs, differs(policy, l)...)
		}
	}
	if len(v.Rows) == 0 {
		v.Why = s.whyNot(name)
		return v
	}
	v.Curves = s.curves(name)
	for _, p := range s.facts.profiles.Rows {
		if p.Method != name {
			continue
		}
		cells := make([]string, len(p.Scores))
		for i, task := range s.facts.capabilities {
			v.Capabilities, cells[i] = append(v.Capabilities, escape(task.Name)), "–"
			if x := p.Scores[i].Mean; !math.IsNaN(x) {
				cells[i] = strconv.FormatFloat(x, 'f', 2, 64)
			}
			if task.Group < needs.TrainGroup && p.Settings[i] != "" {
				v.SmallGroups = append(v.SmallGroups, fmt.Sprintf("Groups of %s have %d rollouts, in which every advantage is 0 with the defaults. It was run with %s there.",
					code(task.Name), task.Group, code(p.Settings[i])))
			}
		}
		v.Profile = [][]string{cells}
	}
	return v
}

func boardRow(policy string, l *board.Line) []string {
	if len(l.Same) > 0 {
		policy += ", one with " + strings.Join(append(slices.Clone(l.Same), l.Method), ", ")
	}
	return []string{
		escape(policy), fmt.Sprintf("%d–%d", l.Rank.Low, l.Rank.High), strconv.Itoa(len(l.Areas)), interval(l.Score), answer(l),
		interval(l.Paired["accuracy"]), interval(l.Paired["gain"]), digits(l.Means.Mean("diversity")), interval(l.Carried),
	}
}

// answer is that beside the reference, with the seeds that it took; for the reference itself a dash.
func answer(l *board.Line) string {
	if l.Method == board.Reference {
		return "–"
	}
	return fmt.Sprintf("%s (%d)", l.Decision.Standing, l.Seeds)
}

// differs names the methods from which a method surely differs.
func differs(policy string, l *board.Line) (out []string) {
	for _, side := range []struct {
		word    string
		methods []string
	}{{"above", l.Below}, {"below", l.Above}} {
		if len(side.methods) == 0 {
			continue
		}
		out = append(out, fmt.Sprintf("<details><summary>Under policy %s it is surely %s %s</summary><p>%s</p></details>",
			policy, side.word, plural.Count(len(side.methods), "method"), html.EscapeString(strings.Join(side.methods, ", "))))
	}
	return out
}

// whyNot is the reason in the results for a method that is not on the board, in sentences.
func (s *site) whyNot(name string) string {
	for _, policy := range policies {
		for _, r := range s.facts.boards[policy].Results {
			for _, u := range r.Unfit {
				if u.Method == name {
					return sentence(u.Why)
				}
			}
		}
	}
	for _, left := range s.facts.leftOut {
		if left.Name != name {
			continue
		}
		if left.As != "" {
			return sentence(left.Reason) + " The row of " + link(methodPath(left.As), code(left.As)) + " has its formula."
		}
		return sentence(left.Reason)
	}
	return "It was not run."
}
