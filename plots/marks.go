package plots

import (
	"cmp"
	"maps"
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
	modes := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], draw.Compare(a, b)) })
	return modes[:min(len(modes), mapModes)]
}

// markOf is the mark of an answer, by the rank of its mode. Other correct answers have the
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

func rankText(rank int, ranked []string) string {
	switch {
	case rank > mapModes:
		return "incorrect answers"
	case rank == mapModes:
		return "other correct answers"
	}
	return "mode " + ranked[rank]
}

// markLegend explains the marks of the modes in the order of their ranks.
func markLegend(ranked []string, paint func(c draw.Canvas, rank int)) (out []draw.Entry) {
	for rank := range mapModes + 2 {
		if rank < len(ranked) || rank == mapModes && len(ranked) == mapModes || rank > mapModes {
			out = append(out, draw.Entry{Text: rankText(rank, ranked), Paint: func(c draw.Canvas) { paint(c, rank) }})
		}
	}
	return out
}
