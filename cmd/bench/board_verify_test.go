package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/internal/testkit"
	"modebench/results"
)

// copyRow copies the submitted row that comes with the program.
func copyRow(t *testing.T, to string) {
	t.Helper()
	row, err := fs.Sub(results.Community, "community/tabular/right-pairs")
	if err == nil {
		err = os.CopyFS(to, row)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tamper replaces the first match of a pattern in a file of a row.
func tamper(t *testing.T, file, pattern, with string) {
	t.Helper()
	text, err := os.ReadFile(file)
	at := regexp.MustCompile(pattern).FindIndex(text)
	if err != nil || at == nil {
		t.Fatalf("%s has no %q: %v", file, pattern, err)
	}
	if err := os.Remove(file); err != nil { // it may be read-only
		t.Fatal(err)
	}
	write(t, file, string(text[:at[0]])+with+string(text[at[1]:]))
}

// TestBoardVerify: a part of the published row is reproduced to the bit, and a changed measurement, hash or setting is found.
func TestBoardVerify(t *testing.T) {
	takesSeconds(t)
	inDir(t)
	copyRow(t, "row")
	verify := []string{"board", "verify", "row", "--tasks=bandit-held-out", "--out=cells"} // whose cells are made once
	out, _ := succeed(t, verify...)
	if !regexp.MustCompile(`(?m)^bandit-held-out +reproduced +12 seeds$`).MatchString(out) || !regexp.MustCompile(`(?m)^maze +not checked`).MatchString(out) || strings.Contains(out, "reproduced.txt") {
		t.Errorf("a part of the published row:\n%s", out)
	}
	for _, c := range []struct{ what, pattern, with, want string }{
		{"a measurement", `"area":\[0.4972`, `"area":[0.5972`, `setting "lr=0.081": area is 0.5972 in the row, and 0.4972 here; seeds 51000`},
		{"a hash of evaluations", `"evaluations":"9b3283a120e4deb4"`, `"evaluations":"9b3283a120e4deb5"`, `setting "lr=0.081": evaluations is "9b3283a120e4deb5" in the row, and "9b3283a120e4deb4" here`},
		{"the chosen setting", `"rows":\[\{"setting":"lr=0.081"`, `"rows":[{"setting":"lr=0.12"`, `setting is "lr=0.12" in the row, and "lr=0.081" here`},
	} {
		tamper(t, "row/bandit-held-out.json", c.pattern, c.with)
		code, out, errs := call(t, "", verify...)
		if code != exitMoved || !strings.Contains(out, "differs") || !strings.Contains(out, c.want) || !strings.Contains(errs, "right-pairs is not reproduced: 1 of 8 tasks differ: bandit-held-out") {
			t.Errorf("%s: exit code %d, want %q\n%s%s", c.what, code, c.want, out, errs)
		}
		if err := os.RemoveAll("row"); err != nil {
			t.Fatal(err)
		}
		copyRow(t, "row")
	}
}

// TestBoardVerifyAll: all of the published row is reproduced, and its hash is that of the list.
func TestBoardVerifyAll(t *testing.T) {
	testkit.Long(t, "trains some 300 policies")
	inDir(t)
	copyRow(t, "row")
	list, err := results.Community.ReadFile("community/reproduced.txt")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := succeed(t, "board", "verify", "row")
	if strings.Count(out, "  reproduced  ") != 8 || !strings.HasSuffix(out, "\n"+string(list)) {
		t.Errorf("the published row:\n%s\nlisted:\n%s", out, list)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v: want the row alone", left, err)
	}
	tamper(t, "row/method.toml", `min\(reward\)`, "mean(reward)")
	if code, out, errs := call(t, "", "board", "verify", "row", "--tasks=bandit-held-out"); code != exitMoved || !strings.Contains(out, "differs") || !strings.Contains(out, "seeds 51000 51001") {
		t.Errorf("another objective: exit code %d\n%s%s", code, out, errs)
	}
}

// TestBoardVerifyLooks: a row with the seeds of two looks is run with as many.
func TestBoardVerifyLooks(t *testing.T) {
	testkit.Long(t, "trains some 50 bandits")
	inDir(t)
	if err := os.Mkdir("row", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "row/method.toml", "[[method]]\nname = \"reinforce\"\nlabel = \"again\"\n")
	succeed(t, "board", "add", "row/method.toml", "--tasks=bandit-held-out", "--keep=row", "--out=cells")
	verify := []string{"board", "verify", "row", "--out=cells"}
	if out, _ := succeed(t, verify...); !strings.Contains(out, "reproduced  24 seeds") {
		t.Errorf("a row of two looks:\n%s", out)
	}
	tamper(t, "row/bandit-held-out.json", `[0-9a-f]{15}"\],"means"`, `000000000000000"],"means"`)
	if code, out, _ := call(t, "", verify...); code != exitMoved || !strings.Contains(out, "cells is ") {
		t.Errorf("another hash of the second look: exit code %d\n%s", code, out)
	}
}

// TestBoardVerifyPlugin: the program of a submitted plug-in is started only if that is asked for, and its row is
// reproduced in another folder.
func TestBoardVerifyPlugin(t *testing.T) {
	testkit.Long(t, "trains some 100 bandits")
	inDir(t)
	succeed(t, "board", "--tasks=bandit-held-out", "--methods=grpo", "--keep=pub")
	if err := os.Mkdir("mine", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "mine/blind.sh", strings.Replace(blindProgram, "'$a,$a,$a'", "'$a,$a'", 1)) // for twenty groups
	write(t, "mine/method.toml", "[[method]]\nname = \"plugin\"\nlabel = \"blind\"\ncommand = [\"sh\", \"blind.sh\"]\n")
	succeed(t, "board", "add", "mine/method.toml", "--tasks=bandit-held-out", "--from=pub", "--keep=mine")
	if err := os.Rename("mine", "submitted"); err != nil {
		t.Fatal(err)
	}
	out, errs := succeed(t, "board", "verify", "submitted", "--from=pub", "--no-plugins=false")
	if !strings.Contains(out, "reproduced  12 seeds") || strings.Contains(errs, "holds no finished result") {
		t.Errorf("the plug-in's row:\n%s%s", out, errs)
	}
	tamper(t, "submitted/blind.sh", "1,-1", "2,-2")
	if code, out, errs := call(t, "", "board", "verify", "submitted", "--from=pub", "--no-plugins=false"); code != exitMoved || !strings.Contains(out, "differs") {
		t.Errorf("another program: exit code %d\n%s%s", code, out, errs)
	}
}

// TestBoardVerifyRefuses: a row that cannot be verified is refused in one line, and nothing is run.
func TestBoardVerifyRefuses(t *testing.T) {
	inDir(t)
	one := func(t *testing.T, code int, want string, args ...string) {
		t.Helper()
		got, out, errs := call(t, "", append([]string{"board", "verify"}, args...)...)
		if got != code || out != "" || !strings.Contains(filepath.ToSlash(errs), want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, got, code, want, out, errs)
		}
	}
	copyRow(t, "row")
	one(t, exitUsage, "takes one folder, of a submitted row; got 0")
	one(t, exitUsage, "bench board verify takes no --keep", "row", "--keep=new")
	one(t, exitUsage, "--format json: of bench board verify want one of text", "row", "--format=json")
	one(t, exitInput, "bench: nowhere does not exist", "nowhere")
	one(t, exitInput, `row holds no result of task "mazes"`, "row", "--tasks=mazes")
	one(t, exitInput, "row/coins.json: it is of policy tabular, want transformer: see --policy", "row", "--policy=transformer")
	for _, c := range []struct{ file, pattern, with, want string }{
		{"method.toml", `label = "right-pairs"`, `label = "grpo"`, `row/bandit-held-out.json: want the method "grpo" of method.toml alone`},
		{"method.toml", `min\(reward\)`, `min(rewards)`, `row/method.toml:6: method set-rl: field "objective": column 5: unknown name rewards`},
		{"coins.json", `"tokens": 226000`, `"tokens": 452000`, "row/coins.json: tokens is 226000, and 452000 of the methods to add"},
		{"coins.json", `"tokens": `, `"tokens":  `, "row/coins.json:5: not as bench board writes it: the file was edited"},
		{"coins.json", `"areas"`, `"area"`, `row/coins.json:1: unknown field "area"`},
		{"coins.json", `"cells":\[`, `"cells":["a1fd1320198dc7b2",`, "has 2 hashes of cells and 12 seeds, want a hash for each look of the board, and its seeds"},
		{"coins.json", `"task": "coins"`, `"task": "maze"`, "row/coins.json holds the result of task maze"},
	} {
		tamper(t, "row/"+c.file, c.pattern, c.with)
		one(t, exitInput, c.want, "row")
		if err := os.RemoveAll("row"); err != nil {
			t.Fatal(err)
		}
		copyRow(t, "row")
	}
	for file, want := range map[string]string{
		"row/mine_test.go": `row/mine_test.go": code of Go would be a part of this program: want none`,
		"row/large.py":     `row/large.py": it has 4194305 bytes: want 4194304 at most`,
		"row/a b":          `row/a b": its name: want letters, digits and . _ - + @, the first no dot`,
		"row/.hidden":      `row/.hidden": its name: want`,
	} {
		write(t, file, strings.Repeat("x", 1<<22+1))
		one(t, exitInput, want, "row")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	plugin := "[[method]]\nname = \"plugin\"\nlabel = \"right-pairs\"\ncommand = [\"sh\", \"-c\", \"touch started\"]\n"
	tamper(t, "row/method.toml", `(?s).*`, plugin)
	one(t, exitInput, `to verify the row is to start a program of its author, sh -c "touch started" in `, "row")
	one(t, exitInput, `--no-plugins: it would start sh -c "touch started"`, "row", "--no-plugins")
	if _, err := os.Stat("row/started"); err == nil {
		t.Error("the program was started")
	}
	if err := os.Remove("row/method.toml"); err != nil {
		t.Fatal(err)
	}
	one(t, exitInput, "row/method.toml is not there: want the file that was given to bench board add", "row")
	if err := os.Symlink("/dev/zero", "row/method.toml"); err == nil {
		one(t, exitInput, `row/method.toml": it is a link or a device: want plain files`, "row")
	}
}

// TestCommunityTable: submitted rows are in a table of their own, and no self-reported row moves a reproduced one.
func TestCommunityTable(t *testing.T) {
	inDir(t)
	table := func(from string) (text string) {
		out, _ := succeed(t, "board", "--from", from, "--tasks=bandit-held-out", "--format=csv")
		return out
	}
	published := table("community")
	if lines := strings.Split(strings.TrimSpace(published), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[1], "right-pairs,") || !strings.Contains(lines[1], ",reproduced,") {
		t.Errorf("the published rows:\n%s", published)
	}
	if err := os.CopyFS("rows", results.Community); err != nil {
		t.Fatal(err)
	}
	copyRow(t, "rows/community/tabular/better")
	tamper(t, "rows/community/tabular/better/method.toml", "right-pairs", "better")
	for _, task := range []string{"bandit-held-out", "coins", "countdown", "countdown-stale", "derivation", "maze", "multiplication", "polynomial"} {
		tamper(t, "rows/community/tabular/better/"+task+".json", "right-pairs", "better")
	}
	tamper(t, "rows/community/tabular/better/bandit-held-out.json", `"evaluations":"9b`, `"evaluations":"aa`)
	tamper(t, "rows/community/tabular/better/bandit-held-out.json", `"area":\[[0-9.,]+\]`, `"area":[0.9,0.91,0.92,0.9,0.91,0.92,0.9,0.91,0.92,0.9,0.91,0.92]`)
	both := table("rows/community")
	if !strings.HasPrefix(both, published) {
		t.Errorf("a self-reported row moves a reproduced one:\n%s\nand without it\n%s", both, published)
	}
	if !strings.Contains(both, "\nbetter,") || !strings.Contains(both, ",self-reported,") {
		t.Errorf("the self-reported row:\n%s", both)
	}
	// A reproduced row that is changed is a self-reported one.
	tamper(t, "rows/community/tabular/right-pairs/coins.json", `0.69`, `0.79`)
	if out := table("rows/community"); strings.Contains(out, ",reproduced,") {
		t.Errorf("a changed row:\n%s", out)
	}
	tamper(t, "rows/community/tabular/better/method.toml", `label = "better"`, `label = "grpo"`)
	if code, _, errs := call(t, "", "board", "--from", "rows/community"); code != exitInput || !strings.Contains(errs, "want the method \"grpo\"") {
		t.Errorf("a name of the board: exit code %d: %s", code, errs)
	}
	if code, _, errs := call(t, "", "board", "--from", "community", "--draw=figures"); code != exitUsage || !strings.Contains(errs, "leave out --draw and --html") {
		t.Errorf("figures: exit code %d: %s", code, errs)
	}
	if code, _, errs := call(t, "", "board", "--from", "community", "--policy=transformer"); code != exitInput || !strings.Contains(errs, "community holds no submitted row under policy transformer") {
		t.Errorf("no rows: exit code %d: %s", code, errs)
	}
}

// TestExampleRows runs the job that verifies the rows of a pull request, with a program that writes down its
// arguments and verifies no row that is named bad.
func TestExampleRows(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, ".ci", "example-rows.yml"))
	if err != nil {
		t.Fatal(err)
	}
	_, script, found := strings.Cut(string(data), "- name: verify the rows that changed")
	_, script, named := strings.Cut(script, "run: |\n")
	bash, err := exec.LookPath("bash")
	if !found || !named || !strings.Contains(script, "bench board verify") {
		t.Fatalf("the job has no step that verifies:\n%s", data)
	}
	if _, missing := exec.LookPath("git"); err != nil || missing != nil {
		t.Skip("there is no bash or no git")
	}
	dir := inDir(t)
	commit := func(branch string) {
		t.Helper()
		for _, words := range [][]string{{"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "rows"}, {"branch", "-f", branch}} {
			if _, err := git(dir, words...); err != nil {
				t.Fatalf("git %v: %v", words, err)
			}
		}
	}
	put := func(files ...string) {
		t.Helper()
		for _, file := range files {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, file, file)
		}
	}
	if _, err := git(dir, "init", "-q", "-b", "work"); err != nil {
		t.Fatal(err)
	}
	put("results/community/reproduced.txt", "results/community/tabular/old/method.toml", "results/community/tabular/gone/method.toml", "README.md")
	commit("origin/main")
	run := func() (words string, failed error) {
		t.Helper()
		write(t, "bench", "#!/bin/sh\necho \"$@\" >>ran\ncase $3 in */bad) exit 5 ;; esac\n")
		if err := os.Chmod("bench", 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove("ran")
		job := exec.Command(bash, "-eo", "pipefail", "-c", script)
		job.Env = append(os.Environ(), "BASE=main")
		failed = job.Run()
		ran, _ := os.ReadFile("ran")
		return string(ran), failed
	}
	put("results/community/tabular/new/method.toml", "results/community/tabular/new/coins.json", "results/community/transformer/my row/coins.json")
	write(t, "README.md", "changed")
	if err := os.RemoveAll("results/community/tabular/gone"); err != nil {
		t.Fatal(err)
	}
	commit("head")
	want := "board verify results/community/tabular/new --policy tabular\nboard verify results/community/transformer/my row --policy transformer\n"
	if ran, failed := run(); ran != want || failed != nil {
		t.Errorf("the job ran\n%swant\n%s(%v)", ran, want, failed)
	}
	put("results/community/tabular/bad/method.toml")
	commit("head")
	if ran, failed := run(); !strings.Contains(ran, "my row") || failed == nil {
		t.Errorf("with a row that differs the job ran\n%sand succeeded", ran)
	}
	for _, name := range []string{"results/community/reproduced.txt", "results/community/tabular/bad "} { // the list, and a link
		if err := os.RemoveAll("results/community/tabular/bad"); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".txt") {
			write(t, name, "a hash")
		} else if err := os.Symlink("old", name); err != nil {
			t.Fatal(err)
		}
		commit("head")
		if ran, failed := run(); ran != want || failed == nil {
			t.Errorf("with %q the job ran\n%s(%v)", name, ran, failed)
		}
		if _, err := git(dir, "reset", "-q", "--hard", "HEAD~1"); err != nil {
			t.Fatal(err)
		}
	}
}
