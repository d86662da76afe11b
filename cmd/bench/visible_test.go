package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"modebench/experiments/record"
)

// bad is a hostile text: it erases the screen, sets the title of the window, writes over its line,
// begins a line, and turns the direction of the text after it.
const bad = "x\x1b[2J\x1b]0;y\x07\rz\n\u009b1m\u202e"

// controls are the characters of an output that no program should print, line ends and tabs apart.
func controls(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, text)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// poison puts a text behind every text of a JSON document under some names.
func poison(t *testing.T, path string, names ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(name string, v any) any
	walk = func(name string, v any) any {
		switch v := v.(type) {
		case string:
			if slices.Contains(names, name) {
				return v + bad
			}
		case []any:
			for i := range v {
				v[i] = walk(name, v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = walk(name, v[name])
			}
		}
		return v
	}
	data, err = json.Marshal(walk("", doc))
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(data))
}

// TestTextOfAResultsFolder: for all labels, titles, metrics and reasons of a results folder
// hold, no command prints a control character, nor a line that begins with their text.
func TestTextOfAResultsFolder(t *testing.T) {
	cells := hostile(t)
	id := filepath.Base(cells[0])
	write(t, filepath.Join("r/cells", ".failed-"+id), `{"label":"grpo","seed":0,"error":"it was`+"\\u001b[2J\\u009b1m\\u202e"+`so"}`)
	succeed(t, "run", "my.toml", "--plan", "--out", "r")
	poison(t, "r/my/plan.json", "label")
	if err := os.Rename(cells[0], "kept"); err != nil {
		t.Fatal(err)
	}
	check := func(what string, code int, out, errs string) {
		t.Helper()
		if found := controls(out + errs); found != "" {
			t.Errorf("%s prints %q in\n%q\n%q", what, found, out, errs)
		}
		if !strings.Contains(out+errs, `\x1b[2J`) {
			t.Errorf("%s does not show them, exit code %d: %q %q", what, code, out, errs)
		}
	}
	code, out, errs := call(t, "", "status", "r/my")
	check("status of a plan", code, out, errs)
	if err := os.Rename("kept", cells[0]); err != nil {
		t.Fatal(err)
	}
	rewrite(t, "r/my/run.json", `"claims": null`, `"claims": [{"name":"c","text":"t","source":"s","paper":"p","metrics":["reward"],"a":"grpo","b":null,"says":"above","gate":"a.mean > 0"}]`)
	poison(t, "r/my/run.json", "label", "title", "source", "text", "paper", "panel", "field", "value")
	for _, cell := range cells {
		poison(t, filepath.Join(cell, "provenance.json"), "go", "os", "arch", "version", "vcs.revision")
	}
	for name, args := range map[string][]string{
		"compare":      {"compare", "r/my", "r/my", "--all"},
		"compare json": {"compare", "r/my", "r/my", "--format", "json"},
		"plan":         {"compare", "r/my", "r/my", "--metric", "reward", "--detect", "0.1"},
		"unknown":      {"compare", "r/my:nothing", "r/my"},
		"report":       {"report", "r/my", "--out", "-"},
		"show":         {"show", "r/my"},
	} {
		code, out, errs := call(t, "", args...)
		check(name, code, out, errs)
	}
	// An error that names what it is about.
	write(t, "r/my/run.json", strings.Replace(read(t, "r/my/run.json"), id, "grpo-s0-000000000000", 1))
	for _, args := range readersOf() {
		code, out, errs := call(t, "", args...)
		if found := controls(out + errs); found != "" || strings.Count(errs, "\n") > 1 || code == exitOK && args[0] != "status" {
			t.Errorf("%s: exit code %d, %q %q", args[0], code, out, errs)
		}
	}
}

// TestMetricsOfAResultsFolder: the same of metrics' names and of settings, in a cell whose
// hashes fit.
func TestMetricsOfAResultsFolder(t *testing.T) {
	cells := hostile(t)
	other := "r/cells/other" // a name without the hash of the resolved spec
	if err := os.CopyFS(other, os.DirFS(cells[0])); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(bad)
	if err != nil {
		t.Fatal(err)
	}
	inside := strings.Trim(string(quoted), `"`)
	write(t, filepath.Join(other, "eval.jsonl"), strings.ReplaceAll(read(t, filepath.Join(other, "eval.jsonl")), `"metrics":{`, `"metrics":{"`+inside+`":1,`))
	write(t, filepath.Join(other, "cell.json"), strings.Replace(read(t, filepath.Join(other, "cell.json")), `"bandit"`, `"bandit`+inside+`"`, 1))
	done, err := record.HashFiles(other)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(other, "DONE"), string(done))
	if err := os.CopyFS("r/theirs", os.DirFS("r/my")); err != nil {
		t.Fatal(err)
	}
	rewrite(t, "r/theirs/run.json", filepath.Base(cells[0]), "other")
	for _, args := range [][]string{
		{"compare", "r/theirs:grpo", "r/theirs:grpo", "--metric", "all", "--all"},
		{"compare", "r/my:grpo", "r/theirs:grpo"},
		{"compare", "r/my:grpo", "r/theirs:grpo", "--format", "json"},
		{"compare", "r/my:grpo", "r/theirs:grpo", "--metric", "pass@9"},
		{"plot", "r/theirs", "--out", "out", "--figure-format", "svg"},
	} {
		code, out, errs := call(t, "", args...)
		if found := controls(out + errs); found != "" {
			t.Errorf("%q, exit code %d: prints %q in\n%q\n%q", args, code, found, out, errs)
		}
	}
}

// TestTextOfABaseline: the same of a baseline of bench check.
func TestTextOfABaseline(t *testing.T) {
	inDir(t)
	write(t, "my.toml", damaging)
	succeed(t, "check", "my.toml", "--baseline", "b.json", "--update")
	poison(t, "b.json", "label")
	code, out, errs := call(t, "", "check", "my.toml", "--baseline", "b.json")
	if found := controls(out + errs); code != exitBaseline || found != "" || !strings.Contains(out, `\x1b[2J`) {
		t.Errorf("exit code %d, prints %q in\n%q\n%q", code, found, out, errs)
	}
}

// TestFormulasInCSV: no text of a results folder is a formula in a spreadsheet.
func TestFormulasInCSV(t *testing.T) {
	hostile(t)
	rewrite(t, "r/my/run.json", `"label": "grpo"`, `"label": "=cmd|' /C calc'!A0"`)
	succeed(t, "export", "r/my", "--out", "out", "--format", "csv", "--wide")
	files, err := filepath.Glob("out/*.csv")
	if err != nil || len(files) != 5 {
		t.Fatalf("%v (%v)", files, err)
	}
	for _, file := range files {
		if text := read(t, file); strings.Contains(text, ",=cmd") || !strings.Contains(text, ",'=cmd") {
			t.Errorf("%s:\n%.300s", file, text)
		}
	}
}
