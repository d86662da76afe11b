package plots

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// mean is the mean of a metric over a variant's seeds at a step, read from the
// records one by one; NaN if it is missing.
func mean(t *testing.T, run *record.Run, v record.Variant, metric string, step int) float64 {
	t.Helper()
	sum, n := 0.0, 0
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range evals {
			if x, ok := e.Metrics[metric]; ok && e.Step == step {
				sum, n = sum+x, n+1
			}
		}
	}
	return sum / float64(n)
}

// lastStep is the step of the variant's last evaluation.
func lastStep(t *testing.T, run *record.Run, v record.Variant) int {
	t.Helper()
	evals, err := run.Evals(v.Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	return evals[len(evals)-1].Step
}

func drawValues(t *testing.T, run *record.Run, fig record.Figure) (*draw.Figure, Values) {
	t.Helper()
	f, values, err := gathered(t, run, fig).DrawValues()
	if err != nil {
		t.Fatal(err)
	}
	return f, values
}

func TestCurveValues(t *testing.T) {
	run := banditRun(t, 2, 100, 10)
	_, values := drawValues(t, run, record.Figure{Kind: "curve", Metrics: []string{"reward", "entropy_mode"}})
	for i, metric := range []string{"reward", "entropy_mode"} {
		p := values[i]
		if len(p.Rows) != 11 || len(p.Columns) != len(run.Variants) || p.Low != 0 || p.High != 100 {
			t.Fatalf("%s: %d rows, %d columns, from %v to %v", metric, len(p.Rows), len(p.Columns), p.Low, p.High)
		}
		for _, row := range p.Rows {
			for j, v := range run.Variants {
				step := int(row.X)
				if !v.Trains {
					step = 0 // a variant that does not train is measured once
				}
				if want := mean(t, run, v, metric, step); math.Abs(row.Cells[j].Mean-want) > 1e-12 || row.Name != fmt.Sprint(row.X) {
					t.Errorf("%s of %s at %s: %v, want %v", metric, v.Label, row.Name, row.Cells[j].Mean, want)
				}
			}
		}
	}
}

// TestManyEvaluations lists a part of many evaluations, with both ends.
func TestManyEvaluations(t *testing.T) {
	for _, steps := range []int{1, 64, 65, 300} {
		run := banditRun(t, 1, steps-1, 1)
		_, values := drawValues(t, run, record.Figure{Kind: "curve", Metrics: []string{"reward"}})
		rows := values[0].Rows
		if len(rows) > maxRows+1 || len(rows) < min(steps, maxRows/2) || rows[0].X != 0 || rows[len(rows)-1].X != float64(steps-1) {
			t.Errorf("%d evaluations: %d rows from %s to %s", steps, len(rows), rows[0].Name, rows[len(rows)-1].Name)
		}
	}
}

func TestKCurveValues(t *testing.T) {
	run := banditRun(t, 2, 40, 20)
	_, values := drawValues(t, run, record.Figure{Kind: "k-curve", Metrics: []string{"pass", "coverage"}})
	for i, family := range []string{"pass", "coverage"} {
		var ks []string
		for _, row := range values[i].Rows {
			ks = append(ks, row.Name)
			for j, v := range run.Variants {
				want := mean(t, run, v, family+"@"+row.Name, lastStep(t, run, v))
				if math.Abs(row.Cells[j].Mean-want) > 1e-12 {
					t.Errorf("%s@%s of %s: %v, want %v", family, row.Name, v.Label, row.Cells[j].Mean, want)
				}
			}
		}
		if want := []string{"1", "2", "4", "8", "16", "32", "64"}; !slices.Equal(ks, want) || values[i].High != 6 {
			t.Errorf("%s: k %v to %v", family, ks, values[i].High)
		}
	}
}

func TestGridValues(t *testing.T) {
	run := sweepRun(t, 2, 20, 20)
	f, values := drawValues(t, run, record.Figure{Kind: "grid", Metrics: []string{"reward", "pass@4"}, Rows: []string{"method", "estimator.lambda"}, Cols: []string{"train.lr"}})
	if len(values) != 1 || len(values[0].Rows) != len(run.Variants) || values[0].Low != values[0].High || f.Areas() != nil {
		t.Fatalf("%d panels", len(values))
	}
	for i, row := range values[0].Rows {
		for j, metric := range []string{"reward", "pass@4"} {
			v := run.Variants[i]
			if want := mean(t, run, v, metric, lastStep(t, run, v)); math.Abs(row.Cells[j].Mean-want) > 1e-12 {
				t.Errorf("%s of %s: %v, want %v", metric, row.Name, row.Cells[j].Mean, want)
			}
		}
	}
}

func TestBarsValues(t *testing.T) {
	run := banditRun(t, 3, 20, 20)
	_, values := drawValues(t, run, record.Figure{Kind: "bars", Metrics: []string{"reward", "pass@4"}})
	if len(values) != 1 || len(values[0].Rows) != len(run.Variants) || values[0].Low != values[0].High {
		t.Fatalf("%d panels", len(values))
	}
	for i, row := range values[0].Rows {
		for j, metric := range []string{"reward", "pass@4"} {
			v := run.Variants[i]
			if want := mean(t, run, v, metric, lastStep(t, run, v)); row.Name != v.Label || math.Abs(row.Cells[j].Mean-want) > 1e-12 {
				t.Errorf("%s of %s: %v, want %v", metric, row.Name, row.Cells[j].Mean, want)
			}
		}
	}
}

func TestPositionsValues(t *testing.T) {
	run := emptyRun(t)
	for i, label := range []string{"grpo", "vpo"} {
		addVariant(t, run, record.Variant{Method: label}, 3, func(seed int) []record.Eval {
			x := float64(10*i + seed)
			e := record.Eval{Step: 5, Metrics: map[string]float64{"branches@1": x, "branches@6": 2 * x}}
			if i == 1 {
				e.Metrics["branches@3"] = x / 2
			}
			return []record.Eval{{Metrics: map[string]float64{"branches@1": 99}}, e}
		})
	}
	f, values := drawValues(t, run, record.Figure{Kind: "positions"})
	if len(values) != 1 || len(values[0].Rows) != 3 || values[0].Low != 1 || values[0].High != 6 || len(f.Areas()) != 1 {
		t.Fatalf("%+v, %d areas", values, len(f.Areas()))
	}
	for i, want := range []struct {
		h  int
		at [2]float64
	}{{1, [2]float64{1, 11}}, {3, [2]float64{math.NaN(), 5.5}}, {6, [2]float64{2, 22}}} {
		row := values[0].Rows[i]
		if row.Name != fmt.Sprint(want.h) || row.X != float64(want.h) {
			t.Errorf("row %d: %+v", i, row)
		}
		for j, mean := range want.at {
			if c := row.Cells[j]; math.IsNaN(mean) != (c.N == 0) || c.N > 0 && c.Mean != mean {
				t.Errorf("branches@%d of %s: %+v, want %v", want.h, values[0].Columns[j].Label, c, mean)
			}
		}
	}
}

// TestModesValues holds masses that are sorted by rank against the records: the first
// is the largest rewarded mode's of each seed, and all make up the whole.
func TestModesValues(t *testing.T) {
	run := banditRun(t, 3, 60, 30)
	_, values := drawValues(t, run, record.Figure{Kind: "modes"})
	for i, p := range values {
		v := run.Variants[i]
		for _, row := range p.Rows {
			largest := 0.0
			for _, ref := range v.Cells {
				evals, err := run.Evals(ref)
				if err != nil {
					t.Fatal(err)
				}
				most := 0.0
				for _, e := range evals {
					for _, m := range e.Modes {
						if e.Step == int(row.X) && m.Correct {
							most = max(most, m.Mass)
						}
					}
				}
				largest += most / float64(len(v.Cells))
			}
			sum := 0.0
			for _, c := range row.Cells {
				sum += c.Mean
			}
			if math.Abs(row.Cells[0].Mean-largest) > 1e-12 || math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s at %s: %v of %v, want %v of 1", p.Title, row.Name, row.Cells[0].Mean, sum, largest)
			}
		}
		if p.Columns[0].Label != "largest rewarded mode" || p.Columns[len(p.Columns)-1].Label != "without reward" {
			t.Errorf("columns %+v", p.Columns)
		}
	}
}

