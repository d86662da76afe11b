package problem

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/envs/multiplication"
	"modebench/envs/polynomial"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// layered draws layers for the answers of a truth's modes and for some wrong ones.
func layered(t *testing.T, env string, config envs.Config, given ...Given) (*Layered, envs.Problem) {
	t.Helper()
	e, err := config.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range given {
		if v := p.JudgeText(g.Text); g.Text != "" && v.Err == nil {
			given[i].Mode, given[i].Correct = string(v.Mode), v.Correct
		}
	}
	d, err := DrawLayers(env, p, given)
	if err != nil {
		t.Fatal(err)
	}
	return d, p
}

// svgOf is a layer as SVG.
func svgOf(t *testing.T, f *draw.Figure) string {
	t.Helper()
	var buf bytes.Buffer
	if err := f.WriteSVG(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// TestLayers: answers that a picture tells apart have layers of their own, all of the picture's
// size, with something in them and their counts on the page. The picture below them is the
// same with any layers, if it has the same trees or lanes.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		env    string
		config envs.Config
		given  []Given
		of     []int
		counts bool
	}{
		{"bandit", bandit.Default(), []Given{{Text: "m03"}, {Text: "m11"}, {Text: "m03"}, {Mode: "m02", Correct: true}, {Text: "no arm"}}, []int{0, 1, 0, 2, -1}, true},
		{"countdown", countdown.Default(), []Given{{Text: "1+1"}, {Mode: "", Text: ")("}}, []int{-1, -1}, true},
		{"maze", maze.Default(), []Given{{Text: "LEFT LEFT DOWN"}, {Text: "LEFT LEFT UP"}, {Text: "LEFT LEFT DOWN"}, {Mode: "no mode", Correct: true}}, []int{0, 1, 0, -1}, false},
		{"polynomial", polynomial.Default(), []Given{{Mode: "x=0, y=0"}, {Mode: "x=99999, y=0"}, {Mode: "no pair"}}, []int{0, -1, -1}, true},
		{"multiplication", multiplication.Default(), []Given{{Mode: "place*place", Correct: true}, {Mode: "place*place"}, {Mode: "no family"}}, []int{0, 1, -1}, true},
	} {
		t.Run(c.env, func(t *testing.T) {
			d, p := layered(t, c.env, c.config, c.given...)
			if !slices.Equal(d.Of, c.of) {
				t.Errorf("the answers have the layers %v, want %v", d.Of, c.of)
			}
			if modes := p.Truth().Modes; c.env != "maze" { // a route of every mode is not known
				var all []Given
				for _, m := range modes {
					all = append(all, Given{Mode: string(m), Correct: true})
				}
				d, _ = layered(t, c.env, c.config, all...)
				if len(d.Layers) < min(len(all), 8) {
					t.Errorf("%d of %d correct modes have a layer", len(d.Layers), len(all))
				}
			}
			checkLayers(t, d, c.counts)
		})
	}
}

func checkLayers(t *testing.T, d *Layered, counts bool) {
	t.Helper()
	empty := svgOf(t, &draw.Figure{Width: d.Below.Width, Height: d.Below.Height, Paint: func(draw.Canvas) {}})
	seen := map[string]bool{}
	for i, l := range d.Layers {
		text := svgOf(t, l.Figure)
		if len(text) <= len(empty) || seen[text] {
			t.Errorf("layer %d shows nothing, or what another shows", i)
		}
		seen[text] = true
		if strings.Contains(text, "NaN") || l.Width != d.Below.Width || l.Height != d.Below.Height {
			t.Errorf("layer %d is %v by %v, want the size of the picture", i, l.Width, l.Height)
		}
		if (l.Count != nil) != counts {
			t.Errorf("layer %d has the count %v", i, l.Count)
		}
		if at := l.Count; at != nil && (at.X < 0 || at.X > l.Width || at.Y < 0 || at.Y > l.Height || math.IsNaN(float64(at.Y))) {
			t.Errorf("the count of layer %d is at %v, off the page", i, at)
		}
		if svgOf(t, l.Figure) != text {
			t.Errorf("layer %d has other bytes when it is written again", i)
		}
	}
}

// TestLayersOfUndrawableProblems: a problem that cannot be drawn is an error.
func TestLayersOfUndrawableProblems(t *testing.T) {
	if _, err := DrawLayers("maez", scripted{}, nil); err == nil || err.Error() != "maez train/7: such problems cannot be drawn" {
		t.Errorf("error %v", err)
	}
}

// TestLayersLieOnTheirAnswers: the frame of an answer encloses the name that the picture has for
// it, and its count lies in the frame. A bar lies beside them, and begins where it is to be
// narrowed from.
func TestLayersLieOnTheirAnswers(t *testing.T) {
	arms := []Given{{Text: "m00"}, {Text: "m03"}, {Text: "m11"}}
	e, err := countdown.Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	var trees []Given
	for _, m := range p.Truth().Modes[:3] {
		trees = append(trees, Given{Mode: string(m), Correct: true})
	}
	for _, c := range []struct {
		env    string
		config envs.Config
		given  []Given
		name   func(g Given) string
	}{
		{"bandit", bandit.Default(), arms, func(g Given) string { return g.Text }},
		{"countdown", countdown.Default(), trees, func(g Given) string { return g.Mode }},
	} {
		d, _ := layered(t, c.env, c.config, c.given...)
		below := drawtest.Read(t, d.Below)
		for i, g := range c.given {
			layer := d.Layers[d.Of[i]]
			paths := drawtest.Read(t, layer.Figure).Drawn
			left, right, bottom, top := paths[0].Box()
			if d.From != 0 {
				if math.Abs(left-float64(d.From)) > 0.01 {
					t.Errorf("%s: the bar of %s begins at %g, want %v", c.env, c.name(g), left, d.From)
				}
				left, right = 0, below.Width
			}
			inside := func(x, y float64) bool { return left <= x && x <= right && bottom <= y && y <= top }
			// A mode is named in the legend too.
			if !slices.ContainsFunc(below.All(c.name(g)), func(x drawtest.Text) bool { return inside(x.Middle()) }) {
				t.Errorf("%s: the frame of %s, from %g to %g, does not enclose its name", c.env, c.name(g), bottom, top)
			}
			if at := layer.Count; !inside(float64(at.X), below.Height-float64(at.Y)) {
				t.Errorf("%s: the count of %s is at %v, outside its frame", c.env, c.name(g), at)
			}
		}
	}
}
