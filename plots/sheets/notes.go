package sheets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// SeedNote explains the lines and bands of a figure. A ceiling's seeds are
// not counted beside others: it is exact and has no band.
func SeedNote(shown []numbers.Variant, bands bool) string {
	if i := slices.IndexFunc(shown, func(s numbers.Variant) bool { return s.Ceiling() }); i > 0 {
		shown = shown[:i] // the ceilings come last
	}
	low, unit := shown[0].Units()
	high := low
	var short []string
	for _, s := range shown {
		n, _ := s.Units()
		low, high = min(low, n), max(high, n)
		if s.Short {
			short = append(short, s.Called)
		}
	}
	note := fmt.Sprintf("Mean over %d %s", high, unit)
	switch {
	case high == 1:
		note = "One seed"
		if shown[0].Draws != nil {
			note = "One draw of problems"
		}
	case low != high:
		note = fmt.Sprintf("Mean over %d to %d %s", low, high, unit)
	}
	if bands && high >= stats.MinValues {
		note += "; bands: 95% confidence intervals over " + unit
	}
	if len(short) > 0 {
		note += ". Only the steps that all seeds have: " + strings.Join(short, ", ")
	}
	return note + "."
}

// WhiskerNote is seedNote for intervals that are drawn as whiskers, of which some are cut off
// at the edge of a panel.
func WhiskerNote(shown []numbers.Variant, cut bool) string {
	note := SeedNote(shown, false)
	_, unit := shown[0].Units()
	several := func(s numbers.Variant) bool { n, _ := s.Units(); return n >= stats.MinValues }
	switch {
	case !slices.ContainsFunc(shown, several):
		return note
	case cut:
		return draw.Sentences(note, "Whiskers: 95% confidence intervals over "+unit+"; one without its end goes on beyond the panel.")
	}
	return draw.Sentences(note, "Whiskers: 95% confidence intervals over "+unit+".")
}

// CutOff reports whether an interval reaches past the ends of an axis from low to high.
func CutOff(value stats.Interval, low, high float64) bool {
	return value.N > 0 && draw.Bounded(value.Low, value.High) && (value.Low < low || value.High > high)
}

// LastStepNote names the step at which a figure shows its variants.
func LastStepNote(shown []numbers.Variant) string {
	low, high, least, largest := math.MaxInt, 0, math.MaxInt, 0
	for _, s := range shown {
		if s.Trains {
			low, high = min(low, s.Last()), max(high, s.Last())
			least, largest = min(least, s.Tokens), max(largest, s.Tokens)
		}
	}
	switch {
	case low > high:
		return "Before training."
	case low == high && least == 0 && largest > 0:
		return fmt.Sprintf("After %d training steps, or fewer where a budget of tokens ended training.", high)
	case low == high && least > 0: // the policy of the last step may be that of an earlier one
		budget := strconv.Itoa(least)
		if least < largest {
			budget += " to " + strconv.Itoa(largest)
		}
		return fmt.Sprintf("After %d training steps or %s tokens, whichever came first.", high, budget)
	case low == high:
		return fmt.Sprintf("After %d training steps.", high)
	}
	return fmt.Sprintf("At the last evaluated step (%d to %d).", low, high)
}

// ListItems is how many lines or rows of a panel the text for a reader who does not see a figure has.
const ListItems = 10

// List joins the first limit of n items, and adds how many are left out.
func List(n, limit int, text func(i int) string) string {
	var parts []string
	for i := range min(n, limit) {
		parts = append(parts, text(i))
	}
	if n > limit {
		parts = append(parts, fmt.Sprintf("and %d more", n-limit))
	}
	return strings.Join(parts, ", ")
}

// Number is a mean in three digits.
func Number(value stats.Interval) string {
	if value.N == 0 || math.IsNaN(value.Mean) {
		return "not measured"
	}
	return strconv.FormatFloat(value.Mean, 'g', 3, 64)
}

// Capital is a name at the beginning of a line.
func Capital(s string) string {
	return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):]
}