// TestAreas looks in the SVG for the lines of the base policy, which are drawn from
// end to end of every panel, and for the colour that the values give them.
func TestAreas(t *testing.T) {
	run := banditRun(t, 2, 100, 10)
	for _, metrics := range [][]string{{"reward"}, {"reward", "entropy_mode", "correct_modes_alive", "pass@4", "coverage@4"}} {
		fig := record.Figure{Kind: "curve", Metrics: metrics}
		f, values := drawValues(t, run, fig)
		areas := f.Areas()
		if len(areas) != len(metrics) || len(values) != len(metrics) {
			t.Fatalf("%d areas of %d panels", len(areas), len(metrics))
		}
		width, height := f.Size()
		base := values[0].Columns[slices.IndexFunc(values[0].Columns, func(c ValueColumn) bool { return c.Label == "base" })]
		if !base.Line || len(base.Dashes) == 0 {
			t.Errorf("base is no dashed line: %+v", base)
		}
		svg := drawSVG(t, run, fig)
		line := regexp.MustCompile(`<path d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)" style="([^"]*)"`)
		found := 0
		for _, m := range line.FindAllStringSubmatch(string(svg.Bytes), -1) {
			if !strings.Contains(m[5], "stroke-dasharray:4") || !strings.Contains(m[5], "stroke-width:1.2") || !strings.Contains(m[5], "stroke:"+base.Color) {
				continue
			}
			var x0, y0, x1, y1 float64
			if _, err := fmt.Sscan(strings.Join(m[1:5], " "), &x0, &y0, &x1, &y1); err != nil {
				t.Fatal(err)
			}
			if found < len(areas) {
				a := areas[found]
				left, right := a.Left*width, (a.Left+a.Width)*width
				top, bottom := a.Top*height, (a.Top+a.Height)*height
				y := height - y0 // SVGs of this package count upwards
				if math.Abs(left-x0) > 0.01 || math.Abs(right-x1) > 0.01 || y < top-0.01 || y > bottom+0.01 {
					t.Errorf("panel %d: the line goes from %.2f to %.2f at %.2f, the area is %.2f to %.2f, %.2f to %.2f", found, x0, x1, y, left, right, top, bottom)
				}
			}
			found++
		}
		if found != len(areas)+1 { // and one in the legend
			t.Errorf("%d lines of base, want %d", found, len(areas)+1)
		}
	}
}
