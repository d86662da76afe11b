package multiplication

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// pinned are the hashes of the variants' problems (envtest.Pinned).
var pinned = map[string]string{
	"default":                           "ee424880fb422c0891a3519f6a79e3556fbd3d7f12a3c5f2dc88069856c9de62",
	"two digits by three":               "9e8a0f1ff24b964d0658da7334be2456f0eb786277950be4545a5b59e89d2dc3",
	"three digits by two, two terms":    "82246e90149aa2b4fefb9fb244531ff5e6586f1239478820ed7c5182e81798c2",
	"two digits, four terms":            "35d1059bbbbc62029e41dbd20c032194efa6a0b176805a8f230438168cdc3b0a",
	"four digits":                       "72b5ce9401eb3b204110106a860f4fde15c224975f083c78144daf7b812dfce4",
	"a careful demonstrator":            "2a9354fbe1f57d134bd628264584029c4fc3793ffc7a2953d8eddd60595ce9e8",
	"a demonstrator that knows nothing": "c2c6986bb92e20c80707120fbbb859241c4f54fb3f2ef3ee6552babbde2e43dd",
}

func TestFields(t *testing.T) {
	e := build(t, nil)
	got, err := json.Marshal(e.newProblem(e.usual, "drawn", 13, 13).Fields())
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{`{"a":13,"b":13,"families":[`,
		`{"mode":"plain*place","answer":"13*(10+3) = 13*10+13*3 = 130+39 = 169","variants":1},`,
		`{"mode":"plain*near","answer":"13*(20-7) = 13*20-13*7 = 260-91 = 169","variants":2},`,
		`{"mode":"plain*split","answer":"13*(11+2) = 13*11+13*2 = 143+26 = 169","variants":90},`,
		`{"mode":"place*place","answer":"(10+3)*(10+3) = 10*10+10*3+3*10+3*3 = 100+30+30+9 = 169","variants":1},`,
		`{"mode":"place*near","answer":"(10+3)*(20-7) = 10*20-10*7+3*20-3*7 = 200-70+60-21 = 169","variants":2},`,
		`{"mode":"place*split","answer":"(10+3)*(11+2) = 10*11+10*2+3*11+3*2 = 110+20+33+6 = 169","variants":90},`,
		`{"mode":"near*near","answer":"(20-7)*(20-7) = 20*20-20*7-7*20+7*7 = 400-140-140+49 = 169","variants":3},`,
		`{"mode":"near*split","answer":"(20-7)*(11+2) = 20*11+20*2-7*11-7*2 = 220+40-77-14 = 169","variants":180},`,
		`{"mode":"split*split","answer":"(18-5)*(11+2) = 18*11+18*2-5*11-5*2 = 198+36-55-10 = 169","variants":4095}]}`}, "")
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPicture(t *testing.T) {
	e := build(t, nil)
	p := e.newProblem(e.usual, "drawn", 13, 13)
	answers := [][]envs.Token{
		parsed(t, p, "(10+3)*(20-7) = 10*20-10*7+3*20-3*7 = 200-70+60-21 = 169"),
		parsed(t, p, "(20-7)*(10+3) = 20*10+20*4-7*10-7*3 = 200+60-70-21 = 169"),
		parsed(t, p, "13*(10+3) = 13*10+13*3 = 130+39 = 163"),
		parsed(t, p, "13*13 = 169"),
		{1, star},
	}
	got := p.Picture(answers...)
	want := `multiplication drawn: 13*13 = 169, 9 families, 4464 variants
  plain*place      1  13*(10+3) = 13*10+13*3 = 130+39 = 169
  plain*near       2  13*(20-7) = 13*20-13*7 = 260-91 = 169
  plain*split     90  13*(11+2) = 13*11+13*2 = 143+26 = 169
  place*place      1  (10+3)*(10+3) = 10*10+10*3+3*10+3*3 = 100+30+30+9 = 169
  place*near       2  (10+3)*(20-7) = 10*20-10*7+3*20-3*7 = 200-70+60-21 = 169  <- 1 2
  place*split     90  (10+3)*(11+2) = 10*11+10*2+3*11+3*2 = 110+20+33+6 = 169
  near*near        3  (20-7)*(20-7) = 20*20-20*7-7*20+7*7 = 400-140-140+49 = 169
  near*split     180  (20-7)*(11+2) = 20*11+20*2-7*11-7*2 = 220+40-77-14 = 169
  split*split   4095  (18-5)*(11+2) = 18*11+18*2-5*11-5*2 = 198+36-55-10 = 169
  1: (10+3)*(20-7) = 10*20-10*7+3*20-3*7 = 200-70+60-21 = 169; reward (1, 1, 1), mean 1; place*near
  2: (20-7)*(10+3) = 20*10+20*4-7*10-7*3 = 200+60-70-21 = 169; reward (1, 1, 0), mean 0.667; place*near
  3: 13*(10+3) = 13*10+13*3 = 130+39 = 163; reward (0, 1, 1), mean 0.667; plain*place
  4: 13*13 = 169; reward (1, 0, 0), mean 0.333; degenerate
  5: does not parse: side 1, "1*": column 3: the expression is not complete
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
