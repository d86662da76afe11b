package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/estimators"
	"modebench/experiments/audit"
	"modebench/experiments/board/foretell"
)

// digits is a number of a CSV file with three decimals, "" for a missing one.
func digits(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// An auditView is a method's row of the published audit.
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
		v.Head = []string{fmt.Sprintf("groups of %d, its own settings", foretell.Rollouts)}
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

// A boardView is a method's rows of both boards, its curves, and its profile; without rows, the reason.
type boardView struct {
	Rows, Profile             [][]string
	Curves, Why               string
	Capabilities, SmallGroups []string
}

func (s *site) board(name string, needs estimators.Requirements) (v boardView) {
	for _, policy := range policies {
		if row := s.facts.rows[policy+" "+name]; row != nil {
			v.Rows = append(v.Rows, boardRow(policy, row))
		}
	}
	if len(v.Rows) == 0 {
		v.Why = s.whyNot(name)
		return v
	}
	v.Curves = s.curves(name)
	var cells []string
	for _, p := range s.facts.profiles[name] {
		v.Capabilities = append(v.Capabilities, escape(p["capability"]))
		cells = append(cells, short(p))
		if why := s.smallGroups(p, needs); why != "" {
			v.SmallGroups = append(v.SmallGroups, why)
		}
	}
	if len(cells) > 0 {
		v.Profile = [][]string{cells}
	}
	return v
}

func boardRow(policy string, row map[string]string) []string {
	if same := strings.Fields(strings.ReplaceAll(row["same"], ",", " ")); len(same) > 0 {
		policy += ", one with " + strings.Join(append(same, row["method"]), ", ")
	}
	rank := ""
	if row["rank_low"] != "" {
		rank = row["rank_low"] + "–" + row["rank_high"]
	}
	return []string{escape(policy), rank, row["tasks"], span(row, "score"), digits(row["area"]), digits(row["accuracy"]), digits(row["diversity"]), reached(row)}
}

// smallGroups names the setting with which a capability was run whose groups are too small for the
// method's own; "": they are not.
func (s *site) smallGroups(p map[string]string, needs estimators.Requirements) string {
	for _, task := range s.facts.capabilities {
		if task.Name == p["capability"] && task.Group < needs.TrainGroup && p["setting"] != "" {
			return fmt.Sprintf("Groups of %s have %d rollouts, in which every advantage is 0 with the defaults. It was run with %s there.", code(task.Name), task.Group, code(p["setting"]))
		}
	}
	return ""
}

func short(p map[string]string) string {
	if x, err := strconv.ParseFloat(p["score"], 64); err == nil && !math.IsNaN(x) {
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return "–"
}

// span is a number with its interval.
func span(row map[string]string, name string) string {
	if digits(row[name]) == "" {
		return ""
	}
	return fmt.Sprintf("%s [%s, %s]", digits(row[name]), digits(row[name+"_low"]), digits(row[name+"_high"]))
}

// reached is the diversity at nine tenths of accuracy, and the share of runs that get there.
func reached(row map[string]string) string {
	if digits(row["at90"]) == "" {
		return "never there"
	}
	return fmt.Sprintf("%s (%s)", digits(row["at90"]), digits(row["reached90"]))
}

// whyNot is the reason in the results for a method that is not on the board, in sentences.
func (s *site) whyNot(name string) string {
	for _, policy := range policies {
		for _, r := range s.facts.boards[policy] {
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
