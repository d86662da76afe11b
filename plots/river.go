package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// The groups of layers, from the bottom of a river to its top.
const (
	rewardedMode  = iota // one mode, rewarded
	rewardedModes        // the other rewarded modes
	plainModes           // one or more modes without reward
	degenerate
)

type layer struct {
	group int
	modes []draw.ModeKey
	color color.NRGBA
}

func (l layer) name() string {
	switch l.group {
	case degenerate:
		return "degenerate"
	case rewardedModes:
		return fmt.Sprintf("%d other rewarded modes", len(l.modes))
	}
	name := l.modes[0].Name
	if prefix, number := draw.Numbered(name); prefix == "" && number >= 0 {
		name = "mode " + name
	}
	return name + " (rewarded)"
}

// maxPlain is how many modes without reward have a layer of their own.
const maxPlain = 12

// layersOf decides on the layers that all panels of a figure share. The largest modes have one
// each, in the order of their names, and smaller modes share a layer.
func layersOf(shown []numbers.Variant) (layers []layer, err error) {
	size := map[draw.ModeKey]float64{}
	for _, v := range shown {
		if v.Rivers == nil {
			return nil, fmt.Errorf("the evaluation records of variant %s hold no masses of modes", v.Label)
		}
		for _, m := range v.Rivers.Modes {
			size[numbers.KeyOf(m)] += m.Mass
		}
	}
	byName := func(a, b draw.ModeKey) int { return draw.Compare(a.Name, b.Name) }
	add := func(group, limit, last int, ink func(i int) color.NRGBA, correct bool) {
		keys := slices.Collect(maps.Keys(size))
		keys = slices.DeleteFunc(keys, func(key draw.ModeKey) bool { return key.Name == "" || key.Correct != correct })
		slices.SortFunc(keys, func(a, b draw.ModeKey) int { return cmp.Or(cmp.Compare(size[b], size[a]), byName(a, b)) })
		n := min(limit, len(keys))
		slices.SortFunc(keys[:n], byName)
		for i, key := range keys[:n] {
			layers = append(layers, layer{group, []draw.ModeKey{key}, ink(i)})
		}
		if n < len(keys) {
			layers = append(layers, layer{last, keys[n:], ink(n)})
		}
	}
	add(rewardedMode, draw.MaxRewarded, rewardedModes, modeColor, true)
	add(plainModes, maxPlain, plainModes, func(i int) color.NRGBA { return draw.PlainColors[i%2] }, false)
	if _, ok := size[draw.ModeKey{}]; ok {
		layers = append(layers, layer{degenerate, []draw.ModeKey{{}}, draw.DegenerateColor})
	}
	return layers, nil
}

func modeColor(i int) color.NRGBA {
	if i < draw.MaxRewarded {
		return draw.ModeColors[i]
	}
	return draw.RestColor
}

// A stacking divides the masses of a step among the layers of a river.
type stacking struct {
	layers []layer
	split  func(r *numbers.Rivers, step int) []float64 // the mass of each layer at the step of that index
}

func byMode(layers []layer) stacking {
	place := map[draw.ModeKey]int{}
	for i, l := range layers {
		for _, key := range l.modes {
			place[key] = i
		}
	}
	return stacking{layers: layers, split: func(r *numbers.Rivers, step int) []float64 {
		masses := make([]float64, len(layers))
		for i, m := range r.Modes {
			masses[place[numbers.KeyOf(m)]] += r.Masses[i][step]
		}
		return masses
	}}
}

// byRank stacks the rewarded modes of an evaluation by mass, averaged over seeds: the
// largest goes into the first layer, whichever mode it is. Of seeds that collapsed
// onto different modes, the first layer is then as large as it is in each of
// them, where the mean of each mode would look as if all had survived. Above the
// ranks are all modes without reward as one layer, then the degenerate one.
// Sorting has a price: masses that are equal but for noise come out a little
// unequal, by as much as the noise.
func byRank(layers []layer) stacking {
	ranks := rankLayers(layers)
	out := slices.Clone(ranks)
	plain, broken := -1, -1
	for _, l := range layers {
		switch {
		case l.group == plainModes && plain < 0:
			plain = len(out)
			out = append(out, layer{group: plainModes, color: l.color})
		case l.group == degenerate:
			broken = len(out)
			out = append(out, l)
		}
	}
	return stacking{layers: out, split: func(r *numbers.Rivers, step int) []float64 {
		masses := make([]float64, len(out))
		for rank, list := range r.Ranks {
			masses[min(rank, len(ranks)-1)] += list[step]
		}
		if plain >= 0 && r.Plain != nil {
			masses[plain] = r.Plain[step]
		}
		if broken >= 0 && r.Degenerate != nil {
			masses[broken] = r.Degenerate[step]
		}
		return masses
	}}
}

