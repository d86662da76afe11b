package report

import (
	"fmt"
	"math"
	"strconv"

	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// forest is a line of a forest plot: an effect in units of delta on an axis that all lines of
// the page share. It is drawn in a box of forestWidth by forestHeight.
type forest struct {
	Class     string // of its answer
	Label     string // the effect in words, for those who do not see the line
	Low, High string // ends of the interval; equal where there is none
	Arrows    []string
	Marks     []forestMark
}

// A forestMark is a mark of an answer: its class, which has its colour, and its outline.
type forestMark struct {
	Class, Path string
	Hollow      bool
}

// The box of a line, in pixels.
const (
	forestWidth  = 200.0
	forestHeight = 18.0
	forestRim    = 6.0 // on either side, so that no mark is cut off
	forestMiddle = forestHeight / 2
)

// forestAxis is one for all claims of all pages, so that they can be held beside each other.
var forestAxis = draw.DeltaScale(math.Inf(1))

func forestAt(x float64) float64 {
	return forestRim + forestAxis.Share(x)*(forestWidth-2*forestRim)
}

func pixels(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

// newForest is the line of a setting; nil where it has no effect.
func newForest(s Setting) *forest {
	at := s.InDeltas
	if math.IsNaN(at.Mean) {
		return nil
	}
	f := &forest{Class: marks[s.Answer].class, Label: fmt.Sprintf("%+.3g deltas", at.Mean), Marks: []forestMark{newForestMark(s.Answer, at.Mean)}}
	f.Low = pixels(forestAt(at.Mean))
	f.High = f.Low
	if draw.Bounded(at.Low, at.High) {
		f.Label += fmt.Sprintf(" [%+.3g, %+.3g]", at.Low, at.High)
		f.Low, f.High = pixels(forestAt(at.Low)), pixels(forestAt(at.High))
		f.arrows(at.Low, at.High)
	} else {
		f.arrows(at.Mean)
	}
	return f
}

// allForest has the marks of all settings on one line; nil where none has an effect.
func allForest(settings []Setting) *forest {
	f := &forest{Class: "none"}
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range settings {
		if x := s.InDeltas.Mean; !math.IsNaN(x) {
			least, most = min(least, x), max(most, x)
			f.Marks = append(f.Marks, newForestMark(s.Answer, x))
		}
	}
	if f.Marks == nil {
		return nil
	}
	f.Low, f.High = pixels(forestAt(least)), pixels(forestAt(most))
	f.Label = fmt.Sprintf("%+.3g to %+.3g deltas", least, most)
	f.arrows(least, most)
	return f
}

func (f *forest) arrows(effects ...float64) {
	for _, x := range effects {
		if off := float64(forestAxis.Off(x)); off != 0 {
			tip := forestAt(off*forestAxis.High) + off*forestRim
			f.Arrows = append(f.Arrows, fmt.Sprintf("M%s %sl%s-3v6Z", pixels(tip), pixels(forestMiddle), pixels(-off*5)))
		}
	}
}

// newForestMark is a disc for supported, a square for opposed, a diamond for no difference, a
// ring for undecided, as in figures, and a stroke for what else has an effect.
func newForestMark(answer stats.Answer, effect float64) forestMark {
	m := forestMark{Class: marks[answer].class, Hollow: answer == stats.Undecided}
	x := forestAt(effect)
	from := func(dx, dy float64, rest string) string {
		return "M" + pixels(x+dx) + " " + pixels(forestMiddle+dy) + rest
	}
	switch answer {
	case stats.Supported, stats.Undecided:
		m.Path = from(-4, 0, "a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z")
	case stats.Opposed:
		m.Path = from(-3.5, -3.5, "h7v7h-7Z")
	case stats.NoDifference:
		m.Path = from(0, -5, "l5 5l-5 5l-5-5Z")
	default:
		m.Path = from(-0.75, -4, "h1.5v8h-1.5Z")
	}
	return m
}

// A forestTick is a mark of the axis; its text is "" where it would touch another.
type forestTick struct{ X, Text string }

func forestTicks() []forestTick {
	var out []forestTick
	for _, x := range forestAxis.Ticks() {
		t := forestTick{X: pixels(forestAt(x)), Text: forestAxis.Label(x)}
		if size := math.Abs(x); size == 2 || size == 5 || size == 20 {
			t.Text = ""
		}
		out = append(out, t)
	}
	return out
}

// A forestBand is where the effects are that are too small to matter, on an axis from From to To.
type forestBand struct{ X, Width, Zero, From, To string }

func newBand() forestBand {
	return forestBand{X: pixels(forestAt(-1)), Width: pixels(forestAt(1) - forestAt(-1)), Zero: pixels(forestAt(0)), From: pixels(forestRim), To: pixels(forestWidth - forestRim)}
}
