package plots

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

// variantSamples makes variants without records: "method", then field, value, ...
func variantSamples(specs ...[]string) []numbers.Variant {
	var out []numbers.Variant
	for _, spec := range specs {
		v := usual(record.Variant{Label: spec[0], Method: spec[0]})
		for i := 1; i < len(spec); i += 2 {
			v.Axes = append(v.Axes, record.Axis{Field: spec[i], Value: spec[i+1]})
			v.Label += " " + spec[i+1]
		}
		out = append(out, unmeasured(v))
	}
	return out
}

func TestTabulate(t *testing.T) {
	shown := variantSamples(
		[]string{"grpo", "train.lr", "0.1"},
		[]string{"grpo", "train.lr", "0.02"},
		[]string{"setpo", "train.lr", "0.1", "estimator.lambda", "10"},
		[]string{"setpo", "train.lr", "0.02", "estimator.lambda", "9"},
		[]string{"base"},
	)
	for _, c := range []struct {
		name       string
		rows, cols []string
		want       tableau
	}{
		{"numbers by size, the rest in order; base spans the columns", []string{"method", "estimator.lambda"}, []string{"train.lr"}, tableau{
			rows: draw.Side{
				Levels: []string{"method", "lambda"},
				Values: [][]string{{"grpo", ""}, {"setpo", "9"}, {"setpo", "10"}, {"base", ""}},
			},
			cols:   draw.Side{Levels: []string{"lr"}, Values: [][]string{{"0.02"}, {"0.1"}}},
			places: []place{{0, 1}, {0, 0}, {2, 1}, {1, 0}, {3, allColumns}},
		}},
		{"a variant without the row's field has a dash", []string{"train.lr"}, []string{"method"}, tableau{
			rows:   draw.Side{Levels: []string{"lr"}, Values: [][]string{{"-"}, {"0.02"}, {"0.1"}}},
			cols:   draw.Side{Levels: []string{"method"}, Values: [][]string{{"grpo"}, {"setpo"}, {"base"}}},
			places: []place{{2, 0}, {1, 0}, {2, 1}, {1, 1}, {0, 2}},
		}},
		{"no columns", []string{"method", "train.lr"}, nil, tableau{
			rows: draw.Side{
				Levels: []string{"method", "lr"},
				Values: [][]string{{"grpo", "0.02"}, {"grpo", "0.1"}, {"setpo", "0.02"}, {"setpo", "0.1"}, {"base", ""}},
			},
			cols:   draw.Side{Values: [][]string{nil}},
			places: []place{{1, 0}, {0, 0}, {3, 0}, {2, 0}, {4, 0}},
		}},
		{"a field that nothing has makes no level; one that is missing before another has a dash", []string{"estimator.lambda", "nothing", "train.lr"}, []string{"method"}, tableau{
			rows: draw.Side{
				Levels: []string{"lambda", "lr"},
				Values: [][]string{{"-", ""}, {"-", "0.02"}, {"-", "0.1"}, {"9", "0.02"}, {"10", "0.1"}},
			},
			cols:   draw.Side{Levels: []string{"method"}, Values: [][]string{{"grpo"}, {"setpo"}, {"base"}}},
			places: []place{{2, 0}, {1, 0}, {4, 1}, {3, 1}, {0, 2}},
		}},
	} {
		got, err := tabulate(record.Figure{Rows: c.rows, Cols: c.cols}, shown)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got, cmp.AllowUnexported(tableau{}, draw.Side{}, place{})); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// A variant that spans a row and one in a cell of the row collide, in any order.
func TestTabulateCollisions(t *testing.T) {
	for _, shown := range [][]numbers.Variant{
		variantSamples([]string{"base"}, []string{"grpo", "lr", "1"}),
		variantSamples([]string{"grpo", "lr", "1"}, []string{"base"}),
		variantSamples([]string{"grpo", "lr", "1"}, []string{"gspo", "lr", "1"}),
	} {
		if got, err := tabulate(record.Figure{Cols: []string{"lr"}}, shown); err == nil {
			t.Errorf("%s and %s share a cell: %+v", shown[0].Label, shown[1].Label, got)
		}
	}
}

func TestShortName(t *testing.T) {
	for _, c := range []struct {
		field  string
		fields []string
		want   string
	}{
		{"train.lr", []string{"method", "train.lr"}, "lr"},
		{"train.lr", []string{"base.lr", "train.lr"}, "train.lr"},
		{"lr", []string{"train.lr", "lr"}, "lr"},
		{"train.lr", []string{"train.flr", "train.lr"}, "lr"},
	} {
		if got := numbers.ShortName(c.field, c.fields); got != c.want {
			t.Errorf("%s among %v: %q, want %q", c.field, c.fields, got, c.want)
		}
	}
}

// The numbers are at the crossing of their row and column.
func TestGridLayout(t *testing.T) {
	run := emptyRun(t)
	for i, v := range variantSamples(
		[]string{"grpo", "lr", "0.1"}, []string{"grpo", "lr", "0.02"},
		[]string{"setpo", "lr", "0.1"}, []string{"base"},
	) {
		addVariant(t, run, record.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Axes: v.Axes}, 2, func(seed int) []record.Eval {
			return []record.Eval{
				{Step: 0, Metrics: map[string]float64{"accuracy": 0.99}},
				{Step: 5, Metrics: map[string]float64{"accuracy": 0.1*float64(i+1) + 0.02*float64(seed)}},
			}
		})
	}
	d := drawSVG(t, run, record.Figure{Kind: "grid", Metrics: []string{"accuracy"}, Rows: []string{"method"}, Cols: []string{"lr"}})
	drawtest.CheckTexts(t, d)
	at := func(text string) (x, y float64) {
		found := d.Find(t, text)
		return (found.Left + found.Right) / 2, (found.Bottom + found.Top) / 2
	}
	near := func(a, b float64) bool { return a-b < 2 && b-a < 2 }
	for _, c := range []struct{ cell, row, col string }{
		{"0.11", "grpo", "0.1"}, {"0.21", "grpo", "0.02"}, {"0.31", "setpo", "0.1"}, {"-", "setpo", "0.02"}, {"0.41", "base", "lr"},
	} {
		x, y := at(c.cell)
		_, row := at(c.row)
		col, _ := at(c.col)
		if c.cell == "-" {
			row-- // a dash is lower than a word
		}
		if !near(y, row) || !near(x, col) {
			t.Errorf("%s at %g, %g; row %s at %g, column %s at %g", c.cell, x, y, c.row, row, c.col, col)
		}
	}
	left, _ := at("0.02")
	right, _ := at("0.1")
	if left > right {
		t.Error("the columns are not in the order of the numbers")
	}
}
