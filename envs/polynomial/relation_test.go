package polynomial

import (
	"encoding/json"
	"testing"

	"modebench/envs"
)

func TestRelationText(t *testing.T) {
	for _, c := range []struct {
		reason   string
		relation relation
		want     string
	}{
		{"the paper's", paper, "y = x^2+3*x+7"},
		{"a leading minus sign, and powers that are missing", cubic, "y = -x^3-2*x"},
		{"degree 4", relation{explicit: true, x: [5]int64{1, 1, -1, 0, -9}, y: 1}, "y = 9*x^4+x^2-x-1"},
		{"a line through the origin", relation{explicit: true, x: [5]int64{0, -1}, y: 1}, "y = x"},
		{"a circle", round25, "x^2+y^2 = 25"},
		{"a hyperbola", product, "x*y-2*x+3*y = 12"},
		{"a hyperbola with a factor", relation{x: [5]int64{3, 0}, xy: 5, y: -1}, "5*x*y-y = -3"},
		{"an implicit line", slope, "2*x+3*y = 7"},
		{"through the origin", relation{x: [5]int64{0, 2}, y: -3}, "2*x-3*y = 0"},
		{"a difference of squares", apart, "x^2-y^2-6*x-4*y = 3"},
		{"an ellipse", relation{x: [5]int64{-200, 0, 4}, yy: 1}, "4*x^2+y^2 = 200"},
	} {
		if got := c.relation.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestRelationValue holds P and the scaled curve against the printed relation.
func TestRelationValue(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			for i := range 4 {
				p := problem(t, e, split, i)
				s := readSheet(t, p, e.config.Digits, e.config.Decimals)
				for x := int64(-9); x <= 9; x++ {
					for y := int64(-9); y <= 9; y++ {
						a, b := rational(t, string('0'+byte(abs(x)))), rational(t, string('0'+byte(abs(y))))
						if x < 0 {
							a.Neg(a)
						}
						if y < 0 {
							b.Neg(b)
						}
						want := s.holds(a, b)
						if got := p.relation.value(x, y) == 0; got != want {
							t.Fatalf("%s: %s at (%d, %d): value %d", v.name, &p.relation, x, y, p.relation.value(x, y))
						}
						if got := p.curve.holds(x*e.unit, y*e.unit); got != want {
							t.Fatalf("%s: %s at (%d, %d): the curve holds %v", v.name, &p.relation, x, y, got)
						}
					}
				}
			}
		}
	}
}

