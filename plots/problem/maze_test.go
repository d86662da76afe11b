package problem

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/envs/maze"
	"modebench/plots/draw/drawtest"
)

// A scriptedMaze judges the answers of its script: the token i is the i-th of
// them, every other token does not parse.
type scriptedMaze struct {
	envs.Problem
	fields map[string]any
	script []scriptedAnswer
}

type scriptedAnswer struct {
	text, mode string
	reward     []float64
}

func (p scriptedMaze) ID() string { return "train/7" }

func (p scriptedMaze) Fields() map[string]any { return p.fields }

func (p scriptedMaze) AnswerText(answer []envs.Token) string { return p.script[answer[0]].text }

func (p scriptedMaze) Judge(answer []envs.Token) *envs.Verdict {
	if int(answer[0]) >= len(p.script) {
		return &envs.Verdict{Err: errors.New("no move")}
	}
	return p.JudgeText(p.AnswerText(answer))
}

func (p scriptedMaze) JudgeText(text string) *envs.Verdict {
	for _, a := range p.script {
		if a.text == text {
			return &envs.Verdict{Mode: envs.Mode(a.mode), Reward: a.reward, Correct: a.reward[0] > 0}
		}
	}
	return &envs.Verdict{Err: errors.New("not in the script")}
}

// smallMaze has a way over the gold, one over the diamond, and one through lava.
func smallMaze() scriptedMaze {
	script := []scriptedAnswer{
		{"RIGHT RIGHT DOWN DOWN", "exit G1", []float64{1, 1, 0, 1}},
		{"DOWN DOWN RIGHT RIGHT", "exit D1", []float64{1, 0, 1, 1}},
		{"UP RIGHT RIGHT DOWN DOWN UP", "exit G1", []float64{1, 1, 0, 1}},
		{"DOWN RIGHT DOWN RIGHT", "exit L1", []float64{1, 0, 0, 0}},
		{"LEFT DOWN", "unfinished", []float64{0, 0, 0, 0}},
	}
	type witness struct {
		Reward []float64 `json:"reward"`
		Answer string    `json:"answer"`
	}
	return scriptedMaze{script: script, fields: map[string]any{
		"grid": []string{"S.G", ".LB", "D.E"}, "budget": 5, "shortest": 4,
		"routes": []witness{{[]float64{1, 0, 1, 1}, script[1].text}, {[]float64{1, 1, 0, 1}, script[0].text}},
	}}
}

// A picture without answers shows the exact front, a route for each vector.
func TestMazeShowsItsFront(t *testing.T) {
	d := problemSVG(t, "maze", smallMaze())
	drawtest.WantTexts(t, d,
		"maze train/7: 3 × 3, budget 5, shortest way out 4", "Exact Pareto front: 2 reward vectors",
		"(1, 0, 1, 1)", "(1, 1, 0, 1)", "exit D1", "exit G1", "S", "E", "gold (G)", "diamond (D)", "lava (L)", "bonus (without effect)",
	)
	for i, style := range []string{"stroke:#0072B2", "stroke:#D55E00"} {
		if n := d.Paths(style); n != 2 {
			t.Errorf("%d lines of vector %d, want its route and its sample", n, i)
		}
	}
	if d.Has("step into a wall") || d.Has("ends before E") || strings.Contains(d.Joined(), "answer") {
		t.Errorf("a front with what only answers have: %s", d.Joined())
	}
}

