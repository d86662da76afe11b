package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readersOf are the commands that read the results folder r/my, and their arguments.
func readersOf() map[string][]string {
	return map[string][]string{
		"plot":         {"plot", "r/my", "--out", "out", "--figure-format", "svg"},
		"plot json":    {"plot", "r/my", "--out", "out", "--figure-format", "json"},
		"side by side": {"plot", "r/my", "r/my", "--out", "out", "--label", "a", "--label", "b", "--figure-format", "svg"},
		"report":       {"report", "r/my", "--out", "out/page.html"},
		"export":       {"export", "r/my", "--out", "out", "--format", "csv"},
		"compare":      {"compare", "r/my:grpo", "r/my:rloo", "--metric", "all"},
		"show":         {"show", "r/my"},
		"status":       {"status", "r/my"},
	}
}

// hostile makes the results of a small experiment in r/my, and returns the folder of its cells.
func hostile(t *testing.T) (cells []string) {
	t.Helper()
	inDir(t)
	write(t, "my.toml", damaging)
	succeed(t, "run", "my.toml", "--out", "r", "--figure-format", "none")
	cells, err := filepath.Glob("r/cells/[a-z]*")
	if err != nil || len(cells) != 2 {
		t.Fatalf("cells %v (%v)", cells, err)
	}
	return cells
}

// outside lists the files of the current folder that are neither in r nor in out.
func outside(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		top, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		if err == nil && !d.IsDir() && top != "r" && top != "out" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestNamesOfAResultsFolder: a manifest whose names, references or folder of cells lead
// elsewhere is refused by every reader, in a line that names the place, and nothing is
// written outside of --out.
func TestNamesOfAResultsFolder(t *testing.T) {
	cells := hostile(t)
	id := filepath.Base(cells[0])
	if err := os.CopyFS("elsewhere", os.DirFS("r/cells")); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("r/my/run.json")
	if err != nil {
		t.Fatal(err)
	}
	before := len(outside(t))
	type forgery struct{ what, old, new string }
	var list []forgery
	for _, name := range []string{"../escaped", "/escaped", `..\\escaped`, `C:\\escaped`, "a/b", "..", ".", "", "nul", "con.x", "COM1", "run", "plan", "a\\u0000b", "a\\u001b[2J", ".hidden"} {
		list = append(list, forgery{"a figure named " + name, `"name": "curves"`, `"name": "` + name + `"`})
	}
	for _, ref := range []string{"../../elsewhere/" + id, "/" + id, "..", "", `..\\..\\elsewhere\\` + id, id + "/../" + id, "nul", id + "\\u0000"} {
		list = append(list, forgery{"a cell named " + ref, `"id": "` + id + `"`, `"id": "` + ref + `"`})
	}
	for _, folder := range []string{"../../elsewhere", "/elsewhere", "", ".", `..\\cells`, "../cells/.."} {
		list = append(list, forgery{"cells in " + folder, `"cells": "../cells"`, `"cells": "` + folder + `"`})
	}
	for _, spec := range []string{"../my", "cells", "", "a\\nb"} {
		list = append(list, forgery{"a spec named " + spec, `"spec": "my"`, `"spec": "` + spec + `"`})
	}
	for _, c := range list {
		forged := strings.Replace(string(manifest), c.old, c.new, 1)
		if forged == string(manifest) {
			t.Fatalf("%s: the manifest has no %s", c.what, c.old)
		}
		write(t, "r/my/run.json", forged)
		for name, args := range readersOf() {
			code, _, errs := call(t, "", args...)
			if code != exitInput || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, filepath.Join("r", "my", "run.json")+": ") || strings.ContainsRune(errs, '\x1b') {
				t.Errorf("%s: %s has exit code %d and says %q", c.what, name, code, errs)
			}
		}
		if after := outside(t); len(after) != before {
			t.Fatalf("%s: something was written outside: %v", c.what, after)
		}
	}
}

// TestPlansOfAResultsFolder: the same of a plan, which status reads.
func TestPlansOfAResultsFolder(t *testing.T) {
	hostile(t)
	succeed(t, "run", "my.toml", "--plan", "--out", "r")
	plan, err := os.ReadFile("r/my/plan.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{`"spec": "my"`, `"spec": "../my"`}, {`"spec": "my"`, `"spec": "a\u001b[2Jb"`}, {`"id":"grpo`, `"id":"../grpo`}} {
		write(t, "r/my/plan.json", strings.Replace(string(plan), c[0], c[1], 1))
		if code, out, errs := call(t, "", "status", "r/my"); code != exitInput || !strings.Contains(errs, filepath.Join("r", "my", "plan.json")+": ") {
			t.Errorf("%s: exit code %d, %q %q", c[1], code, out, errs)
		}
	}
}

// linkTo makes a symbolic link, where the system has such.
func linkTo(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err)
	}
}

