package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/lined"
	"modebench/internal/plural"
	"modebench/internal/visible"
)

// PlaceFormats are the formats of a place.
func PlaceFormats() []string { return []string{"text", "json"} }

// Write writes the place in one of PlaceFormats.
func (p *Place) Write(format string) ([]byte, error) {
	switch format {
	case "text":
		return p.text(), nil
	case "json":
		return p.json()
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, PlaceFormats())
}

// text has the place, but for the audit, which has a table of its own.
func (p *Place) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s on modebench board %d, policy %s: %d of %s, %d seeds each, beside %d others\n\n",
		p.Method, Version, p.Table.Policy, len(p.On), plural.Of(len(p.Table.Tasks), "task"), p.Table.Seeds, len(p.Table.Rows)-1)
	l := p.Line
	fmt.Fprintf(&b, "rank   %s of %d; %d of the others are surely above or below\n", Span(l.Rank), len(p.Table.Rows), l.Apart)
	fmt.Fprintf(&b, "score  %s, the area in units of GRPO's\n", Interval(l.Rank.IQM))
	if len(p.Same) > 0 {
		fmt.Fprintf(&b, "same   the same records as %s on every task\n", strings.Join(p.Same, ", "))
	}
	if c := p.Cost; c != nil {
		fmt.Fprintf(&b, "cost   a step takes %.2f times as long as GRPO's in this run (%.0f and %.0f microseconds); %.0f%% of it is the estimator's\n",
			c.Seconds/c.Reference, 1e6*c.Seconds, 1e6*c.Reference, 100*c.Estimate/c.Seconds)
	}
	for _, task := range slices.Sorted(maps.Keys(p.Unfit)) {
		fmt.Fprintf(&b, "unfit  %s: %s\n", task, visible.Text(p.Unfit[task]))
	}
	fmt.Fprintf(&b, "\nOn the board, beside its nearest neighbours and %s:\n\n", Reference)
	rows := [][]string{columns}
	for _, line := range p.Rows() {
		if line.Method == p.Line.Method {
			line.Method = p.Method
		}
		rows = append(rows, p.Table.cells(line))
	}
	b.WriteString(analysis.AlignColumns(rows))
	b.WriteString("\nThe methods that behave most like it (0: as it does; 1: the whole scale of accuracy and diversity):\n\n")
	rows = [][]string{{"method", "distance", "tasks"}}
	for _, n := range p.Near {
		rows = append(rows, []string{strings.Join(append([]string{n.Method}, n.Same...), ", "), decimals(n.Distance), fmt.Sprint(n.Tasks)})
	}
	b.WriteString(analysis.AlignColumns(rows))
	b.WriteString("\nDiversity on first reaching a part of the way in accuracy (share of seeds that reach it):\n\n")
	rows = [][]string{{"task", "method", "at 50%", "at 75%", "at 90%", "area", "tuned"}}
	var same []string
	for _, s := range p.On {
		for i, h := range s.Rows {
			task := ""
			if i == 0 {
				task = s.Task
			}
			row := []string{task, h.Method}
			for j := range h.At {
				row = append(row, fmt.Sprintf("%s (%s)", decimals(h.At[j]), decimals(h.Reached[j])))
			}
			rows = append(rows, append(row, decimals(h.Area), h.Setting))
		}
		if len(s.Same) > 0 {
			same = append(same, fmt.Sprintf("%s: the same records as %s\n", s.Task, strings.Join(s.Same, ", ")))
		}
	}
	b.WriteString(analysis.AlignColumns(rows))
	if len(same) > 0 {
		b.WriteString("\n" + strings.Join(same, ""))
	}
	return b.Bytes()
}

// placeJSON is a place as JSON; what is not defined is null.
type placeJSON struct {
	Board  int               `json:"board"`
	Policy string            `json:"policy"`
	Tasks  []string          `json:"tasks"` // of the board
	Seeds  int               `json:"seeds"`
	Method string            `json:"method"`
	Rank   [2]int            `json:"rank"` // from, to
	Of     int               `json:"of"`   // methods that are ranked
	Apart  int               `json:"told_apart"`
	Score  [3]lined.Number   `json:"score"` // with its interval
	Area   lined.Number      `json:"area"`
	Same   []string          `json:"same"`
	Near   []nearJSON        `json:"neighbours"`
	On     []standJSON       `json:"on"`
	Unfit  map[string]string `json:"unfit"`
	Cost   *costJSON         `json:"cost"`
	Audit  *record.Audit     `json:"audit"`
}

type nearJSON struct {
	Method   string       `json:"method"`
	Same     []string     `json:"same"`
	Distance lined.Number `json:"distance"`
	Tasks    int          `json:"tasks"`
}

type standJSON struct {
	Task string     `json:"task"`
	Same []string   `json:"same"`
	Rows []heldJSON `json:"rows"`
}

type heldJSON struct {
	Method  string          `json:"method"`
	Setting string          `json:"setting"`
	Area    lined.Number    `json:"area"`
	At      [3]lined.Number `json:"diversity_at"` // of Levels
	Reached [3]lined.Number `json:"reached"`
}

type costJSON struct {
	Seconds   lined.Number `json:"seconds_per_step"`
	Reference lined.Number `json:"seconds_per_step_of_grpo"`
	Estimate  lined.Number `json:"estimator_seconds"`
}

func (p *Place) json() ([]byte, error) {
	iqm := p.Line.Rank.IQM
	out := placeJSON{
		Board: Version, Policy: p.Table.Policy, Tasks: p.Table.Tasks, Seeds: p.Table.Seeds, Method: p.Method,
		Rank: [2]int{p.Line.Rank.Low, p.Line.Rank.High}, Of: len(p.Table.Rows), Apart: p.Line.Apart,
		Score: numbers([3]float64{iqm.Mean, iqm.Low, iqm.High}), Area: lined.Number(p.Line.Area),
		Same: append([]string{}, p.Same...), Unfit: p.Unfit, Audit: p.Audit,
	}
	for _, n := range p.Near {
		out.Near = append(out.Near, nearJSON{n.Method, append([]string{}, n.Same...), lined.Number(n.Distance), n.Tasks})
	}
	for _, s := range p.On {
		on := standJSON{Task: s.Task, Same: append([]string{}, s.Same...)}
		for _, h := range s.Rows {
			on.Rows = append(on.Rows, heldJSON{h.Method, h.Setting, lined.Number(h.Area), numbers(h.At), numbers(h.Reached)})
		}
		out.On = append(out.On, on)
	}
	if c := p.Cost; c != nil {
		out.Cost = &costJSON{lined.Number(c.Seconds), lined.Number(c.Reference), lined.Number(c.Estimate)}
	}
	text, err := json.Marshal(out)
	return append(text, '\n'), err
}

func numbers(xs [3]float64) (out [3]lined.Number) {
	for i, x := range xs {
		out[i] = lined.Number(x)
	}
	return out
}
