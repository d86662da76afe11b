package multiplication

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
)

// TestDrawingMarksFamilies: right answers to a family have a frame and a count, and wrong ones a
// count of their own.
func TestDrawingMarksFamilies(t *testing.T) {
	e := build(t, nil)
	made, err := e.Problem(envs.Train, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := made.(*Problem)
	mode := p.Truth().Modes[0]
	d := p.Drawing(
		envs.Attempt{Verdict: &envs.Verdict{Mode: mode, Correct: true}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: mode}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: mode, Correct: true}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: "no*family"}})
	var frames, right, wrong [][]int
	for _, s := range d.Shapes {
		switch {
		case s.Kind == envs.Count && s.Role == envs.Wrong:
			wrong = append(wrong, s.Answers)
		case s.Kind == envs.Count:
			right = append(right, s.Answers)
		case len(s.Answers) > 0:
			frames = append(frames, s.Answers)
		}
	}
	for i, got := range [][][]int{frames, right, wrong} {
		if want := [][]int{{0, 2}, {0, 2}, {1}}[i]; len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("marks %d: answers %v, want %v once", i, got, want)
		}
	}
	if len(d.Legend) != 2 {
		t.Errorf("%d entries in the legend, want one for right and one for wrong answers", len(d.Legend))
	}
}

func TestSidesAreCutAsOperandsAre(t *testing.T) {
	size := func(p piece) float64 { return p.to - p.from }
	alike := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
	for _, c := range []struct {
		reason string
		terms  []int64
		kind   kind
		check  func(s side) bool
	}{
		{"one piece", []int64{343}, plain, func(s side) bool { return len(s.added) == 1 && s.length == 60 && s.reach == 60 }},
		{"pieces get shorter", []int64{300, 40, 3}, place, func(s side) bool {
			return size(s.added[0]) > size(s.added[1]) && size(s.added[1]) > size(s.added[2]) && size(s.added[2]) >= 5 && alike(s.added[2].to, s.length)
		}},
		{"taken away beyond the operand", []int64{70, -3}, near, func(s side) bool {
			return alike(s.length, 60) && s.taken[0].from == s.length && alike(s.reach, s.length+4) && alike(s.added[0].to, s.reach)
		}},
		{"two taken away", []int64{60, 10, -2, -1}, split, func(s side) bool {
			return len(s.taken) == 2 && alike(s.reach-s.length, 8) && size(s.added[1]) >= 13
		}},
		{"equal parts", []int64{49, 7}, factor, func(s side) bool { return len(s.copies()) == 7 && s.length == 60 && s.broken == 0 }},
		{"too many parts", []int64{29, 23}, factor, func(s side) bool { return len(s.copies()) == firstStrips+lastStrips && s.broken > 0 }},
	} {
		if s := layOut(c.terms, c.kind, 60, 5, 4); !c.check(s) {
			t.Errorf("%s: got %+v", c.reason, s)
		}
	}
}

func TestCountsOfVariantsAreShort(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1", 999_999: "999999", 1_000_000: "1.0e6", 1_260_000: "1.3e6", 9_960_000: "1.0e7", 1e15: "1.0e15", math.MaxInt64: "9.2e18", unknown: ">9e18",
	} {
		if got := (&drawnFamily{variants: n}).count(); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
