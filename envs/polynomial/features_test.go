package polynomial

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// say returns the meaning of a feature by the layout.
func (l *layout) say(f int32) string {
	in := func(from int32, n int) (int32, bool) { return f - from, f >= from && f < from+int32(n) }
	for kind, name := range []string{"implicit", "explicit"} {
		s := &l.terms[kind]
		if i, ok := in(s.exact, slots*(2*l.bound+1)); ok {
			n := int32(2*l.bound + 1)
			return fmt.Sprint(name, " term ", i/n, " is ", i%n-int32(l.bound))
		}
		if i, ok := in(s.sign, 2*slots); ok {
			return fmt.Sprint(name, " term ", i/2, []string{" positive", " negative"}[i%2])
		}
		if i, ok := in(s.digits, 10*constantDigits); ok {
			return fmt.Sprint(name, " ", i/10, ":", i%10)
		}
	}
	for _, c := range []struct {
		from  int32
		n     int
		name  string
		digit bool
	}{
		{l.negative, 1, "negative", false}, {l.ints, int(l.decimals - l.ints), "ints", false}, {l.decimals, int(l.digits - l.decimals), "decimals", false},
		{l.digits, 10 * l.places, "digit", true}, {l.x, 10 * l.places, "x", true}, {l.xNegative, 1, "x negative", false},
	} {
		if i, ok := in(c.from, c.n); ok && c.digit {
			return fmt.Sprint(c.name, " ", i/10, ":", i%10)
		} else if ok {
			return fmt.Sprint(c.name, " ", i)
		}
	}
	if i, ok := in(l.stage, 3*int(stages)); ok {
		return fmt.Sprint("part ", i/int32(stages), " stage ", i%int32(stages))
	}
	if i, ok := in(l.xWhole, 61); ok {
		return fmt.Sprint("x is ", i-30)
	}
	return fmt.Sprint("unknown feature ", f)
}

func (l *layout) sayAll(features []int32) string {
	var out []string
	for _, f := range features {
		out = append(out, l.say(f))
	}
	return strings.Join(out, ", ")
}

// TestPromptFeatures: terms are 0 to 4 for the powers of x, 5 for x*y, 6 for y and 7
// for y^2; coefficients are those of the printed relation, and those that are zero
// are left out. Beyond 18, twice the largest coefficient, there are digits.
func TestPromptFeatures(t *testing.T) {
	e := build(t, nil)
	for _, c := range []struct {
		relation relation
		want     []string
	}{
		{paper, []string{"explicit term 0 is 7", "explicit term 1 is 3", "explicit term 2 is 1"}},
		{cubic, []string{"explicit term 1 is -2", "explicit term 3 is -1"}},
		{round25, []string{"implicit term 0 positive, implicit 0:5, implicit 1:2, implicit 2:0, implicit 3:0", "implicit term 2 is 1", "implicit term 7 is 1"}},
		{product, []string{"implicit term 0 is 12", "implicit term 1 is -2", "implicit term 5 is 1", "implicit term 6 is 3"}},
		{relation{x: [5]int64{0, 2}, y: 3}, []string{"implicit term 1 is 2", "implicit term 6 is 3"}},
		{relation{x: [5]int64{6307, 0, 18}, yy: -18}, []string{
			"implicit term 0 negative, implicit 0:7, implicit 1:0, implicit 2:3, implicit 3:6", "implicit term 2 is 18", "implicit term 7 is -18",
		}},
	} {
		var got []string
		for _, position := range relate(t, e, c.relation).AppendPromptFeatures(nil) {
			got = append(got, e.layout.sayAll(position))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", &c.relation, diff)
		}
	}
}

// TestConstantsHaveRoom: no constant of the largest relations has more digits than
// there are features for.
func TestConstantsHaveRoom(t *testing.T) {
	e := build(t, func(c *Config) { c.Coefficients, c.Implicit, c.MinModes = 20, 1, 1 })
	r := rng.New(1).Rand()
	most := int64(0)
	for range 200_000 {
		if q, ok := e.draw(r, true); ok {
			most = max(most, abs(q.x[0]))
		}
	}
	// The ellipse 40*x^2+40*y^2 at (9, 9) has 6480.
	if limit := int64(math.Pow10(constantDigits)); most >= limit || most < limit/2 {
		t.Errorf("the largest constant is %d, want one below %d and not far", most, limit)
	}
}

// TestStateFeatures: parts are 0 for x, 1 for y and 2 for the end; stages are those
// of stage. Digits are place:digit, of a number under way by the order in which
// they are written, and of x from the last decimal up.
func TestStateFeatures(t *testing.T) {
	e := build(t, nil)
	p := relate(t, e, paper)
	for _, c := range []struct{ after, want string }{
		{"", "part 0 stage 0, ints 0, decimals 0"},
		{"-", "part 0 stage 1, ints 0, decimals 0, negative 0"},
		{"-12", "part 0 stage 3, ints 2, decimals 0, negative 0, digit 1:2, digit 0:1"},
		{"0.5", "part 0 stage 6, ints 1, decimals 1, digit 1:5, digit 0:0"},
		{"123.45", "part 0 stage 7, ints 3, decimals 2, digit 4:5, digit 3:4, digit 2:3, digit 1:2, digit 0:1"},
		{"-12,", "part 1 stage 0, ints 0, decimals 0, x is -12, x negative 0, x 0:0, x 1:0, x 2:2, x 3:1, x 4:0"},
		{"31,", "part 1 stage 0, ints 0, decimals 0, x 0:0, x 1:0, x 2:1, x 3:3, x 4:0"},
		{"0.5,-7", "part 1 stage 3, ints 1, decimals 0, negative 0, digit 0:7, x 0:0, x 1:5, x 2:0, x 3:0, x 4:0"},
		{"1,11.", "part 1 stage 5, ints 2, decimals 0, digit 1:1, digit 0:1, x is 1, x 0:0, x 1:0, x 2:1, x 3:0, x 4:0"},
		{"1,11!", "part 2 stage 3, ints 2, decimals 0, digit 1:1, digit 0:1, x is 1, x 0:0, x 1:0, x 2:1, x 3:0, x 4:0"},
	} {
		walk := p.Start().(*cursor)
		for _, b := range []byte(c.after) {
			token := map[byte]envs.Token{',': comma, '!': end}[b]
			if token == 0 {
				token = tokenOf(b)
			}
			if err := walk.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(c.want, e.layout.sayAll(walk.AppendFeatures(nil))); diff != "" {
			t.Errorf("after %q (-want +got)\n%s", c.after, diff)
		}
	}
}

// TestFeaturesGiveNothingAway: states have the same features whatever the relation.
func TestFeaturesGiveNothingAway(t *testing.T) {
	e := build(t, nil)
	r := rng.New(1).Rand()
	for i := range 200 {
		p, other := problem(t, e, envs.Train, i), problem(t, e, envs.OOD, i)
		x, y := p.Start().(*cursor), other.Start().(*cursor)
		for _, token := range p.Demonstrate(r) {
			if f, g := x.AppendFeatures(nil), y.AppendFeatures(nil); !slices.Equal(f, g) {
				t.Fatalf("features %v, and on another problem %v", f, g)
			}
			if !x.step(token) || !y.step(token) {
				t.Fatal("a demonstration is not legal")
			}
		}
	}
}
