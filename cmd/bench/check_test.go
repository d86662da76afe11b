package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"modebench/estimators"
	"modebench/experiments/spec"
)

// TestCheckIsGreen is the gate itself: the built-in methods do what the committed
// baseline has, to the bit, and docs/reproducibility.md shows the check's output. After an
// intended change the baseline is made again:
//
//	go run ./cmd/bench check --update --baseline results/check/baseline.json
func TestCheckIsGreen(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole suite")
	}
	text := pageText(t, "docs/reproducibility.md")
	inDir(t)
	code, out, errs := call(t, "", "check")
	_, says, _ := strings.Cut(strings.TrimSpace(out), " ") // without the number, which a new method raises
	if code != exitOK || !strings.Contains(text, " "+says+"`") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("it left %v behind (%v)", entries, err)
	}
}

// TestCheckRunsEveryMethod: the pinned suite leaves none out.
func TestCheckRunsEveryMethod(t *testing.T) {
	runs := map[string]bool{}
	for _, name := range spec.CheckSpecs() {
		spec, err := spec.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range spec.Variants {
			runs[v.Method] = true
		}
	}
	for _, m := range estimators.Methods() {
		if !runs[m.Name] {
			t.Errorf("no spec of the suite runs %s", m.Name)
		}
	}
}

