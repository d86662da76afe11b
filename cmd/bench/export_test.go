package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestExportCommand exports a tiny run as a user would, and holds a metric of every seed
// against the records as encoding/json reads them.
func TestExportCommand(t *testing.T) {
	inDir(t)
	write(t, "tiny.toml", strings.Replace(tinySpec, "seeds = 2", "seeds = 3", 1)) // two have no intervals
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	dir := filepath.Join("r", "tiny")
	code, out, errs := call(t, "", "export", dir, "--what", "evals", "--format", "csv", "--out", "new/tables")
	file := filepath.Join("new", "tables", "evals.csv")
	if code != exitOK || errs != "" || filepath.Clean(strings.TrimSpace(out)) != file {
		t.Fatalf("exit code %d, %q %q", code, out, errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, r := range rows[1:] { // spec, label, name, method, seed, cell, step, exact, metric, value
		if r[8] == "pass@2" && r[6] == "20" {
			found[r[5]], err = strconv.ParseFloat(r[9], 64)
			if err != nil {
				t.Error(err)
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no pass@2 after 20 steps:\n%s", data)
	}
	for cell, got := range found {
		lines, err := os.ReadFile(filepath.Join("r", "cells", cell, "eval.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSpace(string(lines)), "\n")
		var last struct{ Metrics map[string]float64 }
		if err := json.Unmarshal([]byte(all[len(all)-1]), &last); err != nil || last.Metrics["pass@2"] != got {
			t.Errorf("%s: pass@2 %v, want %v (%v)", cell, got, last.Metrics["pass@2"], err)
		}
	}
	if code, out, errs := call(t, "", "export", dir); code != exitOK || strings.Count(out, "\n") != 8 {
		t.Errorf("all tables beside the manifest: exit code %d, %q %q", code, out, errs)
	}
	exportSummary(t, dir)
	exportErrors(t, dir)
	exportStandardOut(t, dir)
}

// exportStandardOut: - is standard output and no folder, here and in other commands.
func exportStandardOut(t *testing.T, dir string) {
	for file, flags := range map[string][]string{
		"evals.csv":       {"--what", "evals", "--format", "csv"},
		"cells.parquet":   {"--what", "cells", "--format", "parquet"},
		"new/summary.tex": {"--format", "latex"},
	} {
		if strings.HasSuffix(file, ".tex") {
			succeed(t, append([]string{"export", dir, "--out", "new"}, flags...)...)
			file = filepath.FromSlash(file)
		} else {
			file = filepath.Join(dir, file)
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code, out, errs := call(t, "", append([]string{"export", dir, "--out", "-"}, flags...)...)
		if code != exitOK || out != string(want) || errs != "" {
			t.Errorf("%s: exit code %d, %d bytes of %d, %q", file, code, len(out), len(want), errs)
		}
	}
	for _, args := range [][]string{{"run", "tiny.toml"}, {"plot", dir}, {"audit", "grpo"}, {"merge", "r"}, {"import", "x.jsonl"}} {
		code, out, errs := call(t, "", append(args, "--out", "-")...)
		if want := "bench: --out of bench " + args[0] + " is a folder, and - is standard output"; code != exitUsage || out != "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%q: exit code %d, %q %q", args, code, out, errs)
		}
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("a folder of that name is there")
	}
}

// exportSummary holds the table of the summary against the table that bench run printed.
func exportSummary(t *testing.T, dir string) {
	data, err := os.ReadFile(filepath.Join(dir, "summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := "spec,label,name,method,seeds,exact,step,metric,n,mean,low,high"; strings.Join(rows[0], ",") != want {
		t.Errorf("columns %v, want %s", rows[0], want)
	}
	printed, err := os.ReadFile(filepath.Join(dir, "summary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+2*2 { // base and grpo, reward and pass@2
		t.Errorf("%d rows:\n%s", len(rows), data)
	}
	for _, r := range rows[1:] {
		var x [3]float64 // mean, low, high
		for i := range x {
			if x[i], err = strconv.ParseFloat(r[9+i], 64); err != nil {
				t.Error(err)
			}
		}
		cell := fmt.Sprintf("%.3f [%.3f, %.3f]", x[0], x[1], x[2])
		_, line, _ := strings.Cut(string(printed), "\n"+r[1]+" ")
		line, _, _ = strings.Cut(line, "\n")
		if !strings.Contains(line, cell) || r[4] != "3" || r[8] != "3" {
			t.Errorf("row %v: the printed one has %q", r, line)
		}
	}
}

// exportErrors: one line, and the exit code that fits.
func exportErrors(t *testing.T, dir string) {
	for _, c := range []struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		{"no folder", nil, exitUsage, "bench: bench export takes the folder of an experiment"},
		{"no such folder", []string{"nowhere"}, exitInput, "bench: nowhere: no such folder"},
		{"several folders, none to write to", []string{dir, dir}, exitUsage, "bench: bench export of several folders: give a folder for the tables by --out"},
		{"a folder twice", []string{dir, dir, "--out", "o"}, exitInput, "bench: " + dir + " and " + dir + " are both of spec tiny"},
		{"an unknown format", []string{dir, "--format", "xlsx"}, exitUsage, `bench: --format is "xlsx", want some of csv, parquet`},
		{"a format twice", []string{dir, "--format", "csv,csv"}, exitUsage, "bench: --format is \"csv,csv\", want some of csv"},
		{"an unknown table", []string{dir, "--what", "evals,modes"}, exitUsage, `bench: --what is "evals,modes", want some of evals, trains, cells, summary`},
		{"wide without evals", []string{dir, "--what", "cells", "--wide"}, exitUsage, "bench: --wide is another form of evals, which --what cells leaves out"},
		{"several tables at once", []string{dir, "--out", "-", "--format", "csv"}, exitUsage, "bench: --out - is standard output, which takes one file"},
		{"several formats at once", []string{dir, "--out", "-", "--what", "evals"}, exitUsage, "bench: --out - is standard output, which takes one file"},
		{"a folder at once", []string{dir, "--out", "-", "--format", "tensorboard"}, exitUsage, "bench: --out - is standard output, which takes one file"},
		{"a file for a folder", []string{dir, "--out", "tiny.toml"}, exitIO, "bench: mkdir tiny.toml: "},
	} {
		code, out, errs := call(t, "", append([]string{"export"}, c.args...)...)
		if code != c.code || out != "" || !strings.HasPrefix(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, want %d; %q %q, want one line %q...", c.reason, code, c.code, out, errs, c.want)
		}
	}
}
