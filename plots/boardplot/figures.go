package boardplot

import (
	"fmt"
	"strconv"
	"strings"

	"modebench/internal/plural"
	"modebench/plots/draw"
)

// A Figure is a figure of the board with the name of its file.
type Figure struct {
	Name string
	*draw.Figure
}

// Figures draws all figures of the board. A figure without results is left out.
func (b *Board) Figures() ([]Figure, error) {
	var out []Figure
	for _, f := range []struct {
		name, title, text string
		draw              func() (*draw.Figure, error)
	}{
		{"frontier", frontierTitle, "A scatter of all methods: accuracy to the right, diversity above GRPO's at equal accuracy upwards", b.frontier},
		{"traces", boardTraces.title, "Lines, a panel for each task: accuracy to the right, diversity upwards", func() (*draw.Figure, error) { return boardTraces.figure(b) }},
		{"ranks", ranksTitle, "A line for each method: its score with an interval, the answer beside GRPO, and the ranks that the seeds leave open", func() (*draw.Figure, error) { return b.ranks(), nil }},
		{"tasks", heatTitle, "A table of coloured cells: a row for each method, a column for each task", func() (*draw.Figure, error) { return b.heat(), nil }},
		{"entropy", boardEntropy.title, "Lines, a panel for each task: the entropy by the share of the budget", func() (*draw.Figure, error) { return boardEntropy.figure(b) }},
		{"pass-at-k", boardSolved.title, "Lines, a panel for each task: pass@k by k", func() (*draw.Figure, error) { return boardSolved.figure(b) }},
		{"coverage-at-k", boardFound.title, "Lines, a panel for each task: coverage@k by k", func() (*draw.Figure, error) { return boardFound.figure(b) }},
	} {
		figure, err := f.draw()
		if err != nil {
			return nil, err
		}
		if figure != nil {
			out = append(out, Figure{f.name, figure.Told(f.title, b.altText(f.text))})
		}
	}
	return out, nil
}

// altText describes a figure of the board for screen readers, with the scores of the methods that
// are highlighted.
func (b *Board) altText(text string) string {
	three := func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
	var parts []string
	for _, l := range b.table.Rows {
		if b.shownAt(l.Method) >= 0 {
			parts = append(parts, fmt.Sprintf("%s has score %s, accuracy %s, gain %s", l.Method, three(l.Score.Mean), three(l.Paired["accuracy"].Mean), three(l.Paired["gain"].Mean)))
		}
	}
	return fmt.Sprintf("%s, for %s on %s. After training, over all tasks: %s.", text, plural.Count(len(b.table.Rows), "method"), plural.Count(len(b.table.Tasks), "task"), strings.Join(parts, "; "))
}
