package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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

// started reports whether the plug-in was started since the last call.
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
	succeed(t, "run", "mine.toml", "--figure-format", "none")
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
	{"audit", "--spec", "mine.toml", "--figure-format", "none", "--groups", "4", "--samples", "64"},
	{"estimate", "plugin", "--set", "command=sh,flat.sh"},
}

const batchOfFour = `{"groups":[{"rollouts":[{"candidates":[{"reward":[1]}]},{"candidates":[{"reward":[1]}]},{"candidates":[{"reward":[0]}]},{"candidates":[{"reward":[0]}]}]}]}`

// TestStartIsAnnounced: a command that starts a program prints its command line and folder first, also
// of a program that does not start.
func TestStartIsAnnounced(t *testing.T) {
	takesSeconds(t)
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

// ownMethod is the plug-in as a file of bench board add.
const ownMethod = "[[method]]\nname = \"plugin\"\nlabel = \"mine\"\ncommand = [\"sh\", \"flat.sh\"]\n"

// A refusal is the message of a command under --no-plugins, with %s for the folder. A command that
// starts no plug-in has "".
type refusal struct {
	args []string
	want string
}

const (
	refusedSpec    = "bench: mine.toml:17: field \"command\": --no-plugins: it would start sh flat.sh in %s\n"
	refusedOwn     = "bench: own.toml:4: field \"command\": --no-plugins: it would start sh flat.sh in %s\n"
	refusedCommand = "bench: command.toml:2: field \"command\": --no-plugins: it would start sh flat.sh in %s\n"
	refusedPython  = "bench: command.toml:2: field \"command\": --no-plugins: it would start python3 -m modebench mine.py in %s\n"
	refusedMethod  = "bench: --no-plugins: it would start sh flat.sh in %s\n"
)

// handed are command lines of every command, and of every word behind one, that hand it a plug-in in
// each way that it could take one. A new command has a row, even if it takes no plug-in.
// The folder "results" has all cells of mine.toml, and "new" is empty.
var handed = map[string][]refusal{
	"run": {
		{[]string{"run", "mine.toml", "--out=new"}, refusedSpec},
		{[]string{"run", "mine.toml", "--out=new", "--shard=1/2"}, refusedSpec},
		{[]string{"run", "mine.toml", "--out=new", "--cells=2"}, refusedSpec},
		{[]string{"run", "mine.toml", "--out=new", "--set=train.lr=0.1"}, refusedSpec},
		{[]string{"run", "mine.toml", "--out=new", "--plan"}, ""},
		{[]string{"run", "mine.toml"}, ""},
	},
	"claims": {
		{[]string{"claims", "mine.toml", "--out=new"}, refusedSpec},
		{[]string{"claims", "mine.toml", "--out=new", "--format", "json"}, refusedSpec},
		{[]string{"claims", "mine.toml", "--out=new", "--draw=claims.svg"}, refusedSpec},
		{[]string{"claims", "mine.toml", "--out=new", "--register", "--registered=none"}, refusedSpec},
		{[]string{"claims", "mine.toml", "--out=new", "--register", "--until-decided", "--registered=none"}, refusedSpec},
		{[]string{"claims", "mine.toml", "--out=new", "--until-decided"}, refusedSpec},
		{[]string{"claims", "mine.toml"}, ""},
	},
	"check": {
		{[]string{"check", "mine.toml", "--baseline=b.json"}, refusedSpec},
		{[]string{"check", "mine.toml", "--baseline=b.json", "--statistical"}, refusedSpec},
		{[]string{"check", "mine.toml", "--baseline=new.json", "--update"}, refusedSpec},
	},
	"audit": {
		{[]string{"audit", "--spec=mine.toml", "--figure-format=none", "--groups=4", "--samples=64"}, refusedSpec},
		{[]string{"audit", "plugin:command=sh,flat.sh"}, ""},
	},
	"estimate": {
		{[]string{"estimate", "plugin", "--set=command=sh,flat.sh"}, refusedMethod},
		{[]string{"estimate", "plugin", "--set=command=sh,flat.sh", "--arrays"}, refusedMethod},
	},
	"board add": {
		{[]string{"board", "add", "own.toml"}, refusedOwn},
		{[]string{"board", "add", "mine.py"}, refusedPython},
		{[]string{"board", "add", "--", "sh", "flat.sh"}, refusedCommand},
		{[]string{"board", "add", "--policy=transformer", "own.toml"}, refusedOwn},
	},
	"profile add": {
		{[]string{"profile", "add", "own.toml"}, refusedOwn},
		{[]string{"profile", "add", "mine.py"}, refusedPython},
		{[]string{"profile", "add", "--", "sh", "flat.sh"}, refusedCommand},
	},
	"board":          {{[]string{"board", "--methods=plugin"}, ""}},
	"board verify":   {{[]string{"board", "verify", "results/mine"}, ""}}, // TestBoardVerifyRefuses has those of rows
	"board foretell": {{[]string{"board", "foretell", "results/mine", "results/mine"}, ""}},
	"profile":        {{[]string{"profile", "--run", "plugin"}, ""}},
	"status":         {{[]string{"status", "mine.toml", "--out=new"}, ""}, {[]string{"status", "results/mine", "--verify"}, ""}},
	"merge":          {{[]string{"merge", "results", "--out=merged", "--spec=mine.toml"}, ""}},
	"list":           {{[]string{"list", "specs", "mine.toml"}, ""}, {[]string{"list", "methods", "plugin"}, ""}},
	"show":           {{[]string{"show", "results/mine"}, ""}},
	"plot":           {{[]string{"plot", "results/mine"}, ""}},
	"report":         {{[]string{"report", "results/mine"}, ""}},
	"export":         {{[]string{"export", "results/mine"}, ""}},
	"compare":        {{[]string{"compare", "results/mine", "results/mine"}, ""}},
	"env":            {{[]string{"env", "mine.toml"}, ""}},
	"import":         {{[]string{"import", "mine.toml"}, ""}},
	"judge":          {{[]string{"judge", "mine.toml"}, ""}},
	"serve":          {{[]string{"serve", "mine.toml"}, ""}},
	"metrics":        {{[]string{"metrics", "mine.toml"}, ""}},
	"completion":     {{[]string{"completion", "bash"}, ""}},
	"man":            {{[]string{"man", "pages"}, ""}},
	"doctor":         {{[]string{"doctor", "mine.toml"}, ""}},
	"version":        {{[]string{"version"}, ""}},
}

// wordBehind matches a word behind a command in its usage, such as add in [add FILE | ...].
var wordBehind = regexp.MustCompile(`[\[|] ?([a-z]+) `)

// commandWords are the names of all commands, alone and with each word that may follow them.
func commandWords() (names []string) {
	for _, c := range commands() {
		names = append(names, c.Name())
		for word := range c.Annotations {
			names = append(names, c.Name()+" "+word)
		}
		for _, word := range wordBehind.FindAllStringSubmatch(c.Use, -1) {
			names = append(names, c.Name()+" "+word[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// missingTask is the note on a task of the board that is not published.
var missingTask = regexp.MustCompile(`(?m)^published holds no finished result of task .*\n`)

// TestNoPlugins: under --no-plugins each command ends with one line and starts no program, in each way
// that the program was handed to it.
func TestNoPlugins(t *testing.T) {
	takesSeconds(t)
	if names := slices.Sorted(maps.Keys(handed)); !slices.Equal(names, commandWords()) {
		t.Fatalf("plug-ins are handed to\n%q, and the commands are\n%q", names, commandWords())
	}
	dir := inDir(t)
	writeFlat(t)
	write(t, "own.toml", ownMethod)
	write(t, "mine.py", "open('started', 'w').close()\n")
	succeed(t, "run", "mine.toml", "--figure-format=none")
	succeed(t, "claims", "mine.toml", "--register")
	succeed(t, "check", "mine.toml", "--baseline=b.json", "--update")
	if !started(t) {
		t.Fatal("the program leaves nothing behind when it is started")
	}
	for _, name := range commandWords() {
		c, _, err := newRoot("bench", streams{}).Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		_, word, _ := strings.Cut(name, " ")
		can := c.Flags().Lookup("no-plugins") != nil && !slices.Contains(strings.Fields(c.Annotations[word]), "no-plugins")
		for _, line := range handed[name] {
			args := slices.Clone(line.args)
			if can {
				args = slices.Insert(args, 1, "--no-plugins")
			}
			code, out, errs := call(t, batchOfFour, args...)
			errs = missingTask.ReplaceAllString(errs, "")
			if started(t) {
				t.Errorf("%v started the program", args)
			}
			if line.want == "" {
				if strings.Contains(errs, "starting sh") || strings.Contains(errs, "would start") {
					t.Errorf("%v: exit code %d, %q", args, code, errs)
				}
				continue
			}
			if want := fmt.Sprintf(line.want, dir); code != exitInput || out != "" || errs != want {
				t.Errorf("%v: exit code %d, %q, %q, want %q", args, code, out, errs, want)
			}
		}
	}
}
