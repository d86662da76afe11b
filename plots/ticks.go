package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// niceTicks marks round values, at most about count of them.
type niceTicks struct {
	count int
	whole bool // whole numbers only
}

// Ticks returns labelled ticks between low and high, all with the same number
// of decimals.
func (t niceTicks) Ticks(low, high float64) []plot.Tick {
	step := niceStep((high - low) / float64(t.count))
	if t.whole {
		step = max(step, 1)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		value := i * step
		if i == 0 {
			value = 0 // no "-0"
		}
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', decimals, 64)})
	}
	return ticks
}

// niceStep is the smallest of 1, 2, 5 times a power of ten that is no smaller
// than raw.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// kTicks marks the powers of two among ks on an axis of log2(k), or all ks when
// none is one.
func kTicks(ks []int) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, k := range ks {
		if k&(k-1) == 0 {
			ticks = append(ticks, plot.Tick{Value: math.Log2(float64(k)), Label: strconv.Itoa(k)})
		}
	}
	if len(ticks) > 0 {
		return ticks
	}
	for _, k := range ks {
		ticks = append(ticks, plot.Tick{Value: math.Log2(float64(k)), Label: strconv.Itoa(k)})
	}
	return ticks
}
