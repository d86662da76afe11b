package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestCompareCommand compares two tiny runs as a user would.
func TestCompareCommand(t *testing.T) {
	inDir(t)
	for dir, replacement := range map[string][]string{
		"few":  nil,
		"old":  {"seeds = 2", "seeds = 8"},
		"new":  {"seeds = 2", "seeds = 8", "steps = 20", "steps = 20\nlr = 1"},
		"cold": {"seeds = 2", "seeds = 8", "modes = true", "modes = true\ntemperature = 0.5"},
	} {
		if err := os.WriteFile("tiny.toml", []byte(strings.NewReplacer(replacement...).Replace(tinySpec)), 0o644); err != nil {
			t.Fatal(err)
		}
		succeed(t, "run", "tiny.toml", "--out", dir, "--figure-format", "none")
	}
	for _, c := range []struct {
		reason   string
		args     []string
		want     []string
		not      []string
		warnings string
	}{
		{"two results", []string{"old/tiny", "new/tiny"}, []string{"old: old/tiny\nnew: new/tiny\n", "\ngrpo: 8 seeds, paired; differs in train.lr", "  pass@2", "(p=0.016 n=8)", "\n\n2 rows of 1 method are the same in both: not shown, --all shows them (base)\n"}, []string{"\nbase: "}, ""},
		{"all rows", []string{"old/tiny", "new/tiny", "--all"}, []string{"\nbase: 8 seeds, paired", "same (n=8)"}, []string{"not shown"}, ""},
		{"two methods of one", []string{"old/tiny:base", "old/tiny:grpo"}, []string{"base -> grpo: 8 seeds, paired"}, nil, ""},
		{"one metric", []string{"old/tiny", "new/tiny", "--metric", "reward", "--stat", "iqm"}, []string{"reward  old", "\ngrpo    0.", "1 row of 1 method is the same in both: not shown, --all shows it (base)\n", "IQM of new - old by seed", "(p=0.008 n=8)"}, []string{"pass@2"}, ""},
		{"several metrics", []string{"old/tiny", "new/tiny", "--metric", "reward,headroom", "--metric", "entropy_mode"}, []string{"  reward", "  headroom", "  entropy_mode"}, []string{"pass@2"}, ""},
		{"all metrics", []string{"old/tiny", "old/tiny", "--metric", "all", "--all"}, []string{"  coverage@1", "  distinct_correct", "the same cells on both sides"}, []string{"~", "p="}, ""},
		{"two seeds", []string{"few/tiny", "few/tiny:grpo", "--metric", "reward"}, []string{"1 row of 1 method is the same in both: not shown, --all shows it (grpo)\n"}, []string{"p="}, ""},
		{"two seeds of two methods", []string{"few/tiny:base", "few/tiny:grpo"}, []string{"underpowered, need 7 (n=2)", "--metric reward --detect 0.05"}, []string{"p="}, ""},
		{"the planner", []string{"old/tiny", "new/tiny", "--metric", "reward", "--detect", "0.05"}, []string{"difference of 0.05 with a chance of 80%", "needed for 0.05", "grpo    8 "}, []string{"P(new>old)"}, ""},
		{"for LaTeX", []string{"old/tiny", "new/tiny", "--format", "latex"}, []string{"% old: old/tiny\n", "\\emph{grpo: 8 seeds, paired; differs in train.lr", "\npass@2 & ", "\\bottomrule\n\\end{tabular}%\n"}, []string{"base"}, ""},
		{"one metric for LaTeX", []string{"old/tiny", "new/tiny", "--format", "latex", "--metric", "reward", "--all"}, []string{"\nreward & old & new & ", "\nbase & ", "\ngrpo & "}, []string{"emph"}, ""},
		{"not measured alike", []string{"old/tiny", "cold/tiny"}, []string{"\ngrpo: 8 seeds, paired\n"}, nil, "warning: both variants: not measured alike, so a difference may not be the method's: eval.temperature 1 -> 0.5\n"},
	} {
		code, out, errs := call(t, "", append([]string{"compare"}, c.args...)...)
		if code != exitOK || errs != c.warnings {
			t.Errorf("%s: exit code %d, standard error %q, want %q", c.reason, code, errs, c.warnings)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the output lacks %q:\n%s", c.reason, want, out)
			}
		}
		for _, not := range c.not {
			if _, table, _ := strings.Cut(out, "\n\n"); strings.Contains(table, not) {
				t.Errorf("%s: the table holds %q:\n%s", c.reason, not, out)
			}
		}
	}
	code, out, errs := call(t, "", "compare", "old/tiny:grpo", "new/tiny:grpo", "--format", "json", "--metric", "reward", "--detect", "0.05")
	var doc struct {
		Old, New struct{ Dir, Label string }
		Rows     []struct {
			Verdict string
			Detect  struct{ Difference float64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %s, %v:\n%s", code, errs, err, out)
	}
	if doc.Old.Dir != "old/tiny" || doc.New.Label != "grpo" || len(doc.Rows) != 1 || doc.Rows[0].Verdict != "moved" || doc.Rows[0].Detect.Difference != 0.05 {
		t.Errorf("document %+v", doc)
	}
	compareErrors(t)
}

// compareErrors: one line, and the exit code that fits, for the folders of
// TestCompareCommand.
func compareErrors(t *testing.T) {
	if err := os.MkdirAll("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	damaged, err := os.ReadDir("cold/cells")
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range damaged {
		if err := os.Truncate("cold/cells/"+cell.Name()+"/eval.jsonl", 10); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		{"one folder", []string{"old/tiny"}, exitUsage, "bench compare takes two folders, OLD and NEW; see bench help compare"},
		{"three folders", []string{"old/tiny", "old/tiny", "old/tiny"}, exitUsage, "bench compare takes two folders"},
		{"no label after the colon", []string{"old/tiny:", "new/tiny"}, exitUsage, `"old/tiny:": want a folder, or FOLDER:LABEL`},
		{"an unknown label", []string{"old/tiny", "new/tiny:grop"}, exitUsage, `new/tiny has no variant "grop"; did you mean grpo? it has base; grpo`},
		{"an unknown metric", []string{"old/tiny", "new/tiny", "--metric", "pass@3"}, exitUsage, `unknown metric "pass@3"; both sides have pass@1|2`},
		{"all and one more", []string{"old/tiny", "new/tiny", "--metric", "all,reward"}, exitUsage, `unknown metric "all"`},
		{"an unknown statistic", []string{"old/tiny", "new/tiny", "--stat", "median"}, exitUsage, `--stat is "median", did you mean mean? want one of mean, iqm`},
		{"a plan for no metric", []string{"old/tiny", "new/tiny", "--detect", "0.1"}, exitUsage, "--detect plans for one metric: name it with --metric"},
		{"a plan for two", []string{"old/tiny", "new/tiny", "--detect", "0.1", "--metric", "reward,pass@2"}, exitUsage, "--detect plans for one metric"},
		{"a plan for all", []string{"old/tiny", "new/tiny", "--detect", "0.1", "--metric", "all"}, exitUsage, "--detect plans for one metric"},
		{"no difference", []string{"old/tiny", "new/tiny", "--detect", "0", "--metric", "reward"}, exitUsage, "--detect is 0, want a difference above 0"},
		{"an infinite one", []string{"old/tiny", "new/tiny", "--detect", "Inf", "--metric", "reward"}, exitUsage, "--detect is +Inf, want a difference above 0"},
		{"a folder that is no result", []string{"old/tiny", "empty"}, exitInput, "empty holds no run.json: not the folder of an experiment"},
		{"no such folder", []string{"nowhere:grpo", "old/tiny"}, exitInput, "nowhere: no such folder"},
		{"a damaged record", []string{"old/tiny", "cold/tiny"}, exitInput, "cold/cells/base-s0-"},
	} {
		code, out, errs := call(t, "", append([]string{"compare"}, c.args...)...)
		if code != c.code || out != "" || !strings.HasPrefix(errs, "bench: "+c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q\nwant %d and one line, %q...", c.reason, code, out+errs, c.code, c.want)
		}
	}
	if err := os.Remove("cold/cells/" + damaged[0].Name() + "/eval.jsonl"); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(t, "", "compare", "cold/tiny:base", "cold/tiny"); code != exitIO || strings.Count(errs, "\n") != 1 {
		t.Errorf("a file that is gone: exit code %d, %s", code, errs)
	}
}

// TestSplitSide: a colon belongs to the folder if that folder exists.
func TestSplitSide(t *testing.T) {
	inDir(t)
	for _, dir := range []string{"a", "a:b", "c:d/e"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ reason, arg, dir, label string }{
		{"a folder", "a", "a", ""},
		{"a folder that is not there", "b", "b", ""},
		{"a folder and a label", "a:grpo lr=0.1", "a", "grpo lr=0.1"},
		{"a folder with a colon", "a:b", "a:b", ""},
		{"and a label", "a:b:grpo", "a:b", "grpo"},
		{"a label with a colon", "a:my: label", "a", "my: label"},
		{"a colon further up", "c:d/e:grpo", "c:d/e", "grpo"},
		{"a colon further up and no label", "c:d/e", "c:d/e", ""},
		{"nothing of it is there", "x:y:grpo", "x:y", "grpo"},
	} {
		dir, label, err := splitSide(c.arg)
		if err != nil || dir != c.dir || label != c.label {
			t.Errorf("%s: %q is folder %q and label %q (%v), want %q and %q", c.reason, c.arg, dir, label, err, c.dir, c.label)
		}
	}
	for _, arg := range []string{":grpo", "a:", ":"} {
		if _, _, err := splitSide(arg); exitCode(err) != exitUsage {
			t.Errorf("%q: got %v, want a mistake on the command line", arg, err)
		}
	}
}

// FuzzSplitSide: nothing of an argument is lost, and no half is empty.
func FuzzSplitSide(f *testing.F) {
	for _, arg := range []string{"", "a", ":", "a:b", "::", ".:grpo lr=0.1", "/:x:", "\x00:"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		dir, label, err := splitSide(arg)
		switch {
		case err != nil:
			if exitCode(err) != exitUsage || !strings.Contains(arg, ":") {
				t.Errorf("%q: %v", arg, err)
			}
		case label == "":
			if dir != arg {
				t.Errorf("%q became the folder %q", arg, dir)
			}
		case dir == "" || dir+":"+label != arg:
			t.Errorf("%q became %q and %q", arg, dir, label)
		}
	})
}

// TestNoFolders: a file, a spec for one, in place of a folder of results is wrong input to every
// command that reads such.
func TestNoFolders(t *testing.T) {
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	for _, args := range [][]string{
		{"compare", "tiny.toml", "r/tiny"}, {"compare", "r/tiny", "tiny.toml"}, {"compare", "r/tiny/run.json", "r/tiny"},
		{"report", "tiny.toml"}, {"export", "tiny.toml"}, {"status", "r/tiny/run.json"},
	} {
		code, _, errs := call(t, "", args...)
		if code != exitInput || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, " is no folder: want that of an experiment (bench run writes OUT/SPEC)") {
			t.Errorf("bench %s: exit code %d, want %d: %s", strings.Join(args, " "), code, exitInput, errs)
		}
	}
}
