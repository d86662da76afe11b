package boardplot

import (
	"fmt"
	"math"
	"slices"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/internal/plural"
	"modebench/plots"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

const profilesTitle = "How many runs get above a score"

// profiles draws the share of the runs of a method with a score above tau, for every tau. A run
// is a seed on a task.
func (b *Board) profiles() (*draw.Figure, error) {
	var names []string
	for _, v := range b.shown {
		names = append(names, v.Method)
	}
	tables, err := board.Scores(b.results, names, board.Tuned)
	if err != nil {
		return nil, err
	}
	runs := map[string][]plots.Score{}
	low, high := math.Inf(1), math.Inf(-1)
	for i, name := range names {
		for _, task := range b.table.Tasks {
			for seed, x := range tables[i][task] {
				runs[name] = append(runs[name], plots.Score{Seed: seed, Value: x})
				low, high = min(low, x), max(high, x)
			}
		}
	}
	low, high = sheets.Apart(low, high)
	s := sheets.New(record.Figure{Title: profilesTitle}, b.shown, 1)
	s.Looks = b.looks
	s.Width, s.Height = draw.PageWidth, 190
	traces := s.Traces(plots.ProfileMeasure, func(v numbers.Variant) []sheets.Point {
		if runs[v.Method] == nil {
			return nil
		}
		return plots.Performance(runs[v.Method], low, high)
	})
	const bands = 4 // more cover each other
	for i := range traces {
		traces[i].Look.Exact = len(traces) > bands
	}
	p, err := draw.Lines(plots.ProfileMeasure, traces, low, high)
	if err != nil {
		return nil, err
	}
	p.X.Label.Text = "score τ: area in units of " + board.Reference + "'s on the same task"
	p.X.Tick.Marker = draw.Ticks{Count: 8}
	s.Add(p, plots.ProfileMeasure)
	note := fmt.Sprintf("Runs: %s on each of %s.", plural.Count(b.table.Seeds, "seed"), plural.Count(len(b.table.Tasks), "task"))
	if len(traces) <= bands {
		note = draw.Sentences(note, "Bands: 95% confidence intervals over seeds, at each τ.")
	}
	if slices.ContainsFunc(b.table.Rows, func(l board.Line) bool {
		_, highlighted := b.lookOf(l.Method)
		return highlighted && !b.everywhere(l)
	}) {
		note = draw.Sentences(note, "A method that does not fit a task has no runs there.")
	}
	return s.Page(note), nil
}