func TestReducible(t *testing.T) {
	for _, c := range []struct {
		reason   string
		relation relation
		want     bool
	}{
		{"(x-y)(x+y) = 0", relation{x: [5]int64{0, 0, 1}, yy: -1}, true},
		{"(x-y+1)(x+y+1) = 0", relation{x: [5]int64{1, 2, 1}, yy: -1}, true},
		{"(x+3)(y-2) = 0", relation{x: [5]int64{-6, -2}, xy: 1, y: 3}, true},
		{"x*y = 0", relation{xy: 1}, true},
		{"a circle that is a point", relation{x: [5]int64{2, 2, 1}, y: -2, yy: 1}, true},
		{"a hyperbola", product, false},
		{"a circle", round25, false},
		{"a difference of squares", apart, false},
		{"a line", slope, false},
		{"a parabola", paper, false},
		{"x^2 = 4 is two lines, but no relation drawn here; y = x^2-4 is one curve", relation{explicit: true, x: [5]int64{4, 0, -1}, y: 1}, false},
	} {
		if got := c.relation.reducible(); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestDivisorAndDegree(t *testing.T) {
	for _, c := range []struct {
		relation                 relation
		divisor, degree, largest int64
	}{
		{paper, 1, 2, 3},
		{round25, 1, 2, 1},
		{slope, 1, 1, 3},
		{cubic, 1, 3, 2},
		{product, 1, 2, 3},
		{relation{x: [5]int64{-60, 5}, y: -5}, 5, 1, 5},
		{relation{x: [5]int64{-24, 6, 0}, xy: 12}, 6, 2, 12},
		{relation{explicit: true, x: [5]int64{1, 0, 0, 0, -20}, y: 1}, 1, 4, 20},
	} {
		q := c.relation
		if q.divisor() != c.divisor || int64(q.degree()) != c.degree || q.largest() != c.largest {
			t.Errorf("%s: divisor %d, degree %d, largest coefficient %d; want %d, %d, %d", &q, q.divisor(), q.degree(), q.largest(), c.divisor, c.degree, c.largest)
		}
	}
}

// TestOODIsHarder: other splits keep to the parameters, and no relation of the
// split ood could be drawn for them.
func TestOODIsHarder(t *testing.T) {
	e := build(t, nil)
	degrees := map[int]bool{}
	for _, split := range envs.Splits() {
		implicit := 0
		for i := range 300 {
			q := problem(t, e, split, i).relation
			degree, largest := q.degree(), q.largest()
			harder := split == envs.OOD
			switch {
			case q.explicit && harder:
				if degree != 4 || largest > 9 {
					t.Errorf("%s: %s", split, &q)
				}
			case q.explicit:
				degrees[degree] = true
				if degree > 3 || largest > 9 {
					t.Errorf("%s: %s", split, &q)
				}
			case harder && (largest <= 9 || largest > 18) || !harder && largest > 9 || q.divisor() != 1 || q.reducible():
				t.Errorf("%s: %s", split, &q)
			case degree == 1 && abs(q.y) == 1:
				t.Errorf("%s: %s could be written y = p(x)", split, &q)
			}
			if !q.explicit {
				implicit++
			}
		}
		if implicit < 60 || implicit > 120 {
			t.Errorf("%s: %d of 300 relations are implicit, want about 30%%", split, implicit)
		}
	}
	if len(degrees) != 3 {
		t.Errorf("degrees %v were drawn, want 1 to 3", degrees)
	}
}

// TestSplitsShareNoRelation: even if there are few relations, every split has its own.
func TestSplitsShareNoRelation(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		home := map[string]envs.Split{}
		for _, split := range envs.Splits() {
			for i := range 200 {
				q := problem(t, e, split, i).relation
				if other, seen := home[q.String()]; seen && other != split {
					t.Fatalf("%s: %s is in the splits %s and %s", v.name, &q, other, split)
				}
				home[q.String()] = split
			}
		}
	}
}

// TestRelationsRepeat: the package comment states how often they do.
func TestRelationsRepeat(t *testing.T) {
	e := build(t, nil)
	seen := map[relation]bool{}
	for i := range 500 {
		seen[problem(t, e, envs.Train, i).relation] = true
		if want := map[int]int{100: 4, 500: 64}[i+1]; want > 0 && i+1-len(seen) != want {
			t.Errorf("%d of %d problems have the relation of an earlier one, want %d", i+1-len(seen), i+1, want)
		}
	}
}

// TestHomes: half of all relations are for pretraining, a quarter for training
// and one for testing.
func TestHomes(t *testing.T) {
	count := map[envs.Split]int{}
	const n = 20_000
	for i := range int64(n) {
		q := relation{explicit: true, x: [5]int64{i % 100, i / 100}, y: 1}
		count[q.home()]++
	}
	for split, share := range map[envs.Split]float64{envs.Pretrain: 0.5, envs.Train: 0.25, envs.Test: 0.25} {
		if got := float64(count[split]) / n; got < share-0.015 || got > share+0.015 {
			t.Errorf("%s: a share of %v, want %v", split, got, share)
		}
	}
}

func TestCoefficientsField(t *testing.T) {
	e := build(t, nil)
	for _, c := range []struct {
		relation relation
		want     string
	}{
		{paper, `[{"x":2,"y":0,"coefficient":-1},{"x":1,"y":0,"coefficient":-3},{"x":0,"y":1,"coefficient":1},{"x":0,"y":0,"coefficient":-7}]`},
		{round25, `[{"x":2,"y":0,"coefficient":1},{"x":0,"y":2,"coefficient":1},{"x":0,"y":0,"coefficient":-25}]`},
		{product, `[{"x":1,"y":1,"coefficient":1},{"x":1,"y":0,"coefficient":-2},{"x":0,"y":1,"coefficient":3},{"x":0,"y":0,"coefficient":-12}]`},
	} {
		got, err := json.Marshal(relate(t, e, c.relation).Fields()["coefficients"])
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", &c.relation, got, err, c.want)
		}
	}
}
