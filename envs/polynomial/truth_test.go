package polynomial

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"modebench/envs"
)

// TestTruthAgainstAllPairs lists every pair of literals of small grammars.
func TestTruthAgainstAllPairs(t *testing.T) {
	for _, c := range []struct{ digits, decimals, problems int }{{1, 0, 30}, {1, 1, 2}, {2, 0, 2}} {
		if testing.Short() {
			c.problems = (c.problems + 1) / 2
		}
		e := build(t, func(k *Config) {
			k.Digits, k.Decimals, k.Implicit, k.MinModes, k.Coefficients = c.digits, c.decimals, 0.6, 1, 6
		})
		all := literals(c.digits, c.decimals)
		for _, split := range []envs.Split{envs.Train, envs.OOD} {
			for i := range c.problems {
				p := problem(t, e, split, i)
				modes, solutions := readSheet(t, p, c.digits, c.decimals).solve(t, all)
				if got := p.Truth(); !slices.Equal(got.Modes, modes) || got.Solutions != solutions {
					t.Errorf("%d digits, %d decimals: %s: %d modes, %d solutions; all pairs give %d and %d:\n%.20q\n%.20q", c.digits, c.decimals,
						&p.relation, len(got.Modes), got.Solutions, len(modes), solutions, got.Modes, modes)
				}
			}
		}
	}
}

// TestTruthOfKnownCurves holds the truth at full size against what is known of a
// few curves.
func TestTruthOfKnownCurves(t *testing.T) {
	e := build(t, nil)
	multiples := func(step, from, to int64) (n int64) {
		for v := from; v <= to; v++ {
			if v%step == 0 {
				n++
			}
		}
		return n
	}
	products := func(k, a, b int64) (n int64) {
		// (x+a)(y+b) = k in hundredths: both are divisors of 10000 k.
		for u := -10_000 * k; u <= 10_000*k; u++ {
			if u == 0 || 10_000*k%u != 0 {
				continue
			}
			if x, y := u-100*a, 10_000*k/u-100*b; abs(x) <= 99_999 && abs(y) <= 99_999 {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		reason   string
		relation relation
		want     int64
	}{
		// 250000 = 2^4 5^6 is a sum of two squares in 4 (6+1) ways.
		{"points of a circle are sums of two squares", round25, 28},
		{"(x+3)(y-2) = 6", product, products(6, 3, -2)},
		// 2x+3y = 700 in hundredths: x = 2 modulo 3, |2x - 700| <= 299997.
		{"a line reaches the border of y or of x", slope, multiples(3, -99_999+1, 99_999+1)},
		// y = x(x+3)+7 has two decimals where x(x+3) has: x in tenths, or half of ten hundredths.
		{"the paper's parabola", paper, func() (n int64) {
			for x := int64(-99_999); x <= 99_999; x++ {
				if v := x*x + 300*x + 70_000; v%100 == 0 && v/100 <= 99_999 {
					n++
				}
			}
			return n
		}()},
		// (x-3)^2 - (y+2)^2 = 8.
		{"a difference of squares is a product", apart, func() (n int64) {
			for u := int64(-80_000); u <= 80_000; u++ {
				if u != 0 && 80_000%u == 0 && (u+80_000/u)%2 == 0 {
					n++
				}
			}
			return n
		}()},
	} {
		p := relate(t, e, c.relation)
		truth := p.Truth()
		if int64(len(truth.Modes)) != c.want {
			t.Errorf("%s: %s has %d modes, want %d", c.reason, &p.relation, len(truth.Modes), c.want)
		}
		s := readSheet(t, p, 3, 2)
		for i := 0; i < len(truth.Modes); i += 1 + len(truth.Modes)/200 {
			if got := s.judge(t, string(truth.Modes[i])); !got.correct || got.mode != string(truth.Modes[i]) {
				t.Errorf("%s: %s: mode %q is judged %+v", c.reason, &p.relation, truth.Modes[i], got)
			}
		}
	}
}

// TestTruthFollowsTheCurve: in every variant each x of the grid is tried once
// more, by the judge, at the y that were found and beside them.
func TestTruthFollowsTheCurve(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			p := problem(t, e, split, 0)
			truth := p.Truth()
			if n := len(truth.Modes); n < e.config.MinModes || truth.Solutions < int64(n) {
				t.Errorf("%s: %s: %d modes, %d solutions; want at least %d", v.name, &p.relation, n, truth.Solutions, e.config.MinModes)
			}
			next := 0
			for x := -e.limit; x <= e.limit; x++ {
				var beside []int64
				ys, n := p.curve.near(x)
				for _, y := range ys[:n] {
					beside = append(beside, max(y-1, -e.limit), y, min(y+1, e.limit))
				}
				slices.Sort(beside)
				for _, y := range slices.Compact(beside) {
					if !p.curve.holds(x, y) {
						continue
					}
					name := fmt.Sprintf("x=%s, y=%s", shortest(big.NewRat(x, e.unit)), shortest(big.NewRat(y, e.unit)))
					if next == len(truth.Modes) || string(truth.Modes[next]) != name {
						t.Fatalf("%s: %s: mode %d is not %q", v.name, &p.relation, next, name)
					}
					next++
				}
			}
			if next != len(truth.Modes) {
				t.Errorf("%s: %s: %d modes, of which only %d were met again", v.name, &p.relation, len(truth.Modes), next)
			}
		}
	}
}

// TestSolutionsField: all pairs if there are few, 2000 evenly chosen ones if there are
// many, from the first to the last.
func TestSolutionsField(t *testing.T) {
	e := build(t, nil)
	few := relate(t, e, round25)
	if got := few.Fields()["solutions"].([][2]float64); len(got) != 28 || got[0] != [2]float64{-5, 0} || got[1] != [2]float64{-4.8, -1.4} || got[27] != [2]float64{5, 0} {
		t.Errorf("a circle: %v", got)
	}
	many := relate(t, e, slope)
	got, modes := many.Fields()["solutions"].([][2]float64), many.Truth().Modes
	if len(got) != maxSolutions {
		t.Fatalf("a line: %d pairs are listed, want %d", len(got), maxSolutions)
	}
	for i, pair := range got {
		at := i * (len(modes) - 1) / (maxSolutions - 1)
		if name := fmt.Sprintf("x=%v, y=%v", pair[0], pair[1]); name != string(modes[at]) {
			t.Errorf("a line: pair %d is %s, want mode %d, %s", i, name, at, modes[at])
		}
	}
}
