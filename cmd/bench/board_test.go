package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
)

// boardOf runs two methods on one task, and returns the table and the kept results.
func boardOf(t *testing.T, out string, more ...string) (table, kept string) {
	t.Helper()
	keep := "kept-" + out
	table, _ = succeed(t, append([]string{"board", "--tasks", "bandit-held-out", "--methods", "grpo,rloo", "--out", out, "--keep", keep}, more...)...)
	data, err := os.ReadFile(filepath.Join(keep, "bandit-held-out.json"))
	if err != nil {
		t.Fatal(err)
	}
	return table, string(data)
}

// TestBoardIsTheSameHoweverItIsRun: neither jobs, the order of methods, shards nor an interruption
// change a byte of the table or of the kept results.
func TestBoardIsTheSameHoweverItIsRun(t *testing.T) {
	takesSeconds(t)
	inDir(t)
	table, kept := boardOf(t, "one", "--jobs", "1")
	same := func(what, otherTable, otherKept string) {
		t.Helper()
		if otherTable != table || otherKept != kept {
			t.Errorf("%s:\n%s\nand not\n%s", what, otherTable, table)
		}
	}
	if !strings.Contains(table, "2 methods on 1 task, up to 40 seeds each") {
		t.Errorf("the table:\n%s", table)
	}
	otherTable, otherKept := boardOf(t, "two", "--jobs", "2", "--methods", "rloo,grpo")
	same("with two jobs and methods in another order", otherTable, otherKept)

	// A cell that was lost is made again, as in a run that was stopped.
	cells, err := filepath.Glob(filepath.Join("two", "cells", "rloo*"))
	if err != nil || len(cells) < 28 {
		t.Fatalf("%d cells of rloo, %v", len(cells), err)
	}
	for _, cell := range cells[:3] {
		if err := os.RemoveAll(cell); err != nil {
			t.Fatal(err)
		}
	}
	otherTable, otherKept = boardOf(t, "two")
	same("run on", otherTable, otherKept)

	read, _ := succeed(t, "board", "--tasks", "bandit-held-out", "--from", "kept-one")
	same("read from what is kept", read, kept)
	write(t, filepath.Join("kept-one", "maze.json"), kept)
	if code, _, errs := call(t, "", "board", "--from", "kept-one"); code != exitInput || !strings.Contains(errs, filepath.Join("kept-one", "maze.json")+" holds the result of task bandit-held-out") {
		t.Errorf("a result under another name: exit code %d: %s", code, errs)
	}
	if err := os.Remove(filepath.Join("kept-one", "maze.json")); err != nil {
		t.Fatal(err)
	}
	read, errs := succeed(t, "board", "--from", "kept-one")
	if same("read without --tasks", read, kept); !strings.Contains(errs, "kept-one holds no finished result of task maze") {
		t.Errorf("what is missing: %s", errs)
	}
	// The result of a run that was stopped before a method was evaluated.
	stopped, err := board.ParseResult("kept", []byte(kept))
	if err != nil {
		t.Fatal(err)
	}
	stopped.Standing("rloo").Rows = []board.Evaluated{}
	if err := os.Mkdir("stopped", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join("stopped", "bandit-held-out.json"), string(stopped.Text()))
	unfinished := filepath.Join("stopped", "bandit-held-out.json") + ": methods were tuned and are not evaluated yet; bench board --keep stopped continues"
	for _, args := range [][]string{{"--from", "stopped"}, {"--from", "stopped", "--tasks", "bandit-held-out"}} {
		if code, _, errs := call(t, "", append([]string{"board"}, args...)...); code != exitInput || !strings.Contains(errs, unfinished) {
			t.Errorf("%q: exit code %d: %s", args, code, errs)
		}
	}
	// One method alone takes its place among those that are kept.
	alone, _ := succeed(t, "board", "--tasks", "bandit-held-out", "--methods", "rloo", "--out", "one", "--keep", "kept-one")
	data, err := os.ReadFile(filepath.Join("kept-one", "bandit-held-out.json"))
	if err != nil {
		t.Fatal(err)
	}
	same("one method alone", alone, string(data))

	if testing.Short() {
		return
	}
	for _, shard := range []string{"0/2", "1/2"} {
		out, _ := succeed(t, "board", "--tasks", "bandit-held-out", "--methods", "grpo,rloo", "--out", "part"+shard[:1], "--shard", shard)
		if !strings.HasPrefix(out, "records: ") {
			t.Errorf("shard %s: %s", shard, out)
		}
	}
	succeed(t, "merge", "part0", "part1", "--out", "merged")
	_, errs = succeed(t, "board", "--tasks", "bandit-held-out", "--methods", "grpo,rloo", "--out", "merged")
	if !strings.Contains(errs, "36 of 36 cells are finished already") {
		t.Errorf("after the shards were merged: %s", errs)
	}
	otherTable, otherKept = boardOf(t, "merged")
	same("in two shards", otherTable, otherKept)
}

