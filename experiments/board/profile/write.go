package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/each"
	"modebench/internal/lined"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// Formats are the formats of profiles.
func Formats() []string { return []string{"text", "markdown", "latex", "csv", "json"} }

// Write writes the profiles in one of Formats.
func (p *Profiles) Write(format string) ([]byte, error) {
	switch format {
	case "text":
		return p.text(), nil
	case "markdown":
		return p.markdown(), nil
	case "latex":
		return p.latex(), nil
	case "csv":
		return p.csv()
	case "json":
		return p.json()
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, Formats())
}

// head is the first line of profiles.
func (p *Profiles) head() string {
	capabilities := "1 capability"
	if n := len(p.Capabilities); n != 1 {
		capabilities = fmt.Sprintf("%d capabilities", n)
	}
	return fmt.Sprintf("modebench profile %d: %s at %s, %d seeds each", Version, plural.Count(len(p.Rows), "method"), capabilities, p.Seeds)
}

// legend explains how to read profiles.
const legend = `from 0 to 1, mean over seeds [95% interval], after tuning each capability alone on other seeds. 1 is
the exact optimum. 0 is the base policy; of best@k and of vectors it is one answer of the base policy,
whose 64 answers are in the row base. -: the method does not fit the task.
`

// cells are the columns of a row.
func (p *Profiles) cells(method string, scores []stats.Interval, why []string) []string {
	two := table.Digits{Decimals: 2, Missing: "-"}
	cells := []string{method}
	for i, s := range scores {
		c := Clipped(s)
		cell := two.Interval(c.Mean, c.Low, c.High)
		switch {
		case c.Low == c.High:
			cell = two.Text(c.Mean)
		case math.IsNaN(c.Mean) && why != nil && strings.HasPrefix(why[i], board.NeedsLabels):
			cell = "needs labels"
		}
		cells = append(cells, cell)
	}
	return cells
}

// table has a head, a row for the base policy and one for each method.
func (p *Profiles) table() table.Grid {
	head, base := []string{"method"}, []stats.Interval(nil)
	for _, a := range p.Capabilities {
		head, base = append(head, a.Title), append(base, a.Base)
	}
	rows := table.Grid{head, p.cells(board.Base, base, nil)}
	for _, r := range p.Rows {
		rows = append(rows, p.cells(r.Method, r.Scores, r.Why))
	}
	return rows
}

// fewRows is the largest number of methods for which notes explain why a method was not run:
// for more, the same reasons would repeat a hundred times.
const fewRows = 10

// notes name the methods that the table leaves out.
func (p *Profiles) notes() (out []string) {
	for _, r := range p.Rows {
		if len(r.Same) > 0 {
			out = append(out, fmt.Sprintf("%s: the same records as %s at every capability", strings.Join(r.Same, ", "), r.Method))
		}
		for i, why := range r.Why {
			if why != "" && len(p.Rows) <= fewRows {
				out = append(out, fmt.Sprintf("%s, %s: %s", r.Method, p.Capabilities[i].Title, why))
			}
		}
	}
	return out
}

func (p *Profiles) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n%s", p.head(), legend, p.table().Text())
	b.WriteString(table.Notes("%s\n", p.notes()))
	return b.Bytes()
}

// markdown has the table, the notes and the settings that were chosen.
func (p *Profiles) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n\n", p.head())
	rows := p.table()
	b.WriteString(rows.Code(0).Markdown())
	notes := p.notes()
	for i := range notes {
		notes[i] = strings.TrimSuffix(notes[i], ".")
	}
	b.WriteString(table.Notes("- %s.\n", notes))
	b.WriteString("\nThe setting that was chosen for each capability:\n\n")
	settings := table.Grid{rows[0]}
	for _, r := range p.Rows {
		cells := append([]string{r.Method}, each.Map(r.Settings, func(s string) string { return cmp.Or(s, "-") })...)
		settings = append(settings, cells)
	}
	b.WriteString(settings.Code(0).Markdown())
	return b.Bytes()
}

func (p *Profiles) latex() []byte { return []byte(p.table().LaTeX(p.head())) }

// csv has a row for each method and capability, and for the base policy. Numbers are not clipped.
func (p *Profiles) csv() ([]byte, error) {
	base := Row{Method: board.Base, Why: make([]string, len(p.Capabilities)), Settings: make([]string, len(p.Capabilities))}
	for _, a := range p.Capabilities {
		base.Scores = append(base.Scores, a.Base)
	}
	var rows []table.Object
	for _, r := range append([]Row{base}, p.Rows...) {
		for i, a := range p.Capabilities {
			s := r.Scores[i]
			rows = append(rows, table.Object{
				{"method", r.Method}, {"same", strings.Join(r.Same, " ")}, {"capability", a.Name},
				{"score", s.Mean}, {"low", s.Low}, {"high", s.High}, {"setting", r.Settings[i]}, {"why_not", r.Why[i]},
			})
		}
	}
	return table.Records(rows).CSV()
}

// json has the profiles by capability. Numbers are not clipped.
func (p *Profiles) json() ([]byte, error) {
	names, base, rows := []string{}, map[string][3]lined.Number{}, []table.Object{}
	for _, a := range p.Capabilities {
		names = append(names, a.Name)
		base[a.Name] = board.Bounds(a.Base)
	}
	for _, r := range p.Rows {
		scores, settings, whys := map[string][3]lined.Number{}, map[string]string{}, map[string]string{}
		for i, a := range p.Capabilities {
			if why := r.Why[i]; why != "" {
				whys[a.Name] = why
				continue
			}
			scores[a.Name], settings[a.Name] = board.Bounds(r.Scores[i]), r.Settings[i]
		}
		rows = append(rows, table.Object{{"method", r.Method}, {"same", r.Same}, {"scores", scores}, {"settings", settings}, {"why_not", whys}})
	}
	text, err := json.Marshal(map[string]any{"profile": Version, "capabilities": names, "seeds": p.Seeds, "base": base, "methods": rows})
	return append(text, '\n'), err
}
