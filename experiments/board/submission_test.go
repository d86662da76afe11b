package board

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/internal/input"
)

const ownText = `# mine
[[method]]
name = "poly-epo"
label = "mine"
n = 4

[tune]
knob = "n"
values = [2, 4, 8]
`

func readOwn(t *testing.T, text string) *Submission {
	t.Helper()
	o, err := ReadSubmission("mine.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSubmissionIsTriedAsOnTheBoard: a method of the user's with a knob of the board's is tried at the
// settings of the board's row, one with no knob at as many rates, and both at their own fields.
func TestSubmissionIsTriedAsOnTheBoard(t *testing.T) {
	g := publishedGrid(t)
	all := tasksOf(t, "tabular")
	rate := "lr=" + text(g.Rates["tabular"].Paper)
	for _, c := range []struct{ text, as, knob string }{
		{ownText, "poly-epo", "n=4"},
		{"[[method]]\nlabel = \"mine\"\nname = \"grpo\"\n", "grpo", ""},
		{"[tune]\nknob = \"kl_coef\"\nvalues = [0.00033, 0.001, 0.003]\n[[method]]\nlabel = \"mine\"\nname = \"grpo@evol-rl\"\n", "grpo@evol-rl", "kl_coef=0.001"},
	} {
		fit, entrants, unfit, err := readOwn(t, c.text).Entrants(all, g, spec.LoadOptions{})
		if err != nil || len(fit) != len(all) || len(unfit) != 0 {
			t.Fatalf("%s: %d tasks, unfit %v, error %v", c.as, len(fit), unfit, err)
		}
		for i, task := range fit {
			theirs, _, err := all[i].Entrants(g, []string{c.as}, spec.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			mine, board := cells(t, task, entrants[i]), cells(t, all[i], theirs[0])
			if !slices.Equal(mine, board) {
				t.Errorf("%s: %s has cells %v, and the board's %v", task.Name, c.as, mine, board)
			}
			if got, want := entrants[i].Paper, strings.TrimSpace(rate+" "+c.knob); got.Setting != want || got.Method != "mine" || got.Pace != theirs[0].Paper.Pace {
				t.Errorf("%s: %s as it is: %+v, want %s", task.Name, c.as, got, want)
			}
		}
	}
}

// cells are those of the first evaluation seed of an entrant's settings, and of it as it is.
func cells(t *testing.T, task Task, n Entrant) []string {
	t.Helper()
	entries := n.NewRounds(nil, 1).entries()
	specs, err := task.Specs(task.Evaluation(), entries, spec.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return exptest.Cells(t, specs, task.Evaluation().FirstSeed, Base, Optimum)
}

// TestOwnErrors: each mistake is one change of a file that reads, and its line is named.
func TestOwnErrors(t *testing.T) {
	g := publishedGrid(t)
	all := tasksOf(t, "tabular")
	for _, c := range []struct{ old, new, want string }{
		{"[tune]", "[tune", "mine.toml:7:"},
		{"[tune]", "[tunes]", `mine.toml:7:2: unknown key "tunes"`},
		{"knob =", "knobs =", `mine.toml:8:1: unknown key "tune.knobs"`},
		{"# mine", "seeds = 3", `mine.toml:1:1: unknown key "seeds"`},
		{`name = "poly-epo"`, "", "mine.toml:2: want name"},
		{`name = "poly-epo"`, `name = "*"`, "mine.toml:2: want name"},
		{`name = "poly-epo"`, `name = "poly-epi"`, `mine.toml:3: unknown method "poly-epi"`},
		{`name = "poly-epo"`, `name = "base"`, "mine.toml:"},
		{`"mine"`, "3", "mine.toml:4: label is 3, want a text"},
		{`"mine"`, `"optimum"`, `mine.toml:4: "optimum" is a reference of the scores`},
		{`"mine"`, `"a|b"`, "mine.toml:4: the label"},
		{`"mine"`, `"a\u0007"`, "mine.toml:4: the label"},
		{`"mine"`, `"grpo"`, `mine.toml:4: the label "grpo" is the name of another method`},
		{"n = 4", "m = 4", `mine.toml:5: unknown field "m"`},
		{"n = 4", "n = -4", "mine.toml:5: "},
		{"n = 4", "n = [4, 5]", "mine.toml:2: a field has several values"},
		{"n = 4", "train.lr = 1", `mine.toml:5: "train" is the same for all methods`},
		{"n = 4", "eval = {}", `mine.toml:5: "eval" is the same for all methods`},
		{"n = 4", "n = { a = 4 }", `mine.toml:5: "n" is map[a:4], want a text`},
		{"n = 4", "[[method]]\nname = \"grpo\"", "mine.toml: it has 2 [[method]] tables, want one"},
		{`knob = "n"`, `knob = "nn"`, `mine.toml:8: method poly-epo: unknown field "nn"`},
		{`knob = "n"`, "", "mine.toml:7: want knob"},
		{`knob = "n"`, `knob = "train"`, `mine.toml:8: "train" is no knob`},
		{"[2, 4, 8]", "[2, 4]", `mine.toml:9: "n" has 2 values, want 3`},
		{"[2, 4, 8]", "[4, 2, 8]", `mine.toml:9: "n": got [4 2 8], want three ascending numbers`},
		{"[2, 4, 8]", "[2, 4, true]", "mine.toml:9: "},
		{"[2, 4, 8]", "[-2, 4, 8]", `mine.toml:9: method poly-epo: field "n"`},
		{"[2, 4, 8]", "[2, 4, 100]", "mine.toml:9: method poly-epo on bandit: needs groups of at least 101 rollouts"},
	} {
		text := strings.Replace(ownText, c.old, c.new, 1)
		if text == ownText {
			t.Errorf("%q is not in the file", c.old)
		}
		o, err := ReadSubmission("mine.toml", []byte(text))
		if err == nil {
			_, _, _, err = o.Entrants(all[:1], g, spec.LoadOptions{})
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s for %s: got %v, want %s", c.new, c.old, err, c.want)
		}
		var bad *input.Error
		if !errors.As(err, &bad) {
			t.Errorf("%s for %s: %v is no error of the input", c.new, c.old, err)
		}
	}
}

// FuzzReadSubmission: an accepted file has one method with a name, and the text that goes to specs has
// the file's lines in their places, without the board's own tables; errors are one line.
func FuzzReadSubmission(f *testing.F) {
	f.Add(ownText)
	f.Add("tune = { knob = \"n\", values = [1, 2, 3] }\n[[method]]\nname = \"grpo\"\n")
	f.Add("tune.knob = \"n\"\ntune.values = [1,\n2, 3]\n[[method]] # mine\nname = '''gr\n[tune]'''\n")
	f.Fuzz(func(t *testing.T, data string) {
		o, err := ReadSubmission("mine.toml", []byte(data))
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, "mine.toml:") {
				t.Fatalf("the error is %q, want one line that names the file", text)
			}
			return
		}
		if o.Name == "" {
			t.Fatal("a method without a name")
		}
		if got, want := strings.Count(string(o.text), "\n"), strings.Count(data, "\n"); got != want {
			t.Fatalf("%d lines, want %d", got, want)
		}
		rest, err := ReadSubmission("mine.toml", o.text)
		if err != nil || rest.tune != nil || rest.Name != o.Name || len(rest.table) != len(o.table) {
			t.Fatalf("without what is tuned, %q reads as %+v, %v", o.text, rest, err)
		}
		if _, err := o.entry(Setting{Label: "lr=1"}, 1); err != nil {
			t.Fatal(err)
		}
	})
}
