package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"modebench/metrics/stats"
	"modebench/plots"
)

func (s *section) setData(e Experiment) error {
	data, err := plots.NewInteractive(e.Run, func(i int) string { return s.Figures[i].ID })
	if err != nil {
		return err
	}
	if chart := claimsChart(s.ID+"-claims-chart", e.Claims, data); len(chart.Rows) > 0 {
		s.ClaimsChart = chart.ID
		data.Charts = append(data.Charts, chart)
	}
	s.Data, err = asScript(data)
	return err
}

// asScript is data as it stands in a script of the page: as JSON, in which nothing ends the script
// or looks like markup.
func asScript(data any) (template.JS, error) {
	text, err := json.Marshal(data)
	return template.JS(text), err
}

// answerLooks are the colour and the mark of each answer, as in the lines of claims.
var answerLooks = map[stats.Answer]struct {
	color string
	mark  int
}{
	stats.Supported:    {"#0b6b3a", 0},
	stats.Opposed:      {"#a4231c", 1},
	stats.NoDifference: {"#7a4b00", 3},
	stats.Undecided:    {"#57606a", 2},
	stats.Untestable:   {"#57606a", 6},
}

// claimsChart has a row for each setting of each claim that has an effect.
func claimsChart(id string, claims []Claim, data *plots.Interactive) plots.Chart {
	chart := plots.Chart{ID: id, Kind: plots.ChartRows, Title: "All claims at all settings", Axis: "effect in units of delta, right of 0 as claimed", Bent: true}
	at := map[string]int{}
	for i, m := range data.Methods {
		at[m.Name] = i
	}
	for _, c := range claims {
		for i, s := range c.Settings {
			row := plots.ChartRow{Label: c.Name, Group: string(s.Answer), Method: -1, Mean: plots.Rounded(s.InDeltas.Mean), Low: plots.Rounded(s.InDeltas.Low), High: plots.Rounded(s.InDeltas.High)}
			if len(c.Settings) > 1 {
				row.Label = fmt.Sprintf("%s, %s", c.Name, settingName(s, i))
			}
			row.Color, row.Mark = answerLooks[s.Answer].color, answerLooks[s.Answer].mark
			if j, ok := at[s.A]; ok {
				row.Method = j
			}
			if s.InDeltas.N > 0 {
				chart.Rows = append(chart.Rows, row)
			}
		}
	}
	return chart
}

func settingName(s Setting, i int) string {
	parts := []string{s.Metric}
	for _, a := range s.Axes {
		parts = append(parts, a.Value)
	}
	return fmt.Sprintf("%s (%d)", strings.Join(parts, " "), i+1)
}
