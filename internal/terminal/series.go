package terminal

import (
	"fmt"
	"math"
	"slices"
)

// A Mean is a sum of N numbers.
type Mean struct {
	Sum float64
	N   int
}

// Add adds a number.
func (m *Mean) Add(x float64) { m.Sum, m.N = m.Sum+x, m.N+1 }

// Value is NaN where nothing was added.
func (m *Mean) Value() float64 { return m.Sum / float64(m.N) }

// A Point is a mean at a step.
type Point struct {
	Step int
	Mean
}

// A Series is means in the order of their steps.
type Series []Point

// Add adds a number to the mean at a step.
func (s *Series) Add(step int, x float64) {
	i, found := slices.BinarySearchFunc(*s, step, func(p Point, step int) int { return p.Step - step })
	if !found {
		*s = slices.Insert(*s, i, Point{Step: step})
	}
	(*s)[i].Add(x)
}

// Sparks are the heights of a sparkline, an eighth of a line apart.
var Sparks = []rune("▁▂▃▄▅▆▇█")

// Sparkline draws the means as heights from 0 to the greatest, at most width of them: of more,
// evenly chosen means, the first and the last among them.
func (s Series) Sparkline(width int) string {
	n := min(width, len(s))
	if n <= 0 {
		return ""
	}
	top := math.Inf(-1)
	for i := range s {
		top = max(top, s[i].Value())
	}
	out := make([]rune, n)
	for i := range out {
		point, height := &s[len(s)-1], 0 // a single height is the last
		if n > 1 {
			point = &s[i*(len(s)-1)/(n-1)]
		}
		if x := point.Value(); top > 0 && x > 0 {
			height = min(len(Sparks)-1, int(x/top*float64(len(Sparks))))
		}
		out[i] = Sparks[height]
	}
	return string(out)
}

// Number is a number of three decimals; NaN is blank.
func Number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.3f", x)
}
