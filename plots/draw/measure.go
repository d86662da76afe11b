package draw

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A Measure describes how to show a metric.
type Measure struct {
	Label  string
	Unit   string
	Share  bool // lives in [0, 1]: so does its axis
	AtZero bool // cannot be negative: its axis starts at 0
	Whole  bool // counts something: ticks at whole numbers
}

// Title is the metric's name with its unit.
func (m Measure) Title() string {
	if m.Unit == "" {
		return m.Label
	}
	return m.Label + " (" + m.Unit + ")"
}

// Lines is the title broken to a width, the unit on a line of its own if it has
// to move.
func (m Measure) Lines(f font.Font, width vg.Length) []string {
	if m.Unit == "" || TextWidth(f, m.Title()) <= width {
		return Wrap(f, m.Title(), width)
	}
	return append(Wrap(f, m.Label, width), Wrap(f, "("+m.Unit+")", width)...)
}

// Rounding is how far a computed share may lie outside [0, 1].
const Rounding = 1e-9

// InUnit reports whether values from low to high are shares. A reward with penalties, say, is
// not a share, and is shown as a free metric.
func (m Measure) InUnit(low, high float64) bool {
	return m.Share && low >= -Rounding && high <= 1+Rounding
}

// Axis is the range of an axis for means from low to high whose bands reach
// from bandLow to bandHigh.
func (m Measure) Axis(low, high, bandLow, bandHigh float64) (from, to float64) {
	if m.InUnit(low, high) {
		return 0, 1
	}
	from, to = min(low, bandLow), max(high, bandHigh)
	if from == to {
		from, to = from-max(0.5*math.Abs(from), 0.5), to+max(0.5*math.Abs(to), 0.5)
	}
	room := 0.04 * (to - from)
	from, to = from-room, to+room
	if m.AtZero && low >= 0 {
		from = 0
	}
	return from, to
}

// Format writes a value into a cell.
func (m Measure) Format(v float64) string {
	switch {
	case m.Share && math.Abs(v) <= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case m.Whole:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 1000 || v != 0 && math.Abs(v) < 0.01:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
