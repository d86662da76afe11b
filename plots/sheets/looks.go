package sheets

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"slices"
	"strings"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// A methodFamily is methods that are alike. They share a hue, and differ by its shade, by dash
// and by mark.
type methodFamily struct {
	name    string // for legends
	hue     color.NRGBA
	methods []string // without the setting of a paper; those that are drawn most come first
}

// methodFamilies is how every figure of the project draws the methods. A method has its look
// here, whatever else a figure shows. A method at the end of a family changes no other look.
// TestEveryMethodHasALook holds the list against the registry.
var methodFamilies = []methodFamily{
	{"GRPO", draw.Red, []string{"grpo", "dr-grpo", "grpo-length", "grpo-cfl", "grpo-cfee",
		"grpo+cliphigh", "grpo+ent", "grpo+novelty", "grpo+cliphigh+ent", "grpo+cliphigh+ent+novelty"}},
	{"clip, entropy, base policy", draw.Orange, []string{"dapo", "gspo", "gmpo", "kl-cov", "clip-cov", "luspo", "opsm", "intellect-2",
		"entropy-bonus", "entropy-adaptive", "entropy-shaped", "repo-r", "forking-tokens", "simko",
		"flowrl-vargrad", "dph-forward", "dph-js", "dph-alpha", "tpo", "stare"}},
	{"SetPO", draw.Blue, []string{"setpo+grpo", "setpo+gspo", "setpo+dapo"}},
	{"best of several tries", draw.Sky, []string{"pkpo", "max-at-k", "maxrl", "passk-training", "pass-n", "grpo-passk",
		"maclaurin", "maxrl-vr-cond", "maxrl-oversample", "maxrl-one-sided", "maxrl-clipped", "rs-grpo", "f-grpo", "self-paper", "curverl", "riskpo"}},
	{"bonus for rare answers", draw.Purple, []string{"grpo-div", "darling", "mmr-grpo", "dra-grpo", "uniqueness-aware", "unlikeliness", "mara", "ucpo",
		"r1-zero-div", "differential-smoothing", "outcome-ucb", "outcome-ucb-mean", "outcome-ucb-con", "outcome-batch"}},
	{"Evol-RL", draw.Wine, []string{"evol-rl", "evol-rl-cliphigh", "evol-rl-ent", "evol-rl-cliphigh-ent", "evol-rl-novelty"}},
	{"sets of answers", draw.Green, []string{"poly-epo", "set-rl"}},
	{"chains, several rewards", draw.Indigo, []string{"vpo", "multi-rlvr", "random-w", "gdpo", "goal-conditioned", "sd-e2"}},
	{"score function, baseline", draw.Brown, []string{"rloo", "reinforce", "reinforce++", "reinforce++-baseline", "remax", "opo", "token-baseline", "gpg",
		"psr", "nsr", "w-reinforce", "dg", "wapo"}},
	{"weights, no clip", draw.Crimson, []string{"cispo", "sapo", "dppo-tv", "tis", "dppo-kl", "ipo", "dro", "vespo", "topr"}},
	{"votes, confidence", draw.Khaki, []string{"ttrl", "self-consistency", "em-rl-token", "em-rl-sequence"}},
}

// ownHue is left for methods that the list does not have, such as a plug-in by its own name.
var ownHue = draw.Violet

// HueOf is the family that a method is drawn in: its number in the order of legends, its name and its
// colour. Methods of one's own are the last.
func HueOf(method string) (n int, name string, hue color.NRGBA) {
	for n, f := range methodFamilies {
		if slices.Contains(f.methods, Family(method)) {
			return n, f.name, f.hue
		}
	}
	return len(methodFamilies), "own", ownHue
}

// Family is the name of a method without the setting of a paper ("@setpo").
func Family(method string) string {
	name, _, _ := strings.Cut(method, "@")
	return name
}

// StyleKey is the name that selects a variant's look: its method, or for a plug-in its own name.
func StyleKey(v numbers.Variant) string {
	if v.Method == pluginMethod {
		return v.Name
	}
	return v.Method
}

// pluginMethod is the method of every estimator in another language.
const pluginMethod = "plugin"

