package board

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/lined"
)

// standing is a method that has an area on each of some seeds; its records are named by same.
func standing(method, same string, areas ...float64) Standing {
	row := Evaluated{
		Setting: "lr=0.1", As: []string{Tuned, Carried}, Same: same, Cells: []string{"cells of " + method},
		Seeds: map[string][]lined.Number{}, Means: map[string]lined.Number{"collapsed": .5, "halfway": .25},
		Trace: [][4]lined.Number{{0, 0, .5, lined.Number(nan)}}, Solved: []lined.Number{.5}, Found: []lined.Number{.25},
	}
	for _, c := range bySeed {
		for i, x := range areas {
			switch c {
			case "area":
				row.Seeds[c] = append(row.Seeds[c], lined.Four(x))
			case "solved@16_gain": // the first seed alone has one
				row.Seeds[c] = append(row.Seeds[c], []lined.Number{.5, lined.Number(nan)}[min(i, 1)])
			case "gain":
				row.Seeds[c] = append(row.Seeds[c], lined.Four(x-.25))
			default:
				row.Seeds[c] = append(row.Seeds[c], lined.Number(i))
			}
		}
	}
	if method == Reference {
		for i := range areas {
			row.Paths = append(row.Paths, [][3]lined.Number{{0, .5, lined.Number(nan)}, {lined.Number(i), .25, lined.Number(nan)}})
		}
		for i := range row.Seeds["gain"] {
			row.Seeds["gain"][i] = 0
		}
	}
	return Standing{Method: method, Paper: "lr=1", Tried: []Tried{
		{"lr=0.1", []lined.Number{lined.Four(areas[0]), lined.Four(areas[0])}}, {"lr=1", []lined.Number{lined.Number(nan), lined.Four(areas[0] / 2)}},
	}, Rows: []Evaluated{row}}
}

func result(task string, unfit []Unfit, standings ...Standing) *Result {
	return &Result{
		Version: Version, Task: task, Policy: "tabular", Budget: 100, K: []int{64},
		Tuning: []int{1, 3}, Seeds: []int{5, 40}, Standings: standings, Unfit: unfit,
	}
}

func smallResult() *Result {
	return result("bandit", []Unfit{{"vpo", "It has <one> component & no more."}},
		standing("grpo", "a", .5, .5, .5, .5, .5), standing("rloo", "b", .1, .2, .3, .4, 1./3))
}

// ofSeveralLooks is a result with methods of one look, of two and of all looks. One method has a row for all
// tasks beside its tuned row, and one was only tuned.
func ofSeveralLooks() *Result {
	areas := func(n int) (out []float64) {
		for i := range n {
			out = append(out, float64(i+1)/100)
		}
		return out
	}
	two, tuned := standing("b", "b", areas(24)...), standing("d", "d", areas(12)...)
	own := standing("b", "c", areas(12)...).Rows[0]
	own.Setting, own.As, two.Rows[0].As = "lr=1", []string{Carried}, []string{Tuned}
	two.Rows, tuned.Rows = append(two.Rows, own), []Evaluated{}
	return result("bandit", nil, standing("a", "a", areas(12)...), two, tuned, standing("grpo", "g", areas(40)...))
}

func TestResultReadsAsItWasWritten(t *testing.T) {
	for _, r := range []*Result{smallResult(), result("maze", nil), ofSeveralLooks()} {
		again, err := ParseResult("r.json", r.Text())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(r.Text()), string(again.Text())); diff != "" {
			t.Errorf("read again:\n%s", diff)
		}
	}
	if text := string(smallResult().Text()); !strings.Contains(text, `"area":[0.1,0.2,0.3,0.4,0.3333]`) || !strings.Contains(text, `"solved@16_gain":[0.5,null,null,null,null]`) {
		t.Errorf("four digits, and null for what was not reached:\n%s", text)
	}
}

