package problem

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/envs/maze"
	"modebench/plots/draw"
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

func mazeSVG(t *testing.T, p envs.Problem, answers ...[]envs.Token) drawtest.Drawing {
	t.Helper()
	f, err := Draw("maze", p, answers)
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	return d
}

// A picture without answers shows the exact front, a route for each vector.
func TestMazeShowsItsFront(t *testing.T) {
	d := mazeSVG(t, smallMaze())
	for _, text := range []string{
		"maze train/7: 3 × 3, budget 5, shortest way out 4", "Exact Pareto front: 2 reward vectors",
		"(1, 0, 1, 1)", "(1, 1, 0, 1)", "exit D1", "exit G1", "S", "E", "gold (G)", "diamond (D)", "lava (L)", "bonus (without effect)",
	} {
		if !strings.Contains(d.Joined(), text) {
			t.Errorf("no text %q in %s", text, d.Joined())
		}
	}
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
	d := mazeSVG(t, smallMaze(), [][]envs.Token{{0}, {2}, {3}, {2}, {4}, {9}}...)
	for _, text := range []string{
		"6 answers: 4 correct in 2 modes", "exit G1", "exit L1", "unfinished", "4–5", "step into a wall", "ends before E",
		"1 of the 6 answers given does not parse.", "Lines: one for each different route; the wider, the more answers.",
	} {
		if !strings.Contains(d.Joined(), text) {
			t.Errorf("no text %q in %s", text, d.Joined())
		}
	}
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
	none := mazeSVG(t, smallMaze(), []envs.Token{9})
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
	for _, c := range []struct {
		reason, field string
		value         any
		want          string
	}{
		{"no grid", "grid", nil, `the grid has no cells to draw`},
		{"an empty row", "grid", []string{""}, `the grid has no cells to draw`},
		{"ragged", "grid", []string{"S.", "E"}, `row 2 of the grid has 1 cells, want 2 as in row 1`},
		{"unknown cell", "grid", []string{"S.", "xE"}, `row 2, column 1 of the grid holds 'x'; cells are S, E, G, D, L, B, # and .`},
		{"two exits", "grid", []string{"SE", "E."}, `row 2, column 1 of the grid holds a second E`},
		{"no start", "grid", []string{"E."}, `the grid lacks its start S or its exit E`},
		{"no budget", "budget", 0, `the budget is 0 steps, want at least 1`},
		{"budget of another type", "budget", "many", `field "budget": json: cannot unmarshal string`},
		{"no move", "routes", []witness{{"answer": "HALT"}}, `routes[0]: word 1, "HALT", is no move`},
		{"no way out", "routes", []witness{{"answer": "UP"}}, `routes[0]: "UP" does not reach E within 5 steps`},
	} {
		p := smallMaze()
		p.fields[c.field] = c.value
		f, err := Draw("maze", p, nil)
		if err == nil || f != nil || !strings.HasPrefix(err.Error(), "maze train/7: "+c.want) {
			t.Errorf("%s: got %v, want %s", c.reason, err, c.want)
		}
	}
	p := smallMaze()
	delete(p.fields, "shortest")
	if _, err := Draw("maze", p, nil); err == nil || !strings.Contains(err.Error(), `no field "shortest"`) {
		t.Errorf("got %v", err)
	}
}

// mazeSketches are pictures of mazes as they are generated: how they are asked
// for, and what they must hold.
var mazeSketches = []struct {
	name    string
	change  func(*maze.Config)
	split   envs.Split
	index   int
	answers int
	want    []string
}{
	{name: "front", want: []string{"Exact Pareto front"}},
	{name: "front-slack", change: func(c *maze.Config) { c.Slack = 11 }, index: 1, want: []string{"Exact Pareto front"}},
	{name: "some", index: 3, answers: 8, want: []string{"8 answers: ", "one for each different route"}},
	{name: "pool", index: 4, answers: 64, want: []string{"64 answers: ", "share a lane", "more modes", "incorrect modes"}},
	{name: "ood", split: envs.OOD, index: 5, answers: 16, want: []string{"maze ood/5: 11 × 11"}},
	{name: "small", change: func(c *maze.Config) { c.Size, c.LavaMin, c.LavaMax, c.OpeningsMin, c.OpeningsMax = 5, 0, 0, 4, 6 }, answers: 20, want: []string{"5 × 5"}},
	{name: "large", change: func(c *maze.Config) { c.Size, c.OpeningsMin, c.OpeningsMax = 21, 100, 150 }, answers: 64, want: []string{"21 × 21"}},
}

// TestMazeSketches draws mazes easy and awkward. With PLOTS_GALLERY naming a
// folder it keeps the pictures.
func TestMazeSketches(t *testing.T) {
	for _, s := range mazeSketches {
		t.Run(s.name, func(t *testing.T) {
			p, answers := generatedMaze(t, s.change, s.split, s.index, s.answers)
			d := mazeSVG(t, p, answers...)
			for _, want := range s.want {
				if !strings.Contains(d.Joined(), want) {
					t.Errorf("the picture lacks %q: %s", want, d.Joined())
				}
			}
			if wide := draw.PageWidth.Points() + 10; d.Width > wide || d.Height > 11*72 {
				t.Errorf("the picture is %g x %g pt, more than a page", d.Width, d.Height)
			}
			again := mazeSVG(t, p, answers...)
			if string(again.Bytes) != string(d.Bytes) {
				t.Error("two drawings differ")
			}
			if out := os.Getenv("PLOTS_GALLERY"); out != "" {
				f, err := Draw("maze", p, answers)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Save(filepath.Join(out, fmt.Sprintf("maze-%s.png", s.name))); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// generatedMaze is a maze with answers of its demonstrator, one who often goes
// round by the corners.
func generatedMaze(t *testing.T, change func(*maze.Config), split envs.Split, index, n int) (envs.Problem, [][]envs.Token) {
	t.Helper()
	config := maze.Default()
	config.Detour, config.Tau = 0.5, 0.8
	if change != nil {
		change(config)
	}
	env, err := config.Build()
	if err != nil {
		t.Fatal(err)
	}
	if split == "" {
		split = envs.Train
	}
	p, err := env.Problem(split, index)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var answers [][]envs.Token
	for range n {
		answers = append(answers, p.Demonstrate(r))
	}
	return p, answers
}
