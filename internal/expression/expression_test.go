package expression

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

type lists struct {
	Reward []float64 `expr:"reward"`
	Mode   []string  `expr:"mode"`
}

var variables = []Variable{
	{Name: "x", Sample: 0.5}, {Name: "n", Sample: 4}, {Name: "reward", Sample: []float64{}}, {Name: "mode", Sample: []string{}},
	{Name: "correct", Sample: []bool{}}, {Name: "tokens", Sample: []int{}}, {Name: "vector", Sample: [][]float64{}}, {Name: "group", Sample: &lists{}},
}

func values() map[string]any {
	return map[string]any{
		"x": 0.5, "n": 4, "reward": []float64{1, 0, 0.25, 0.5}, "mode": []string{"é", "", "é", "B"},
		"correct": []bool{true, false, false, true}, "tokens": []int{3, 1, 2, 2}, "vector": [][]float64{{1, 2}, {3, 4}},
		"group": &lists{[]float64{3, 5}, []string{"A", "A"}},
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         float64
	}{
		{"Poly-EPO's objective", "mean(reward) * distinct(mode) / n", 1.75 / 4 * 2 / 4},
		{"a degenerate mode counts nowhere", "distinct(mode)", 2},
		{"nor is it the same as itself", `same(mode, "")`, 0},
		{"how many", `same(mode, "é")`, 2},
		{"a quotient of integers is no integer", "1 / 2", 0.5},
		{"booleans count", "mean(correct)", 0.5},
		{"a boolean result counts", "any(correct, #)", 1},
		{"or does not", "all(correct, #)", 0},
		{"predicates", "count(reward, # > 0.3)", 2},
		{"booleans alone", "count(correct)", 2},
		{"a mapped list", "sum(map(reward, # * 2))", 3.5},
		{"a list by its place", "sum(map(reward, correct[#index] ? # : 0))", 1.5},
		{"texts by their place", `distinct(map(mode, correct[#index] ? # : ""))`, 2},
		{"pairs", "sum(map(reward, let a = #; max(map(reward, abs(# - a)))))", 1 + 1 + .75 + .5},
		{"branches of an integer and a float", "x > 1 ? 1 : 0.25", 0.25},
		{"in conditions in conditions", "x > 1 ? 1 : x > 2 ? 0.5 : 2", 2},
		{"a mixed list", "sum(map([1, 0.5], # * 2))", 3},
		{"a name for a condition", "let a = x > 1 ? 1 : 0.5; sum([x > 1 ? 2 : a * 2, 1])", 2},
		{"the smallest of some", "min(n, 2, x)", 0.5},
		{"the largest of a list", "max(reward)", 1},
		{"an even number", "median(reward)", 0.375},
		{"an odd number", "median([3, 1, 2])", 2},
		{"population", "var(tokens)", 0.5},
		{"its root", "std(tokens)", math.Sqrt(.5)},
		{"whole powers", "2 ^ 10", 1024},
		{"by another name", "2 ** -1", 0.5},
		{"roots", "x ^ 0.5", math.Sqrt(.5)},
		{"zero to a fraction", "0.0 ^ 0.5", 0},
		{"functions", "log(exp(2)) + sqrt(4)", 4},
		{"vectors", "vector[1][0] + vector[-1][1]", 7},
		{"members", "mean(group.reward) + same(group.mode, 'A')", 6},
		{"pipes", "reward | sum()", 1.75},
		{"integers", "n * 2 - 1 + n % 3", 8},
		{"remainders have the sign of the first", "(0 - n) % 3 + 0.5", -0.5},
		{"a member by its name in brackets", `mean(group["reward"])`, 4},
		{"sum of none", "sum(filter(reward, # > 5))", 0},
	} {
		p, err := Compile(c.text, variables)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		for range 2 { // buffers are reused
			if got, err := p.Number(context.Background(), values()); err != nil || math.Abs(got-c.want) > 1e-15*max(1, math.Abs(c.want)) {
				t.Errorf("%s: %s = %v, %v, want %v", c.reason, c.text, got, err, c.want)
			}
		}
	}
}

