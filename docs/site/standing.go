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

// digits is a number of a CSV file with three digits behind the point, "" where there is none.
func digits(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// auditRow is what the published audit says of a method's steps.
func (s *site) auditRow(w *writer, name string, needs estimators.Requirements) {
	w.heading("audit", "What its steps climb")
	steps := s.facts.steps
	for _, m := range steps.Methods {
		if m.Method != name {
			continue
		}
		head, row := []string{fmt.Sprintf("groups of %d, its own settings", foretell.Rollouts)}, []string{"cosine"}
		for i, k := range steps.K {
			head = append(head, fmt.Sprintf("pass@%d", k))
			row = append(row, number(float64(m.Pass[i])))
		}
		w.paragraph("The cosine of its mean step and the exact gradient of pass@k, on the %d bandits of the audit. At 1 it climbs pass@k straight up.", audit.Default().Problems)
		w.table(head, [][]string{row})
		var words []string
		for i, g := range steps.Groups {
			word := fmt.Sprintf("%s in groups of %d", number(float64(m.SNR[i])), g)
			if math.IsNaN(float64(m.SNR[i])) && g < needs.TrainGroup {
				word += ", where every advantage is 0"
			}
			words = append(words, word)
		}
		w.paragraph("Signal to noise of a step, |mean|² / variance: %s. GRPO has %s.", strings.Join(words, "; "), s.noise("grpo"))
		w.paragraph("From %s. %s says how it is made.", code("results/board/audit.json"), w.link("results/own.html#audit-what-estimators-climb", "The audit"))
		return
	}
	w.paragraph("The published audit (%s) does not have it. %s makes the row.", w.link("results/own.html#audit-what-estimators-climb", "what it is"), code("bench audit "+name))
}

// noise are the ratios of signal to noise of a method.
func (s *site) noise(name string) string {
	var words []string
	for _, m := range s.facts.steps.Methods {
		if m.Method == name {
			for _, x := range m.SNR {
				words = append(words, number(float64(x)))
			}
		}
	}
	return strings.Join(words, " and ")
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "not defined"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// boardRows are the rows of both boards, the curves, and the profile.
func (s *site) boardRows(w *writer, name string, needs estimators.Requirements) {
	w.heading("board", "On the board")
	var rows [][]string
	for _, policy := range policies {
		row := s.facts.rows[policy+" "+name]
		if row == nil {
			continue
		}
		label := policy
		if same := strings.Fields(strings.ReplaceAll(row["same"], ",", " ")); len(same) > 0 {
			label += ", one with " + strings.Join(append(same, row["method"]), ", ")
		}
		rank := row["rank_low"] + "–" + row["rank_high"]
		if row["rank_low"] == "" {
			rank = ""
		}
		rows = append(rows, []string{escape(label), rank, row["tasks"], span(row, "score"), digits(row["area"]), digits(row["accuracy"]), digits(row["diversity"]), reached(row)})
	}
	if len(rows) == 0 {
		w.paragraph("It has no row on the published boards. %s", s.whyNot(w, name))
		return
	}
	w.paragraph("Tuned among as many settings as all methods, on seeds of its own (%s). With the transformer methods with a knob had a narrower range of rates than GRPO, so rows there do not rank them. Accuracy is 0 at the base policy and 1 at the exact optimum, and so is the area under the frontier of accuracy and diversity. A score is that area in units of GRPO's mean one on the task, and the interquartile mean over tasks and seeds: so GRPO's own is near 1, and not 1. Diversity at 90%% is what is still found when a run first gets nine tenths of the way, with the share of runs that do.", w.link("docs/board.html#what-is-measured", "the protocol"))
	w.table([]string{"policies", "rank", "tasks", "score [95%]", "area", "accuracy", "diversity", "diversity at 90%"}, rows)
	if curves := s.curves(name); curves != "" {
		w.paragraph("Each task with tables, from the base policy on: accuracy to the right, diversity upwards, which is the share of strategies still found. The thin line is GRPO, the thick one this method.")
		w.WriteString(curves)
	}
	if profile := s.facts.profiles[name]; len(profile) > 0 {
		var head, cells []string
		for _, p := range profile {
			head = append(head, escape(p["capability"]))
			cells = append(cells, short(p))
		}
		w.paragraph("Its %s, from 0 to 1:", w.link("results/board.html#profiles", "profile"))
		w.table(head, [][]string{cells})
		for _, p := range profile {
			if why := s.smallGroups(p, needs); why != "" {
				w.paragraph("%s", why)
			}
		}
	}
}

// smallGroups says of a capability with what setting it was run where groups are too small for
// the method's own; "": they are not.
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

// whyNot is why a method is not on the board, as the results say, in sentences.
func (s *site) whyNot(w *writer, name string) string {
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
			return sentence(left.Reason) + " The row of " + w.link(methodPath(left.As), code(left.As)) + " has its formula."
		}
		return sentence(left.Reason)
	}
	return "It was not run."
}

// sentence begins a reason with a capital and ends it with one full stop.
func sentence(text string) string {
	return escape(capital(strings.TrimRight(text, ". "))) + "."
}