// TestDamagedResults: each damage is one change of the small result, on a line that errors name.
func TestDamagedResults(t *testing.T) {
	whole := string(smallResult().Text())
	for _, c := range []struct{ old, new, want string }{
		{`"board": 2`, `"board": 1`, "r.json:2: it is of board 1, and this program's is board 2"},
		{`"tokens": 100`, `"tokens": "100"`, "r.json:5: tokens: "},
		{`"tokens": 100`, `"tokens": null`, "r.json:5: tokens: got null"},
		{`"tokens": 100`, `"tokens":  100`, "r.json:5: not as bench board writes it: the file was edited"},
		{`"tokens": 100`, `"tokens": 1e2`, "r.json:5: "},
		{`"tokens"`, `"token"`, `r.json:1: unknown field "token"`},
		{`"tuning_seeds": [1,3]`, `"tuning_seeds": [1]`, "r.json:7: tuning_seeds: got [1], want"},
		{`"seeds": [5,40]`, `"seeds": []`, "r.json:8: seeds: got [], want"},
		{`"seeds": [5,40]`, `"seeds": [5,-1]`, "r.json:8: seeds: got [5 -1], want"},
		{`"seeds": [5,40]`, `"seeds": [5,4]`, `r.json:12: methods[0].rows[0].seeds.area: 5 values, want one for each seed, at most 4`},
		{`"area":[0.1,`, `"area":[`, "r.json:13: methods[1].rows[0].seeds.accuracy: 5 values, want one for each seed"},
		{`"area":[0.1,`, `"area":[null,`, "r.json:13: methods[1].rows[0].seeds.area: got null, want a number"},
		{`"area":[0.1,`, `"area":[1e999,`, "r.json:11: methods.rows.seeds: got number 1e999"},
		{`"area":[0.1,`, `"area":[0.10,`, "r.json:13: not as bench board writes it"},
		{`"area":[0.1,`, `"areas":[0.1,`, "r.json:13: methods[1].rows[0].seeds.area: 0 values"},
		{`"method":"rloo"`, `"method":"grpo"`, `r.json:13: methods[1]: "grpo" comes after "grpo", want methods by name, each once`},
		{`"method":"rloo"`, `"method":"a"`, `r.json:13: methods[1]: "a" comes after "grpo"`},
		{`"method":"vpo"`, `"method":"rloo"`, `r.json:16: unfit[0]: "rloo" is among the methods too`},
		{`"as":["tuned"`, `"as":["tune"`, `r.json:12: methods[0].rows[0].as: got "tune", want one of`},
		{`"paths":[[[0,`, `"paths":[[[0.0,`, "r.json:12: not as bench board writes it"},
		{`[[0,0.5,null],[0,0.25,null]],`, ``, "r.json:12: methods[0].rows[0].paths: 4 paths, want one for each of 5 seeds"},
		{`[[0,0.5,null],[0,0.25,null]],`, `[[0,0.5],[0,0.25,null]],`, "r.json:12: "},
		{`"as":["tuned",`, `"as":[`, `r.json:12: methods[0].rows: no row is there as "tuned"`},
		{`"solved":[0.5]`, `"solved":[]`, `r.json:12: methods[0].rows[0]: curves of 0 and 1 numbers, want one for each of 1 in k`},
		{`"k": [64]`, `"k": [64,128]`, `r.json:12: methods[0].rows[0]: curves of 1 and 1 numbers, want one for each of 2 in k`},
		{`"unfit"`, `"unfit": [], "unfit"`, "r.json:"},
		{whole, "", "r.json:"},
		{whole, "null", "r.json:"},
		{whole, "{}", "r.json:"},
		{whole, whole[:len(whole)/2], "r.json:"},
		{whole, whole + whole, "r.json:"},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Errorf("%q is not in the result", c.old)
		}
		r, err := ParseResult("r.json", []byte(text))
		if err == nil || r != nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40s for %.40s: got %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// FuzzParseResult: an accepted file has the bytes that it is written with, and errors are one
// line.
func FuzzParseResult(f *testing.F) {
	whole := smallResult().Text()
	f.Add(whole)
	f.Add(result("maze", nil).Text())
	f.Add(ofSeveralLooks().Text())
	f.Add(whole[:len(whole)/3])
	f.Add(bytes.Replace(whole, []byte(`"method":"grpo"`), []byte(`"method":""`), 1))
	f.Add(bytes.Replace(whole, []byte(`0.5,0.5`), []byte(`1e308,-1e308`), 1))
	f.Add([]byte(`{"board": 2, "seeds": [0, 9223372036854775807]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		oneLine := func(err error) {
			if text := err.Error(); text == "" || strings.Contains(text, "\n") {
				t.Fatalf("the error is %q, want one line", text)
			}
		}
		r, err := ParseResult("r.json", data)
		if err != nil {
			oneLine(err)
			return
		}
		if !bytes.Equal(r.Text(), data) {
			t.Fatalf("%q is written as %q", data, r.Text())
		}
		for _, s := range r.Standings {
			for _, n := range []Entrant{entrantOf("lr=1", "lr=0.1", "lr=2"), entrantOf("", "lr=2")} {
				n.NewRounds(s.Tried, 2).Missing(1)
			}
		}
		for _, trace := range r.Reached() {
			trace.Above(straight(.5, 1, 0), diversity)
		}
		if err := r.Add(r); err != nil || !bytes.Equal(r.Text(), data) {
			t.Fatalf("added to itself: %v, %q", err, r.Text())
		}
	})
}

// TestAdd: methods of the same name are replaced, also where one did not fit before.
func TestAdd(t *testing.T) {
	r := smallResult()
	more := result("bandit", []Unfit{{"rloo", "Why."}}, standing("gpg", "c", 0, 0, 0, 0, 0), standing("grpo", "d", 1, 1, 1, 1, 1), standing("vpo", "e", 2, 2, 2, 2, 2))
	if err := r.Add(more); err != nil {
		t.Fatal(err)
	}
	want := result("bandit", []Unfit{{"rloo", "Why."}}, more.Standings...)
	if diff := cmp.Diff(string(want.Text()), string(r.Text())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := r.Add(r); err != nil || !bytes.Equal(r.Text(), want.Text()) {
		t.Errorf("a result added to itself: %v\n%s", err, r.Text())
	}
	for name, change := range map[string]func(*Result){
		"task is bandit, and maze of":         func(r *Result) { r.Task = "maze" },
		"policy is tabular, and trans":        func(r *Result) { r.Policy = "transformer" },
		"tokens is 100, and 101 of":           func(r *Result) { r.Budget = 101 },
		"k is [64], and [32] of":              func(r *Result) { r.K = []int{32} },
		"tuning_seeds is [1 3], and [1 4] of": func(r *Result) { r.Tuning = []int{1, 4} },
		"wider is {false false}, and {true ":  func(r *Result) { r.Range.Lower = true },
		"seeds is [5 40], and [6 40] of":      func(r *Result) { r.Seeds = []int{6, 40} },
	} {
		other := smallResult()
		change(other)
		r := smallResult()
		if err := r.Add(other); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
		if !bytes.Equal(r.Text(), smallResult().Text()) {
			t.Errorf("%s: methods were added", name)
		}
	}
}

// TestExtend: the seeds of a later look come behind the others, and a mean weighs each seed alike, also where
// only one of the two parts has the number.
func TestExtend(t *testing.T) {
	row := func(first, n int, mean, trace lined.Number, evaluations int) *Evaluated {
		e := standing("grpo", "s", 1).Rows[0]
		e.Means, e.Trace, e.Paths = map[string]lined.Number{"halfway": mean}, nil, nil
		e.Cells = []string{string(rune('a' + first))}
		for range evaluations {
			e.Trace = append(e.Trace, [4]lined.Number{.5, trace, .5, lined.Number(nan)})
		}
		for _, c := range bySeed {
			e.Seeds[c] = nil
			for i := range n {
				e.Seeds[c] = append(e.Seeds[c], lined.Number(first+i))
			}
		}
		for i := range n {
			e.Paths = append(e.Paths, [][3]lined.Number{{lined.Number(first + i), 0, 0}})
		}
		return &e
	}
	number := func(x float64) lined.Number { return lined.Number(x) }
	for _, c := range []struct{ a, b, want float64 }{{1, 4, 2}, {nan, 4, 4}, {1, nan, 1}, {nan, nan, nan}, {1. / 3, 2. / 3, .4444}} {
		e := row(0, 2, number(c.a), number(c.a), 4)
		e.extend(*row(2, 1, number(c.b), number(c.b), 3))
		for what, got := range map[string]lined.Number{"mean": e.Means["halfway"], "trace": e.Trace[2][1]} {
			if x := float64(got); x != c.want && !(math.IsNaN(x) && math.IsNaN(c.want)) {
				t.Errorf("%s of %v twice and %v once: %v, want %v", what, c.a, c.b, x, c.want)
			}
		}
		if diff := cmp.Diff([]float64{0, 1, 2}, e.BySeed("gain")); diff != "" || e.N() != 3 || len(e.Trace) != 3 || len(e.Cells) != 2 || len(e.Paths) != 3 || e.Paths[2][0][0] != 2 {
			t.Errorf("%+v", e)
		}
	}
}

// TestMeansOfRows: a kept trace covers the evaluations that all seeds have, and means skip missing
// numbers.
func TestMeansOfRows(t *testing.T) {
	long := make(Trace, 30)
	for i := range long {
		long[i] = Point{Drawn: float64(10 * i), Accuracy: 1, Entropy: math.NaN()}
	}
	short := make(Trace, 23)
	for i := range short {
		short[i] = Point{Drawn: float64(30 * i), Accuracy: 2, Diversity: 1, Entropy: 7}
	}
	got := meanTrace([]Trace{long, short}, 100)
	if len(got) != traced || got[0] != [4]lined.Number{0, 1.5, .5, 7} || got[10] != [4]lined.Number{4.4, 1.5, .5, 7} {
		t.Errorf("%v", got)
	}
	if got := meanTrace([]Trace{long[:1]}, 100); len(got) != 1 {
		t.Errorf("of one evaluation: %v", got)
	}
	if x := Mean([]float64{1, nan, 3}); x != 2 {
		t.Errorf("mean %v, want 2", x)
	}
	if x := Mean([]float64{math.NaN()}); !math.IsNaN(x) {
		t.Errorf("mean of nothing %v, want NaN", x)
	}
}
