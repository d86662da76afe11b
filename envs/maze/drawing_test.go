package maze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// drawnMaze is problem 0 of the split train.
func drawnMaze(t *testing.T) *Problem {
	t.Helper()
	e, err := Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Problem)
}

// attempt is an answer of those moves.
func attempt(p *Problem, text string) envs.Attempt {
	return envs.Attempt{Text: text, Verdict: p.JudgeText(text)}
}

// TestDrawingWithoutAnswersShowsTheFront: a route and a row for each vector.
func TestDrawingWithoutAnswersShowsTheFront(t *testing.T) {
	p := drawnMaze(t)
	d := p.Drawing()
	lines := 0
	for _, s := range d.Shapes {
		if s.Kind == envs.Line && s.Role == envs.Route {
			lines++
		}
		if len(s.Answers) > 0 {
			t.Error("a shape marks an answer without one")
		}
	}
	if n := len(p.Truth().Front); lines != n || len(d.Table.Rows) != n {
		t.Errorf("%d lines and %d rows for %d vectors", lines, len(d.Table.Rows), n)
	}
}

// TestDrawingMarksRoutes: answers that go the same way share a line, correct modes come first,
// and an answer of which the mode alone is known goes as the front's route of that mode does.
func TestDrawingMarksRoutes(t *testing.T) {
	p := drawnMaze(t)
	p.Truth()
	witness := p.routes[0].Answer
	d := p.Drawing(
		attempt(p, "UP UP LEFT"), attempt(p, witness), attempt(p, witness+" UP"),
		envs.Attempt{Verdict: &envs.Verdict{Mode: p.JudgeText(witness).Mode, Correct: true}})
	var lines [][]int
	crosses := 0
	for _, s := range d.Shapes {
		if s.Kind == envs.Line && len(s.Answers) > 0 {
			lines = append(lines, s.Answers)
		}
		if s.Kind == envs.Cross && slices.Equal(s.Answers, []int{0}) {
			crosses++
		}
	}
	if !slices.ContainsFunc(lines, func(of []int) bool { return slices.Equal(of, []int{1, 2, 3}) }) {
		t.Errorf("the lines are of the answers %v, want one of 1, 2 and 3", lines)
	}
	if rows := d.Table.Rows; len(rows) != 2 || rows[0].Hue != 0 || rows[1].Hue != envs.WrongModes || !strings.HasPrefix(rows[1].Texts[0], "unfinished") {
		t.Errorf("the rows are %+v, want the correct mode before the incorrect one", d.Table.Rows)
	}
	if crosses != 1 {
		t.Errorf("%d crosses at the end of the unfinished route, want 1", crosses)
	}
}

// TestLanesKeepApart: no two lanes of a corridor touch, and all stay within it.
func TestLanesKeepApart(t *testing.T) {
	p := drawnMaze(t)
	for n := 1; n <= maxLanes+8; n++ {
		var groups []*routeGroup
		for range n {
			groups = append(groups, &routeGroup{correct: true, routes: []*drawnRoute{p.route(nil)}})
		}
		l := p.plan(groups)
		x, _ := p.place(p.start, l.cell)
		for i, g := range groups {
			pos := l.pos(g.routes[0].lane, p.start)[0] - x
			if want := float64(l.spacing * (float64(i) - float64(n-1)/2)); math.Abs(pos-want) > 1e-9 || math.Abs(pos) > corridor/2*l.cell+1e-9 {
				t.Errorf("lane %d of %d is at %g in a cell of %g, want %g", i, n, pos, l.cell, want)
			}
		}
	}
}

// TestCornersAreRounded: an arc leads around a corner, and a way back keeps its points.
func TestCornersAreRounded(t *testing.T) {
	got := rounded([][2]float64{{0, 0}, {10, 0}, {10, 10}}, 4)
	if len(got) != 8 {
		t.Fatalf("got %v", got)
	}
	for _, p := range got[1:7] {
		if r := math.Hypot(p[0]-6, p[1]-4); math.Abs(r-4) > 1e-2 {
			t.Errorf("%v is %g from the arc's middle", p, r)
		}
	}
	back := [][2]float64{{0, 0}, {10, 0}, {5, 0}}
	if got := rounded(back, 4); !slices.Equal(got, back) {
		t.Errorf("a way back: %v", got)
	}
}