// Answers are counted by mode, and their routes drawn once each.
func TestMazeShowsAnswers(t *testing.T) {
	d := problemSVG(t, "maze", smallMaze(), [][]envs.Token{{0}, {2}, {3}, {2}, {4}, {9}}...)
	drawtest.WantTexts(t, d,
		"6 answers: 4 correct in 2 modes", "exit G1", "exit L1", "unfinished", "4–5", "step into a wall", "ends before E",
		"1 of the 6 answers given does not parse.", "Lines: one for each different route; the wider, the more answers.",
	)
	if strings.Contains(d.Joined(), "Pareto") {
		t.Error("a picture of answers with the front's routes")
	}
	at := func(text string) float64 { return d.Find(t, text).Bottom }
	if !(at("exit G1") > at("exit L1") && at("exit L1") > at("unfinished")) {
		t.Error("the modes are not in the order of correctness and number")
	}
	if y := d.Find(t, "yes").Bottom; math.Abs(y-at("exit G1")) > 0.1 || len(d.All("yes")) != 1 {
		t.Error("not the one mode on the front is marked")
	}
	// Two routes, a bump of two strokes, and the sample.
	if n := d.Paths("stroke:#0072B2"); n != 5 {
		t.Errorf("%d lines of exit G1, want 5", n)
	}
	none := problemSVG(t, "maze", smallMaze(), []envs.Token{9})
	if !strings.Contains(none.Joined(), "The answer given does not parse.") || none.Has("mode") {
		t.Errorf("nothing parses: %s", none.Joined())
	}
}

func TestMazeWalk(t *testing.T) {
	m, err := readMaze(smallMaze())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer  string
		spots   []spot
		moves   int
		bumps   []bump
		arrived bool
	}{
		{"RIGHT RIGHT DOWN DOWN LEFT LEFT", []spot{{0, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}}, 4, nil, true},
		{"UP UP LEFT DOWN DOWN DOWN", []spot{{0, 0}, {1, 0}, {2, 0}}, 5, []bump{{spot{0, 0}, spot{-1, 0}}, {spot{0, 0}, spot{0, -1}}}, false},
		{"", []spot{{0, 0}}, 0, nil, false},
	} {
		r, err := m.walk(c.answer)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.spots, c.spots) || len(r.moves) != c.moves || !slices.Equal(r.bumps, c.bumps) || r.arrived != c.arrived {
			t.Errorf("%q: %+v", c.answer, r)
		}
	}
	if _, err := m.walk("UP up"); err == nil || err.Error() != `word 2, "up", is no move; moves are UP, DOWN, LEFT, RIGHT` {
		t.Errorf("got %v", err)
	}
}

// No two lanes of a corridor touch, and all stay within it.
func TestLanesKeepApart(t *testing.T) {
	m, err := readMaze(smallMaze())
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= maxOwnLanes+8; n++ {
		var groups []*routeGroup
		for i := range n {
			r, err := m.walk("RIGHT RIGHT DOWN DOWN")
			if err != nil {
				t.Fatal(err)
			}
			r.times = i + 1
			groups = append(groups, &routeGroup{correct: true, routes: []*mazeRoute{r}})
		}
		plan := planLanes(m, groups)
		var at []float64
		for _, g := range groups {
			r := g.routes[0]
			at = append(at, plan.offset(r.lane).X.Points())
			if wide := plan.stroke(r.times); n > 1 && wide >= plan.spacing {
				t.Errorf("%d lanes %g apart: a line of %d answers is %g wide", n, plan.spacing, r.times, wide)
			}
		}
		slices.Sort(at)
		for i := range at[1:] {
			if math.Abs(at[i+1]-at[i]-plan.spacing.Points()) > 1e-9 {
				t.Errorf("%d lanes at %v", n, at)
			}
		}
		if reach := corridor / 2 * plan.cell.Points(); at[0] < -reach-1e-9 || at[n-1] > reach+1e-9 {
			t.Errorf("%d lanes at %v leave the corridor", n, at)
		}
	}
}

