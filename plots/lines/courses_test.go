package lines

import (
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/analysis"
	"modebench/internal/terminal"
)

// TestCoursesKeepTheirSteps: a measurement is drawn at its step, whatever steps other methods have.
func TestCoursesKeepTheirSteps(t *testing.T) {
	c := &courses{last: 100, still: []bool{false, false, true}}
	var long, short, flat terminal.Series
	for _, step := range []int{100, 0, 50} { // seeds come in any order
		long.Add(step, float64(step))
		long.Add(step, float64(step)+2)
	}
	short.Add(20, 101)
	short.Add(40, 51)
	flat.Add(0, 60)
	c.lines = [][]terminal.Series{{long}, {short}, {flat}}
	for i, want := range []string{"▁▁▁▁▅▅▅▅███", "  █▅▅      ", "▅▅▅▅▅▅▅▅▅▅▅"} {
		if got := c.spark(i, 0, 11, terminal.Sparks); got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
	if low, high := c.extent(0); low != 1 || high != 101 {
		t.Errorf("from %v to %v", low, high)
	}
	// Four evaluations have equal room, and of a hundred in eight characters the last one is seen.
	var few, many terminal.Series
	for i := range 4 {
		few.Add(20*i, float64(i))
	}
	for i := range 101 {
		many.Add(i, float64(i/100))
	}
	if got := (&courses{last: 60, still: []bool{false}, lines: [][]terminal.Series{{few}}}).spark(0, 0, 48, terminal.Sparks); got != strings.Repeat("▁", 12)+strings.Repeat("▃", 12)+strings.Repeat("▆", 12)+strings.Repeat("█", 12) {
		t.Errorf("four evaluations: %q", got)
	}
	if got := (&courses{last: 100, still: []bool{false}, lines: [][]terminal.Series{{many}}}).spark(0, 0, 8, terminal.Sparks); got != "▁▁▁▁▁▁▁█" {
		t.Errorf("101 evaluations: %q", got)
	}
	none := &courses{lines: [][]terminal.Series{{nil}}, still: []bool{false}}
	if low, _ := none.extent(0); !math.IsInf(low, 1) || none.has(0) || none.spark(0, 0, 3, terminal.Sparks) != "   " {
		t.Error("what was not measured is drawn")
	}
	one := &courses{last: 0, still: []bool{true}, lines: [][]terminal.Series{{flat}}}
	if got := one.spark(0, 0, 1, terminal.Sparks); got != "▁" {
		t.Errorf("one evaluation: %q", got)
	}
	bold := Look{Width: 40, Bold: true}.metric(one, 0, "reward", []analysis.SummaryRow{{Label: "x", Cells: []analysis.SummaryCell{{Text: "60.000"}}}})
	if lines := slices.Collect(strings.Lines(bold)); !strings.HasPrefix(lines[0], "\x1b[1mreward\x1b[0m  60.000 to 60.000") || !strings.HasPrefix(lines[1], "  x  60.000  ▁▁▁") {
		t.Errorf("%q", bold)
	}
}
