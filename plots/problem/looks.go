package problem

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// A look is how shapes of a role are drawn: areas with a fill and an edge in the ink, lines and
// labels in the ink.
type look struct {
	fill, ink color.NRGBA
	width     vg.Length // of lines and of the edges of areas; 0: no edge
	dashes    []vg.Length
}

// looks are those of the roles whose hue does not matter.
var looks = map[envs.Role]look{
	envs.Plain: {draw.RGB(0xF6F0D8), draw.Black, 0.8, nil},
	envs.Faint: {draw.RGB(0xF4F4F4), draw.Subtle, 0.5, nil},
	envs.Path:  {draw.Mixed(draw.Blue, draw.White, 0.7), draw.Blue, 0.8, nil},
	envs.Right: {draw.Mixed(draw.Green, draw.White, 0.6), draw.Green, 0.8, nil},
	envs.Wrong: {draw.Mixed(draw.Red, draw.White, 0.6), draw.Red, 0.8, nil},
	envs.Head:  {draw.White, draw.Black, 1.1, nil},
	envs.Curve: {draw.Blue, draw.Mixed(draw.Blue, draw.White, 0.45), 1.1, nil},
	envs.Taken: {draw.Mixed(draw.Red, draw.White, 0.82), draw.Red, 0.6, []vg.Length{2, 1.3}},
}

// The colours of the hues. Tints are light enough for black numbers.
var (
	walls = []color.NRGBA{draw.RGB(0x505050), draw.Black}
	tints = []color.NRGBA{
		draw.Mixed(draw.Sky, draw.White, 0.35), draw.Yellow, draw.Mixed(draw.Orange, draw.White, 0.25), draw.Mixed(draw.Green, draw.White, 0.45),
		draw.Mixed(draw.Purple, draw.White, 0.3), draw.Mixed(draw.Grey, draw.White, 0.6), draw.Mixed(draw.Red, draw.White, 0.4), draw.Mixed(draw.Blue, draw.White, 0.4),
	}
	tiles = []color.NRGBA{draw.Mixed(draw.Sky, draw.White, 0.62), draw.Mixed(draw.Sky, draw.White, 0.25)}

	// No two of the first routes share dashes or colour in a row, and all pairs differ.
	routeDashes = [][]vg.Length{nil, {5, 1.6}, {1.8, 1.3}, {7, 1.5, 1.8, 1.5}, {3, 1.2}}
)

func lookOf(role envs.Role, hue int) look {
	switch role {
	case envs.Faint:
		switch hue {
		case 1:
			return look{draw.White, draw.RGB(0xD8D8D8), 0.6, nil}
		case 2:
			return look{draw.RGB(0xFBE6DA), draw.Subtle, 0, nil}
		}
	case envs.Wall:
		return look{cyclic(walls, hue), cyclic(walls, hue), 0.8, nil}
	case envs.Tint:
		if hue < 0 {
			return look{draw.White, draw.RGB(0x303030), 0.6, nil}
		}
		return look{cyclic(tints, hue), draw.RGB(0x303030), 0.6, nil}
	case envs.Tile:
		return look{cyclic(tiles, hue), draw.RGB(0x303030), 0.45, nil}
	case envs.Bar:
		style := look{modeColor(hue, draw.ModeColors[:], draw.RestColor, draw.PlainColors[1]), draw.Black, 0.6, nil}
		if hue == envs.WrongModes {
			style.width = 0 // so that grey prints tell correct modes from others
		}
		return style
	case envs.Route:
		ink := modeColor(hue, draw.RouteColors, draw.RGB(0x606060), draw.RGB(0xAAAAAA))
		return look{ink, ink, draw.LineWidth, cyclic(routeDashes, max(hue, -hue))}
	}
	return looks[role]
}

// cyclic is the value of a hue of 0 or more: the values repeat.
func cyclic[T any](values []T, hue int) T { return values[hue%len(values)] }

// modeColor is the colour of a mode, or of modes without a colour of their own.
func modeColor(hue int, colors []color.NRGBA, other, wrong color.NRGBA) color.NRGBA {
	switch hue {
	case envs.OtherModes:
		return other
	case envs.WrongModes:
		return wrong
	}
	return cyclic(colors, hue)
}
