package draw

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		widths  []vg.Length
		width   vg.Length
		rows    int
		columns []vg.Length
	}{
		{[]vg.Length{10, 20, 30}, 88, 1, []vg.Length{10, 20, 30}},
		{[]vg.Length{10, 20, 30}, 87, 2, []vg.Length{20, 30}},
		{[]vg.Length{10, 20, 30}, 30, 3, []vg.Length{30}},
		{[]vg.Length{10, 20, 30}, 5, 3, []vg.Length{30}},
	} {
		rows, columns := arrange(c.widths, c.width)
		if rows != c.rows || !slices.Equal(columns, c.columns) {
			t.Errorf("%v in %g: %d rows of %v", c.widths, c.width, rows, columns)
		}
	}
}
