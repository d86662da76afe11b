package plots

import (
	"hash/fnv"
	"image/color"
	"slices"
	"strings"

	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// methodColors fixes a colour for the methods of the built-in experiments. So a method looks
// the same in all figures where no other method has its colour.
var methodColors = map[string]color.NRGBA{
	"grpo": draw.Red, "dr-grpo": draw.Orange, "grpo-div": draw.Purple, "poly-epo": draw.Green, "setpo+grpo": draw.Blue,
	"gspo": draw.Orange, "dapo": draw.Purple, "setpo+gspo": draw.Sky, "setpo+dapo": draw.Green, "r1-zero-div": draw.Wine,
	"set-rl": draw.Sky, "pass-n": draw.Wine,
	"vpo": draw.Blue, "multi-rlvr": draw.Green, "random-w": draw.Sky, "max-at-k": draw.Orange, "maxrl": draw.Purple, "gdpo": draw.Wine, "goal-conditioned": draw.Orange,
	"pkpo": draw.Sky, "passk-training": draw.Green,
	"sd-e2": draw.Blue, "grpo-cfl": draw.Orange, "grpo-cfee": draw.Green,
	"evol-rl": draw.Blue, "ttrl": draw.Red, "em-rl-token": draw.Orange, "em-rl-sequence": draw.Purple, "self-consistency": draw.Green,
	"reinforce": draw.Grey, "rloo": draw.Wine, "reinforce++": draw.Sky, "remax": draw.Purple, "opo": draw.Orange,
}

// family is the name of a method without the setting of a paper ("@setpo").
func family(method string) string {
	name, _, _ := strings.Cut(method, "@")
	return name
}

// methodColor is the colour of a method's family where no other family of the figure has it
// (see colorsOf).
func methodColor(method string) color.NRGBA {
	name := family(method)
	if name == numbers.BaseMethod || name == numbers.OptimumMethod {
		return draw.Black
	}
	if c, ok := methodColors[name]; ok {
		return c
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return draw.LineColors[h.Sum32()%uint32(len(draw.LineColors))]
}

// colorsOf gives each family of methods in a figure a colour: its own, or the first of
// draw.LineColors that is free where an earlier family has that. Fixed colours go before
// those that follow from a name. Where all are taken, two families share one and differ in
// dashes and marks.
func colorsOf(shown []numbers.Variant) map[string]color.NRGBA {
	var families []string
	for _, s := range shown {
		if name := family(s.Method); !slices.Contains(families, name) {
			families = append(families, name)
		}
	}
	slices.SortStableFunc(families, func(a, b string) int {
		_, fixedA := methodColors[a]
		_, fixedB := methodColors[b]
		switch {
		case fixedA == fixedB:
			return 0
		case fixedA:
			return -1
		}
		return 1
	})
	of, taken := map[string]color.NRGBA{}, map[color.NRGBA]bool{}
	var late []string
	for _, name := range families {
		of[name] = methodColor(name)
		if taken[of[name]] && of[name] != draw.Black { // what does not train is black, all of it
			late = append(late, name)
		}
		taken[of[name]] = true
	}
	for _, name := range late {
		for _, c := range draw.LineColors {
			if !taken[c] {
				of[name], taken[c] = c, true
				break
			}
		}
	}
	return of
}

// looks gives every variant its look: the method sets the colour, variants of
// one method run from dark to light, and dash and mark follow the order.
func looks(shown []numbers.Variant) []draw.Look {
	of := map[string]int{}
	for _, s := range shown {
		of[s.Method]++
	}
	colors, seen := colorsOf(shown), map[string]int{}
	out := make([]draw.Look, len(shown))
	trained, still, ceilings := 0, 0, 0
	for i, s := range shown {
		method := s.Method
		shade := draw.Shaded(colors[family(method)], seen[method], of[method])
		seen[method]++
		switch {
		case s.Ceiling():
			out[i] = draw.Look{Color: shade, Width: draw.CeilingWidth, Dashes: draw.CeilingDashes[ceilings%len(draw.CeilingDashes)], Exact: true}
			ceilings++
		case !s.Trains:
			out[i] = draw.Look{Color: shade, Width: draw.LineWidth, Dashes: draw.StillDashes[still%len(draw.StillDashes)]}
			still++
		default:
			out[i] = draw.Look{Color: shade, Width: draw.LineWidth, Dashes: draw.Dashes[trained%len(draw.Dashes)], Mark: draw.Marks[trained%len(draw.Marks)]}
			trained++
		}
	}
	return out
}
