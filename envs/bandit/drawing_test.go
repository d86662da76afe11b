package bandit

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
)

// armed are attempts at some arms.
func armed(p *Problem, arms ...int) []envs.Attempt {
	var out []envs.Attempt
	for _, arm := range arms {
		out = append(out, envs.Attempt{Text: p.env.arms[arm], Verdict: &p.verdicts[arm]})
	}
	return out
}

// TestDrawingKeepsAllModes: rows that modes share lose no arm, no mass and no answer, and hide no
// mode with an answer.
func TestDrawingKeepsAllModes(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.ArmsPerMode, c.Modes, c.Rewarded, c.Start = 3, 500, 100, "zipf" }), envs.Train, 0)
	d := p.Drawing(armed(p, 0, 299, 1499, 700)...)
	if n := len(d.Table.Rows); n != 2*(maxModes+1) {
		t.Errorf("%d rows, want %d", n, 2*(maxModes+1))
	}
	arms, mass, answers := 0, 0.0, 0
	for _, row := range d.Table.Rows {
		n, err := strconv.Atoi(row.Texts[1])
		if err != nil {
			t.Fatal(err)
		}
		arms, mass, answers = arms+n, mass+row.Value, answers+len(row.Answers)
		if row.Bare != strings.HasSuffix(row.Texts[0], " more") || row.Bare && len(row.Answers) > 0 {
			t.Errorf("the row %+v hides an answer, or has no bar", row)
		}
	}
	if arms != 1500 || math.Abs(mass-1) > 1e-9 || answers != 4 {
		t.Errorf("%d arms, mass %g, %d answers; want 1500, 1 and 4", arms, mass, answers)
	}
}

// TestDrawingMarksArms: an answer marks its arm, and one whose mode alone is known all arms of it.
func TestDrawingMarksArms(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.ArmsPerMode = 2 }), envs.Train, 0)
	d := p.Drawing(append(armed(p, 1), envs.Attempt{Verdict: &envs.Verdict{Mode: p.env.modes[1], Correct: true}})...)
	var marked [][]int
	for _, row := range d.Table.Rows[:5] {
		marked = append(marked, row.Answers)
	}
	if want := [][]int{nil, {0}, {1}, {1}, nil}; !slices.EqualFunc(marked, want, slices.Equal[[]int]) {
		t.Errorf("the rows mark %v, want %v", marked, want)
	}
}

// TestLikeliestModesHaveColours: of many correct modes the likeliest have a colour each, in the
// order of modes, and the legend counts the others.
func TestLikeliestModesHaveColours(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.Modes, c.Rewarded, c.Start = 20, 12, "zipf" }), envs.Train, 0)
	rows := p.Drawing().Table.Rows
	var hues []int
	coloured, plain := 1.0, 0.0
	for _, row := range rows[:12] {
		if row.Hue >= 0 {
			hues, coloured = append(hues, row.Hue), min(coloured, row.Value)
		} else {
			plain = max(plain, row.Value)
		}
	}
	if !slices.Equal(hues, []int{0, 1, 2, 3, 4, 5, 6}) || plain > coloured || rows[12].Hue != envs.WrongModes {
		t.Errorf("hues %v, the least likely with %g, another with %g", hues, coloured, plain)
	}
	if legend := p.Drawing().Legend; len(legend) != maxColours+2 || legend[maxColours].Text != "5 other modes" {
		t.Errorf("the legend is %+v", legend)
	}
}

func TestLongRewardsAreShort(t *testing.T) {
	for _, c := range []struct {
		reward []float64
		want   string
	}{
		{[]float64{0.5}, "0.5"}, {nil, "()"}, {[]float64{1, 1, 1}, "(1, 1, 1)"},
		{[]float64{1, 1, 1, 0}, "(3×1, 0)"}, {[]float64{0, 0.25, 0, 1}, "(0, 0.25, 0, 1)"},
	} {
		if got := rewardText(c.reward); got != c.want {
			t.Errorf("%v is written %s, want %s", c.reward, got, c.want)
		}
	}
}
