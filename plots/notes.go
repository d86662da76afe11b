package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// seedNote says what the lines and bands of a figure are. A ceiling's seeds are
// not counted beside others: it is exact and has no band.
func seedNote(shown []Variant, bands bool) string {
	if i := slices.IndexFunc(shown, func(s Variant) bool { return s.ceiling() }); i > 0 {
		shown = shown[:i] // the ceilings come last
	}
	low, high := shown[0].seedCount(), shown[0].seedCount()
	var short []string
	for _, s := range shown {
		low, high = min(low, s.seedCount()), max(high, s.seedCount())
		if s.Short {
			short = append(short, s.called)
		}
	}
	note := fmt.Sprintf("Mean over %d seeds", high)
	switch {
	case high == 1:
		note = "One seed"
	case low != high:
		note = fmt.Sprintf("Mean over %d to %d seeds", low, high)
	}
	if bands && high > 1 {
		note += "; bands: 95% confidence intervals over seeds"
	}
	if len(short) > 0 {
		note += ". Only the steps that all seeds have: " + strings.Join(short, ", ")
	}
	return note + "."
}

// lastStepNote says at which step a figure looks at its variants.
func lastStepNote(shown []Variant) string {
	low, high := math.MaxInt, 0
	for _, s := range shown {
		if s.Trains {
			low, high = min(low, s.last()), max(high, s.last())
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
