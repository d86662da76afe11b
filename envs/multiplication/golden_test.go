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
	"default":                           "9d5af68c1daa533bc6a2b370fff672670a3304a07be400b2db8e9c41af8df526",
	"two digits by three":               "0955a71cc92f07687d1bc88b9a82225deeeb5332b147548a359187a7552c722a",
	"three digits by two, two terms":    "7af2e49d8ce1a639bbb0bb664884ca07cb135a8a6ca3a3b2a87763eace3b85f0",
	"two digits, four terms":            "bb5d70c2ff15e6b6d527c2201c9489bd069c7b29449624022508a865b533b8f9",
	"four digits":                       "8ef2d38ec5af6becbff49d0d1756ce4cf9f4bf29c55421f9d566cadd00a1deb6",
	"a careful demonstrator":            "21d4fe0f6b9fa5a3d9036ded168018cf8dd466ec74943aad8948cdef1f1ce385",
	"a demonstrator that knows nothing": "199ab04d2273e34073ad8aa135fd204005a67bd228569ac37410ccb3d4c07caf",
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
