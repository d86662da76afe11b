package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// flatProgram is a plug-in that gives four rollouts the advantage 0. It leaves a file behind
// whenever it is started.
const flatProgram = `echo started >> started
n=0
while read -r line; do
  n=$((n + 1))
  case $line in
  *'"hello"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"name":"flat"}}' ;;
  *'"bye"'*) exit ;;
  *) echo '{"jsonrpc":"2.0","id":'$n',"result":{"advantages":[[0,0,0,0]]}}' ;;
  esac
done
`

// writeFlat writes a spec of that plug-in, with a claim.
func writeFlat(t *testing.T) {
	t.Helper()
	write(t, "flat.sh", flatProgram)
	write(t, "mine.toml", `seeds = 2
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 2
batch = 1
group = 4
[eval]
every = 2
k = [1]
[[method]]
name = "base"
[[method]]
name = "plugin"
label = "mine"
command = ["sh", "flat.sh"]
[[claim]]
name = "flat"
text = "it learns nothing"
a = "mine"
metric = "reward"
says = "below"
by = 2
`)
}

// started says whether the plug-in was, since it was last asked.
func started(t *testing.T) bool {
	t.Helper()
	err := os.Remove("started")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return err == nil
}

// TestLookingStartsNoPlugin: a spec may be from elsewhere, and so is the program that it
// names. Commands that look at its cells know them without starting it, before a run and
// after one.
func TestLookingStartsNoPlugin(t *testing.T) {
	inDir(t)
	writeFlat(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "mine.toml", "--plan"}, exitOK, "3  missing    plugin-s1-"},
		{[]string{"run", "mine.toml", "--plan", "--shard", "1/2", "--out", "results"}, exitOK, "plan.json"},
		{[]string{"status", "mine.toml"}, exitFailed, "0 of 4 cells are finished"},
		{[]string{"status", "results/mine"}, exitFailed, "0 of 4 cells are finished"},
		{[]string{"list", "specs", "mine.toml", "--set", "train.lr=0.1"}, exitOK, "mine-train.lr-0.1"},
	} {
		code, out, errs := call(t, "", c.args...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("before a run, %v: exit code %d, %s%s, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
		if started(t) {
			t.Errorf("before a run, %v started the program", c.args)
		}
	}
	if _, errs := succeed(t, "run", "mine.toml", "--plan"); errs != "no plug-in is started: a run finds out whether what it needs fits the spec\n" {
		t.Errorf("the plan says %q of the plug-in", errs)
	}
	succeed(t, "run", "mine.toml", "--format", "none")
	if !started(t) {
		t.Fatal("the run did not start the program")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "mine.toml", "--plan"}, "3  finished   plugin-s1-"},
		{[]string{"status", "mine.toml"}, "4 of 4 cells are finished"},
		{[]string{"status", "mine.toml", "--verify"}, "4 of 4 cells are finished"},
		{[]string{"merge", "results", "--out", "merged", "--spec", "mine.toml"}, "manifest: merged/mine"},
		{[]string{"list", "specs", "mine.toml", "--seeds", "2"}, "4 cells"},
		{[]string{"plot", "results/mine"}, ".svg"},
		{[]string{"report", "results/mine"}, "report.html"},
		{[]string{"export", "results/mine"}, "evals.csv"},
		{[]string{"compare", "results/mine", "merged/mine"}, "2 rows of 2 methods are the same"},
		// Nothing is left to train, so nothing is started.
		{[]string{"run", "mine.toml"}, "records: "},
		{[]string{"run", "mine.toml", "--no-plugins"}, "records: "},
		{[]string{"claims", "mine.toml"}, "it learns nothing"},
		{[]string{"run", "mine.toml", "--cells", "3"}, "records: "},
	} {
		if out, _ := succeed(t, c.args...); !strings.Contains(out, c.want) {
			t.Errorf("after a run, %v: %s, want %q", c.args, out, c.want)
		}
		if started(t) {
			t.Errorf("after a run, %v started the program", c.args)
		}
	}
	// A cell that is damaged is trained again.
	damaged, err := filepath.Glob("results/cells/plugin-s1-*/train.jsonl")
	if err != nil || len(damaged) != 1 {
		t.Fatal(damaged, err)
	}
	write(t, damaged[0], "")
	if succeed(t, "run", "mine.toml", "--cells", "2"); started(t) {
		t.Error("a run of a finished cell started the program for another one")
	}
	if succeed(t, "claims", "mine.toml"); !started(t) {
		t.Error("a damaged cell was not trained again")
	}
}

