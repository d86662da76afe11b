package polynomial

import "math"

// maxEmbedding is the length of the longest embedding: two numbers for each of
// eight periods, for x and for y.
const maxEmbedding = 2 * 2 * 8

// periods lists the periods of the embedding's waves: 4, 16, 64, ..., in units,
// until one is at least twice as long as the span from the lowest to the highest
// number, so that no two numbers share a place on its circle.
func periods(unit int64, digits int) []int64 {
	range4 := 4 * unit
	for range digits {
		range4 *= 10
	}
	var out []int64
	for period := 4 * unit; ; period *= 4 {
		out = append(out, period)
		if period >= range4 {
			return out
		}
	}
}

// embed appends the embedding of a pair in units. Each number runs around one circle for
// each period, so that the cosine of two pairs is the mean of about cos(2 pi d/period) over
// the periods and over the distances d in x and in y: near pairs are alike under all
// periods, others under some by chance. Triangle waves, scaled onto the circle, replace
// sine and cosine, whose bits depend on the machine.
func (e *Env) embed(dst []float32, x, y int64) []float32 {
	circles := int64(2 * len(e.periods))
	for _, v := range [2]int64{x, y} {
		for _, period := range e.periods {
			phase := v % period
			if phase < 0 {
				phase += period
			}
			// From period at phase 0 down to -period at half, and up again; and
			// the same a quarter later.
			across := abs(4*phase-2*period) - period
			up := period - abs(across)
			if 2*phase > period {
				up = -up
			}
			length := math.Sqrt(float64((across*across + up*up) * circles))
			dst = append(dst, float32(float64(across)/length), float32(float64(up)/length))
		}
	}
	return dst
}
