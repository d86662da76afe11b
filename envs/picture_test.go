package envs_test

import (
	"math"
	"strings"
	"testing"

	"modebench/envs"
)

func TestDrawingCheck(t *testing.T) {
	spot := [][2]float64{{1, 1}}
	for _, c := range []struct {
		reason string
		d      envs.Drawing
		want   string // "": nothing is wrong
	}{
		{"nothing drawn", envs.Drawing{Width: 10, Height: 5}, ""},
		{"no size", envs.Drawing{Width: 10}, "a drawing of 10 x 0 points"},
		{"endless", envs.Drawing{Width: math.Inf(1), Height: 1}, "a drawing of +Inf x 1 points"},
		{"one of each", drawn(
			envs.Shape{Kind: envs.Polygon, Role: envs.Wall, Points: [][2]float64{{0, 0}, {10, 0}, {10, 5}}},
			envs.Shape{Kind: envs.Line, Role: envs.Path, Points: [][2]float64{{0, 0}, {10, 5}}},
			envs.Shape{Kind: envs.Circle, Points: spot, Size: 3},
			envs.Shape{Kind: envs.Label, Role: envs.Wrong, Points: spot, Size: 8, Text: "a"}), ""},
		{"two corners", drawn(envs.Shape{Kind: envs.Polygon, Points: [][2]float64{{0, 0}, {1, 1}}}), "shape 0: 2 points, want at least 3"},
		{"a line to nowhere", drawn(envs.Shape{Kind: envs.Line, Points: spot}), "shape 0: 1 points, want at least 2"},
		{"a circle with two centres", drawn(envs.Shape{Kind: envs.Circle, Points: [][2]float64{{0, 0}, {1, 1}}, Size: 1}), "shape 0: 2 points, want at least 1 and at most 1"},
		{"a circle without a radius", drawn(envs.Shape{Kind: envs.Circle, Points: spot}), "shape 0: size 0, want a number above 0"},
		{"a label without text", drawn(envs.Shape{Kind: envs.Label, Points: spot, Size: 8}), "shape 0: a label without text"},
		{"outside", drawn(envs.Shape{Kind: envs.Line, Points: [][2]float64{{0, 0}, {10, 6}}}), "shape 0: the point [10 6] lies outside of 10 x 5"},
		{"no number", drawn(envs.Shape{Kind: envs.Line, Points: [][2]float64{{0, 0}, {math.NaN(), 1}}}), "shape 0: the point [NaN 1] lies outside of 10 x 5"},
		{"no such kind", drawn(envs.Shape{Kind: 9, Points: spot}), "shape 0: unknown kind 9"},
		{"a count of what is not given", drawn(envs.Shape{Kind: envs.Count, Points: spot, Size: 8, Answers: []int{1}}), "shape 0: it marks answer 1 of 1"},
		{"a table alone", envs.Drawing{Table: &envs.Table{Heads: []string{"a"}, Rows: []envs.Row{{Texts: []string{"1"}, Answers: []int{0}}}}}, ""},
		{"a row with a text too few", envs.Drawing{Table: &envs.Table{Heads: []string{"a"}, Rows: []envs.Row{{}}}}, "row 0: 0 texts, want 1"},
		{"a row of what is not given", envs.Drawing{Table: &envs.Table{Rows: []envs.Row{{Answers: []int{-1}}}}}, "row 0: it marks answer -1 of 1"},
		{"no such role", drawn(envs.Shape{Role: -1}), "shape 0: unknown role -1"},
	} {
		err := c.d.Check(1)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.want)
		}
	}
}

// drawn is a drawing of 10 x 5 points.
func drawn(shapes ...envs.Shape) envs.Drawing {
	return envs.Drawing{Width: 10, Height: 5, Shapes: shapes}
}
