package draw

import (
	"slices"

	"gonum.org/v1/plot/vg"
)

func (s Side) levelWidth(level int) vg.Length {
	return max(s.labelWidth(level), TextWidth(SmallFont, s.Levels[level]))
}

func (s Side) labelWidth(level int) vg.Length {
	widest := vg.Length(0)
	for _, values := range s.Values {
		widest = max(widest, TextWidth(SmallFont, values[level]))
	}
	return widest
}

// A Side of a table holds the labels along its rows or its columns.
type Side struct {
	Levels []string   // short names of the fields, the outermost first; none: a single position
	Values [][]string // by position: the value of every field
}

// Len is how many positions there are.
func (s Side) Len() int { return len(s.Values) }

// A group is a run of positions with the same values down to some level.
type group struct {
	from, to int // the last position is to-1
	text     string
}

// groups splits the positions at a level; those of the last level are single.
func (s Side) groups(level int) []group {
	var out []group
	for i, values := range s.Values {
		if i > 0 && level < len(s.Levels)-1 && slices.Equal(values[:level+1], s.Values[i-1][:level+1]) {
			out[len(out)-1].to++
			continue
		}
		out = append(out, group{from: i, to: i + 1, text: values[level]})
	}
	return out
}

// gaps counts the gaps before each position. A gap separates two groups of the
// outermost of several levels, unless both are single positions.
func (s Side) gaps() []int {
	out := make([]int, s.Len())
	if len(s.Levels) < 2 {
		return out
	}
	n, single := 0, true
	for i, g := range s.groups(0) {
		alone := g.to-g.from == 1
		if i > 0 && !(single && alone) {
			n++
		}
		single = alone
		for position := g.from; position < g.to; position++ {
			out[position] = n
		}
	}
	return out
}
