package plots

import (
	"fmt"
	"image/color"
	"sort"
	"strconv"

	"modebench/experiments/record"
)

// A modeKey tells modes apart. The same strategy may be right on one problem
// and wrong on another: then it has two shares.
type modeKey struct {
	name    string
	correct bool
}

func keyOf(s record.Share) modeKey {
	return modeKey{name: s.Mode, correct: s.Correct && s.Mode != ""}
}

// The groups of layers, from the bottom of a river to its top.
const (
	rewardedMode  = iota // one mode, rewarded
	rewardedModes        // the rest of the rewarded ones
	plainModes           // one or more modes without reward
	degenerate
)

// A layer is one band of a river.
type layer struct {
	group int
	modes []modeKey
	color color.NRGBA
}

// What a river can show apart; smaller modes beyond it share a layer.
const (
	maxRewarded = 7
	maxPlain    = 12
)

// modeColors alternate dark and light, so that neighbours differ in grey too.
var modeColors = [maxRewarded]color.NRGBA{blue, orange, green, yellow, red, sky, purple}

var (
	restColor       = rgb(0xB89B78)
	degenerateColor = rgb(0x3C3C3C)
	plainColors     = [2]color.NRGBA{rgb(0xD2D2D2), rgb(0xB4B4B4)}
)

// layersOf decides on the layers that all panels of a figure share.
func layersOf(shown []sample) ([]layer, error) {
	size := map[modeKey]float64{}
	for _, s := range shown {
		if s.rivers == nil {
			return nil, fmt.Errorf("the evaluation records of variant %s hold no masses of modes", s.variant.Label)
		}
		for _, m := range s.rivers.Modes {
			size[keyOf(m)] += m.Mass
		}
	}
	var rewarded, plain []modeKey
	var layers []layer
	for key := range size {
		switch {
		case key.name == "":
		case key.correct:
			rewarded = append(rewarded, key)
		default:
			plain = append(plain, key)
		}
	}
	layers = appendRewarded(layers, rewarded, size)
	layers = appendPlain(layers, plain, size)
	if _, ok := size[modeKey{}]; ok {
		layers = append(layers, layer{group: degenerate, modes: []modeKey{{}}, color: degenerateColor})
	}
	return layers, nil
}

func appendRewarded(layers []layer, keys []modeKey, size map[modeKey]float64) []layer {
	large, small := split(keys, size, maxRewarded)
	for i, key := range large {
		layers = append(layers, layer{group: rewardedMode, modes: []modeKey{key}, color: modeColors[i]})
	}
	if len(small) > 0 {
		layers = append(layers, layer{group: rewardedModes, modes: small, color: restColor})
	}
	return layers
}

func appendPlain(layers []layer, keys []modeKey, size map[modeKey]float64) []layer {
	large, small := split(keys, size, maxPlain)
	for i, key := range large {
		layers = append(layers, layer{group: plainModes, modes: []modeKey{key}, color: plainColors[i%2]})
	}
	if len(small) > 0 {
		layers = append(layers, layer{group: plainModes, modes: small, color: plainColors[len(large)%2]})
	}
	return layers
}

// split separates the n largest modes from the rest, both in the order of their
// names.
func split(keys []modeKey, size map[modeKey]float64, n int) (large, small []modeKey) {
	sort.Slice(keys, func(i, j int) bool {
		if size[keys[i]] != size[keys[j]] {
			return size[keys[i]] > size[keys[j]]
		}
		return naturally(keys[i].name, keys[j].name)
	})
	n = min(n, len(keys))
	large, small = keys[:n], keys[n:]
	for _, part := range [][]modeKey{large, small} {
		sort.Slice(part, func(i, j int) bool { return naturally(part[i].name, part[j].name) })
	}
	return large, small
}

// naturally orders names as people do: "mode 9" before "mode 10".
func naturally(a, b string) bool {
	prefixA, numberA := numbered(a)
	prefixB, numberB := numbered(b)
	switch {
	case prefixA != prefixB:
		return prefixA < prefixB
	case numberA != numberB:
		return numberA < numberB
	}
	return a < b
}

// numbered splits the number off the end of a name; -1 stands for none.
func numbered(name string) (prefix string, number int) {
	cut := len(name)
	for cut > 0 && name[cut-1] >= '0' && name[cut-1] <= '9' {
		cut--
	}
	number, err := strconv.Atoi(name[cut:])
	if err != nil {
		return name, -1
	}
	return name[:cut], number
}

// lastRewarded is the topmost layer of rewarded modes, -1 if none is rewarded.
func lastRewarded(layers []layer) int {
	last := -1
	for i, l := range layers {
		if l.group < plainModes {
			last = i
		}
	}
	return last
}

// name is the layer's text in a legend.
func (l layer) name() string {
	switch l.group {
	case degenerate:
		return "degenerate"
	case rewardedModes:
		return fmt.Sprintf("%d other rewarded modes", len(l.modes))
	}
	name := l.modes[0].name
	if prefix, number := numbered(name); prefix == "" && number >= 0 {
		name = "mode " + name
	}
	return name + " (rewarded)"
}
