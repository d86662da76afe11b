package plots

import (
	"slices"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// mapModes is how many correct modes have a mark of their own.
const mapModes = 6

// rankedModes are the correct modes with most answers in all panels, in that order.
func rankedModes(views []poolView) []string {
	counts := map[string]int{}
	for _, v := range views {
		for _, a := range v.pool.Answers {
			if a.Correct && a.Mode != "" {
				counts[a.Mode]++
			}
		}
	}
	modes := make([]string, 0, len(counts))
	for mode := range counts {
		modes = append(modes, mode)
	}
	slices.SortFunc(modes, func(a, b string) int {
		switch {
		case counts[a] != counts[b]:
			return counts[b] - counts[a]
		case draw.Before(a, b):
			return -1
		}
		return 1
	})
	return modes[:min(len(modes), mapModes)]
}

// markOf is how an answer is drawn, by the rank of its mode. Other correct answers have the
// rank mapModes, incorrect ones mapModes+1.
func markOf(rank int) draw.GlyphStyle {
	switch {
	case rank > mapModes:
		return draw.GlyphStyle{Color: draw.RGB(0x9A9A9A), Radius: 1.7, Shape: draw.CrossGlyph{}}
	case rank == mapModes:
		return draw.GlyphStyle{Color: draw.RestColor, Radius: 2, Shape: draw.Corners{N: 24, Turn: 0}}
	}
	return draw.GlyphStyle{Color: draw.RouteColors[rank], Radius: 2.4, Shape: draw.Marks[rank]}
}

func rankOf(a *numbers.Answer, ranked []string) int {
	if !a.Correct {
		return mapModes + 1
	}
	if i := slices.Index(ranked, a.Mode); i >= 0 {
		return i
	}
	return mapModes
}

// rankText is what a mark stands for.
func rankText(rank int, ranked []string) string {
	switch {
	case rank > mapModes:
		return "incorrect answers"
	case rank == mapModes:
		return "other correct answers"
	}
	return "mode " + ranked[rank]
}
