package draw

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupsAndGaps(t *testing.T) {
	s := Side{Levels: []string{"method", "lambda", "lr"}, Values: [][]string{
		{"base", "", ""}, {"grpo", "", ""}, {"setpo", "1", "a"}, {"setpo", "1", "b"}, {"setpo", "2", "a"}, {"vpo", "2", "a"},
	}}
	for level, want := range [][]group{
		{{0, 1, "base"}, {1, 2, "grpo"}, {2, 5, "setpo"}, {5, 6, "vpo"}},
		{{0, 1, ""}, {1, 2, ""}, {2, 4, "1"}, {4, 5, "2"}, {5, 6, "2"}},
		{{0, 1, ""}, {1, 2, ""}, {2, 3, "a"}, {3, 4, "b"}, {4, 5, "a"}, {5, 6, "a"}},
	} {
		if diff := cmp.Diff(want, s.groups(level), cmp.AllowUnexported(group{})); diff != "" {
			t.Errorf("level %d: %s", level, diff)
		}
	}
	if got, want := s.gaps(), []int{0, 0, 1, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("gaps %v, want %v", got, want)
	}
	flat := Side{Levels: []string{"lr"}, Values: [][]string{{"1"}, {"2"}}}
	if got := flat.gaps(); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("a single level has gaps %v", got)
	}
}