// TestMistakes: compilation refuses mistakes, with their place.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		line, column int
		says         string
	}{
		{"empty", " ", 0, 0, "empty"},
		{"unknown", "mean(rewrd)", 1, 6, "unknown name rewrd"},
		{"unknown function", "1 + avg(reward)", 1, 5, "unknown name avg"},
		{"unknown member", "sum(group.rewards)", 1, 11, "has no field rewards"},
		{"behind multi-byte characters", `"ééé→𝄞" == mode[0] ? rewrd : 0`, 1, 22, "unknown name rewrd"},
		{"in another line", "n +\n  rewrd", 2, 3, "unknown name rewrd"},
		{"syntax", "mean(reward", 1, 11, "unexpected token EOF"},
		{"a list is no number", "reward", 1, 1, "it gives a list"},
		{"a text is no number", "mode[0]", 1, 5, "it gives a text"},
		{"a list of texts", "mean(mode)", 1, 1, "mean takes a list of numbers"},
		{"a number is no list", "mean(n)", 1, 1, "mean takes a list, got a number"},
		{"too many", "mean(reward, reward)", 1, 1, "mean takes 1 arguments, got 2"},
		{"booleans do not add", "n + correct[0]", 1, 3, "mismatched types"},
		{"texts do not add", `1 + len(mode[0] + "a")`, 1, 13, "want numbers"},
		{"the clock", "now()", 1, 1, "unknown name now"},
		{"everything", "len($env)", 1, 5, "$env"},
		{"ranges", "count(1..9, # > 2)", 1, 8, "range"},
		{"maps", "len({a: 1})", 1, 5, "map"},
		{"remainders of floats", "x % 2", 1, 3, "mismatched types"},
		{"members under another name", "let g = group; sum(g.reward)", 1, 9, "group by itself, want one of its members, such as group.reward"},
		{"members behind a condition", "sum((x > 1 ? group : group).reward)", 1, 14, "group by itself"},
		{"members of an entry", "sum([group][0].reward) + mean(group.reward)", 1, 6, "group by itself"},
		{"a member that is computed", `len(group[mode[0]])`, 1, 10, "group[string] is undefined"},
		{"sorting", "len(sortBy(reward, #))", 1, 5, "sortBy"},
		{"conversion: of large numbers it differs between CPUs", "int(x)", 1, 1, "unknown name int"},
		{"three loops", "sum(map(reward, sum(map(reward, sum(map(reward, #))))))", 1, 17, "3 deep"},
		{"too long", strings.Repeat("1+", 3000) + "1", 0, 0, "6001 bytes"},
		{"too many nodes", strings.Repeat("1+", 600) + "1", 1, 502, "maximum"},
	} {
		_, err := Compile(c.text, variables)
		m := (*Mistake)(nil)
		if !errors.As(err, &m) {
			t.Errorf("%s: %q is taken: %v", c.reason, c.text, err)
			continue
		}
		if m.Line != c.line && c.line > 0 || m.Column != c.column || !strings.Contains(m.Message, c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: line %d, column %d: %v\nwant line %d, column %d: %s", c.reason, m.Line, m.Column, err, c.line, c.column, c.says)
		}
	}
}

