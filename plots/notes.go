package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// seedNote says what the lines and bands of a figure are. A ceiling's seeds are
// not counted beside others: it is exact and has no band.
func seedNote(shown []numbers.Variant, bands bool) string {
	if i := slices.IndexFunc(shown, func(s numbers.Variant) bool { return s.Ceiling() }); i > 0 {
		shown = shown[:i] // the ceilings come last
	}
	low, high := shown[0].SeedCount(), shown[0].SeedCount()
	var short []string
	for _, s := range shown {
		low, high = min(low, s.SeedCount()), max(high, s.SeedCount())
		if s.Short {
			short = append(short, s.Called)
		}
	}
	note := fmt.Sprintf("Mean over %d seeds", high)
	switch {
	case high == 1:
		note = "One seed"
	case low != high:
		note = fmt.Sprintf("Mean over %d to %d seeds", low, high)
	}
	if bands && high >= stats.MinValues {
		note += "; bands: 95% confidence intervals over seeds"
	}
	if len(short) > 0 {
		note += ". Only the steps that all seeds have: " + strings.Join(short, ", ")
	}
	return note + "."
}

// whiskerNote is seedNote for intervals that are drawn as whiskers, of which some are cut off
// at the edge of a panel.
func whiskerNote(shown []numbers.Variant, cut bool) string {
	note := seedNote(shown, false)
	switch {
	case !slices.ContainsFunc(shown, func(s numbers.Variant) bool { return s.SeedCount() >= stats.MinValues }):
		return note
	case cut:
		return draw.Sentences(note, "Whiskers: 95% confidence intervals over seeds; one without its end goes on beyond the panel.")
	}
	return draw.Sentences(note, "Whiskers: 95% confidence intervals over seeds.")
}

// cutOff says whether an interval reaches past the ends of an axis from low to high.
func cutOff(at stats.Interval, low, high float64) bool {
	return at.N > 0 && draw.Bounded(at.Low, at.High) && (at.Low < low || at.High > high)
}

// lastStepNote says at which step a figure looks at its variants.
func lastStepNote(shown []numbers.Variant) string {
	low, high := math.MaxInt, 0
	for _, s := range shown {
		if s.Trains {
			low, high = min(low, s.Last()), max(high, s.Last())
		}
	}
	switch {
	case low > high:
		return "Before training."
	case low == high:
		return fmt.Sprintf("After %d training steps.", high)
	}
	return fmt.Sprintf("At the last evaluated step (%d to %d).", low, high)
}