func TestRounded(t *testing.T) {
	got := rounded([]vg.Point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 10}}, 4)
	first, last := got[1], got[len(got)-2]
	if len(got) != 8 || first.Sub(vg.Point{X: 6, Y: 0}).X > 1e-9 || last.Sub(vg.Point{X: 10, Y: 4}).Y > 1e-9 {
		t.Errorf("got %v", got)
	}
	for _, p := range got[1:7] {
		if r := math.Hypot(float64(p.X-6), float64(p.Y-4)); math.Abs(r-4) > 1e-9 {
			t.Errorf("%v is %g from the arc's middle", p, r)
		}
	}
	back := []vg.Point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 5, Y: 0}}
	if got := rounded(back, 4); !slices.Equal(got, back) {
		t.Errorf("a way back: %v", got)
	}
}

func TestFittedDashes(t *testing.T) {
	if got := fitted([]vg.Length{5, 2}, 28); !cmp.Equal(got, []vg.Length{5, 2}) {
		t.Errorf("got %v", got)
	}
	if got := fitted([]vg.Length{5, 2}, 32); math.Abs(float64(got[0]+got[1])*5-32) > 1e-9 {
		t.Errorf("got %v", got)
	}
	if fitted(nil, 30) != nil {
		t.Error("a line without dashes got some")
	}
}

func TestMazeErrors(t *testing.T) {
	type witness map[string]any
	checkFieldErrors(t, "maze", smallMaze, []fieldError{
		{"no grid", "grid", []string{}, `the grid has no cells to draw`},
		{"an empty row", "grid", []string{""}, `the grid has no cells to draw`},
		{"ragged", "grid", []string{"S.", "E"}, `row 2 of the grid has 1 cells, want 2 as in row 1`},
		{"unknown cell", "grid", []string{"S.", "xE"}, `row 2, column 1 of the grid holds 'x'; cells are S, E, G, D, L, B, # and .`},
		{"two exits", "grid", []string{"SE", "E."}, `row 2, column 1 of the grid holds a second E`},
		{"no start", "grid", []string{"E."}, `the grid lacks its start S or its exit E`},
		{"no budget", "budget", 0, `the budget is 0 steps, want at least 1`},
		{"budget of another type", "budget", "many", `field "budget": json: cannot unmarshal string`},
		{"no move", "routes", []witness{{"answer": "HALT"}}, `routes[0]: word 1, "HALT", is no move`},
		{"no way out", "routes", []witness{{"answer": "UP"}}, `routes[0]: "UP" does not reach E within 5 steps`},
		{"no shortest way", "shortest", nil, `the problem has no field "shortest"`},
	})
}

// TestMazeSketches draws mazes as they are generated. The demonstrator often goes round by the
// corners.
func TestMazeSketches(t *testing.T) {
	config := func(change func(*maze.Config)) *maze.Config {
		c := maze.Default()
		c.Detour, c.Tau = 0.5, 0.8
		change(c)
		return c
	}
	plain := config(func(*maze.Config) {})
	drawSketches(t, "maze", 600_000, []problemSketch{
		{name: "front", config: plain, want: []string{"Exact Pareto front"}},
		{name: "front-slack", config: config(func(c *maze.Config) { c.Slack = 11 }), index: 1, want: []string{"Exact Pareto front"}},
		{name: "some", config: plain, index: 3, answers: 8, want: []string{"8 answers: ", "one for each different route"}},
		{name: "pool", config: plain, index: 4, answers: 64, want: []string{"64 answers: ", "share a lane", "more modes", "incorrect modes"}},
		{name: "ood", config: plain, split: envs.OOD, index: 5, answers: 16, want: []string{"maze ood/5: 11 × 11"}},
		{name: "small", config: config(func(c *maze.Config) { c.Size, c.LavaMin, c.LavaMax, c.OpeningsMin, c.OpeningsMax = 5, 0, 0, 4, 6 }), answers: 20, want: []string{"5 × 5"}},
		{name: "large", config: config(func(c *maze.Config) { c.Size, c.OpeningsMin, c.OpeningsMax = 21, 100, 150 }), answers: 64, want: []string{"21 × 21"}},
	})
}

func (p scriptedMaze) PromptText() string { return "scripted" }