// TestCheckOwnSuite walks through the help's steps for a suite of one's own, and
// through every exit code.
func TestCheckOwnSuite(t *testing.T) {
	inDir(t)
	writeTiny(t)
	steps := []struct {
		reason string
		edit   func(spec string) string
		args   string
		code   int
		want   string // on either stream
	}{
		{"it has no baseline yet", nil, "tiny.toml", exitUsage, "a suite of your own needs --baseline"},
		{"nor a file of one", nil, "tiny.toml -b b.json", exitInput, "baseline b.json does not exist; bench check --update makes it"},
		{"where to write is not said", nil, "tiny.toml --update", exitUsage, "--update needs --baseline"},
		{"the folder of the baseline is missing, which is said at once", nil, "tiny.toml --update -b no/b.json", exitIO, "bench: stat no: no such"},
		{"a part of a suite is no baseline", nil, "tiny.toml --update -b b.json -m grpo", exitUsage, "goes without --methods"},
		{"it is made", nil, "tiny.toml --update -b b.json", exitOK, "baseline of 4 cells: b.json"},
		{"nothing moved", nil, "tiny.toml -b b.json", exitOK, "4 cells: the same records to the bit"},
		{"nor among some methods", nil, "tiny.toml -b b.json -m grpo", exitOK, "2 cells: the same"},
		{"over seeds all is the same", nil, "tiny.toml -b b.json --statistical", exitOK, "4 the same, 0 moved"},
		{"a method that is not run", nil, "tiny.toml -b b.json -m rloo", exitUsage, "no spec of the suite runs rloo"},
		{"no such method", nil, "tiny.toml -b b.json -m gpro", exitUsage, `unknown method "gpro"`},
		{"another learning rate is another setting", edit("steps = 20", "steps = 20\nlr = 0.2"), "tiny.toml -b b.json", exitBaseline, "no baseline: grpo on tiny has other settings than the baseline's"},
		{"over seeds it is a change, but two seeds tell nothing", nil, "tiny.toml -b b.json --statistical", exitUnderpowered, "with 2 seeds, need "},
		{"a method more", edit(`name = "grpo"`, "name = \"grpo\"\n[[method]]\nname = \"rloo\""), "tiny.toml -b b.json", exitBaseline, "no baseline: rloo on tiny is not in the baseline"},
		{"a method less", edit("[[method]]\nname = \"grpo\"\n", ""), "tiny.toml -b b.json", exitBaseline, "no baseline: grpo on tiny is in the baseline, and was not run"},
		{"a spec that is wrong", edit("steps = 20", "steps = 0"), "tiny.toml -b b.json", exitInput, "tiny.toml:7"},
		{"both ways at once", nil, "tiny.toml -b b.json --update --statistical", exitUsage, "one of them"},
		{"a folder that is there", nil, "tiny.toml -b b.json --keep .", exitIO, "--keep"},
	}
	for _, s := range steps {
		text := tinySpec
		if s.edit != nil {
			text = s.edit(text)
		} else if strings.HasPrefix(s.reason, "over seeds it is a change") {
			text = edit("steps = 20", "steps = 20\nlr = 0.2")(text)
		}
		if err := os.WriteFile("tiny.toml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, errs := call(t, "", append([]string{"check"}, strings.Fields(s.args)...)...)
		if code != s.code || !strings.Contains(out+errs, s.want) {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", s.reason, code, s.code, s.want, out, errs)
		}
	}
	if err := os.WriteFile("b.json", []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(t, "", "check", "tiny.toml", "-b", "b.json"); code != exitInput || !strings.Contains(errs, "b.json: a baseline of results version 0") {
		t.Errorf("a baseline that is none: exit code %d, %s", code, errs)
	}
}

func edit(from, to string) func(string) string {
	return func(text string) string { return strings.Replace(text, from, to, 1) }
}

// TestCheckOverSeeds: ten seeds show that a tenfold rate moves the reward, and that
// other seeds of the same method do not; bit by bit both are other cells.
func TestCheckOverSeeds(t *testing.T) {
	inDir(t)
	spec := strings.Replace(tinySpec, "seeds = 2", "seeds = 10", 1)
	spec = strings.Replace(spec, `columns = ["reward", "pass@2"]`, `columns = ["reward", "entropy_mode"]`, 1)
	for _, s := range []struct {
		reason, text, args string
		code               int
		want               string
	}{
		{"the baseline", spec, "--update", exitOK, "baseline of 20 cells"},
		{"a slower rate", strings.Replace(spec, "steps = 20", "steps = 20\nlr = 0.01", 1), "--statistical", exitMoved, "moved: grpo on tiny: reward"},
		{"settings differ, which is said", strings.Replace(spec, "steps = 20", "steps = 20\nlr = 0.1000001", 1), "--statistical", exitOK, "20 cells have other settings"},
		{"what only bits tell", strings.Replace(spec, "steps = 20", "steps = 20\nlr = 0.1000001", 1), "--statistical", exitOK, "0 moved"},
		{"and bits do", strings.Replace(spec, "steps = 20", "steps = 20\nlr = 0.1000001", 1), "", exitBaseline, "other settings"},
	} {
		if err := os.WriteFile("tiny.toml", []byte(s.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, errs := call(t, "", append([]string{"check", "tiny.toml", "-b", "b.json"}, strings.Fields(s.args)...)...)
		if code != s.code || !strings.Contains(out+errs, s.want) {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", s.reason, code, s.code, s.want, out, errs)
		}
	}
}

// TestCheckInterrupted: a signal in the midst of a check leaves no records of it
// behind, and is said to have given no verdict.
func TestCheckInterrupted(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: exitInterrupted, syscall.SIGTERM: exitTerminated} {
		t.Run(signal.String(), func(t *testing.T) { testCheckStopped(t, signal, want) })
	}
}

func testCheckStopped(t *testing.T, signal os.Signal, want int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself there")
	}
	inDir(t)
	long := edit("steps = 20", "steps = 100000000")(edit("every = 10", "every = 100000000")(tinySpec))
	if err := os.WriteFile("long.toml", []byte(long), 0o644); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	go func() {
		for range 1000 { // the folder is made where signals are waited for already
			if entries, err := os.ReadDir(temp); err == nil && len(entries) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(signal)
		}
	}()
	code, out, errs := call(t, "", "check", "long.toml", "--update", "-b", "b.json")
	if code != want || out != "" || !strings.HasSuffix(errs, "bench: interrupted before a verdict; a check starts anew\n") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	for _, dir := range []string{temp, "."} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "long.toml" {
			t.Errorf("%s holds %v (%v)", dir, entries, err)
		}
	}
}

// TestExampleWorkflowPins: a tag can be moved, and the hash of a commit cannot.
func TestExampleWorkflowPins(t *testing.T) {
	for _, file := range []string{"example-workflow.yml", "example-rows.yml"} {
		data, err := os.ReadFile("../../.ci/" + file)
		if err != nil {
			t.Fatal(err)
		}
		uses := regexp.MustCompile(`(?m)^.*\buses:.*$`).FindAllString(string(data), -1)
		if len(uses) == 0 {
			t.Errorf("%s uses no action", file)
		}
		for _, line := range uses {
			if !regexp.MustCompile(`^ *- uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`).MatchString(line) {
				t.Errorf("%s: %q is not pinned by the hash of a commit, with its version behind", file, line)
			}
		}
	}
}

// TestExampleWorkflow runs every command of the workflow that users are advised to copy.
func TestExampleWorkflow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole suite")
	}
	data, err := os.ReadFile("../../.ci/example-workflow.yml")
	if err != nil {
		t.Fatal(err)
	}
	inDir(t)
	if err := os.Mkdir("ci", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("ci/estimators.toml", []byte(tinySpec), 0o644); err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, line := range strings.Split(string(data), "\n") {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(line, "# "), "- "), "run: ")
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "./bench" && words[0] != "./old/bench" && (words[0] != "bench" || words[1] != "check") {
			continue
		}
		if code, out, errs := call(t, "", words[1:]...); code != exitOK {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, errs)
		}
		ran[words[1]] = true
	}
	for _, command := range []string{"check", "run", "compare"} {
		if !ran[command] {
			t.Errorf("the workflow runs no %s", command)
		}
	}
}
