package draw

import (
	"fmt"
	"image/color"
	"sort"
)

// A ModeKey tells modes apart. The same strategy may be right on one problem
// and wrong on another: then it has two shares.
type ModeKey struct {
	Name    string
	Correct bool
}

// The groups of layers, from the bottom of a river to its top.
const (
	RewardedMode  = iota // one mode, rewarded
	RewardedModes        // the rest of the rewarded ones
	PlainModes           // one or more modes without reward
	Degenerate
)

// A Layer is one band of a river.
type Layer struct {
	Group int
	Modes []ModeKey
	Color color.NRGBA
}

// The limits of the modes that a river shows separately; smaller modes share a layer.
const (
	MaxRewarded = 7
	maxPlain    = 12
)

// ModeColors are those of correct modes. They alternate dark and light, so that neighbours differ in grey too.
var ModeColors = [MaxRewarded]color.NRGBA{Blue, Orange, Green, Yellow, Red, Sky, Purple}

var (
	RestColor       = RGB(0xB89B78)
	DegenerateColor = RGB(0x3C3C3C)
	PlainColors     = [2]color.NRGBA{RGB(0xD2D2D2), RGB(0xB4B4B4)}
)

// AppendRewarded adds the layers of rewarded modes: the largest have one each, the rest
// shares one.
func AppendRewarded(layers []Layer, keys []ModeKey, size map[ModeKey]float64) []Layer {
	large, small := SplitModes(keys, size, MaxRewarded)
	for i, key := range large {
		layers = append(layers, Layer{Group: RewardedMode, Modes: []ModeKey{key}, Color: ModeColors[i]})
	}
	if len(small) > 0 {
		layers = append(layers, Layer{Group: RewardedModes, Modes: small, Color: RestColor})
	}
	return layers
}

// AppendPlain adds the layers of modes without reward: the largest have one each, the
// rest shares one.
func AppendPlain(layers []Layer, keys []ModeKey, size map[ModeKey]float64) []Layer {
	large, small := SplitModes(keys, size, maxPlain)
	for i, key := range large {
		layers = append(layers, Layer{Group: PlainModes, Modes: []ModeKey{key}, Color: PlainColors[i%2]})
	}
	if len(small) > 0 {
		layers = append(layers, Layer{Group: PlainModes, Modes: small, Color: PlainColors[len(large)%2]})
	}
	return layers
}

// SplitModes separates the n largest modes from the rest, both in the order of their
// names.
func SplitModes(keys []ModeKey, size map[ModeKey]float64, n int) (large, small []ModeKey) {
	sort.Slice(keys, func(i, j int) bool {
		if size[keys[i]] != size[keys[j]] {
			return size[keys[i]] > size[keys[j]]
		}
		return Before(keys[i].Name, keys[j].Name)
	})
	n = min(n, len(keys))
	large, small = keys[:n], keys[n:]
	for _, part := range [][]ModeKey{large, small} {
		sort.Slice(part, func(i, j int) bool { return Before(part[i].Name, part[j].Name) })
	}
	return large, small
}

// LastRewarded is the topmost layer of rewarded modes, -1 if no mode is rewarded.
func LastRewarded(layers []Layer) int {
	last := -1
	for i, l := range layers {
		if l.Group < PlainModes {
			last = i
		}
	}
	return last
}

// Name is the layer's text in a legend.
func (l Layer) Name() string {
	switch l.Group {
	case Degenerate:
		return "degenerate"
	case RewardedModes:
		return fmt.Sprintf("%d other rewarded modes", len(l.Modes))
	}
	name := l.Modes[0].Name
	if prefix, number := numbered(name); prefix == "" && number >= 0 {
		name = "mode " + name
	}
	return name + " (rewarded)"
}
