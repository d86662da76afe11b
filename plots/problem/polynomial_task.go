package problem

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
)

// What a picture of a curve shows.
const (
	smallWorld = 60  // a curve whose pairs lie within a square of this size is shown whole
	easyPairs  = 15  // correct pairs that are in it, but for those far off:
	farOff     = 2.5 // so many times as far as the usual ones among them
	usualShare = 0.6
)

// A curveTask is a relation P(x, y) = 0, with all its correct pairs.
type curveTask struct {
	relation string
	terms    []curveTerm
	pairs    []curvePair
	given    []curvePair // with how often they were given
}

// A curveTerm is an entry of the field "coefficients".
type curveTerm struct {
	X           int     `json:"x"` // power of x
	Y           int     `json:"y"` // power of y
	Coefficient float64 `json:"coefficient"`
}

// A curvePair is a point of the plane that can be written.
type curvePair struct {
	x, y     float64
	decimals int // of the number that has more

	times int // answers given
	wrong bool
}

// maxPower is the highest power that a term can have.
const maxPower = 9

// readCurve reads and checks the problem's fields. The correct pairs are the modes
// of the truth: the field "solutions" may be a sample of them.
func readCurve(p envs.Problem) (*curveTask, error) {
	t := &curveTask{}
	if err := readField(p, "relation", &t.relation); err != nil {
		return nil, err
	}
	if err := readField(p, "coefficients", &t.terms); err != nil {
		return nil, err
	}
	varies := false
	for i, m := range t.terms {
		if m.X < 0 || m.X > maxPower || m.Y < 0 || m.Y > maxPower {
			return nil, fmt.Errorf("coefficients[%d]: the powers of x and y are %d and %d, want 0 to %d", i, m.X, m.Y, maxPower)
		}
		varies = varies || m.X+m.Y > 0 && m.Coefficient != 0
	}
	if !varies {
		return nil, errors.New("the relation has neither x nor y to draw")
	}
	for _, mode := range p.Truth().Modes {
		q, err := pairOf(string(mode))
		if err != nil {
			return nil, err
		}
		t.pairs = append(t.pairs, q)
	}
	if len(t.pairs) == 0 {
		return nil, errors.New("the relation has no correct pair to draw")
	}
	return t, nil
}

// pairOf reads a pair in the form of a mode: "x=1, y=-2.5".
func pairOf(text string) (curvePair, error) {
	q := curvePair{}
	left, right, both := strings.Cut(text, ", ")
	x, first := strings.CutPrefix(left, "x=")
	y, second := strings.CutPrefix(right, "y=")
	if !both || !first || !second {
		return q, fmt.Errorf("the mode is %.40q, want a pair, as in x=1, y=-2.5", text)
	}
	for _, number := range []struct {
		text string
		out  *float64
	}{{x, &q.x}, {y, &q.y}} {
		v, err := strconv.ParseFloat(number.text, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return q, fmt.Errorf("the mode is %.40q: %.20q is no number", text, number.text)
		}
		_, fraction, _ := strings.Cut(number.text, ".")
		*number.out = v
		q.decimals = max(q.decimals, len(fraction))
	}
	return q, nil
}

// count notes the pairs that were given, and how often.
func (t *curveTask) count(p envs.Problem, answers [][]envs.Token) (unparsed int, err error) {
	at := map[envs.Mode]int{}
	for i, answer := range answers {
		v := p.Judge(answer)
		if v.Err != nil || v.Mode == envs.Degenerate {
			unparsed++
			continue
		}
		n, seen := at[v.Mode]
		if !seen {
			q, err := pairOf(string(v.Mode))
			if err != nil {
				return 0, fmt.Errorf("answer %d: %w", i+1, err)
			}
			q.wrong = !v.Correct
			n = len(t.given)
			at[v.Mode] = n
			t.given = append(t.given, q)
		}
		t.given[n].times++
	}
	return unparsed, nil
}

// value is P at a point.
func (t *curveTask) value(x, y float64) float64 {
	v := 0.0
	for _, m := range t.terms {
		v += float64(m.Coefficient * power(x, m.X) * power(y, m.Y))
	}
	return v
}

func power(x float64, n int) float64 {
	v := 1.0
	for range n {
		v *= x
	}
	return v
}

// window chooses the part of the plane to show: the origin and the easiest pairs,
// those with few decimals and small numbers, or all pairs where they lie close
// together, as on a circle. Some of the easiest may be far off, as on a hyperbola:
// they would make the rest too small to see.
func (t *curveTask) window() (low, high [2]float64) {
	low, high = reachOf(t.pairs)
	if high[0]-low[0] <= smallWorld && high[1]-low[1] <= smallWorld {
		return low, high
	}
	easy := slices.Clone(t.pairs)
	slices.SortStableFunc(easy, func(p, q curvePair) int {
		return cmp.Or(p.decimals-q.decimals, cmp.Compare(math.Abs(p.x)+math.Abs(p.y), math.Abs(q.x)+math.Abs(q.y)))
	})
	easy = easy[:min(len(easy), easyPairs)]
	var limits [2]float64
	for i := range limits {
		sizes := make([]float64, len(easy))
		for j, q := range easy {
			sizes[j] = math.Abs(q.at(i))
		}
		slices.Sort(sizes)
		limits[i] = max(leastReach/2, farOff*sizes[int(usualShare*float64(len(sizes)))])
	}
	return reachOf(slices.DeleteFunc(easy, func(q curvePair) bool {
		return math.Abs(q.x) > limits[0] || math.Abs(q.y) > limits[1]
	}))
}

// at is the number x (axis 0) or y (axis 1).
func (q curvePair) at(axis int) float64 {
	if axis == 0 {
		return q.x
	}
	return q.y
}

// reachOf is the least rectangle that holds the origin and the pairs.
func reachOf(pairs []curvePair) (low, high [2]float64) {
	for _, q := range pairs {
		for i := range 2 {
			low[i], high[i] = min(low[i], q.at(i)), max(high[i], q.at(i))
		}
	}
	return low, high
}
