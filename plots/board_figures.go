package plots

import "modebench/plots/draw"

// A BoardFigure is a figure of the board with the name of its file.
type BoardFigure struct {
	Name string
	*draw.Figure
}

// Figures draws all figures of the board. One of which the results hold nothing is left out.
func (b *Board) Figures() ([]BoardFigure, error) {
	var out []BoardFigure
	for _, f := range []struct {
		name string
		draw func() (*draw.Figure, error)
	}{
		{"frontier", b.frontier},
		{"traces", func() (*draw.Figure, error) { return boardTraces.figure(b) }},
		{"ranks", func() (*draw.Figure, error) { return b.ranks(), nil }},
		{"profiles", b.profiles},
		{"tasks", func() (*draw.Figure, error) { return b.heat(), nil }},
		{"entropy", func() (*draw.Figure, error) { return boardEntropy.figure(b) }},
		{"pass-at-k", func() (*draw.Figure, error) { return boardSolved.figure(b) }},
		{"coverage-at-k", func() (*draw.Figure, error) { return boardFound.figure(b) }},
	} {
		figure, err := f.draw()
		if err != nil {
			return nil, err
		}
		if figure != nil {
			out = append(out, BoardFigure{f.name, figure})
		}
	}
	return out, nil
}
