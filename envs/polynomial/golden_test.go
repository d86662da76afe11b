package polynomial

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

// TestProblemsArePinned hashes problems with all that is known of them. Records
// and published results are only comparable while everyone's problems are the
// same, bit for bit: on every architecture, at every GOAMD64 level, in every later
// version. A change that moves these hashes changes results, and must say so.
func TestProblemsArePinned(t *testing.T) {
	want := map[string]string{
		"default":                    "4df7bb88ada0b5a8d2ac19b16435382d165e401f04a234193a40c2ef649de3b2",
		"integers of one digit":      "ff0dfa153c21405ebbe905d2b16a5cd3df8335e10ed0149e8e6421aa62fc9c29",
		"one digit, one decimal":     "dbc0782c81d47a1f3529a720530d547d9bc673c517d76634062a164944f69182",
		"two digits, three decimals": "d978396d28414cba0a18bb33ffbca7e3a16f5e6cb73df08b2d8f982fe2b98ac5",
		"four digits, one decimal":   "ee9881dd1103838be629c1c8b5bbdf0d73ba57ddd37a41226c0f210dc6d41a5c",
		"implicit":                   "f977d792232671c97059fd3d6f95e5fa1dde985f33380884028950b7914dc5ef",
		"small lines":                "9fb3c0a71366aa4e12906c5e18473fa93d61a831d24b425eb7566b8df3f66730",
		"a careful demonstrator":     "59c82d8fa64ba6df2dff225dfc8ebb7e83e1ac3dd13c30251d704555b9b684ed",
		"a blind demonstrator":       "270e99bd444f3c604a38efef07f6749360aeb9863eb01bac54a4821a795bcef2",
	}
	for _, v := range variants {
		got, err := envtest.Hash(build(t, v.change))
		if err != nil {
			t.Fatal(err)
		}
		if got != want[v.name] {
			t.Errorf("%q: got %s, want %s", v.name, got, want[v.name])
		}
	}
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
  6: does not parse: character 8, "...": want a decimal such as -12.5, with at most 3 digits before the point and 1 after it, and no needless zero in front
  7: does not parse: character 3, "...": want a decimal such as -12.5, with at most 3 digits before the point and 1 after it, and no needless zero in front
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
