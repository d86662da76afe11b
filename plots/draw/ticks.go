package draw

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"modebench/internal/each"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Log2 is the place of k on an axis of logarithms.
func Log2(k int) float64 { return math.Log2(float64(k)) }

// Ticks marks round values, at most about count of them.
type Ticks struct {
	Count int
	Whole bool // whole numbers only
}

// Ticks returns labelled ticks between low and high, all with the same number
// of decimals.
func (t Ticks) Ticks(low, high float64) []plot.Tick {
	step := NiceStep((high - low) / float64(t.Count))
	if t.Whole {
		step = max(step, 1)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	first := math.Ceil(low/step - 1e-9)
	for n := range t.Count + 2 { // a step is no less than the range by Count
		i := first + float64(n)
		value := i * step
		if !(value <= high+1e-9*step) || n > 0 && value == ticks[n-1].Value { // or so large that a step is lost in it
			break
		}
		if i == 0 {
			value = 0 // no "-0"
		}
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', decimals, 64)})
	}
	return ticks
}

// LogTicks marks 1, 2 and 5 times powers of ten on a logarithmic axis, or powers of ten alone if these
// are enough. On a short axis it marks round values. A mark without room for its label on an axis of a
// width has no label; 0: there is room.
type LogTicks struct{ Width vg.Length }

// Ticks returns labelled ticks between low and high, both above 0.
func (t LogTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	const few = 3
	for _, steps := range [][]float64{{1}, {1, 2, 5}} {
		ticks = nil
		for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
			for _, step := range steps {
				text := fmt.Sprintf("%ge%g", step, power)
				value, err := strconv.ParseFloat(text, 64)
				if err != nil || value < low || value > high {
					continue
				}
				if value >= 1e-4 && value < 1e6 {
					text = strconv.FormatFloat(value, 'f', -1, 64)
				}
				ticks = append(ticks, plot.Tick{Value: value, Label: text})
			}
		}
		if len(ticks) >= few {
			break
		}
	}
	if len(ticks) < few {
		ticks = Ticks{Count: 4}.Ticks(low, high)
	}
	if t.Width == 0 {
		return ticks
	}
	places := slices.Clone(ticks)
	for i := range places {
		places[i].Value = math.Log(places[i].Value)
	}
	for i, place := range thinnedLabels(places, float64(t.Width)/(math.Log(high)-math.Log(low))) {
		ticks[i].Label = place.Label
	}
	return ticks
}

// NiceStep is the smallest of 1, 2, 5 times a power of ten that is no smaller
// than raw.
func NiceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// KTicks marks values of k on an axis of log2(k) that is width long. It marks the powers of two
// if all of them in the range were measured, or most of the measured values are powers of two;
// else every k, as for 1, 3, 5, 10, 30. A mark without room for its label has no label.
func KTicks(ks []int, width vg.Length) plot.ConstantTicks {
	powers := each.Count(ks, isPower)
	all := bits.Len(uint(ks[len(ks)-1])) - bits.Len(uint(ks[0]-1)) // powers of two from the first k to the last
	var ticks plot.ConstantTicks
	for _, k := range ks {
		if isPower(k) || powers == 0 || powers < all && 2*powers <= len(ks) {
			ticks = append(ticks, plot.Tick{Value: Log2(k), Label: strconv.Itoa(k)})
		}
	}
	return thinnedLabels(ticks, float64(width)/max(Log2(ks[len(ks)-1])-Log2(ks[0]), 1))
}

func isPower(k int) bool { return k&(k-1) == 0 }

// thinnedLabels takes away the labels that would touch one before them. A unit of the axis is
// unit points long. The last label stays, at the expense of those before it.
func thinnedLabels(ticks plot.ConstantTicks, unit float64) plot.ConstantTicks {
	const gap = 4
	labelled := []int{} // positions of the labels, ascending
	for i, t := range ticks {
		for len(labelled) > 0 {
			before := labelled[len(labelled)-1]
			free := float64((t.Value-ticks[before].Value)*unit) - (TextWidth(SmallFont, t.Label)+TextWidth(SmallFont, ticks[before].Label)).Points()/2
			if free >= gap {
				break
			}
			if i < len(ticks)-1 || before == 0 {
				ticks[i].Label = ""
				break
			}
			ticks[before].Label = ""
			labelled = labelled[:len(labelled)-1]
		}
		if ticks[i].Label != "" {
			labelled = append(labelled, i)
		}
	}
	return ticks
}
