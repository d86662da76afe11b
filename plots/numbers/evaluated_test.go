package numbers

import (
	"slices"
	"testing"
)

func TestThinned(t *testing.T) {
	for _, n := range []int{1, 2, 399, 400, 401, 3000, 100001} {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		got := Thinned(list, maxPoints)
		if got[0] != 0 || got[len(got)-1] != n-1 || len(got) > maxPoints+1 || len(got) < min(n, maxPoints/2) || !slices.IsSorted(got) {
			t.Errorf("%d: %d positions from %d to %d", n, len(got), got[0], got[len(got)-1])
		}
	}
}