// rankLayers has one layer for each rank that a rewarded mode can have; ranks
// above draw.MaxRewarded share the last one.
func rankLayers(layers []layer) []layer {
	modes := 0
	for _, l := range layers {
		if l.group < plainModes {
			modes += len(l.modes)
		}
	}
	ranks := make([]layer, min(modes, draw.MaxRewarded+1))
	for i := range ranks {
		ranks[i].color = rankColor(i, len(ranks)) // a rewardedMode
		if i == draw.MaxRewarded {
			ranks[i].group = rewardedModes
		}
	}
	return ranks
}

// The colours of the ranks: one hue that no mode has, from dark to light.
var rankDark, rankMiddle, rankLight = draw.RGB(0x37106E), draw.RGB(0x8659C2), draw.RGB(0xD6BFF8)

func rankColor(i, n int) color.NRGBA {
	t := 0.0
	if n > 1 {
		t = float64(i) / float64(n-1)
	}
	if t < 0.5 {
		return draw.Mixed(rankDark, rankMiddle, 2*t)
	}
	return draw.Mixed(rankMiddle, rankLight, 2*t-1)
}

// rankName is the i-th rank in a legend, counted from 0.
func rankName(i int) string {
	switch i {
	case 0:
		return "largest rewarded mode"
	case 1:
		return "2nd"
	case 2:
		return "3rd"
	case draw.MaxRewarded:
		return fmt.Sprintf("%dth and smaller", i+1)
	}
	return fmt.Sprintf("%dth", i+1)
}

func river(v numbers.Variant, by stacking, first, last int) (*plot.Plot, error) {
	p := draw.Panel()
	p.X.Padding, p.Y.Padding = 0, 0
	p.Y.Tick.Marker = draw.Ticks{Count: 2}
	var xs []float64
	var tops [][]float64 // of the layers, by step
	for i, step := range v.Steps {
		xs = append(xs, float64(step))
		tops = append(tops, stack(v.Rivers, i, by))
	}
	if !v.Trains && len(xs) == 1 {
		xs, tops = []float64{float64(first), float64(last)}, [][]float64{tops[0], tops[0]}
	}
	for i, l := range by.layers {
		if err := draw.AddArea(p, outline(xs, tops, i), l.color); err != nil {
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
func addSeams(p *plot.Plot, xs []float64, tops [][]float64, layers []layer) error {
	for i, l := range layers {
		if l.group >= plainModes {
			break
		}
		wide, style := 0.015, draw.LineStyle{Color: draw.White, Width: 0.35}
		if i == len(layers)-1 || layers[i+1].group >= plainModes {
			wide, style = 0, rewardLine
		}
		for _, seam := range seams(xs, tops, i, wide) {
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

func floor(tops []float64, i int) float64 {
	if i == 0 {
		return 0
	}
	return tops[i-1]
}

func outline(xs []float64, tops [][]float64, i int) (out plotter.XYs) {
	for t, x := range xs {
		out = append(out, plotter.XY{X: x, Y: tops[t][i]})
	}
	for t, x := range slices.Backward(xs) {
		out = append(out, plotter.XY{X: x, Y: floor(tops[t], i)})
	}
	return out
}

// seams are the stretches of the i-th layer's top along which the layer is wide enough for a
// line. A mode that has died out has no line.
func seams(xs []float64, tops [][]float64, i int, wide float64) (all []plotter.XYs) {
	var seam plotter.XYs
	for t, x := range xs {
		enough := tops[t][i]-floor(tops[t], i) >= wide
		if enough {
			seam = append(seam, plotter.XY{X: x, Y: tops[t][i]})
		}
		if !enough || t == len(xs)-1 {
			if len(seam) > 1 {
				all = append(all, seam)
			}
			seam = nil
		}
	}
	return all
}

func stack(r *numbers.Rivers, step int, by stacking) []float64 {
	tops := by.split(r, step)
	for i := 1; i < len(tops); i++ {
		tops[i] += tops[i-1]
	}
	return tops
}
