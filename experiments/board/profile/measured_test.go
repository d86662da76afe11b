package profile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/board"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/lined"
)

func scored(method, same string, scores ...float64) Scored {
	return Scored{Method: method, Tried: []TriedScore{{"lr=0.1", lined.Four(scores[0])}}, Setting: "lr=0.1", Same: same, Cells: "c", Scores: fours(scores)}
}

func measured(capability string, unfit []board.Unfit, methods ...Scored) *Measured {
	return &Measured{
		Version: Version, Capability: capability, Budget: 100, Tuning: []int{1, 2}, Seeds: []int{5, 4},
		Base: fours([]float64{0.2, 0.2, 0.4, 0.4}), Methods: methods, Unfit: unfit,
	}
}

func smallMeasured() *Measured {
	return measured("keep", []board.Unfit{{Method: "vpo", Why: "it needs labels: scripted"}}, scored("grpo", "a", 0.1, 0.2, 0.3, 1./3), scored("rloo", "b", 1.5, 1.5, 1.5, 1.5))
}

// TestDamagedProfiles: each damage is one change of a small document, on a line that errors name.
func TestDamagedProfiles(t *testing.T) {
	whole := string(smallMeasured().Text())
	if m, err := Parse("p.json", []byte(whole)); err != nil || string(m.Text()) != whole {
		t.Fatalf("read again: %v\n%s", err, whole)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"profile": 1`, `"profile": 2`, "p.json:2: it is of profile 2, and this program's is profile 1"},
		{`"tokens": 100`, `"tokens":  100`, "p.json:4: not as bench profile writes it: the file was edited"},
		{`"tuning_seeds": [1,2]`, `"tuning_seeds": [1]`, "p.json:5: tuning_seeds: got [1], want"},
		{`"seeds": [5,4]`, `"seeds": [5,-1]`, "p.json:6: seeds: got [5 -1], want"},
		{`"base": [0.2,`, `"base": [`, "p.json:7: base: 3 values, want one for each of 4 seeds"},
		{`"scores":[0.1,`, `"scores":[`, "p.json:9: methods[0].scores: 3 values, want one for each of 4 seeds"},
		{`"scores":[0.1,`, `"scores":[null,`, "p.json:9: methods[0].scores[0]: got null"},
		{`"method":"rloo"`, `"method":"grpo"`, `p.json:10: methods[1]: "grpo" comes after "grpo"`},
		{`"method":"vpo"`, `"method":"rloo"`, `p.json:13: unfit[0]: "rloo" is among the methods too`},
		{`"capability"`, `"task"`, `p.json:1: unknown field "task"`},
		{whole, "{}", "p.json:"},
		{whole, whole[:len(whole)/2], "p.json:"},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Errorf("%q is not in the document", c.old)
		}
		m, err := Parse("p.json", []byte(text))
		if err == nil || m != nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40s for %.40s: got %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// FuzzMeasured: an accepted file has the bytes that it is written with, and errors are one
// line.
func FuzzMeasured(f *testing.F) {
	whole := smallMeasured().Text()
	f.Add(whole)
	f.Add(measured("find", nil).Text())
	f.Add(whole[:len(whole)/3])
	f.Add(bytes.Replace(whole, []byte(`0.1,0.2`), []byte(`1e308,-1e308`), 1))
	f.Add([]byte(`{"profile": 1, "seeds": [0, 9223372036854775807]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("p.json", data)
		if err != nil {
			if text := err.Error(); text == "" || strings.Contains(text, "\n") {
				t.Fatalf("the error is %q, want one line", text)
			}
			return
		}
		if !bytes.Equal(m.Text(), data) {
			t.Fatalf("%q is written as %q", data, m.Text())
		}
		if err := m.Add(m); err != nil || !bytes.Equal(m.Text(), data) {
			t.Fatalf("added to itself: %v, %q", err, m.Text())
		}
	})
}

// TestAddProfiles: methods of the same name are replaced, and documents of other settings are
// refused.
func TestAddProfiles(t *testing.T) {
	m := smallMeasured()
	more := measured("keep", []board.Unfit{{Method: "rloo", Why: "Why."}}, scored("gpg", "d", 0, 0, 0, 0), scored("vpo", "e", 2, 2, 2, 2))
	if err := m.Add(more); err != nil {
		t.Fatal(err)
	}
	want := measured("keep", more.Unfit, more.Methods[0], smallMeasured().Methods[0], more.Methods[1])
	if diff := cmp.Diff(string(want.Text()), string(m.Text())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	none := measured("keep", []board.Unfit{{Method: "ttrl", Why: "Why."}}) // no method was run, and so no base policy
	none.Base = nil
	if err := m.Add(none); err != nil || m.why("ttrl") != "Why." || m.Base == nil {
		t.Errorf("where no method fits: %v, base %v", err, m.Base)
	}
	if err := none.Add(smallMeasured()); err != nil || none.Base == nil || len(none.Methods) != 2 {
		t.Errorf("added to what no method fits: %v, base %v", err, none.Base)
	}
	for name, change := range map[string]func(*Measured){
		"capability is keep, and find of":     func(m *Measured) { m.Capability = "find" },
		"tokens is 100, and 101 of":           func(m *Measured) { m.Budget = 101 },
		"tuning_seeds is [1 2], and [1 3] of": func(m *Measured) { m.Tuning = []int{1, 3} },
		"seeds is [5 4], and [6 4] of":        func(m *Measured) { m.Seeds = []int{6, 4} },
		"base is [0.2 0.2 0.4 0.4], and [0.2": func(m *Measured) { m.Base[3] = 0.5 },
	} {
		other := smallMeasured()
		change(other)
		m := smallMeasured()
		if err := m.Add(other); err == nil || !strings.HasPrefix(err.Error(), name) || !bytes.Equal(m.Text(), smallMeasured().Text()) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// TestProfiles: rows are the named methods in their order or all by name, methods with the same
// records share a row, and numbers are clipped in tables and not in exports.
func TestProfiles(t *testing.T) {
	other := measured("without-labels", []board.Unfit{{Method: "grpo", Why: "it needs labels: scripted"}}, scored("rloo", "b", 0, 0, 0, 0), scored("twin", "b", 0, 0, 0, 0))
	keep := smallMeasured()
	keep.Methods = append(keep.Methods, scored("twin", "b", 1.5, 1.5, 1.5, 1.5))
	all, err := New([]*Measured{keep, other}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range all.Rows {
		names = append(names, r.Method)
	}
	if !slices.Equal(names, []string{"grpo", "rloo", "vpo"}) || !slices.Equal(all.Rows[1].Same, []string{"twin"}) {
		t.Errorf("rows %v, %v", names, all.Rows[1].Same)
	}
	p, err := New([]*Measured{keep, other}, []string{"twin", "grpo", "rloo"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != 2 || p.Rows[0].Method != "rloo" || p.Rows[1].Method != "grpo" {
		t.Errorf("rows of twin, grpo and rloo: %+v", p.Rows)
	}
	mean := (0.1 + 0.2 + 0.3 + 0.3333) / 4
	if s := p.Rows[1].Scores[0]; math.Abs(s.Mean-mean) > 1e-12 || !(s.Low < mean) || !math.IsNaN(p.Rows[1].Scores[1].Mean) || math.Abs(p.Capabilities[0].Base.Mean-0.3) > 1e-12 {
		t.Errorf("scores of grpo %+v, of the base policy %v", p.Rows[1].Scores, p.Capabilities[0].Base)
	}
	written := map[string]string{}
	for _, format := range Formats() {
		text, err := p.Write(format)
		if err != nil {
			t.Fatal(err)
		}
		written[format] = string(text)
	}
	if _, err := p.Write("html"); err == nil {
		t.Error("there is a format html")
	}
	for format, want := range map[string]string{
		"text":     "\nrloo    1.00               0.00\n",
		"markdown": "| `rloo` | 1.00 | 0.00 |\n",
		"latex":    "rloo & 1.00 & 0.00 \\\\\n",
		"csv":      "rloo,twin,keep,1.5,1.5,1.5,lr=0.1,\n",
		"json":     `"scores":{"keep":[1.5,1.5,1.5],"without-labels":[0,0,0]}`,
	} {
		if !strings.Contains(written[format], want) {
			t.Errorf("%s lacks %q:\n%s", format, want, written[format])
		}
	}
	for _, want := range []string{"needs labels", "twin: the same records as rloo at every capability\n", "grpo, without labels: it needs labels: scripted\n"} {
		if !strings.Contains(written["text"], want) {
			t.Errorf("text lacks %q:\n%s", want, written["text"])
		}
	}
	if rows, err := csv.NewReader(strings.NewReader(written["csv"])).ReadAll(); err != nil || len(rows) != 1+2+2*2 {
		t.Errorf("csv: %d rows, %v", len(rows), err)
	}
	if !json.Valid([]byte(written["json"])) {
		t.Errorf("json: %s", written["json"])
	}
	changed := measured("without-labels", nil)
	changed.Seeds = []int{5, 5}
	for want, c := range map[string]struct {
		documents []*Measured
		methods   []string
	}{
		"there are no results":                                   {nil, nil},
		`there is no profile of "grop"; did you mean grpo?`:      {[]*Measured{keep}, []string{"grop"}},
		"capability keep is there twice":                         {[]*Measured{keep, keep}, nil},
		`there is no capability "flying"`:                        {[]*Measured{measured("flying", nil)}, nil},
		"capabilities keep and without-labels are of seeds [5 4": {[]*Measured{keep, changed}, nil},
	} {
		if _, err := New(c.documents, c.methods); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// tiny is a task that runs in a moment.
const tiny = `
[env]
name = "bandit"
modes = 6
rewarded = 2
[train]
steps = 20
tokens = 320
problems = 1
batch = 1
group = 16
lr = 0.1
[eval]
every = 5
k = [1, 4]
samples = 64
measure = ["drawn"]
`

// TestMeasuredOfARun: the scores of a run are those of its evaluations as files have them, whatever
// the order, and so are the base policy's.
func TestMeasuredOfARun(t *testing.T) {
	tasks, err := board.ReadTasks([]board.Task{{
		Name: "tiny", Policy: "tabular", Board: board.Profile, Accuracy: "pass@1", Diversity: "coverage@4", Solved: "pass", Found: "coverage",
		Score: func(f *board.Final) float64 { return f.Last["pass@4"] - f.Base["pass@1"] },
	}}, fstest.MapFS{"tiny.toml": {Data: []byte(tiny)}})
	if err != nil {
		t.Fatal(err)
	}
	task := tasks[0]
	var entries []board.Entry
	for _, e := range []struct{ method, rate string }{{"grpo", "0.1"}, {"grpo", "0.3"}, {"rloo", "0.1"}} {
		entries = append(entries, board.Entry{Method: e.method, Setting: "lr=" + e.rate, TOML: "name = \"" + e.method + "\"\ntrain.lr = " + e.rate + "\n", Pace: 1})
	}
	stage := task.Evaluation()
	specs, err := task.Specs(stage, entries, spec.LoadOptions{})
	if err != nil || len(specs) != 1 || specs[0].FirstSeed != 9000 || specs[0].Name != "board-profile-tiny-evaluation" {
		t.Fatalf("%v, %v", specs, err)
	}
	out := t.TempDir()
	run, err := sweep.Run(t.Context(), specs[0], sweep.Options{Out: out, Jobs: 2, Cache: out})
	if err != nil {
		t.Fatal(err)
	}
	runs := []*record.Run{run}
	tried := map[string][]board.Tried{"grpo": {{Setting: "lr=0.1", Scores: []lined.Number{.25}}, {Setting: "lr=0.3", Scores: []lined.Number{.5}}}, "rloo": {{Setting: "lr=0.1", Scores: []lined.Number{.25}}}}
	chosen := []board.Entry{entries[1], entries[2]}
	m, err := Measure(task, runs, chosen, tried, []board.Unfit{{Method: "z", Why: "Why."}, {Method: "a", Why: "Why."}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range stage.Seeds {
		seed := stage.FirstSeed + i
		base := exptest.Evals(t, run, board.Base, seed)[0]
		own := exptest.Evals(t, run, "grpo: lr=0.3", seed)
		if want := lined.Four(own[len(own)-1]["pass@4"] - base["pass@1"]); m.scored("grpo").Scores[i] != want {
			t.Errorf("seed %d: the score is %v, want %v", seed, m.scored("grpo").Scores[i], want)
		}
		if want := lined.Four(base["pass@4"] - base["pass@1"]); m.Base[i] != want {
			t.Errorf("seed %d: the base policy's is %v, want %v", seed, m.Base[i], want)
		}
	}
	if tried := m.scored("grpo").Tried; len(tried) != 2 || tried[1] != (TriedScore{"lr=0.3", .5}) {
		t.Errorf("settings of grpo: %+v", tried)
	}
	slices.Reverse(chosen)
	other, err := Measure(task, runs, chosen, tried, []board.Unfit{{Method: "a", Why: "Why."}, {Method: "z", Why: "Why."}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(m.Text()), string(other.Text())); diff != "" {
		t.Errorf("in another order:\n%s", diff)
	}
	if _, err := Parse("p.json", m.Text()); err != nil {
		t.Error(err)
	}
}
