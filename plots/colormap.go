package plots

import (
	"image/color"
	"math"
)

// viridisAnchors are nine equally spaced colours of matplotlib's viridis map
// (released into the public domain): perceptually uniform, readable by
// colour-blind readers, and from dark to light in grey.
var viridisAnchors = [...]color.NRGBA{
	rgb(0x440154), rgb(0x472D7B), rgb(0x3B528B), rgb(0x2C728E), rgb(0x21918C),
	rgb(0x28AE80), rgb(0x5EC962), rgb(0xADDC30), rgb(0xFDE725),
}

// viridis maps [0, 1] to colours; values beyond are cut off.
func viridis(t float64) color.NRGBA {
	at := min(max(t, 0), 1) * float64(len(viridisAnchors)-1)
	i := min(int(at), len(viridisAnchors)-2)
	return mixed(viridisAnchors[i], viridisAnchors[i+1], at-float64(i))
}

// readable is black or white, whichever stands out more on the fill (WCAG 2.1
// contrast ratio).
func readable(fill color.NRGBA) color.NRGBA {
	if l := luminance(fill); 1.05/(l+0.05) > (l+0.05)/0.05 {
		return white
	}
	return black
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
