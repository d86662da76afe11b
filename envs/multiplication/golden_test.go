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
	"default":                           "09cbb1b933aad8b0588aec861bbb204df744a6f535afaf508634d77c9b395d5d",
	"two digits by three":               "710f44466cca45f8a6de9d2d53b3a6fb0c769709f95db2919a3528bf19462195",
	"three digits by two, two terms":    "1ba21d26902350762de8cf232e778f4cb041429974972f5309c76e55686b1da2",
	"two digits, four terms":            "5ca6d343c751cb444aabe67beb07c29c588a079bee48384e66ebc1533f41a0bf",
	"four digits":                       "505f2cf100ea8569b5295384fe950dd6af0c7c32591246cfe636d299f735a990",
	"a careful demonstrator":            "d152be99b7779211b182d6d8b412e2d31761346d5be9542d1e12fadadd97549c",
	"a demonstrator that knows nothing": "49dbb60c70de6454f351f065ad5ace966e830998044872ea544be2dbba49d5ab",
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
