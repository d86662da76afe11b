package polynomial

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestSolveFindsAll: solve gives the y that hold, in ascending order, and no
// others.
func TestSolveFindsAll(t *testing.T) {
	e := build(t, func(c *Config) { c.Digits, c.Decimals, c.MinModes, c.Implicit = 1, 1, 1, 0.7 })
	for _, split := range []envs.Split{envs.Test, envs.OOD} {
		for i := range 60 {
			p := problem(t, e, split, i)
			for x := -e.limit; x <= e.limit; x++ {
				var want []int64
				for y := -e.limit; y <= e.limit; y++ {
					if p.curve.holds(x, y) {
						want = append(want, y)
					}
				}
				ys, n := p.curve.solve(x)
				if !slices.Equal(ys[:n], want) {
					t.Fatalf("%s at x = %d tenths: %v, want %v", &p.relation, x, ys[:n], want)
				}
			}
		}
	}
}

// TestReach: beyond it the relation keeps away from all writable y, and is not
// asked; so it must not cut anything off.
func TestReach(t *testing.T) {
	g := newGrammar(3, 2)
	for _, c := range []struct {
		reason   string
		relation relation
		want     int64 // first integer beyond
	}{
		{"x^2-3x-7 > 1000 from 34 on", paper, 34},
		{"x^3-2x > 1000 from 11 on", cubic, 11},
		{"x^2 > 25 from 6 on", round25, 6},
		{"2x > 3*1000+7 would be beyond the border", slope, 1000},
		{"a hyperbola goes on", product, 1000},
		{"so does this", apart, 1000},
		{"9x > 1000 from 112 on", relation{explicit: true, x: [5]int64{0, -9}, y: 1}, 112},
	} {
		if got := c.relation.reach(1000); got != c.want {
			t.Errorf("%s: %d", c.reason, got)
		}
		curve := g.scale(&c.relation)
		if want := min(100*c.want-1, 99_999); curve.reach != want {
			t.Errorf("%s: %d hundredths, want %d", c.reason, curve.reach, want)
		}
		beyond := curve
		beyond.reach = 99_999
		for x := curve.reach + 1; x <= 99_999; x += 7 {
			for _, x := range [2]int64{x, -x} {
				if ys, n := beyond.solve(x); n > 0 {
					t.Fatalf("%s: y = %d hundredths at x = %d", c.reason, ys[0], x)
				}
			}
		}
	}
}

// TestNothingOverflows follows the arithmetic of the largest relations in integers
// of any size: in every grammar, with coefficients at their bounds and x and y at
// theirs.
func TestNothingOverflows(t *testing.T) {
	most := new(big.Int)
	for digits := 1; digits <= maxDigits; digits++ {
		for decimals := 0; decimals <= min(3, maxPlaces-digits); decimals++ {
			g := newGrammar(digits, decimals)
			r := rng.New(8).Int(uint64(digits)).Int(uint64(decimals)).Rand()
			for range 2000 {
				q := extreme(r)
				c := g.scale(&q)
				for _, size := range sizes(&c) {
					if size.CmpAbs(most) > 0 {
						most = size
					}
				}
				if n := discriminant(&c); n.Cmp(big.NewInt(1<<52)) >= 0 {
					t.Fatalf("%s with %d digits, %d decimals: root does not take a discriminant of %v", &q, digits, decimals, n)
				}
			}
		}
	}
	if limit := new(big.Int).Lsh(big.NewInt(1), 63); most.Cmp(limit) >= 0 {
		t.Errorf("a number reaches %v, an int64 holds less than %v", most, limit)
	}
	t.Logf("largest number: %v", most)
}

// extreme draws a relation whose coefficients lie at their bounds.
func extreme(r *rand.Rand) relation {
	sign := func(n int64) int64 { return n * int64(1-2*r.IntN(2)) }
	if r.IntN(2) == 0 {
		q := relation{explicit: true, y: 1}
		degree := 1 + r.IntN(maxDegree)
		for i := range degree {
			q.x[i] = sign(maxCoefficients)
		}
		q.x[degree] = sign([]int64{1, 2, maxCoefficients}[r.IntN(3)])
		return q
	}
	const bound = 2 * maxCoefficients
	q := relation{x: [5]int64{0, sign(bound)}, y: sign(bound)}
	switch r.IntN(4) {
	case 0:
		q.xy = bound
	case 1:
		q.x[2], q.yy = 1, sign(1)
	case 2:
		q.x[2], q.yy = bound, bound
	}
	q.x[0] = -q.value(sign(planted), sign(planted))
	return q
}

