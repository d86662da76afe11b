package each

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoops(t *testing.T) {
	even := func(x int) bool { return x%2 == 0 }
	half := func(x int) float64 { return float64(x) / 2 }
	if got := Map([]int{1, 2, 4}, half); !cmp.Equal(got, []float64{.5, 1, 2}) {
		t.Errorf("Map: %v", got)
	}
	if got := Where([]int{1, 2, 4}, even); !cmp.Equal(got, []int{2, 4}) {
		t.Errorf("Where: %v", got)
	}
	if got := Count([]int{1, 2, 4}, even); got != 2 {
		t.Errorf("Count: %d", got)
	}
	if Map([]int{}, half) != nil || Where([]int{1}, even) != nil {
		t.Error("an empty list is not nil")
	}
}
