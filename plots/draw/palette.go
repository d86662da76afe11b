package draw

import (
	"image/color"
	"math"
)

// viridisAnchors are nine equally spaced colours of matplotlib's viridis map
// (released into the public domain): perceptually uniform, readable by
// colour-blind readers, and from dark to light in grey.
var viridisAnchors = [...]color.NRGBA{
	RGB(0x440154), RGB(0x472D7B), RGB(0x3B528B), RGB(0x2C728E), RGB(0x21918C),
	RGB(0x28AE80), RGB(0x5EC962), RGB(0xADDC30), RGB(0xFDE725),
}

// Viridis maps [0, 1] to colours; values outside are cut off.
func Viridis(t float64) color.NRGBA {
	position := min(max(t, 0), 1) * float64(len(viridisAnchors)-1)
	i := min(int(position), len(viridisAnchors)-2)
	return Mixed(viridisAnchors[i], viridisAnchors[i+1], position-float64(i))
}

// Signed maps [-1, 1] to colours: blue above 0, red below, and white at 0. Values outside are cut off.
func Signed(t float64) color.NRGBA {
	if t < 0 {
		return Mixed(White, Red, min(-t, 1))
	}
	return Mixed(White, Blue, min(t, 1))
}

// Readable is black or white, whichever has more contrast with the fill (WCAG 2.1 contrast
// ratio).
func Readable(fill color.NRGBA) color.NRGBA {
	if l := luminance(fill); 1.05/(l+0.05) > (l+0.05)/0.05 {
		return White
	}
	return Black
}

// luminance is the relative luminance of an sRGB colour, in [0, 1].
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// RouteColors are those of small marks and of thin lines, such as routes in a maze.
var RouteColors = []color.NRGBA{Blue, Red, Green, Purple, Wine, Sky, Orange}

// The palette of Okabe and Ito. Its yellow is too light for a line on white and
// fills areas only; lines have a wine red and a grey in its place. The others are for families
// of methods that are seldom beside each other.
var (
	Blue    = RGB(0x0072B2)
	Orange  = RGB(0xE69F00)
	Green   = RGB(0x009E73)
	Red     = RGB(0xD55E00)
	Sky     = RGB(0x56B4E9)
	Purple  = RGB(0xCC79A7)
	Yellow  = RGB(0xF0E442)
	Wine    = RGB(0x882255)
	Grey    = RGB(0x777777)
	Indigo  = RGB(0x332288)
	Crimson = RGB(0xCC2244)
	Brown   = RGB(0x662200)
	Khaki   = RGB(0xA5A55F)
	Violet  = RGB(0x6600EE)

	Black  = RGB(0x000000)
	White  = RGB(0xFFFFFF)
	Faint  = RGB(0xE4E4E4) // grid lines
	Subtle = RGB(0x555555) // notes
)

// RGB is an opaque colour: 0x0072B2 is red 0x00, green 0x72, blue 0xB2.
func RGB(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xFF}
}

// Shaded is the i-th of n shades of a colour, the colour itself when n is 1.
func Shaded(c color.NRGBA, i, n int) color.NRGBA {
	if n == 1 {
		return c
	}
	t := float64(i)/float64(n-1)*0.85 - 0.35
	if t < 0 {
		return Mixed(c, Black, -t)
	}
	return Mixed(c, White, t)
}

// Tinted is the i-th shade of a hue: the hue itself, a darker one, a lighter one, and again. A
// light hue has darker shades only, since a line in a lighter shade would not show on white.
func Tinted(hue color.NRGBA, i int) color.NRGBA {
	const light = 0.25
	switch {
	case i%3 == 0:
		return hue
	case i%3 == 1:
		return Mixed(hue, Black, 0.38)
	case luminance(hue) > light:
		return Mixed(hue, Black, 0.55)
	}
	return Mixed(hue, White, 0.42)
}

// Mixed goes from a colour (t = 0) to b (t = 1).
func Mixed(from color.Color, b color.NRGBA, t float64) color.NRGBA {
	a := color.NRGBAModel.Convert(from).(color.NRGBA)
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xFF}
}
