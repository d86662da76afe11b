package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw/drawtest"
	"modebench/plots/sheets"
)

// A ruler turns places on the page into numbers of an axis.
type ruler struct{ at, value [2]float64 }

func (r ruler) of(at float64) float64 {
	return r.value[0] + (at-r.at[0])/(r.at[1]-r.at[0])*(r.value[1]-r.value[0])
}

// rulers reads the axes of a figure with one panel: from its grid lines, and the
// numbers beside them. number reads the label of the horizontal axis.
func rulers(t *testing.T, d drawtest.Drawing, number func(string) float64) (x, y ruler) {
	t.Helper()
	var upright, level []float64
	for _, p := range d.Drawn {
		if !strings.Contains(p.Style, "stroke:#E4E4E4") || len(p.Points) != 2 {
			continue
		}
		if p.Points[0][0] == p.Points[1][0] {
			upright = append(upright, p.Points[0][0])
		} else {
			level = append(level, p.Points[0][1])
		}
	}
	slices.Sort(upright)
	slices.Sort(level)
	read := func(places []float64, horizontal bool) (r ruler) {
		var found [][2]float64
		for _, text := range d.Texts {
			if _, err := strconv.ParseFloat(text.Text, 64); err != nil {
				continue
			}
			cx, cy := text.Middle()
			across, along := cy, cx
			if !horizontal {
				across, along = cx, cy
			}
			for _, at := range places {
				// A label is centred on its line, and beside the panel.
				if math.Abs(along-at) < 1.6 && (horizontal && across < level[0] || !horizontal && across < upright[0]) {
					value, _ := strconv.ParseFloat(text.Text, 64)
					if horizontal {
						value = number(text.Text)
					}
					found = append(found, [2]float64{at, value})
				}
			}
		}
		if len(found) < 2 {
			t.Fatalf("an axis with the labels %v", found)
		}
		slices.SortFunc(found, func(a, b [2]float64) int { return int(math.Copysign(1, a[0]-b[0])) })
		first, last := found[0], found[len(found)-1]
		return ruler{[2]float64{first[0], last[0]}, [2]float64{first[1], last[1]}}
	}
	return read(upright, true), read(level, false)
}

// seedValues are the values of a metric at a step, seed by seed, read from the records.
func seedValues(t *testing.T, run *record.Run, v record.Variant, metric string, step int) []float64 {
	t.Helper()
	var xs []float64
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range evals {
			if x, ok := e.Metrics[metric]; ok && e.Step == step {
				xs = append(xs, x)
			}
		}
	}
	return xs
}

// TestBandsAreTheNumbers reads the corners of bands and lines off the page, in the unit of
// the axes, and holds them against the means and intervals of the records.
func TestBandsAreTheNumbers(t *testing.T) {
	run := banditRun(t, 6, 100, 20)
	log := func(s string) float64 { return math.Log2(drawtest.Number(s)) }
	type place struct {
		x      float64
		metric string
		step   int
	}
	steps, ks := []place{}, []place{}
	for step := 0; step <= 100; step += 20 {
		steps = append(steps, place{float64(step), "entropy_mode", step})
	}
	for k := 1; k <= 64; k *= 2 {
		ks = append(ks, place{math.Log2(float64(k)), fmt.Sprintf("coverage@%d", k), 100})
	}
	for _, c := range []struct {
		fig    record.Figure
		number func(string) float64
		places []place
	}{
		{record.Figure{Kind: "curve", Metrics: []string{"entropy_mode"}}, drawtest.Number, steps},
		{record.Figure{Kind: "k-curve", Metrics: []string{"coverage"}}, log, ks},
	} {
		d := drawSVG(t, run, c.fig)
		x, y := rulers(t, d, c.number)
		low, high := math.Inf(1), math.Inf(-1) // of the panel, where bands are cut off
		for _, p := range d.Drawn {
			if strings.Contains(p.Style, "fill-opacity") {
				for _, q := range p.Points {
					low, high = min(low, y.of(q[1])), max(high, y.of(q[1]))
				}
			}
		}
		for _, v := range run.Variants {
			if !v.Trains {
				continue
			}
			var means, outline [][2]float64
			var lows [][2]float64
			for _, p := range c.places {
				at := stats.MeanInterval(seedValues(t, run, v, p.metric, p.step))
				means = append(means, [2]float64{p.x, at.Mean})
				outline = append(outline, [2]float64{p.x, min(at.High, high)})
				lows = append(lows, [2]float64{p.x, max(at.Low, low)})
			}
			slices.Reverse(lows)
			outline = append(outline, lows...)
			ink := sheets.Hex(sheets.Look(v.Method).Color) // of a translucent band the SVG has another last digit
			if !hasPath(t, d, "fill-opacity", outline, x, y, high-low) {
				t.Errorf("%s of %s: no band has the corners %v", c.fig.Kind, v.Label, outline)
			}
			if !hasPath(t, d, "stroke:"+ink+";stroke-width:1.2", means, x, y, high-low) {
				t.Errorf("%s of %s: no line goes through %v", c.fig.Kind, v.Label, means)
			}
		}
	}
}

// hasPath reports whether a path of the style has these corners, within a thousandth of the
// panel.
func hasPath(t *testing.T, d drawtest.Drawing, style string, want [][2]float64, x, y ruler, height float64) bool {
	t.Helper()
	width := x.value[1] - x.value[0]
	return slices.ContainsFunc(d.Drawn, func(p drawtest.Path) bool {
		if !strings.Contains(p.Style, style) || len(p.Points) < len(want) {
			return false
		}
		for i, q := range want {
			if math.Abs(x.of(p.Points[i][0])-q[0]) > 1e-3*width || math.Abs(y.of(p.Points[i][1])-q[1]) > 1e-3*height {
				return false
			}
		}
		return true
	})
}
