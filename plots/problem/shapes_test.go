package problem

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw/drawtest"
)

var update = flag.Bool("update", false, "write the drawing of shapes anew")

// A shapesProblem is of an environment that this package does not know. It has a wall
// and a way through, and an answer is right if its first token is 0.
type shapesProblem struct {
	envs.Problem
	width float64
}

func (p *shapesProblem) PromptText() string { return "shapes" }

func (p *shapesProblem) ID() string { return "train/7" }

func (p *shapesProblem) Judge(answer []envs.Token) *envs.Verdict {
	if len(answer) == 0 {
		return &envs.Verdict{Err: errors.New("empty")}
	}
	return &envs.Verdict{Mode: envs.Mode(p.AnswerText(answer)), Correct: answer[0] == 0}
}

func (p *shapesProblem) AnswerText(answer []envs.Token) string { return fmt.Sprint(answer) }

func (p *shapesProblem) Drawing(answers ...envs.Attempt) envs.Drawing {
	at := func(x, y float64) [][2]float64 { return [][2]float64{{x, y}} }
	d := envs.Drawing{
		Title: "doors train/7: a wall and a way through", Width: p.width, Height: 60, Note: "A note.",
		Shapes: []envs.Shape{
			{Kind: envs.Polygon, Role: envs.Wall, Points: [][2]float64{{60, 0}, {70, 0}, {70, 25}, {60, 25}}},
			{Kind: envs.Polygon, Points: [][2]float64{{60, 35}, {70, 35}, {70, 60}, {60, 60}}},
			{Kind: envs.Line, Role: envs.Path, Points: [][2]float64{{10, 10}, {65, 30}, {120, 10}}},
			{Kind: envs.Circle, Points: at(10, 10), Size: 8},
			{Kind: envs.Label, Points: at(10, 10), Size: 8, Text: "S", Align: 0.5},
			{Kind: envs.Label, Role: envs.Faint, Points: at(125, 10), Size: 3, Text: "small print"},
		},
	}
	for i, answer := range answers {
		role := map[bool]envs.Role{true: envs.Right, false: envs.Wrong}[answer.Correct]
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Role: role, Points: at(20+20*float64(i), 50), Size: 6, Answers: []int{i}})
	}
	return d
}

// TestShapes: a problem of an unknown environment is drawn as its shapes
// say, byte for byte.
func TestShapes(t *testing.T) {
	p := &shapesProblem{width: 180}
	if !CanDraw(p) {
		t.Error("a problem with a drawing cannot be drawn")
	}
	f, err := Draw("doors", p, [][]envs.Token{{0}, {1}, {}})
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	drawtest.WantTexts(t, d, "doors train/7: a wall and a way through", "S", "small print", "A note. 1 of the 3 answers given does not parse.")
	file := filepath.Join(t.TempDir(), "shapes.svg")
	if err := f.Save(file); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "shapes.svg")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the drawing is not that of %s (error %v)", golden, err)
	}
}

// TestWideShapes: what is wider than a page is made smaller, its letters not below 8
// points.
func TestWideShapes(t *testing.T) {
	f, err := Draw("doors", &shapesProblem{width: 2000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Width > 500 {
		t.Errorf("the page is %v wide", f.Width)
	}
	if text := drawtest.Read(t, f).Find(t, "S"); text.Top-text.Bottom < 5 {
		t.Errorf("letters are %v points high", text.Top-text.Bottom)
	}
}

// TestBadShapes: a drawing that is not well formed is an error.
func TestBadShapes(t *testing.T) {
	const want = "doors train/7: its drawing: shape 0: the point [60 0] lies outside of 50 x 60"
	wantError(t, "doors", &shapesProblem{width: 50}, nil, want)
}

// TestDashesFitSteps: a whole number of periods makes a step.
func TestDashesFitSteps(t *testing.T) {
	if got := fitted([]vg.Length{5, 2}, 28); !slices.Equal(got, []vg.Length{5, 2}) {
		t.Errorf("got %v", got)
	}
	if got := fitted([]vg.Length{5, 2}, 32); math.Abs(float64(got[0]+got[1])*5-32) > 1e-9 {
		t.Errorf("got %v", got)
	}
	if fitted(nil, 30) != nil {
		t.Error("a line without dashes got some")
	}
}

// TestHatchingStaysInside: no line leaves its rectangle.
func TestHatchingStaysInside(t *testing.T) {
	low, high := vg.Point{X: 10, Y: 20}, vg.Point{X: 17, Y: 51}
	for _, rising := range []bool{true, false} {
		path := hatching(high, low, rising)
		if len(path) < 8 {
			t.Errorf("only %d points", len(path))
		}
		for _, p := range path {
			if p.Pos.X < low.X || p.Pos.X > high.X || p.Pos.Y < low.Y || p.Pos.Y > high.Y {
				t.Errorf("%v is outside", p.Pos)
			}
		}
	}
}