// starting are command lines that start the plug-in of mine.toml, or that of the flags.
var starting = [][]string{
	{"run", "mine.toml"},
	{"run", "mine.toml", "--shard", "1/2"},
	{"run", "mine.toml", "--cells", "2"},
	{"claims", "mine.toml"},
	{"check", "mine.toml", "--update", "--baseline", "b.json"},
	{"audit", "--spec", "mine.toml", "--format", "none", "--groups", "4", "--samples", "64"},
	{"estimate", "plugin", "--set", "command=sh,flat.sh"},
}

const batchOfFour = `{"groups":[{"rollouts":[{"candidates":[{"reward":[1]}]},{"candidates":[{"reward":[1]}]},{"candidates":[{"reward":[0]}]},{"candidates":[{"reward":[0]}]}]}]}`

// TestStartIsSaid: a command that starts a program says first which, and where. It does so
// for one that does not start, too.
func TestStartIsSaid(t *testing.T) {
	for _, program := range []string{"flat.sh", "missing.sh"} {
		for _, args := range starting {
			dir := inDir(t)
			writeFlat(t)
			args := slices.Clone(args)
			for i, arg := range args {
				args[i] = strings.Replace(arg, "flat.sh", program, 1)
			}
			text, err := os.ReadFile("mine.toml")
			if err != nil {
				t.Fatal(err)
			}
			write(t, "mine.toml", strings.Replace(string(text), "flat.sh", program, 1))
			code, _, errs := call(t, batchOfFour, args...)
			first, _, _ := strings.Cut(errs, "\n")
			if want := fmt.Sprintf("starting sh %s in %s", program, dir); first != want {
				t.Errorf("%v: the first line is %q, want %q", args, first, want)
			}
			if runs := program == "flat.sh"; (code == exitOK) != runs || started(t) != runs {
				t.Errorf("%v: exit code %d: %s", args, code, errs)
			}
			if n := strings.Count(errs, "starting sh"); n != 1 {
				t.Errorf("%v: the program is named %d times, want once:\n%s", args, n, errs)
			}
		}
	}
}

// TestStartIsShownAsItIs: no command hides what it is, by characters that a terminal obeys
// or by its length.
func TestStartIsShownAsItIs(t *testing.T) {
	dir := inDir(t)
	hidden := strings.Repeat("x", 5000)
	for _, c := range []struct{ command, want string }{
		{`["./no such", "a\nb"]`, `starting "./no such" "a\nb" in ` + dir},
		{`["./no", "` + hidden + `", "rm"]`, "starting ./no " + hidden + " rm in " + dir},
	} {
		write(t, "mine.toml", "[env]\nname = \"bandit\"\n[[method]]\nname = \"plugin\"\ncommand = "+c.command+"\n")
		code, _, errs := call(t, "", "run", "mine.toml")
		first, rest, _ := strings.Cut(errs, "\n")
		if code != exitInput || first != c.want || strings.Count(rest, "\n") != 1 {
			t.Errorf("exit code %d: %q, want %q and another line", code, errs, c.want)
		}
	}
	// A spec may not hold control characters, and --set may.
	_, _, errs := call(t, batchOfFour, "estimate", "plugin", "--set", "command=./no such,\x1b[2K\rls,\u202Els,a\u0085b")
	if want := `starting "./no such" "\x1b[2K\rls" "\u202els" "a\u0085b" in ` + dir + "\n"; !strings.HasPrefix(errs, want) {
		t.Errorf("%q, want %q", errs, want)
	}
	sub := "a\x1b[31m b"
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(sub, "mine.toml"), "[env]\nname = \"bandit\"\n[[method]]\nname = \"plugin\"\ncommand = [\"./no\"]\n")
	_, _, errs = call(t, "", "run", filepath.Join(sub, "mine.toml"))
	if want := fmt.Sprintf("starting ./no in %q\n", filepath.Join(dir, sub)); !strings.HasPrefix(errs, want) {
		t.Errorf("%q, want %q", errs, want)
	}
}

// TestNoPlugins: whoever wants no program started gets one line, and none is.
func TestNoPlugins(t *testing.T) {
	for _, args := range starting {
		inDir(t)
		writeFlat(t)
		code, out, errs := call(t, batchOfFour, append(args, "--no-plugins")...)
		if code != exitInput || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "--no-plugins: it would start sh flat.sh in ") {
			t.Errorf("%v: exit code %d, %q, %q", args, code, out, errs)
		}
		if started(t) {
			t.Errorf("%v started the program", args)
		}
		if args[0] != "estimate" && !strings.Contains(errs, "mine.toml:17: ") {
			t.Errorf("%v: %q, want the line of the command", args, errs)
		}
	}
}
