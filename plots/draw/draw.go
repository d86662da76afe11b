// Package draw is the kit that all drawings are made with: fonts and colours, text that is
// measured and broken, panels with axes, legends, tables of cells, and pages that are
// written as SVG, PNG, PDF and, for LaTeX, pgf.
//
// All drawings share one style, made for the columns of a two-column paper: colours that
// colour-blind readers can tell apart, combined with dashes and marks so that a grey print
// stays readable, no text below 8 pt, and a legend outside the data. Equal drawings give
// equal bytes.
//
// The kit draws numbers, texts and colours. Only its callers know what they are about.
package draw

import "gonum.org/v1/plot/vg/draw"

// The types that drawings take from gonum's package of the same name.
type (
	// A Canvas is a rectangle of a page to draw on.
	Canvas = draw.Canvas
	// A LineStyle is the colour, width and dashes of a line.
	LineStyle = draw.LineStyle
	// A GlyphStyle is the colour, radius and shape of a mark.
	GlyphStyle = draw.GlyphStyle
	// CrossGlyph is the shape of a cross.
	CrossGlyph = draw.CrossGlyph
)