// Look is how every figure draws a method: its colour, and the dash and the mark that it has
// unless another method of a figure has the same two. A method that does not train is black, without
// mark. The look of a method of one's own follows from its name alone.
func Look(method string) draw.Look {
	name := Family(method)
	switch name {
	case numbers.BaseMethod:
		return draw.Look{Color: draw.Black, Width: draw.LineWidth, Dashes: draw.StillDashes[0]}
	case numbers.OptimumMethod:
		return draw.Look{Color: draw.Black, Width: draw.CeilingWidth, Dashes: draw.CeilingDashes[0], Exact: true}
	}
	hue, place := placeOf(name)
	return draw.Styled(hue, place)
}

// placeOf is the colour of a method, and its place among the pairs of a dash and a mark.
func placeOf(name string) (ink color.NRGBA, place int) {
	const between = 5 // families, so that their first methods have dashes and marks of their own
	for n, f := range methodFamilies {
		if i := slices.Index(f.methods, name); i >= 0 {
			return draw.Tinted(f.hue, i), n*between + i
		}
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	sum := int(h.Sum32() >> 1)
	return draw.Tinted(ownHue, sum), sum
}

// Looks gives every variant its look. The colour is the method's. Variants of one method run
// from dark to light around it. Dash and mark are the method's too, unless an earlier line has
// the same two: then they are the next that are free.
func Looks(shown []numbers.Variant) []draw.Look {
	total, methods := map[string]int{}, make([]string, len(shown))
	for i, s := range shown {
		methods[i] = StyleKey(s)
		total[methods[i]]++
	}
	out, before, taken := make([]draw.Look, len(shown)), map[string]int{}, map[int]bool{}
	still, ceilings := 0, 0
	var later []int
	for i, s := range shown {
		method := methods[i]
		out[i] = Look(method)
		out[i].Color = draw.Shaded(out[i].Color, before[method], total[method])
		first := before[method] == 0
		before[method]++
		switch {
		case s.Ceiling():
			out[i] = draw.Look{Color: out[i].Color, Width: draw.CeilingWidth, Dashes: draw.CeilingDashes[ceilings%len(draw.CeilingDashes)], Exact: true}
			ceilings++
		case !s.Trains:
			out[i] = draw.Look{Color: out[i].Color, Width: draw.LineWidth, Dashes: draw.StillDashes[still%len(draw.StillDashes)]}
			still++
		case first:
			out[i] = styledFree(out[i], method, taken)
		default:
			later = append(later, i)
		}
	}
	for _, i := range later { // every method has had its own by now
		out[i] = styledFree(out[i], methods[i], taken)
	}
	return out
}

// distinctHues are for methods whose family is highlighted already, in the order in which they are taken.
var distinctHues = []color.NRGBA{draw.Blue, draw.Orange, draw.Wine, draw.Sky, draw.Brown, draw.Green, draw.Khaki, draw.Purple, draw.Red, draw.Indigo}

// Distinct is Looks with different hues for up to eight methods: a method of a family that an earlier one
// has shown takes a hue that no family of the others has.
func Distinct(shown []numbers.Variant) []draw.Look {
	out, taken := Looks(shown), map[color.NRGBA]bool{}
	var later []int
	for i, v := range shown {
		_, _, hue := HueOf(StyleKey(v))
		if taken[hue] {
			later = append(later, i)
		}
		taken[hue] = true
	}
	for _, i := range later {
		if free := slices.IndexFunc(distinctHues, func(hue color.NRGBA) bool { return !taken[hue] }); free >= 0 {
			out[i].Color = distinctHues[free]
			taken[distinctHues[free]] = true
		}
	}
	return out
}

// styledFree is a look with the first dash and mark from the method's own on that are not taken.
func styledFree(l draw.Look, method string, taken map[int]bool) draw.Look {
	_, place := placeOf(Family(method))
	place %= draw.Styles
	for len(taken) < draw.Styles && taken[place] {
		place = (place + 1) % draw.Styles
	}
	taken[place] = true
	return draw.Styled(l.Color, place)
}

// Hex is a colour as HTML and SVG write it: "#0072B2".
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