// TestBoardRows: --from with --methods prints rows of the whole table as they are, below a line that tells it.
func TestBoardRows(t *testing.T) {
	takesSeconds(t)
	some := []string{"board", "--from", "published", "--methods", "vpo,evol-rl-cliphigh,grpo"}
	for _, form := range []string{"csv", "csv-tasks"} {
		all, _ := succeed(t, "board", "--from", "published", "--format", form)
		out, _ := succeed(t, append(some, "--format", form)...)
		var want strings.Builder
		for line := range strings.Lines(all) {
			row := "," + line
			// evol-rl-cliphigh has the records of evol-rl, and its row; the file of tasks has a row of each.
			if line == all[:len(line)] || strings.Contains(row, ",vpo,") || strings.Contains(row, ",evol-rl,") || strings.Contains(row, ",evol-rl-cliphigh,") || strings.Contains(row, ",grpo,") {
				want.WriteString(line)
			}
		}
		if out != want.String() || strings.Count(out, "\n") < 4 {
			t.Errorf("%s:\n%s\nwant\n%s", form, out, &want)
		}
	}
	out, _ := succeed(t, some...)
	if head := "3 of 110 methods, ranked among all, on 8 tasks"; !strings.Contains(out, head) || !strings.Contains(out, "\n4-45 ") {
		t.Errorf("no %q, or grpo has another rank than 4-45:\n%s", head, out)
	}
}

func TestBoardErrors(t *testing.T) {
	inDir(t)
	if err := os.Mkdir("damaged", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "damaged/maze.json", "{}\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"more"}, exitUsage, "bench board takes no argument"},
		{[]string{"--format", "html"}, exitUsage, "--format html: want one of text, markdown"},
		{[]string{"--jobs", "0"}, exitUsage, "--jobs is 0, want 1 or more"},
		{[]string{"--shard", "2/2"}, exitUsage, "--shard 2/2: "},
		{[]string{"--tasks", "mazee"}, exitInput, "unknown task \"mazee\"; did you mean maze?"},
		{[]string{"--methods", "grop"}, exitInput, "method \"grop\" has no row on the board; did you mean grpo?"},
		{[]string{"--methods", "grpo@verl"}, exitInput, "it is in the row of grpo"},
		{[]string{"--policy", "transformers"}, exitInput, "there is no board under policy \"transformers\""},
		{[]string{"--policy", "transformer", "--from", "damaged", "--tasks", "bandit-held-out"}, exitInput, "unknown task \"bandit-held-out\""},
		{[]string{"--from", "published", "--methods", "grpo", "--html", "b.html"}, exitUsage, "leave out --methods; --show highlights"},
		{[]string{"--from", "published", "--methods", "grop"}, exitInput, `these results have no method "grop"; did you mean grpo?`},
		{[]string{"--from", "nowhere"}, exitInput, "nowhere holds no results of the board"},
		{[]string{"--from", "damaged"}, exitInput, "maze.json:"},
		{[]string{"add", "mine.toml", "--draw", "f"}, exitUsage, "bench board add takes no --draw"},
		{[]string{"add", "mine.toml", "--show", "grpo"}, exitUsage, "bench board add takes no --show"},
		{[]string{"--from", "published", "--draw", "f", "--show", "grop"}, exitInput, `the board has no method "grop" to show`},
		{[]string{"--from", "published", "--draw", "f", "--show", "grpo,rloo,vpo,poly-epo,nsr,psr,pkpo,gpg,opo"}, exitUsage, "9 methods, want at most 8"},
		{[]string{"foretell", "--draw", "f", "--show", "grop"}, exitInput, `no method "grop" to show on all tasks of both boards`},
		{[]string{"--draw", "f", "--show", "grop"}, exitInput, "--show: method \"grop\" has no row on the board; did you mean grpo?"},
		{[]string{"--draw", "f", "--show", "grpo,rloo,vpo,poly-epo,nsr,psr,pkpo,gpg,opo"}, exitUsage, "9 methods, want at most 8"},
		{[]string{"--draw", "f", "--show", "rloo", "--methods", "grpo,psr"}, exitUsage, "--show rloo: it is not among --methods"},
	} {
		code, out, errs := call(t, "", append([]string{"board"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
	}
}

// TestBoardHelp: help that is asked for behind add or foretell offers the flags that are of it.
func TestBoardHelp(t *testing.T) {
	all, _ := succeed(t, "board", "--help")
	for first, without := range map[string][]string{boardAdd: addWithout, boardForetell: foretellWithout} {
		of, _ := succeed(t, "board", first, "--help")
		for _, name := range append([]string{"tasks", "format"}, without...) {
			flag := "\n      --" + name + " "
			if name == "methods" || name == "out" || name == "jobs" {
				flag = ", --" + name + " "
			}
			if !strings.Contains(all, flag) {
				t.Errorf("bench board --help has no --%s:\n%s", name, all)
			}
			if strings.Contains(of, flag) == slices.Contains(without, name) {
				t.Errorf("bench board %s --help, --%s:\n%s", first, name, of)
			}
		}
	}
}
