package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNestedGroups(t *testing.T) {
	seeds, values := []int{3, 4, 5, 6, 7}, []float64{30, 40, 50, 60, 70}
	for _, c := range []struct {
		nested Nested
		draws  []int
		groups [][]float64
		bases  [][]float64
		units  string
	}{
		{nil, []int{3, 4, 5, 6, 7}, [][]float64{{30}, {40}, {50}, {60}, {70}}, [][]float64{{30, 40, 50, 60, 70}}, "5 seeds"},
		{Nested{1, 1}, []int{4, 5, 6, 7, 8}, [][]float64{{30}, {40}, {50}, {60}, {70}}, [][]float64{{30}, {40}, {50}, {60}, {70}}, "5 draws of problems with 1 seed each"},
		{Nested{4, 2}, []int{1, 2}, [][]float64{{30}, {40, 50, 60, 70}}, [][]float64{{30}, {40, 50}, {60, 70}}, "2 draws of problems with 5 seeds in all"},
		{Nested{8, 8}, []int{1}, [][]float64{{30, 40, 50, 60, 70}}, [][]float64{{30, 40, 50, 60, 70}}, "1 draw of problems with 5 seeds"},
	} {
		draws, groups := c.nested.Draws(seeds, values)
		if d := cmp.Diff(c.draws, draws) + cmp.Diff(c.groups, groups) + cmp.Diff(c.bases, c.nested.Bases(seeds, values)); d != "" {
			t.Errorf("%v: %s", c.nested, d)
		}
		var refs []Ref
		for _, seed := range seeds {
			refs = append(refs, Ref{Seed: seed})
		}
		if n, text := c.nested.Units(refs); n != len(c.groups) || text != c.units {
			t.Errorf("%v: %d, %q; want %d, %q", c.nested, n, text, len(c.groups), c.units)
		}
	}
}

// TestOddNesting: nesting that no program writes is refused, before it becomes a divisor.
func TestOddNesting(t *testing.T) {
	for _, n := range []Nested{{}, {0, 1}, {2}, {3, 2}, {4, 2, 1}, {2, -1}, {200000, 1}} {
		if n.Check() == nil {
			t.Errorf("%v is taken", n)
		}
	}
	for _, n := range []Nested{nil, {1, 1}, {4, 2}, {6, 6}} {
		if err := n.Check(); err != nil {
			t.Error(err)
		}
	}
	m := &Manifest{Spec: "my", Cells: cellsRef, Nested: Nested{3, 2}}
	if err := m.checkNames(); err == nil {
		t.Error("a manifest with odd nesting is opened")
	}
}
