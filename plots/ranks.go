package plots

import (
	"fmt"
	"image/color"
	"slices"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// layersOf decides on the layers that all panels of a figure share.
func layersOf(shown []numbers.Variant) ([]draw.Layer, error) {
	size := map[draw.ModeKey]float64{}
	for _, s := range shown {
		if s.Rivers == nil {
			return nil, fmt.Errorf("the evaluation records of variant %s hold no masses of modes", s.Label)
		}
		for _, m := range s.Rivers.Modes {
			size[numbers.KeyOf(m)] += m.Mass
		}
	}
	var rewarded, plain []draw.ModeKey
	var layers []draw.Layer
	for key := range size {
		switch {
		case key.Name == "":
		case key.Correct:
			rewarded = append(rewarded, key)
		default:
			plain = append(plain, key)
		}
	}
	layers = draw.AppendRewarded(layers, rewarded, size)
	layers = draw.AppendPlain(layers, plain, size)
	if _, ok := size[draw.ModeKey{}]; ok {
		layers = append(layers, draw.Layer{Group: draw.Degenerate, Modes: []draw.ModeKey{{}}, Color: draw.DegenerateColor})
	}
	return layers, nil
}

// A stacking says how the masses of a step fall into the layers of a river.
type stacking struct {
	layers []draw.Layer
	split  func(r *numbers.Rivers, at int) []float64 // the mass of each layer at the at-th step
}

// byMode stacks the masses of the one seed, with a layer for every mode.
func byMode(layers []draw.Layer) stacking {
	place := map[draw.ModeKey]int{}
	for i, l := range layers {
		for _, key := range l.Modes {
			place[key] = i
		}
	}
	return stacking{layers: layers, split: func(r *numbers.Rivers, at int) []float64 {
		masses := make([]float64, len(layers))
		for i, m := range r.Modes {
			masses[place[numbers.KeyOf(m)]] += r.Masses[i][at]
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
func byRank(layers []draw.Layer) stacking {
	ranks := rankLayers(layers)
	out := slices.Clone(ranks)
	plain, broken := -1, -1
	for _, l := range layers {
		switch {
		case l.Group == draw.PlainModes && plain < 0:
			plain = len(out)
			out = append(out, draw.Layer{Group: draw.PlainModes, Color: l.Color})
		case l.Group == draw.Degenerate:
			broken = len(out)
			out = append(out, l)
		}
	}
	return stacking{layers: out, split: func(r *numbers.Rivers, at int) []float64 {
		masses := make([]float64, len(out))
		for rank, list := range r.Ranks {
			masses[min(rank, len(ranks)-1)] += list[at]
		}
		if plain >= 0 && r.Plain != nil {
			masses[plain] = r.Plain[at]
		}
		if broken >= 0 && r.Degenerate != nil {
			masses[broken] = r.Degenerate[at]
		}
		return masses
	}}
}

// rankLayers has one layer for each rank that a rewarded mode can have; ranks
// above draw.MaxRewarded share the last one.
func rankLayers(layers []draw.Layer) []draw.Layer {
	modes := 0
	for _, l := range layers {
		if l.Group < draw.PlainModes {
			modes += len(l.Modes)
		}
	}
	ranks := make([]draw.Layer, min(modes, draw.MaxRewarded+1))
	for i := range ranks {
		ranks[i] = draw.Layer{Group: draw.RewardedMode, Color: rankColor(i, len(ranks))}
		if i == draw.MaxRewarded {
			ranks[i].Group = draw.RewardedModes
		}
	}
	return ranks
}

// The colours of the ranks: one hue that no mode has, from dark to light.
var rankDark, rankMiddle, rankLight = draw.RGB(0x37106E), draw.RGB(0x8659C2), draw.RGB(0xD6BFF8)

// rankColor is the colour of the i-th of n ranks.
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

// rankName is what a legend calls the i-th rank, counted from 0.
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
