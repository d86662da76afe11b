package stats

import "math"

// normal975 is the 97.5% quantile of the standard normal distribution.
const normal975 = 1.959963984540054

// Improvement returns the probability, in [0, 1], that a value of new exceeds one of old, ties
// counted half (Agarwal et al. 2021, sec. 4.3; the Mann-Whitney estimate, U/(len(old)*len(new)))
//
//	P = mean over pairs (x of old, y of new) of 1 if y > x, 1/2 if y = x, else 0
//
// in the field Mean, with a 95% interval; N is the number of values on the smaller side. One half
// means that neither side tends to be higher; which side is better depends on the metric.
//
// The interval is Newcombe's (2006, method 5): all p with
//
//	|P - p| <= 1.96*sqrt(V(p))
//	V(p) = p(1-p)/(nm) * (1 + (N*-1)*(1-p)/(2-p) + (N*-1)*p/(1+p)),  N* = (n+m)/2
//
// It is a score interval, so it has a width also where one side lies wholly
// above the other, and never leaves [0, 1]. It takes the sides as independent:
// where the same seeds on both sides vary together, it is wider than need be.
//
// The value depends on the order of the values only, not on their sizes, so
// infinite ones are fine. If a side is empty or holds a NaN, all is NaN.
func Improvement(old, new []float64) Interval {
	n := min(len(old), len(new))
	if n == 0 || hasNaN(old) || hasNaN(new) {
		return Interval{n, math.NaN(), math.NaN(), math.NaN()}
	}
	twice := 0 // twice the number of pairs won
	for _, y := range new {
		for _, x := range old {
			switch {
			case y > x:
				twice += 2
			case y == x:
				twice++
			}
		}
	}
	pairs := len(old) * len(new)
	p := float64(twice) / float64(2*pairs)
	q := float64(2*pairs-twice) / float64(2*pairs)
	extra := float64(float64(len(old)+len(new))/2) - 1
	high, low := scoreBound(p, float64(pairs), extra), 1-scoreBound(q, float64(pairs), extra)
	return Interval{n, p, min(low, p), max(high, p)}
}

// scoreBound returns the upper bound of Newcombe's method 5 for the estimate p
// by bisection: the distance to p grows faster than the deviation there.
func scoreBound(p, pairs, extra float64) float64 {
	low, high := p, 1.0
	for range 60 {
		middle := float64((low + high) / 2)
		rest := 1 - middle
		clustering := 1 + float64(extra*rest)/(1+rest) + float64(extra*middle)/(1+middle)
		deviation := math.Sqrt(float64(float64(middle*rest)*clustering) / pairs)
		if middle-p <= float64(normal975*deviation) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