// sizes are bounds of the numbers that solve and holds compute.
func sizes(c *curve) []*big.Int {
	reach, limit := big.NewInt(c.reach), big.NewInt(c.limit)
	scaled := func(n int64, by ...*big.Int) *big.Int {
		v := big.NewInt(abs(n))
		for _, b := range by {
			v.Mul(v, b)
		}
		return v
	}
	q0 := new(big.Int)
	for i := maxDegree; i >= 0; i-- {
		q0.Add(q0.Mul(q0, reach), big.NewInt(abs(c.q0[i])))
	}
	q1 := new(big.Int).Add(big.NewInt(abs(c.q1[0])), scaled(c.q1[1], reach))
	inY := new(big.Int).Add(q1, scaled(c.q2, limit))
	whole := new(big.Int).Add(q0, inY.Mul(inY, limit))
	return []*big.Int{whole, discriminant(c)}
}

// discriminant bounds what solve takes the root of.
func discriminant(c *curve) *big.Int {
	if c.q2 == 0 {
		return new(big.Int)
	}
	reach := big.NewInt(c.reach)
	q0 := new(big.Int)
	for i := maxDegree; i >= 0; i-- {
		q0.Add(q0.Mul(q0, reach), big.NewInt(abs(c.q0[i])))
	}
	q1 := new(big.Int).Mul(big.NewInt(abs(c.q1[1])), reach)
	q1.Add(q1, big.NewInt(abs(c.q1[0])))
	return q1.Mul(q1, q1).Add(q1, q0.Mul(q0, big.NewInt(4*abs(c.q2))))
}

// TestRoot: squares, and numbers one short of the next.
func TestRoot(t *testing.T) {
	for r := int64(0); r < 1<<26; r += 1 + r/1000 {
		for _, c := range []struct{ n, want int64 }{{r * r, r}, {r*r + 2*r, r}} {
			if got := root(c.n); got != c.want {
				t.Fatalf("the root of %d is %d, want %d", c.n, got, c.want)
			}
		}
	}
}

// TestNear: the correct y if there are any, else a rounded y.
func TestNear(t *testing.T) {
	g := newGrammar(3, 2)
	for _, c := range []struct {
		reason   string
		relation relation
		x        int64
		want     []int64
	}{
		{"a correct y", paper, 100, []int64{1100}},
		{"both", round25, 300, []int64{-400, 400}},
		{"2.01^2+3*2.01+7 = 17.0701", paper, 201, []int64{1707}},
		{"an x whose y has too many digits", paper, 99_999, []int64{99_999}},
		{"7/3 is 2.33", slope, 0, []int64{233}},
		{"the root of 24 is 4.89", round25, 100, []int64{-489, 489}},
		{"right of the circle: as near as it comes", round25, 700, []int64{0}},
		{"the pole of a hyperbola", product, -300, []int64{0}},
	} {
		curve := g.scale(&c.relation)
		if ys, n := curve.near(c.x); !slices.Equal(ys[:n], c.want) {
			t.Errorf("%s: %v, want %v", c.reason, ys[:n], c.want)
		}
	}
}

// TestEasiest: every x in reach once, in the order that the demonstrator prefers.
func TestEasiest(t *testing.T) {
	g := newGrammar(2, 1)
	curve := g.scale(&relation{explicit: true, x: [5]int64{0, 0, -20}, y: 1}) // 20x^2 < 100: |x| < 3
	var got []int64
	curve.easiest(func(x int64) bool {
		got = append(got, x)
		return true
	})
	if want := []int64{0, 10, -10, 20, -20, 1, -1, 2, -2}; !slices.Equal(got[:9], want) {
		t.Errorf("it begins with %v, want %v", got[:9], want)
	}
	slices.Sort(got)
	if len(got) != 59 || got[0] != -29 || got[58] != 29 || len(slices.Compact(got)) != 59 {
		t.Errorf("sorted: %v, want -29 to 29", got)
	}
	n := 0
	curve.easiest(func(int64) bool {
		n++
		return n < 3
	})
	if n != 3 {
		t.Errorf("visited %d after it was told to stop at 3", n)
	}
}
