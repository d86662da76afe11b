package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"modebench/experiments/analysis"
	"modebench/internal/terminal"
)

// TestShow: a finished run is shown with its means, a line for each method, within the width.
func TestShow(t *testing.T) {
	inDir(t)
	t.Setenv("COLUMNS", "")
	write(t, "tiny.toml", strings.Replace(strings.Replace(reportSpec, "seeds = 2", "seeds = 6", 1), `"pass@2"]`, `"pass@2", "collapse_step"]`, 1))
	succeed(t, "run", "tiny.toml", "--out", "r", "--format", "none")
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

// TestShowUnfinished: of a run that has not ended it shows what is finished, and says what is not.
func TestShowUnfinished(t *testing.T) {
	inDir(t)
	t.Setenv("COLUMNS", "")
	writeTiny(t)
	dir := filepath.Join("r", "tiny")
	succeed(t, "run", "tiny.toml", "--out", "r", "--plan")
	out, _ := succeed(t, "show", dir)
	if want := "tiny: the run has not ended, 0 of 4 cells are finished, 4 missing; bench status\n" + dir + " says more\nThere is nothing to show yet.\n"; out != want {
		t.Errorf("a plan alone: %q, want %q", out, want)
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--cells", "3")
	out, _ = succeed(t, "show", dir, "--metric", "reward")
	for _, want := range []string{"1 of 4 cells are finished, 3 missing", "\ntiny: tiny\n1 method, 1 seed, steps 0 to 20;", "\n  grpo  0.333  ▁", "no cell is finished of base\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("one cell: no %q in\n%s", want, out)
		}
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--format", "none")
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

// TestShowCourses: what is drawn stands at its step, whatever steps others have.
func TestShowCourses(t *testing.T) {
	c := &courses{last: 100, still: []bool{false, false, true}}
	var long, short, flat terminal.Series
	for _, step := range []int{100, 0, 50} { // seeds come in any order
		long.Add(step, float64(step))
		long.Add(step, float64(step)+2)
	}
	short.Add(20, 101)
	short.Add(40, 51)
	flat.Add(0, 60)
	c.lines = [][]terminal.Series{{long}, {short}, {flat}}
	for i, want := range []string{"▁▁▁▁▅▅▅▅███", "  █▅▅      ", "▅▅▅▅▅▅▅▅▅▅▅"} {
		if got := c.spark(i, 0, 11, terminal.Sparks); got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
	if low, high := c.extent(0); low != 1 || high != 101 {
		t.Errorf("from %v to %v", low, high)
	}
	// Four evaluations have equal room, and of a hundred in eight characters the last one is seen.
	var few, many terminal.Series
	for i := range 4 {
		few.Add(20*i, float64(i))
	}
	for i := range 101 {
		many.Add(i, float64(i/100))
	}
	if got := (&courses{last: 60, still: []bool{false}, lines: [][]terminal.Series{{few}}}).spark(0, 0, 48, terminal.Sparks); got != strings.Repeat("▁", 12)+strings.Repeat("▃", 12)+strings.Repeat("▆", 12)+strings.Repeat("█", 12) {
		t.Errorf("four evaluations: %q", got)
	}
	if got := (&courses{last: 100, still: []bool{false}, lines: [][]terminal.Series{{many}}}).spark(0, 0, 8, terminal.Sparks); got != "▁▁▁▁▁▁▁█" {
		t.Errorf("101 evaluations: %q", got)
	}
	none := &courses{lines: [][]terminal.Series{{nil}}, still: []bool{false}}
	if low, _ := none.extent(0); !math.IsInf(low, 1) || none.has(0) || none.spark(0, 0, 3, terminal.Sparks) != "   " {
		t.Error("what was not measured is drawn")
	}
	one := &courses{last: 0, still: []bool{true}, lines: [][]terminal.Series{{flat}}}
	if got := one.spark(0, 0, 1, terminal.Sparks); got != "▁" {
		t.Errorf("one evaluation: %q", got)
	}
	bold := showLook{width: 40, sequence: true}.metric(one, 0, "reward", []analysis.SummaryRow{{Label: "x", Cells: []analysis.SummaryCell{{Text: "60.000"}}}})
	if lines := slices.Collect(strings.Lines(bold)); !strings.HasPrefix(lines[0], "\x1b[1mreward\x1b[0m  60.000 to 60.000") || !strings.HasPrefix(lines[1], "  x  60.000  ▁▁▁") {
		t.Errorf("%q", bold)
	}
}
