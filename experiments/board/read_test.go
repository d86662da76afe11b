package board

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"modebench/estimators"
	"modebench/experiments/spec"
)

// small is a grid that reads.
const small = `
[rates.tabular]
beside = [0.1, 1, 5]
alone = [0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5]
values = 3
slow = 0.05
paper = 1
reason = "Rates."
[rates.transformer]
beside = [1, 4]
alone = [1, 2, 3, 4]
values = 2
slow = 0.5
lower = [0.7, 0.8]
higher = [5, 6]
paper = 1
reason = "Others."
[[method]]
name = "grpo"
reason = "No knob."
[[method]]
name = "mmr-grpo"
knob = "lambda"
values = [0, 0.5, 1]
set = { rule = "fixed" }
reason = "A share."
[[left_out]]
name = "grpo@verl"
as = "grpo"
reason = "Another ddof."
[[left_out]]
name = "base"
reason = "It does not train."
[rates.profile]
beside = [6, 9]
alone = [6, 7, 8, 9]
values = 2
slow = 5
reason = "Short."
`

func smallGrid(t *testing.T) *Grid {
	t.Helper()
	g, err := Read("small.toml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSettings(t *testing.T) {
	g := smallGrid(t)
	labels := func(board, method string) (out []string) {
		for _, s := range g.Rates[board].settings(g.row(method)) {
			out = append(out, s.Label)
		}
		return out
	}
	for _, c := range []struct {
		board, method string
		want          []string
	}{
		{"tabular", "mmr-grpo", []string{
			"lr=0.1 lambda=0", "lr=0.1 lambda=0.5", "lr=0.1 lambda=1",
			"lr=1 lambda=0", "lr=1 lambda=0.5", "lr=1 lambda=1",
			"lr=5 lambda=0", "lr=5 lambda=0.5", "lr=5 lambda=1",
		}},
		{"transformer", "mmr-grpo", []string{"lr=1 lambda=0.5", "lr=1 lambda=1", "lr=4 lambda=0.5", "lr=4 lambda=1"}}, // the two larger values
		{"transformer", "grpo", []string{"lr=1", "lr=2", "lr=3", "lr=4"}},
		{"profile", "grpo", []string{"lr=6", "lr=7", "lr=8", "lr=9"}},
	} {
		if diff := cmp.Diff(c.want, labels(c.board, c.method)); diff != "" {
			t.Errorf("labels of %s, board %s (-want +got):\n%s", c.method, c.board, diff)
		}
	}
	got := g.Rates["tabular"].settings(g.row("mmr-grpo"))[4]
	if diff := cmp.Diff([]Assignment{{"train.lr", 1.0}, {"lambda", 0.5}, {"rule", "fixed"}}, got.Set); diff != "" {
		t.Errorf("assignments (-want +got):\n%s", diff)
	}
	if text, want := got.TOML(), "train.lr = 1\nlambda = 0.5\nrule = \"fixed\"\n"; text != want {
		t.Errorf("as TOML %q, want %q", text, want)
	}
	if diff := cmp.Diff(Setting{"lr=1", []Assignment{{"train.lr", 1.0}}}, g.Rates["tabular"].paper(&Row{})); diff != "" {
		t.Errorf("the source's setting (-want +got):\n%s", diff)
	}
	// In a wider range a method with a knob has the outermost rates, and one without has them all.
	for _, c := range []struct {
		wide  Range
		knob  int
		rates string
	}{{Range{}, 4, "1 2 3 4"}, {Range{Lower: true}, 6, "0.7 0.8 1 2 3 4"}, {Range{Higher: true}, 6, "1 2 3 4 5 6"}, {Range{true, true}, 8, "0.7 0.8 1 2 3 4 5 6"}} {
		rates := g.Rates["transformer"].within(c.wide)
		knob := rates.settings(g.row("mmr-grpo"))
		if len(knob) != c.knob || strings.Trim(fmt.Sprint(rates.Alone), "[]") != c.rates || knob[0].Set[0].Value != rates.Alone[0] || knob[c.knob-1].Set[0].Value != rates.Alone[c.knob-1] {
			t.Errorf("range %+v: rates %v alone, with a knob %v", c.wide, rates.Alone, knob)
		}
	}
	if rates := g.Rates["tabular"].within(Range{true, true}); len(rates.Alone) != 9 {
		t.Errorf("a board without wider rates has %v", rates.Alone)
	}
	// On a task that takes fewer values, the largest of them has as many rates.
	row := *g.row("mmr-grpo")
	row.Values = row.Values[:2]
	if all := g.Rates["tabular"].settings(&row); len(all) != 9 || all[0].Label != "lr=0.1 lambda=0.5" || all[8].Label != "lr=5 lambda=0.5" {
		t.Errorf("with two values left: %v", all)
	}
}

// TestControlRows: a row may run another method under a name of its own, with a knob of another table.
func TestControlRows(t *testing.T) {
	text := strings.Replace(small, "[[left_out]]", `[[method]]
name = "grpo+hot"
method = "grpo"
control = "heat"
knob = "eval.temperature"
values = [1, 2, 3]
reason = "Hot."
[[method]]
name = "grpo+slow"
method = "grpo"
control = "slow"
slow = true
reason = "Slow."
[[left_out]]`, 1)
	g, err := Read("small.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	row := g.row("grpo+hot")
	want := Entry{Method: "grpo+hot", Setting: "lr=1 eval.temperature=2", TOML: "name = \"grpo\"\ntrain.lr = 1\neval.temperature = 2\n", Pace: 1}
	if diff := cmp.Diff(want, row.entry(g.Rates["tabular"].settings(row)[4], 1)); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if all := g.Rates["tabular"].settings(g.row("grpo+slow")); len(all) != 1 || !(all[0].Set[0].Value.(float64) < 0.1) {
		t.Errorf("a row that learns slowly has the settings %v", all)
	}
	for _, c := range []struct{ old, new, want string }{
		{`name = "grpo+hot"`, `name = "rloo"`, `method[2] "rloo": the row runs another method, and its own name is that of a method or of a row`},
		{`name = "grpo+hot"`, `name = "grpo+slow"`, `method[3] "grpo+slow": the row runs another method, and its own name is that of a method or of a row`},
		{`method = "grpo"`, `method = "grop"`, `method[2] "grpo+hot": unknown method`},
		{`method = "grpo"`, `method = "base"`, `method[2] "grpo+hot": the method does not train`},
		{`eval.temperature`, `train.lr`, `method[2] "grpo+hot": train.lr is among the row's fields, and its values are in rates`},
		{`control = "heat"`, `set = { "train.lr" = 0.5 }`, `method[2] "grpo+hot": train.lr is among`},
		{`reason = "Slow."`, "pinned = { \"train.lr\" = 0.5 }\nreason = \"Slow.\"", `method[3] "grpo+slow": train.lr is among`},
		{`control = "heat"`, `set = { "eval.samples" = 5 }`, `method[2] "grpo+hot": a method has no field "eval.samples"`},
		{`slow = true`, "slow = true\nknob = \"kl_coef\"\nvalues = [1, 2, 3]", `method[3] "grpo+slow": slow is of a row without a knob`},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("%q is not in the grid", c.old)
		}
		if _, err := Read("small.toml", []byte(changed)); err == nil || !strings.HasPrefix(err.Error(), "small.toml: "+c.want) {
			t.Errorf("%s for %s: got %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// TestPinned: every setting of a row has the pinned fields, those without a knob and the
// source's setting too, and its label does not show them. The source's setting has its knob at
// the default.
func TestPinned(t *testing.T) {
	text := strings.Replace(small, `rule = "fixed" }`, `rule = "fixed" }`+"\npinned = { singleton = \"raw\" }", 1)
	g, err := Read("small.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	row, rates, pinned := g.row("mmr-grpo"), g.Rates["tabular"], Assignment{"singleton", "raw"}
	for _, c := range []struct {
		got, want Setting
	}{
		{rates.settings(row)[4], Setting{"lr=1 lambda=0.5", []Assignment{{"train.lr", 1.0}, {"lambda", 0.5}, {"rule", "fixed"}, pinned}}},
		{rates.alone(row)[0], Setting{"lr=0.1", []Assignment{{"train.lr", 0.1}, pinned}}},
		{rates.paper(row), Setting{"lr=1", []Assignment{{"train.lr", 1.0}, pinned}}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("setting (-want +got):\n%s", diff)
		}
	}
	for _, c := range []struct {
		set  []Assignment
		same bool
	}{
		{[]Assignment{{"train.lr", 1.0}, pinned}, true},
		{[]Assignment{{"train.lr", 1.0}}, false},
		{[]Assignment{{"train.lr", 2.0}, pinned}, false},
		{[]Assignment{{"train.lr", 1.0}, pinned, {"rule", "fixed"}}, false},
	} {
		if same, err := rates.isPaper(row, Setting{"", c.set}, builtIn(row.Name, bare(t, "base"))); err != nil || same != c.same {
			t.Errorf("%v is the setting of the source: %v, %v, want %v", c.set, same, err, c.same)
		}
	}
}

// bare is a method with its defaults.
func bare(t *testing.T, method string) *spec.Setup {
	t.Helper()
	m, err := estimators.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	return spec.Bare(m)
}

// TestKnobOfEvaluation: a knob may be a method's own field of evaluation. Its value in the task's [eval] gives
// the untuned setting.
func TestKnobOfEvaluation(t *testing.T) {
	text := strings.NewReplacer(`knob = "lambda"`, `knob = "eval.temperature"`, `values = [0, 0.5, 1]`, `values = [0.7, 1, 1.5]`).Replace(small)
	g, err := Read("small.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	row, rates := g.row("mmr-grpo"), g.Rates["tabular"]
	row.Set = nil
	all := rates.settings(row)
	if text, want := all[5].TOML(), "train.lr = 1\neval.temperature = 1.5\n"; text != want {
		t.Errorf("as TOML %q, want %q", text, want)
	}
	for _, temperature := range []float64{1, 1.5} {
		base := bare(t, "base")
		base.Eval.Temperature = temperature
		for _, s := range all {
			x, _ := number(s.Set[1].Value)
			want := s.Set[0].Value == rates.Paper && x == temperature
			if same, err := rates.isPaper(row, s, builtIn(row.Name, base)); err != nil || same != want {
				t.Errorf("[eval] at %v: %s is the setting that is not tuned: %v, %v, want %v", temperature, s.Label, same, err, want)
			}
		}
	}
	for _, wrong := range []string{"eval.samples", "eval.tmperature", "env.modes"} {
		if _, err := Read("small.toml", []byte(strings.Replace(text, "eval.temperature", wrong, 1))); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("the knob %s: %v", wrong, err)
		}
	}
}

// TestBoardHasSums: the records of differential smoothing on the boards are of sums of
// log-probabilities, as its default was when the first of them was made.
func TestBoardHasSums(t *testing.T) {
	g := publishedGrid(t)
	row := g.row("differential-smoothing")
	for board, rates := range g.Rates {
		for _, s := range slices.Concat(rates.settings(row), rates.alone(row), []Setting{rates.paper(row)}) {
			if !slices.Contains(s.Set, Assignment{"logprob", "sequence"}) {
				t.Errorf("%s: %s has no logprob = \"sequence\"", board, s.Label)
			}
		}
	}
}

func TestMethodsWithoutARow(t *testing.T) {
	g := smallGrid(t)
	for _, c := range []struct{ method, want string }{
		{"grpo@verl", "method grpo@verl is not on the board: it is in the row of grpo. Another ddof."},
		{"base", "method base is not on the board: It does not train."},
		{"grp", `method "grp" has no row on the board; did you mean grpo? bench list methods has their names`},
	} {
		if _, err := g.Row(c.method); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.method, err, c.want)
		}
	}
}

// TestReadErrors: each mistake is one change of the small grid.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"knob =", "knobs =", `small.toml:23:1: unknown key "method.knobs"`},
		{"[rates.tabular]", "[rates.tabular", "small.toml:2:15: "},
		{`name = "grpo"`, `name = 3`, "small.toml:19:8: "},
		{`name = "grpo"`, `name = "grop"`, `method[0] "grop": unknown method`},
		{`name = "mmr-grpo"`, `name = "grpo"`, `method[1] "grpo": the method is there twice`},
		{`name = "grpo@verl"`, `name = "grpo"`, `left_out[0] "grpo": the method is there twice`},
		{`name = "grpo"`, `name = "optimum"`, `method[0] "optimum": the method does not train`},
		{`as = "grpo"`, `as = "rloo"`, `left_out[0] "grpo@verl": as names "rloo", which has no row`},
		{`knob = "lambda"`, `knob = "lambada"`, `method[1] "mmr-grpo": method mmr-grpo: unknown field "lambada"`},
		{`knob = "lambda"`, `knob = "singleton"`, `method[1] "mmr-grpo": method mmr-grpo: field "singleton"`},
		{`knob = "lambda"`, ``, `method[1] "mmr-grpo": values and set are of a knob`},
		{`knob = "lambda"`, `knob = "rule"`, `set or pinned has the knob "rule" itself`},
		{"[0, 0.5, 1]", "[0, 0.5]", `"lambda" has 2 values, want 3`},
		{"[0, 0.5, 1]", "[0, 0.5, 0.5]", `"lambda": got [0 0.5 0.5], want three ascending numbers`},
		{"[0, 0.5, 1]", "[0, 0.5, nan]", `want three ascending numbers`},
		{"[0, 0.5, 1]", `[0, 0.5, "1"]`, `want three ascending numbers`},
		{"[0, 0.5, 1]", "[0, 0.5, 2]", `method[1] "mmr-grpo": method mmr-grpo: field "lambda": `},
		{`{ rule = "fixed" }`, `{ rule = "broken" }`, `method[1] "mmr-grpo": method mmr-grpo: field "rule": `},
		{`{ rule = "fixed" }`, `{ rule = ["fixed"] }`, `"rule" is [fixed], want a text`},
		{`set = {`, "pinned = { rule = \"fixed\" }\nset = {", `"rule" is in set and in pinned`},
		{`"No knob."`, `"No knob"`, `method[0] "grpo": got the reason "No knob", want a sentence`},
		{`"No knob."`, `"No | knob."`, `want a sentence on one line`},
		{`"Another ddof."`, `""`, `left_out[0] "grpo@verl": got the reason "", want a sentence`},
		{"[0.1, 1, 5]", "[0.1, 5]", "rates.tabular: 2 rates beside 3 values of a knob and 9 alone, want as many settings"},
		{"values = 3", "values = 2", "rates.tabular: 3 rates beside 2 values of a knob and 9 alone, want as many settings"},
		{"values = 3", "values = 0", "rates.tabular: values: got 0, want from 1 to 3"},
		{"values = 3", "", "rates.tabular: values: got 0, want from 1 to 3"},
		{"values = 2", "values = 4", "rates.transformer: values: got 4, want from 1 to 3"},
		{"[1, 2, 3, 4]", "[1, 2, 4]", "rates.transformer: 2 rates beside 2 values of a knob and 3 alone, want"},
		{"[1, 4]", "[]", "rates.transformer: "},
		{"[0.1, 1, 5]", "[0.1, 1.5, 5]", "rates.tabular: beside: 1.5 is not among the rates alone"},
		{"[0.1, 1, 5]", "[0.2, 1, 5]", "rates.tabular: rates beside a knob go from 0.2 to 5, and those alone from 0.1 to 5: want the same range"},
		{"[0.1, 1, 5]", "[0.1, 1, 4]", "rates.tabular: rates beside a knob go from 0.1 to 4, and those alone from 0.1 to 5: want the same range"},
		{"[0.7, 0.8]", "[0.8]", "rates.transformer: lower or higher: got [0.8], want as many rates as values of a knob, 2"},
		{"[0.7, 0.8]", "[0.7, 1.8]", "rates.transformer: lower, alone and higher: got [0.7 1.8 1 2 3 4 5 6], want ascending rates above 0"},
		{"[5, 6]", "[5, 4]", "rates.transformer: lower, alone and higher: got [0.7 0.8 1 2 3 4 5 4], want ascending rates"},
		{"[5, 6]", "[4, 5]", "rates.transformer: lower, alone and higher: "},
		{"[0.7, 0.8]", "[0, 0.8]", "rates.transformer: lower, alone and higher: "},
		{"[5, 6]", "[5, inf]", "rates.transformer: lower, alone and higher: "},
		{"slow = 0.05\n", "", "rates.tabular: slow: got 0, want a rate above 0 and below the lowest, 0.1"},
		{"slow = 0.05", "slow = 0.1", "rates.tabular: slow: got 0.1, want"},
		{"[6, 9]", "[6, 9]\npaper = 6", "rates.profile: paper: got 6, want none"},
		{"[6, 7, 8, 9]", "[6, 7, 9]", "rates.profile: 2 rates beside 2 values of a knob and 3 alone, want"},
		{"[rates.transformer]", "[rates.transformers]", "want rates.transformer"},
		{"[[left_out]]", "[rates.table]\n[[left_out]]", `rates: got ["profile" "table" "tabular" "transformer"], want those of`},
		{"paper = 1", "paper = 3", "rates.tabular: beside: got [0.1 1 5], want paper's 3 among them"},
		{"[0.1, 1, 5]", "[0, 1, 5]", "rates.tabular: beside: got [0 1 5], want ascending rates above 0"},
		{"[0.1, 1, 5]", "[1, 0.1, 5]", "rates.tabular: beside: got [1 0.1 5], want"},
		{"[0.1, 1, 5]", "[0.1, 1, inf]", "rates.tabular: beside: got [0.1 1 +Inf], want"},
		{"[0.1, 0.2,", "[0.1, 0.1,", "rates.tabular: alone: got [0.1 0.1 0.3 0.4 1 2 3 4 5], want"},
	} {
		text := strings.Replace(small, c.old, c.new, 1)
		if text == small {
			t.Errorf("%q is not in the grid", c.old)
		}
		_, err := Read("small.toml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "small.toml:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: got %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// FuzzRead: an accepted grid has as many settings a row as rates alone, all different, or one slow one, and
// a spec reads them unchanged; errors are one line.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(string(published))
	f.Add(strings.Replace(small, "0.5", "1e-300", 1))
	f.Add(strings.Replace(small, `rule = "fixed"`, `shaping = "reward\u0007"`, 1))
	f.Fuzz(func(t *testing.T, data string) {
		g, err := Read("grid.toml", []byte(data))
		if err != nil {
			if text := err.Error(); text == "" || strings.Contains(text, "\n") {
				t.Fatalf("the error is %q, want one line", text)
			}
			return
		}
		for _, rates := range g.Rates {
			for _, r := range g.Methods {
				settings, want := rates.settings(&r), len(rates.Alone)
				if r.Slow {
					want = 1
				}
				if len(settings) != want {
					t.Fatalf("%s: settings %v", r.Name, settings)
				}
				checkSettings(t, r.Name, settings)
			}
		}
	})
}

// checkSettings wants settings of a method that differ, read as they are written, and have rates.
func checkSettings(t *testing.T, method string, settings []Setting) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range settings {
		if seen[s.Label] {
			t.Fatalf("%s: the setting %q is there twice", method, s.Label)
		}
		seen[s.Label] = true
		checkTOML(t, s)
		if rate := s.Set[0].Value.(float64); s.Set[0].Field != rateField || !(rate > 0) || math.IsInf(rate, 1) {
			t.Fatalf("%s: the rate of %q is %v", method, s.Label, rate)
		}
	}
}

// checkTOML reads what a setting writes.
func checkTOML(t *testing.T, s Setting) {
	t.Helper()
	var read map[string]any
	if err := toml.Unmarshal([]byte(s.TOML()), &read); err != nil {
		t.Fatalf("%s: %v", s.TOML(), err)
	}
	for _, a := range s.Set {
		table, field := read, a.Field
		if outer, inner, dotted := strings.Cut(field, "."); dotted {
			table, field = read[outer].(map[string]any), inner
		}
		want, isNumber := number(a.Value)
		got, _ := number(table[field])
		if isNumber && got != want || !isNumber && table[field] != a.Value {
			t.Fatalf("%s reads as %v", s.TOML(), read)
		}
	}
}
