package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestShow: a finished run is shown with its means, a line for each method, within the width.
func TestShow(t *testing.T) {
	inDir(t)
	t.Setenv("COLUMNS", "")
	write(t, "tiny.toml", strings.Replace(strings.Replace(reportSpec, "seeds = 2", "seeds = 6", 1), `"pass@2"]`, `"pass@2", "collapse_step"]`, 1))
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	out, errs := succeed(t, "show", filepath.Join("r", "tiny"))
	if !strings.HasPrefix(out, "tiny: tiny\n2 methods, 6 seeds, steps 0 to 20; means: first, course, last [95% interval]\n\nreward  0.333 to ") || errs != "" {
		t.Errorf("it begins with %.200q (%s)", out, errs)
	}
	summary, _ := os.ReadFile(filepath.Join("r", "tiny", "summary.txt"))
	for _, method := range []string{"base", "grpo"} {
		row := strings.Fields(string(summary)[strings.Index(string(summary), "\n"+method):])
		if interval := strings.Join(row[1:4], " "); !strings.Contains(out, "  "+interval+"\n") {
			t.Errorf("%s: the table has %s, and this does not:\n%s", method, interval, out)
		}
	}
	for _, want := range []string{"\n  base  0.333  ▁▁▁▁", "█  0.", "\ncollapse_step\n  base", "1 claim: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("what is no terminal gets control sequences")
	}
	for _, columns := range []string{"30", "47", "200"} {
		t.Setenv("COLUMNS", columns)
		width := map[string]int{"30": 30, "47": 47, "200": 200}[columns]
		out, _ := succeed(t, "show", filepath.Join("r", "tiny"), "--ascii")
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		if i := strings.IndexFunc(out, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			t.Errorf("--ascii prints %q", out[i:i+3])
		}
		if width > 40 && !strings.Contains(out, "____") {
			t.Errorf("%d columns: no lines: %s", width, out)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "bench show takes the folder of one experiment"},
		{[]string{"r/tiny", "r/tiny"}, exitUsage, "bench show takes the folder of one experiment"},
		{[]string{"r/tiny", "--metric", "rewrd"}, exitUsage, `--metric "rewrd": did you mean reward? the records have no such metric; the table has reward, pass@2`},
		{[]string{"nowhere"}, exitInput, "nowhere: no such folder"},
		{[]string{"r"}, exitInput, "not the folder of an experiment"},
	} {
		code, out, errs := call(t, "", append([]string{"show"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q%q, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// TestShowUnfinished: of a run that has not ended it shows the finished cells, and counts the others.
func TestShowUnfinished(t *testing.T) {
	inDir(t)
	t.Setenv("COLUMNS", "")
	writeTiny(t)
	dir := filepath.Join("r", "tiny")
	succeed(t, "run", "tiny.toml", "--out", "r", "--plan")
	out, _ := succeed(t, "show", dir)
	if want := "tiny: the run has not ended, 0 of 4 cells are finished, 4 missing; see bench\nstatus " + dir + "\nThere is nothing to show yet.\n"; out != want {
		t.Errorf("a plan alone: %q, want %q", out, want)
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--cells", "3")
	out, _ = succeed(t, "show", dir, "--metric", "reward")
	for _, want := range []string{"1 of 4 cells are finished, 3 missing", "\ntiny: tiny\n1 method, 1 seed, steps 0 to 20;", "\n  grpo  0.333  ▁", "no cell is finished of base\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("one cell: no %q in\n%s", want, out)
		}
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	if out, _ := succeed(t, "show", dir); strings.Contains(out, "not ended") || !strings.Contains(out, "2 methods, 2 seeds") {
		t.Errorf("all cells: %s", out)
	}
	plan := `{"version": 2, "spec": "tiny", "cells": [{"cell":0,"id":"base-s0-000000000000","label":"base","seed":0}]}`
	if err := os.Mkdir(filepath.Join("r", "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join("r", "old", "plan.json"), plan)
	if out, _ := succeed(t, "show", filepath.Join("r", "old")); !strings.HasSuffix(out, "nothing to show yet.\n") {
		t.Errorf("a plan that says nothing of the manifest: %s", out)
	}
}