// TestHints: an error names the nearest name or function, whichever is wanted.
func TestHints(t *testing.T) {
	const (
		known     = "known: x, n, reward, mode, correct, tokens, vector, group.reward, group.mode"
		functions = "functions: sum, mean, min, max, median, std, var, distinct, same, exp, log, sqrt, pow, all, any, none, one, count, filter, map, len, abs, ceil, floor, round"
	)
	for text, want := range map[string]string{
		"mean(rewrd)":              "column 6: unknown name rewrd in \"mean(rewrd)\" (did you mean reward? " + known + ")",
		"mean(reward) * mod / n":   "column 16: unknown name mod in \"mean(reward) * mod / n\" (did you mean mode? " + known + ")",
		"mean(candidates)":         "column 6: unknown name candidates in \"mean(candidates)\" (" + known + ")",
		"é + maen (reward)":        "column 1: unknown name é in \"é + maen (reward)\" (" + known + ")",
		"n +\n maen (reward)":      "line 2, column 2: unknown name maen in \"n +\\n maen (reward)\" (did you mean mean? " + functions + ")",
		"now()":                    "column 1: unknown name now in \"now()\" (did you mean pow? " + functions + ")",
		"reward | averages()":      "column 10: unknown name averages in \"reward | averages()\" (" + functions + ")",
		"sum(group.rewards)":       "column 11: type group has no field rewards in \"sum(group.rewards)\" (did you mean group.reward? known: group.reward, group.mode)",
		"len(group.models) > 2":    "column 11: type group has no field models in \"len(group.models) > 2\" (did you mean group.mode? known: group.reward, group.mode)",
		"sum(group.distances) > 2": "column 11: type group has no field distances in \"sum(group.distances) > 2\" (known: group.reward, group.mode)",
	} {
		if _, err := Compile(text, variables); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestUndefined: mistakes that only the values show, and where. Data alone are to blame where
// the arithmetic has no value.
func TestUndefined(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		says   string
		data   bool
	}{
		{"1 / (n - 4)", 3, "1 / 0 is +Inf", true},
		{"n % (n - 4)", 3, "4 % 0 is undefined", true},
		{"[7 % (n - 4)][0]", 4, "7 % 0 is undefined", true},
		{"x > 0 ? 1 / (n - 4) > 2 ? 1 : 0 : 3", 11, "1 / 0 is +Inf", true},
		{"log(n - 5)", 1, "log(-1) is NaN", true},
		{"sqrt(0 - n)", 1, "sqrt(-4) is NaN", true},
		{"(0 - n) ^ 0.5", 9, "-4 to the power of 0.5 is NaN", true},
		{"exp(1000)", 1, "exp(1000) is +Inf", true},
		{"mean(filter(reward, # > 9))", 1, "mean of 0 numbers is NaN", true},
		{"max(filter(reward, # > 9))", 1, "max of no numbers", true},
		{"median(filter(reward, # > 9))", 1, "median of no numbers", true},
		{"9223372036854775807 + n", 21, "overflows", true},
		{"9223372036854775807 * n", 21, "overflows", true},
		{"1e308 * 10", 0, "+Inf", true},
		{"reward[7]", 7, "index out of range: 7", false},
		{"mean(map(mode, #))", 1, "entry 0 is a text", false},
	} {
		p, err := Compile(c.text, variables)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		x, err := p.Number(context.Background(), values())
		m := (*Mistake)(nil)
		if !errors.As(err, &m) || m.Column != c.column || !strings.Contains(m.Message, c.says) || m.Undefined != c.data || m.OutOfRange != (c.text == "reward[7]") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s = %v, %v\nwant column %d: %s, of the data: %v", c.text, x, err, c.column, c.says, c.data)
		}
	}
}

func TestReads(t *testing.T) {
	for text, want := range map[string]string{
		"mean(reward) * distinct(mode) / n": "reward mode n",
		"mean(group.reward) + x":            "group.reward x",
		"1":                                 "",
		"any(mode, # == 'a') ? same(group.mode, 'a') : 0": "mode group.mode",
	} {
		p, err := Compile(text, variables)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Reads(), " "); got != want {
			t.Errorf("%s reads %q, want %q", text, got, want)
		}
	}
}

// TestFunctionsAreListed: every function there is has its line, and the other way.
func TestFunctionsAreListed(t *testing.T) {
	there := map[string]bool{}
	for _, name := range builtins {
		there[name] = true
	}
	for _, f := range (&library{}).functions() {
		if !strings.Contains(f.Name, " ") { // operators
			there[f.Name] = true
		}
	}
	for _, f := range Functions() {
		if !there[f.Name] || !strings.Contains(f.Doc, f.Name) {
			t.Errorf("%s is listed as %q", f.Name, f.Doc)
		}
		delete(there, f.Name)
	}
	if len(there) > 0 {
		t.Errorf("not listed: %v", there)
	}
}

// FuzzExpression: no text makes the compiler or the evaluation panic, errors are one
// line, and a number is finite.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"mean(reward) * distinct(mode) / n", "sum(map(reward, # * 2))", "x > 1 ? 1 : 0.5", "[1, 0.5][n - 4]", "group.reward[0:1] | sum()",
		"same(group.mode, mode[0])", "vector[1]?.foo ?? 3", "mode[0] matches '(a' ? 1 : 0", "-9223372036854775807 - 2", "n % 0", "count(correct, not #)",
		"let a = [[1], x]; len(a)", "any(correct, # and # or x in reward)", "min()", "pow(x)", "1 / 'a'", "{a: $env}", "((((((", "x ^ n ** x",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Compile(text, variables)
		if err == nil {
			var x float64
			if x, err = p.Number(context.Background(), values()); err == nil && x-x != 0 {
				t.Fatalf("%q gives %v", text, x)
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("error of several lines: %q", err)
		}
	})
}
