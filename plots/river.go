package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// river stacks the layers' masses by training step.
func river(s numbers.Variant, by stacking, first, last int) (*plot.Plot, error) {
	p := draw.Panel()
	p.X.Padding, p.Y.Padding = 0, 0
	p.Y.Tick.Marker = draw.Ticks{Count: 2}
	var xs []float64
	var tops [][]float64 // of the layers, by step
	for at, step := range s.Steps {
		xs = append(xs, float64(step))
		tops = append(tops, stack(s.Rivers, at, by))
	}
	if !s.Trains && len(xs) == 1 {
		xs, tops = []float64{float64(first), float64(last)}, [][]float64{tops[0], tops[0]}
	}
	for i, l := range by.layers {
		if err := draw.AddArea(p, outline(xs, tops, i), l.Color); err != nil {
			return nil, err
		}
	}
	if err := addSeams(p, xs, tops, by.layers); err != nil {
		return nil, err
	}
	draw.SetRanges(p, float64(first), float64(last), 0, 1)
	return p, nil
}

// rewardLine runs along the top of all rewarded modes: in a grey print the light
// ones among them look like the modes without reward.
var rewardLine = draw.LineStyle{Color: draw.Black, Width: 0.8}

// addSeams draws the lines between layers, after all areas so that no line is
// half covered: thin and white, but for the one where the reward ends.
func addSeams(p *plot.Plot, xs []float64, tops [][]float64, layers []draw.Layer) error {
	style := draw.LineStyle{Color: draw.White, Width: 0.35}
	for i, l := range layers {
		if l.Group >= draw.PlainModes {
			break
		}
		lines := seams(xs, tops, i, 0.015)
		if i == draw.LastRewarded(layers) {
			lines, style = seams(xs, tops, i, 0), rewardLine
		}
		for _, seam := range lines {
			line, err := plotter.NewLine(seam)
			if err != nil {
				return err
			}
			line.LineStyle = style
			p.Add(line)
		}
	}
	return nil
}

// floor is the bottom of the i-th layer.
func floor(tops []float64, i int) float64 {
	if i == 0 {
		return 0
	}
	return tops[i-1]
}

// outline goes along the top of the i-th layer and back along its bottom.
func outline(xs []float64, tops [][]float64, i int) plotter.XYs {
	out := make(plotter.XYs, 0, 2*len(xs))
	for t, x := range xs {
		out = append(out, plotter.XY{X: x, Y: tops[t][i]})
	}
	for t := len(xs) - 1; t >= 0; t-- {
		out = append(out, plotter.XY{X: xs[t], Y: floor(tops[t], i)})
	}
	return out
}

// seams are the stretches of the i-th layer's top along which the layer is wide enough for a
// line. A mode that has died out has none.
func seams(xs []float64, tops [][]float64, i int, wide float64) []plotter.XYs {
	var all []plotter.XYs
	var seam plotter.XYs
	for t, x := range xs {
		if tops[t][i]-floor(tops[t], i) >= wide {
			seam = append(seam, plotter.XY{X: x, Y: tops[t][i]})
			continue
		}
		if len(seam) > 1 {
			all = append(all, seam)
		}
		seam = nil
	}
	if len(seam) > 1 {
		all = append(all, seam)
	}
	return all
}

// stack sums the layers' masses at the at-th step up from the bottom.
func stack(r *numbers.Rivers, at int, by stacking) []float64 {
	tops := by.split(r, at)
	for i := 1; i < len(tops); i++ {
		tops[i] += tops[i-1]
	}
	return tops
}
