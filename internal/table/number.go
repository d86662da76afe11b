package table

import (
	"fmt"
	"math"
	"strconv"
)

// Digits is how readers see numbers: with a count of decimals, and Missing for NaN.
type Digits struct {
	Decimals int
	Missing  string
}

// Three is three decimals, and a dash for a missing number.
var Three = Digits{3, "-"}

// Text writes a number. A negative number has no sign if it rounds to 0.
func (d Digits) Text(x float64) string {
	if math.IsNaN(x) {
		return d.Missing
	}
	text := strconv.FormatFloat(x, 'f', d.Decimals, 64)
	if text[0] == '-' && text == strconv.FormatFloat(math.Copysign(0, -1), 'f', d.Decimals, 64) {
		return text[1:]
	}
	return text
}

// Interval writes a mean with the ends of its interval, or alone if an end is not finite.
func (d Digits) Interval(mean, low, high float64) string {
	if math.IsNaN(mean) || !finite(low) || !finite(high) {
		return d.Text(mean)
	}
	return fmt.Sprintf("%s [%s, %s]", d.Text(mean), d.Text(low), d.Text(high))
}

// Number is the value of a number.
func (d Digits) Number(x float64) Value { return Value{d.Text(x), []float64{x}} }

// Mean is the value of a mean with its interval.
func (d Digits) Mean(mean, low, high float64) Value {
	return Value{d.Interval(mean, low, high), []float64{mean, low, high}}
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
