package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// number writes a value with three decimals, as the summary table does. A value that
// would vanish there has two digits, and a large one has no decimals. base.js writes the same.
func number(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return absent
	case size == 0:
		return "0.000"
	case size < 0.001 || size >= 1e6:
		return strconv.FormatFloat(x, 'g', 2, 64)
	case size >= 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// bracket is the interval around a mean: "[0.100, 0.200]", or "".
func bracket(i stats.Interval) string {
	if !draw.Bounded(i.Low, i.High) {
		return ""
	}
	return "[" + number(i.Low) + ", " + number(i.High) + "]"
}

func both(i stats.Interval) string { return strings.TrimSpace(number(i.Mean) + " " + bracket(i)) }

// effect writes a difference with its sign, as the table of claims does.
func effect(i stats.Interval, signed bool) string {
	format := "%.3g"
	if signed {
		format = "%+.3g"
	}
	switch {
	case math.IsNaN(i.Mean):
		return absent
	case math.IsNaN(i.Low):
		return fmt.Sprintf("sd "+format, i.Mean)
	case math.IsInf(i.Low, 0) || math.IsInf(i.High, 0):
		return fmt.Sprintf(format, i.Mean)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", i.Mean, i.Low, i.High)
}
