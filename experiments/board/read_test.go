package board

import (
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
beside = [0.1, 1, 10]
alone = [0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5]
paper = 1
reason = "Rates."
[rates.transformer]
beside = [1, 2]
alone = [1, 2, 3, 4]
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
beside = [7, 8]
alone = [6, 7, 8, 9]
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
	got, err := g.Settings("tabular", "mmr-grpo")
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, s := range got {
		labels = append(labels, s.Label)
	}
	want := []string{
		"lr=0.1 lambda=0", "lr=0.1 lambda=0.5", "lr=0.1 lambda=1",
		"lr=1 lambda=0", "lr=1 lambda=0.5", "lr=1 lambda=1",
		"lr=10 lambda=0", "lr=10 lambda=0.5", "lr=10 lambda=1",
	}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Assignment{{"train.lr", 1.0}, {"lambda", 0.5}, {"rule", "fixed"}}, got[4].Set); diff != "" {
		t.Errorf("assignments (-want +got):\n%s", diff)
	}
	if text, want := got[4].TOML(), "train.lr = 1\nlambda = 0.5\nrule = \"fixed\"\n"; text != want {
		t.Errorf("as TOML %q, want %q", text, want)
	}
	if diff := cmp.Diff(Setting{"lr=1", []Assignment{{"train.lr", 1.0}}}, g.Rates["tabular"].paper(&Row{})); diff != "" {
		t.Errorf("the paper's setting (-want +got):\n%s", diff)
	}
	if got, err = g.Settings("tabular", "grpo"); err != nil || len(got) != 9 || got[8].Label != "lr=5" {
		t.Errorf("settings of grpo: %v, %v; want nine rates, the last one 5", got, err)
	}
	if got, err = g.Settings("transformer", "mmr-grpo"); err != nil || len(got) != 4 || got[0].Label != "lr=1 lambda=0.5" || got[3].Label != "lr=2 lambda=1" {
		t.Errorf("settings of mmr-grpo with a transformer: %v, %v; want two rates by the two larger values", got, err)
	}
	if got, err = g.Settings("transformer", "grpo"); err != nil || len(got) != 4 || got[3].Label != "lr=4" {
		t.Errorf("settings of grpo with a transformer: %v, %v; want four rates, the last one 4", got, err)
	}
}

// TestPinned: every setting of a row has the pinned fields, those without a knob and the
// untuned setting too, and its label does not show them. The untuned setting has its knob at
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
			t.Errorf("%v is the setting that is not tuned: %v, %v, want %v", c.set, same, err, c.same)
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

// TestBoardHasSums: the records of differential smoothing on board 1 are of sums of
// log-probabilities, as its default was when they were made.
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
		if _, err := g.Settings("tabular", c.method); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.method, err, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	head, rows := smallGrid(t).Table("tabular")
	want := [][]string{
		{"method", "knob", "values", "rates", "reason"},
		{"grpo", "none", "", "0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5", "No knob."},
		{"mmr-grpo", `lambda, with rule = "fixed"`, "0, 0.5, 1", "0.1, 1, 10", "A share."},
	}
	if diff := cmp.Diff(want, append([][]string{head}, rows...)); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestReadErrors: each mistake is one change of the small grid.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"knob =", "knobs =", `small.toml:17:1: unknown key "method.knobs"`},
		{"[rates.tabular]", "[rates.tabular", "small.toml:2:15: "},
		{`name = "grpo"`, `name = 3`, "small.toml:13:8: "},
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
		{"[0.1, 1, 10]", "[0.1, 1]", "rates.tabular: 2 rates beside a knob and 9 alone, want at most 3 and their square"},
		{"[1, 2, 3, 4]", "[1, 2, 3]", "rates.transformer: 2 rates beside a knob and 3 alone, want"},
		{"[1, 2]", "[1, 2, 3, 4]", "rates.transformer: 4 rates beside a knob"},
		{"[1, 2]", "[]", "rates.transformer: "},
		{"[7, 8]", "[7, 8]\npaper = 7", "rates.profile: paper: got 7, want none"},
		{"[6, 7, 8, 9]", "[6, 7, 8]", "rates.profile: 2 rates beside a knob and 3 alone, want"},
		{"[rates.transformer]", "[rates.transformers]", "want rates.transformer"},
		{"[[left_out]]", "[rates.table]\n[[left_out]]", `rates: got ["profile" "table" "tabular" "transformer"], want those of`},
		{"paper = 1", "paper = 3", "rates.tabular: beside: got [0.1 1 10], want paper's 3 among them"},
		{"[0.1, 1, 10]", "[0, 1, 10]", "rates.tabular: beside: got 0 after 0, want ascending rates above 0"},
		{"[0.1, 1, 10]", "[1, 0.1, 10]", "rates.tabular: beside: got 0.1 after 1"},
		{"[0.1, 1, 10]", "[0.1, 1, inf]", "rates.tabular: beside: got +Inf after 1"},
		{"[0.1, 1, 10]", "[0.1, 2, 10]", "rates.tabular: beside: got [0.1 2 10], want paper's 1 among them"},
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

// FuzzRead: an accepted grid has as many settings a row as rates alone, all different, and a
// spec reads them unchanged; errors are one line.
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
		for policy, rates := range g.Rates {
			_, rows := g.Table(policy)
			for i, r := range g.Methods {
				settings, err := g.Settings(policy, r.Name)
				if err != nil || len(settings) != len(rates.Alone) || rows[i][0] != r.Name {
					t.Fatalf("%s: settings %v, error %v, row %v", r.Name, settings, err, rows[i])
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
		if field == rateField {
			table, field = read["train"].(map[string]any), "lr"
		}
		want, isNumber := number(a.Value)
		got, _ := number(table[field])
		if isNumber && got != want || !isNumber && table[field] != a.Value {
			t.Fatalf("%s reads as %v", s.TOML(), read)
		}
	}
}
