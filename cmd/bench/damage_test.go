package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// damaging is a small experiment whose cells keep answers.
const damaging = `seeds = 1
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1, 2]
samples = 4
keep = 1
[[method]]
name = "grpo"
[[method]]
name = "rloo"
[[figure]]
name = "curves"
kind = "curve"
metrics = ["reward"]
`

// damages are the kinds of damage to a file.
var damages = []struct {
	name string
	do   func(path string) error
}{
	{"removed", os.Remove},
	{"emptied", func(path string) error { return os.Truncate(path, 0) }},
	{"cut off", func(path string) error { return altered(path, func(data []byte) []byte { return data[:len(data)/2] }) }},
	{"a bit flipped", func(path string) error {
		return altered(path, func(data []byte) []byte { data[5] ^= 4; return data })
	}},
	{"a foreign file", func(path string) error { return os.WriteFile(path, []byte("GIF89a\x00 foreign\n"), 0o644) }},
	{"a folder in its place", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }},
}

func altered(path string, change func([]byte) []byte) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(data), 0o644)
}

// TestDamagedFilesOfCells: under each damage to a file of a finished cell, its readers either do
// without it or name it in one line, with the exit code of bad input or of a missing file; and a
// run reports the damage, makes that cell again and leaves the bytes of before.
func TestDamagedFilesOfCells(t *testing.T) {
	inDir(t)
	write(t, "my.toml", damaging)
	run := []string{"run", "my.toml", "--out", "r", "--figure-format", "none"}
	succeed(t, run...)
	want := recordsIn(t, "r")
	cells, err := filepath.Glob("r/cells/grpo-*")
	if err != nil || len(cells) != 1 {
		t.Fatalf("cells %v (%v)", cells, err)
	}
	readers := map[string][]string{
		"plot":    {"plot", "r/my", "--out", "drawn", "--figure-format", "svg"},
		"report":  {"report", "r/my", "--out", "page.html"},
		"export":  {"export", "r/my", "--out", "tables", "--format", "csv"},
		"compare": {"compare", "r/my:grpo", "r/my:rloo"},
		"show":    {"show", "r/my"},
	}
	for _, file := range []struct {
		name string
		read []string // by which commands
	}{
		{"DONE", []string{"plot", "export", "compare"}},
		{"cell.json", []string{"export", "compare"}},
		{"train.jsonl", []string{"export"}},
		{"eval.jsonl", []string{"plot", "report", "export", "compare", "show"}},
		{"pools.jsonl", nil},
		{"policy.ckpt", nil},
	} {
		path := filepath.Join(cells[0], file.name)
		for _, damage := range damages {
			if err := damage.do(path); err != nil {
				t.Fatal(err)
			}
			what := file.name + ", " + damage.name
			named := path
			if file.name == "DONE" { // which may vouch for another file than is there
				named = cells[0]
			}
			for _, reader := range file.read {
				if (reader == "plot" || reader == "report") && damage.name != "removed" && damage.name != "a bit flipped" {
					continue // they take longest, and read as the others do
				}
				code, _, errs := call(t, "", readers[reader]...)
				if code != exitInput && code != exitIO || !strings.Contains(errs, named) || strings.Count(errs, "\n") != 1 {
					t.Errorf("%s: %s has exit code %d and says %q", what, reader, code, errs)
				}
			}
			if code, _, errs := call(t, "", "merge", "r", "--out", "merged"); code != exitInput || !strings.Contains(errs, cells[0]+" is damaged") {
				t.Errorf("%s: merge has exit code %d and says %q", what, code, errs)
			}
			if code, out, _ := call(t, "", "status", "my.toml", "--out", "r", "--verify"); code != exitFailed || !strings.Contains(out, named) {
				t.Errorf("%s: status --verify has exit code %d and says %q", what, code, out)
			}
			code, _, errs := call(t, "", run...)
			if code != exitOK || strings.Count(errs, named) != 1 || !strings.Contains(errs, "; the cell is made again\n") || !strings.Contains(errs, "1 of 2 cells are finished already\n") {
				t.Errorf("%s: run has exit code %d and says %q", what, code, errs)
			}
			if d := cmp.Diff(want, recordsIn(t, "r")); d != "" {
				t.Fatalf("%s: the next run left other files:\n%.500s", what, d)
			}
		}
	}
}