// TestLinksOutOfAResultsFolder: nothing is read through a link that leads out of a results
// folder: not by readers of a manifest, not by merge, and not by a run, which makes such a
// cell anew.
func TestLinksOutOfAResultsFolder(t *testing.T) {
	for _, c := range []struct {
		what string
		file string // below the cell; "": the cell itself
	}{{"a cell", ""}, {"its evaluations", "eval.jsonl"}, {"its DONE", "DONE"}, {"its settings", "cell.json"}} {
		t.Run(c.what, func(t *testing.T) {
			cells := hostile(t)
			claimed := damaging + "[[claim]]\nname = \"c\"\ntext = \"more\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\n"
			write(t, "my.toml", claimed)
			path := filepath.Join(cells[0], c.file)
			if err := os.Rename(path, "elsewhere"); err != nil {
				t.Fatal(err)
			}
			target, err := filepath.Abs("elsewhere")
			if err != nil {
				t.Fatal(err)
			}
			linkTo(t, target, path)
			for name, args := range readersOf() {
				if name == "status" {
					args = append(args, "--verify")
				}
				code, out, errs := call(t, "", args...)
				want := exitInput
				if name == "status" {
					want, errs = exitFailed, out
				}
				if code != want || !strings.Contains(errs, "it is a link that leads out of") {
					t.Errorf("%s has exit code %d and says %q", name, code, errs)
				}
			}
			code, _, errs := call(t, "", "merge", "r", "--out", "merged")
			// A folder that is a link is no cell to merge.
			if c.file != "" && (code != exitInput || !strings.Contains(errs, cells[0]+" is damaged")) {
				t.Errorf("merge has exit code %d and says %q", code, errs)
			}
			if _, err := os.Stat(filepath.Join("merged", "cells", filepath.Base(cells[0]))); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("merged it is there: %v", err)
			}
			if code, _, errs := call(t, "", "claims", "my.toml", "--out", "r"); code != exitOK || !strings.Contains(errs, "1 of 2 cells are finished already") || !strings.Contains(errs, "it is a link that leads out of") {
				t.Errorf("claims has exit code %d and says %q", code, errs)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink != 0 {
				t.Errorf("after it %s is a link still (%v)", path, err)
			}
		})
	}
}

// TestCellsElsewhere: a folder of cells that is a link out of the output folder is neither
// read nor written. A link that stays in it is as good as another name.
func TestCellsElsewhere(t *testing.T) {
	hostile(t)
	if err := os.Rename("r/cells", "elsewhere"); err != nil {
		t.Fatal(err)
	}
	linkTo(t, "../elsewhere", "r/cells")
	readers := readersOf()
	readers["status of a spec"] = []string{"status", "my.toml", "--out", "r"}
	readers["run"] = []string{"run", "my.toml", "--out", "r"}
	readers["merge"] = []string{"merge", "r", "--out", "merged"}
	readers["merge into it"] = []string{"merge", "s", "--out", "r"}
	if err := os.MkdirAll("s/cells", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, args := range readers {
		if code, _, errs := call(t, "", args...); code != exitInput || !strings.Contains(errs, filepath.Join("r", "cells")+" is a link that leads out of r") {
			t.Errorf("%s has exit code %d and says %q", name, code, errs)
		}
	}
	if err := errors.Join(os.Remove("r/cells"), os.Rename("elsewhere", "r/here")); err != nil {
		t.Fatal(err)
	}
	linkTo(t, "here", "r/cells")
	succeed(t, "compare", "r/my:grpo", "r/my:rloo")
	succeed(t, "run", "my.toml", "--out", "r", "--figure-format", "none")
}

// TestFiguresOfAFolderThatAreLinks: plot takes no figure's numbers from outside of the folder
// that it is given.
func TestFiguresOfAFolderThatAreLinks(t *testing.T) {
	hostile(t)
	succeed(t, "plot", "r/my", "--out", "kept", "--figure-format", "json")
	if err := os.Mkdir("theirs", 0o755); err != nil {
		t.Fatal(err)
	}
	linkTo(t, "../kept/curves.json", "theirs/curves.json")
	if code, _, errs := call(t, "", "plot", "theirs", "--out", "out"); code != exitInput || !strings.Contains(errs, filepath.Join("theirs", "curves.json")+": it is a link that leads out of theirs") {
		t.Errorf("exit code %d: %q", code, errs)
	}
	succeed(t, "plot", "theirs/curves.json", "--out", "out") // named by the user
}

// TestExperimentElsewhere: an experiment's folder that is a link out of the output folder is
// not written to.
func TestExperimentElsewhere(t *testing.T) {
	hostile(t)
	if err := os.Rename("r/my", "elsewhere"); err != nil {
		t.Fatal(err)
	}
	linkTo(t, "../elsewhere", "r/my")
	if err := os.WriteFile("elsewhere/run.json", []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := outside(t)
	for name, args := range map[string][]string{
		"run":   {"run", "my.toml", "--out", "r"},
		"plan":  {"run", "my.toml", "--out", "r", "--plan"},
		"merge": {"merge", "r", "--out", "r", "--spec", "my.toml"},
	} {
		if code, _, errs := call(t, "", args...); code != exitInput || !strings.Contains(errs, filepath.Join("r", "my")+" is a link that leads out of r") {
			t.Errorf("%s has exit code %d and says %q", name, code, errs)
		}
		if after := outside(t); !slices.Equal(before, after) {
			t.Errorf("%s has written outside of r: %v, before it %v", name, after, before)
		}
		if text, err := os.ReadFile("elsewhere/run.json"); err != nil || string(text) != "mine" {
			t.Errorf("%s has changed a file outside of r (%v)", name, err)
		}
	}
}
