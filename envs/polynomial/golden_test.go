package polynomial

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// pinned are the hashes of the variants' problems (envtest.Pinned).
var pinned = map[string]string{
	"default":                    "b91043352f2f919dd9e86d1d9fa11bd4247ae290914e4c9b43264834fa6cdb09",
	"integers of one digit":      "9471870c31248c7c8c4bb2ee4c235a9dd02991395a97c4a136237b77461f01be",
	"one digit, one decimal":     "d1bc11dc60e19dd21b4f9f9a5403f27278918526811e66447bac8a933cd938d2",
	"two digits, three decimals": "439e488865056fed4946c1fae5b065b915d393658402a0603031fa9f0e2f5580",
	"four digits, one decimal":   "1caf8ce8f170399b78f9be2353a822ca11b53ba4946cfeaf2fb1dd1ac289f9c4",
	"implicit":                   "68c370a7669e116f2cefb811d347a6d7b982c32595fa4cc42f670a12b4e4e5bd",
	"small lines":                "9eebd49e4cd24566147085f84d565d0af88081ad05a4339386a58a0274747b53",
	"a careful demonstrator":     "24fb53bc137482f2d9745e27c16082e50f9fabb11db67644203aa8a54641bdd0",
	"a blind demonstrator":       "6239a26ed76bc055d51a66e7c6baa51cd233dc99b1b2f702a887b578643cd9c3",
}

func TestFields(t *testing.T) {
	e := build(t, func(c *Config) { c.Digits, c.Decimals = 1, 1 })
	got, err := json.Marshal(relate(t, e, relation{explicit: true, x: [5]int64{-7, 0, -2}, y: 1}).Fields())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"coefficients":[{"x":2,"y":0,"coefficient":-2},{"x":0,"y":1,"coefficient":1},{"x":0,"y":0,"coefficient":-7}],` +
		`"relation":"y = 2*x^2+7","solutions":[[-1,9],[-0.5,7.5],[0,7],[0.5,7.5],[1,9]]}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPicture(t *testing.T) {
	p := relate(t, build(t, func(c *Config) { c.Decimals, c.Choices = 1, 7 }), round25)
	got := p.Picture(answer("3,4;"), answer("3.0,-4;"), answer("1,1;"), answer("1.0,1;"), answer("-6,0;"), answer("1,"), nil)
	want := `polynomial made: x^2+y^2 = 25; 20 correct pairs, spelled in 72 ways
x from -5 to 5, y from -5 to 5; ● pairs of integers, · others, * several answers
┌───────────────────────────────────────────────────────────────┐
│                       ·       ●       ·                       │
│                               │                               │
│             ●                 │                 1             │
│                               │                               │
│       ●                       │                       ●       │
│                               │                               │
│                               │                               │
│  ·                            │                            ·  │
│                               │     *                         │
│                               │                               │
│ ●─────────────────────────────┼─────────────────────────────● │
│                               │                               │
│                               │                               │
│  ·                            │                            ·  │
│                               │                               │
│                               │                               │
│       ●                       │                       ●       │
│                               │                               │
│             ●                 │                 2             │
│                               │                               │
│                       ·       ●       ·                       │
└───────────────────────────────────────────────────────────────┘
  1: x=3, y=4: right
  2: x=3, y=-4 (spelled x=3.0, y=-4): right
  3: x=1, y=1: wrong
  4: x=1, y=1 (spelled x=1.0, y=1): wrong
  5: x=-6, y=0: wrong, outside of the picture
  6: does not parse: character 8, "...": want an integer or a decimal such as -12.5, with at most 3 digits before the point and 1 after it, and no needless zero in front
  7: does not parse: character 3, "...": want an integer or a decimal such as -12.5, with at most 3 digits before the point and 1 after it, and no needless zero in front
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestPictureOfManyAnswers: names run out, and cells are shared.
func TestPictureOfManyAnswers(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	v := p.view()
	v.axes()
	for _, c := range []struct {
		reason string
		x, y   int64
		number int
		want   rune
		inside bool
	}{
		{"the first", 100, 1100, 0, '1', true},
		{"the tenth is a letter", 300, 2500, 9, 'a', true},
		{"the last with a name", 500, 4700, 34, 'z', true},
		{"one without", 600, 6100, 35, '*', true},
		{"a second in its cell", 100, 1100, 1, '*', true},
		{"on the axes", 0, 0, 2, '3', true},
		{"outside", 99_999, 0, 3, 0, false},
	} {
		if inside := v.mark(c.x, c.y, c.number); inside != c.inside {
			t.Errorf("%s: inside %v", c.reason, inside)
			continue
		}
		if cell := v.cell(c.x, c.y); c.inside && *cell != c.want {
			t.Errorf("%s: %q, want %q", c.reason, *cell, c.want)
		}
	}
}

// TestRound: views end at round numbers.
func TestRound(t *testing.T) {
	for _, c := range []struct{ v, unit, want int64 }{{0, 100, 1}, {100, 100, 1}, {101, 100, 2}, {200, 100, 2}, {499, 100, 5}, {501, 100, 10}, {9999, 1, 10_000}, {201, 1, 500}} {
		if got := round(c.v, c.unit); got != c.want {
			t.Errorf("%d units of 1/%d: %d, want %d", c.v, c.unit, got, c.want)
		}
	}
	for _, c := range []struct{ a, b, want int64 }{{0, 7, 0}, {3, 7, 0}, {4, 7, 1}, {-3, 7, 0}, {-4, 7, -1}, {5, 2, 3}, {-5, 2, -3}} {
		if got := nearest(c.a, c.b); got != c.want {
			t.Errorf("%d/%d is next to %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestPicturesOfAllProblems: every easiest pair lies in the picture.
func TestPicturesOfAllProblems(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			p := problem(t, e, split, 2)
			view := p.view()
			for _, choice := range p.choices {
				c := cursor{grammar: &e.grammar}
				for _, token := range choice.tokens {
					c.step(token)
				}
				ys, n := p.curve.solve(int64(c.x))
				if n == 0 {
					t.Errorf("%s: %s: the choice x = %d has no y", v.name, &p.relation, c.x)
				}
				for _, y := range ys[:n] {
					if view.cell(int64(c.x), y) == nil {
						t.Errorf("%s: %s: (%d, %d) lies outside of the picture", v.name, &p.relation, c.x, y)
					}
				}
			}
		}
	}
}