// TestDamagedFilesBesideCells: the same of files beside cells. A run needs no such file, and goes on
// without.
func TestDamagedFilesBesideCells(t *testing.T) {
	inDir(t)
	write(t, "my.toml", damaging)
	run := []string{"run", "my.toml", "--out", "r", "--figure-format", "none"}
	must := func(args ...string) {
		t.Helper()
		succeed(t, args...)
	}
	must(run...)
	want := recordsIn(t, "r")
	cells, err := filepath.Glob("r/cells/grpo-*")
	if err != nil || len(cells) != 1 {
		t.Fatalf("cells %v (%v)", cells, err)
	}
	id := filepath.Base(cells[0])
	for _, file := range []struct {
		path    string
		unready bool     // its cell is not finished
		read    []string // its readers; nil: the run alone
		code    int      // of the readers; exitInput for bad input
		noted   bool     // the run reports it
	}{
		{"r/my/run.json", false, []string{"plot", "r/my", "--figure-format", "svg"}, exitInput, false},
		{"r/my/plan.json", false, []string{"status", "r/my"}, exitInput, false},
		{cells[0] + "/provenance.json", false, nil, 0, false},
		{"r/cells/.resume-" + id, true, nil, 0, true},
		{"r/cells/.failed-" + id, true, []string{"status", "my.toml", "--out", "r"}, exitFailed, false},
	} {
		for _, damage := range damages {
			what := file.path + ", " + damage.name
			switch {
			case strings.HasSuffix(file.path, "plan.json"):
				must("run", "my.toml", "--plan", "--out", "r")
			case strings.HasSuffix(file.path, "provenance.json"): // which no run makes again
				write(t, file.path, `{"host": "here"}`+"\n")
			case file.unready:
				if err := errors.Join(os.RemoveAll(cells[0]), os.WriteFile(file.path, []byte(`{"label":"grpo","seed":0,"error":"it was so"}`+"\n"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			if err := damage.do(file.path); err != nil {
				t.Fatal(err)
			}
			gone := damage.name == "removed" || damage.name == "a folder in its place"
			if file.read != nil {
				code, out, errs := call(t, "", file.read...)
				switch {
				case strings.HasSuffix(file.path, "plan.json") && damage.name == "removed": // the manifest serves
					if code != exitOK {
						t.Errorf("%s: %s has exit code %d: %s", what, file.read[0], code, errs)
					}
				case code != file.code && (!gone || code != exitIO) || strings.Count(errs, "\n") != 1:
					t.Errorf("%s: %s has exit code %d and says %q", what, file.read[0], code, errs)
				case damage.name != "removed" && damage.name != "a bit flipped" && !strings.Contains(out+errs, file.path):
					t.Errorf("%s: %s does not name it: %s%s", what, file.read[0], out, errs)
				}
			}
			code, _, errs := call(t, "", run...)
			if strings.HasSuffix(file.path, "run.json") && damage.name == "a folder in its place" { // a run writes that file
				if code != exitIO || !strings.HasSuffix(errs, "bench: cannot write results: write r/my/run.json: file exists\n") {
					t.Errorf("%s: run has exit code %d: %s", what, code, errs)
				}
				if err := os.Remove(file.path); err != nil {
					t.Fatal(err)
				}
				code, _, errs = call(t, "", run...)
			}
			if code != exitOK {
				t.Errorf("%s: run has exit code %d: %s", what, code, errs)
			}
			if noted := strings.Contains(errs, file.path+": "); noted != (file.noted && damage.name != "removed") {
				t.Errorf("%s: run says %q", what, errs)
			}
			if err := errors.Join(os.RemoveAll("r/my/plan.json"), os.RemoveAll(cells[0]+"/provenance.json")); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, recordsIn(t, "r")); d != "" {
				t.Fatalf("%s: the next run left other files:\n%.500s", what, d)
			}
			left, _ := filepath.Glob("r/cells/.[rf]*")
			if slices.ContainsFunc(left, func(path string) bool { return !strings.HasSuffix(path, id) }) {
				t.Errorf("%s: left behind: %v", what, left)
			}
		}
	}
}

// TestForeignFileInACellsPlace: a file under the name of a cell's folder hinders no command.
func TestForeignFileInACellsPlace(t *testing.T) {
	inDir(t)
	write(t, "my.toml", damaging)
	run := []string{"run", "my.toml", "--out", "r", "--figure-format", "none"}
	succeed(t, run...)
	want := recordsIn(t, "r")
	cells, _ := filepath.Glob("r/cells/grpo-*")
	if err := errors.Join(os.RemoveAll(cells[0]), os.WriteFile(cells[0], bytes.Repeat([]byte("x"), 100), 0o644)); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := call(t, "", "status", "my.toml", "--out", "r"); code != exitFailed || !strings.Contains(out, "1 missing") {
		t.Errorf("status, exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs := call(t, "", run...); code != exitOK || !strings.Contains(errs, cells[0]) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if d := cmp.Diff(want, recordsIn(t, "r")); d != "" {
		t.Errorf("other files:\n%.500s", d)
	}
}
