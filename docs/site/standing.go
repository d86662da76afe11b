package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/experiments/board"
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
func (s *site) auditRow(w *writer, name string) {
	w.heading("audit", "What its steps climb")
	steps := s.facts.steps
	for _, m := range steps.Methods {
		if m.Method != name {
			continue
		}
		head, row := []string{"groups of 16, its own settings"}, []string{"cosine"}
		for i, k := range steps.K {
			head = append(head, fmt.Sprintf("pass@%d", k))
			row = append(row, number(float64(m.Pass[i])))
		}
		w.paragraph("The cosine of its mean step and the exact gradient of pass@k, on the 48 bandits of the audit. At 1 it climbs pass@k straight up.")
		w.table(head, [][]string{row})
		var words []string
		for i, g := range steps.Groups {
			words = append(words, fmt.Sprintf("%s in groups of %d", number(float64(m.SNR[i])), g))
		}
		w.paragraph("Signal to noise of a step, |mean|² / variance: %s. GRPO has %s.", strings.Join(words, ", "), s.noise("grpo"))
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
func (s *site) boardRows(w *writer, name string) {
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
		w.paragraph("It has no row on the published boards: %s.", s.whyNot(name))
		return
	}
	w.paragraph("Tuned as all methods are, on seeds of its own (%s). A score is the area under the frontier of accuracy and diversity, in units of GRPO's; diversity at 90%% is what is still found when a run first gets nine tenths of the way, with the share of runs that do.", w.link("docs/board.html", "the protocol"))
	w.table([]string{"policies", "rank", "tasks", "score [95%]", "area", "accuracy", "diversity", "diversity at 90%"}, rows)
	if curves := s.curves(name); curves != "" {
		w.paragraph("Each task with tables, from the base policy on: accuracy to the right, the share of strategies still found upwards. The thin line is GRPO, the thick one this method.")
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
	}
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

// whyNot is why a method is not on the board, as the results say.
func (s *site) whyNot(name string) string {
	for _, policy := range policies {
		for _, r := range s.facts.boards[policy] {
			for _, u := range r.Unfit {
				if u.Method == name {
					return escape(u.Why)
				}
			}
		}
	}
	if grid, err := board.Published(); err == nil {
		for _, left := range grid.LeftOut {
			if left.Name == name && left.As != "" {
				return escape(left.Reason) + " (its formula is that of " + code(left.As) + ")"
			}
			if left.Name == name {
				return escape(left.Reason)
			}
		}
	}
	return "it was not run"
}

// The size of a panel of curves, in points.
const panelWidth, panelHeight, panelGap = 150, 110, 26

// curves draws the traces of a method beside GRPO's, a panel for each task with tables.
func (s *site) curves(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range s.facts.boards["tabular"] {
		own, usual := trace(r, name), trace(r, board.Reference)
		if own == "" {
			continue
		}
		x, y := n%4*(panelWidth+panelGap)+2, n/4*(panelHeight+panelGap)+panelGap-6
		n++
		fmt.Fprintf(&b, `<g transform="translate(%d %d)"><text x="0" y="-6">%s</text><rect width="%d" height="%d"/><text class="end" x="%d" y="%d">accuracy 1</text><text x="3" y="10">1</text>`, x, y, escape(r.Task), panelWidth, panelHeight, panelWidth-3, panelHeight-4)
		fmt.Fprintf(&b, `<polyline class="usual" points="%s"/><polyline class="own" points="%s"/></g>`+"\n", usual, own)
	}
	if n == 0 {
		return ""
	}
	rows := (n + 3) / 4
	return fmt.Sprintf("<div class=\"scroll\" tabindex=\"0\"><svg class=\"curves\" role=\"img\" aria-label=\"Accuracy and diversity of %s and of GRPO on %d tasks\" width=\"%d\" height=\"%d\">\n%s</svg></div>\n",
		escape(name), n, 4*(panelWidth+panelGap), rows*(panelHeight+panelGap)+4, b.String())
}

// trace is a method's trace on a task as points of a panel; "": it has none.
func trace(r *board.Result, method string) string {
	e := r.Tuned(method)
	if e == nil {
		return ""
	}
	var points []string
	for _, p := range e.Trace {
		x, y := float64(p[1]), float64(p[2])
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		points = append(points, fmt.Sprintf("%.1f,%.1f", panelWidth*min(max(x, 0), 1), panelHeight*(1-min(max(y, 0), 1))))
	}
	return strings.Join(points, " ")
}
