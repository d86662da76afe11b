package sweep

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/cells"
)

// Text is the number of cells in each state.
func (s *Status) Text() string {
	parts := []string{fmt.Sprintf("%d of %d cells are finished", s.Counts[cells.Finished], s.All())}
	for state, n := range s.Counts {
		if n > 0 && cells.State(state) != cells.Finished {
			parts = append(parts, fmt.Sprintf("%d %s", n, cells.State(state)))
		}
	}
	return strings.Join(parts, ", ")
}

// The most lines that a state has in a list. Cells that were never begun have least to say.
const (
	listedLines  = 20
	missingLines = 5
)

// List names the cells that are not finished, by state. Cells of one method that follow each other
// in the plan and have no message share a line.
func (s *Status) List() string {
	var b strings.Builder
	for i := range s.Counts {
		state, room := cells.State(i), listedLines
		if state == cells.Missing {
			room = missingLines
		}
		list := slices.DeleteFunc(slices.Clone(s.Cells), func(c CellStatus) bool { return c.State != state })
		for ; len(list) > 0 && room > 0; room-- {
			n := 1
			for n < len(list) && follows(list[n-1], list[n]) {
				n++
			}
			first, last := list[0], list[n-1]
			number, seeds, why := fmt.Sprint(first.Cell), fmt.Sprintf("seed %d", first.Seed), ""
			if n > 1 {
				number, seeds = fmt.Sprintf("%d-%d", first.Cell, last.Cell), fmt.Sprintf("seeds %d-%d", first.Seed, last.Seed)
			}
			if first.Why != "" {
				why = ": " + first.Why
			}
			fmt.Fprintf(&b, "%6s  %-9s  %s, %s%s\n", number, state, first.Label, seeds, why)
			list = list[n:]
		}
		if len(list) > 0 {
			fmt.Fprintf(&b, "        ... and %d more %s\n", len(list), state)
		}
	}
	return b.String()
}

// follows reports whether b can share the line of a.
func follows(a, b CellStatus) bool {
	return b.Cell == a.Cell+1 && b.Seed == a.Seed+1 && a.Label == b.Label && a.Why == "" && b.Why == ""
}
