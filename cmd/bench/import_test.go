package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importLog has 4 completions of each of two labels to each of two problems, at two steps.
func importLog(t *testing.T) {
	t.Helper()
	var log strings.Builder
	for _, label := range []string{"base", "trained"} {
		for _, step := range []string{"0", "10"} {
			for _, problem := range []string{`"coins/train/0", "text": "12+10+3"`, `"coins/train/0", "text": "10+3+3+3+3+3"`, `"coins/train/1", "text": "10+10+1"`, `"coins/train/1", "text": ""`} {
				log.WriteString(`{"label": "` + label + `", "step": ` + step + `, "id": ` + problem + "}\n")
				if label == "trained" {
					problem = strings.Replace(problem, "10+3+3+3+3+3", "12+10+3", 1)
				}
				log.WriteString(`{"label": "` + label + `", "step": ` + step + `, "id": ` + problem + "}\n")
			}
		}
	}
	write(t, "log.jsonl", log.String())
}

// TestImportCommand: an import is read by all that reads the folder of an experiment.
func TestImportCommand(t *testing.T) {
	inDir(t)
	importLog(t)
	code, out, errs := call(t, "", "import", "log.jsonl")
	if code != exitOK || errs != "" || !strings.Contains(out, "pass@4") || !strings.Contains(out, "trained") {
		t.Fatalf("exit code %d, %q %q", code, out, errs)
	}
	dir := filepath.Join("results", "log")
	for _, file := range []string{"run.json", "summary.txt", "k.svg", "k.png", "steps.svg", "steps.png"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, args := range [][]string{
		{"compare", dir + ":base", dir + ":trained"}, {"compare", dir, dir}, {"report", dir}, {"export", dir, "--wide"},
		{"plot", dir, "--figure-format", "svg,json"}, {"status", dir, "--verify"}, {"merge", "results", "--out", "merged"},
	} {
		if code, out, errs := call(t, "", args...); code != exitOK || errs != "" || out == "" {
			t.Errorf("%v: exit code %d, %q %q", args, code, out, errs)
		}
	}
	if _, out, _ := call(t, "", "status", dir); !strings.Contains(out, "2 of 2 cells are finished") || !strings.Contains(out, "imported from completions") {
		t.Errorf("status says %q", out)
	}
	if code, out, _ := call(t, "", "import", "log.jsonl", "--out", "merged"); code != exitOK || !strings.Contains(out, "trained") {
		t.Errorf("into the merged folder: exit code %d, %q", code, out)
	}
	manifests := [2][]byte{}
	for i, out := range []string{"results", "merged"} {
		data, err := os.ReadFile(filepath.Join(out, "log", "run.json"))
		if err != nil {
			t.Fatal(err)
		}
		manifests[i] = data
	}
	if string(manifests[0]) != string(manifests[1]) {
		t.Errorf("manifests differ: %s and %s", manifests[0], manifests[1])
	}
	for _, entry := range cellsIn(t, "results") {
		data, err := os.ReadFile(filepath.Join("results", "cells", entry, "provenance.json"))
		var doc struct {
			Imported []struct{ Name, SHA256 string }
		}
		if err != nil || json.Unmarshal(data, &doc) != nil || len(doc.Imported) != 1 || doc.Imported[0].Name != "log.jsonl" || len(doc.Imported[0].SHA256) != 64 {
			t.Errorf("provenance %s, %v", data, err)
		}
	}
}

// cellsIn are the folders of cells below an output folder.
func cellsIn(t *testing.T, out string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(out, "cells"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d cells, %v", len(entries), err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestImportRefusals: mistakes on the command line and in logs, and runs that would replace an
// import.
func TestImportRefusals(t *testing.T) {
	inDir(t)
	importLog(t)
	write(t, "tiny.toml", tinySpec)
	write(t, "bad.jsonl", "{\n"+`{"id": "coins/train/0", "outputs": [{"text": "12+10+3"}]}`+"\n")
	if code, out, errs := call(t, "", "import", "bad.jsonl", "--skip-bad", "--figure-format", "none"); code != exitOK || !strings.Contains(out, "pass@1") ||
		!strings.Contains(errs, "skipped: bad.jsonl:1: it is no object of JSON\n") || !strings.Contains(errs, "skipped: 1 of 2 records in bad.jsonl\n") {
		t.Errorf("with --skip-bad: exit code %d, %q %q", code, out, errs)
	}
	succeed(t, "import", "log.jsonl", "--name", "tiny", "--figure-format", "none")
	succeed(t, "run", "tiny.toml", "--out", "ran", "--figure-format", "none")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"import"}, exitUsage, "takes files of completions"},
		{[]string{"import", "log.jsonl", "--log", "csv"}, exitUsage, `--log is "csv", want one of auto, jsonl, trl, verl`},
		{[]string{"import", "log.jsonl", "--k", "2,1"}, exitUsage, "want ascending sizes"},
		{[]string{"import", "log.jsonl", "--k", "8"}, exitInput, "k = 8, but the smallest pool has 4 answers"},
		{[]string{"import", "log.jsonl", "--samples", "-1"}, exitUsage, "--samples is -1"},
		{[]string{"import", "log.jsonl", "--answers", "-1"}, exitUsage, "--answers is -1"},
		{[]string{"import", "log.jsonl", "--name", "a/b"}, exitUsage, "want the name of a folder"},
		{[]string{"import", "log.jsonl", "--count", "3"}, exitUsage, "--count is about --env"},
		{[]string{"import", "log.jsonl", "--env", "coins", "--count", "0"}, exitUsage, "--count is 0"},
		{[]string{"import", "log.jsonl", "--env", "coin"}, exitUsage, "coins"},
		{[]string{"import", "log.jsonl", "--figure-format", "gif"}, exitUsage, "gif"},
		{[]string{"import", "log.jsonl", "--field", "id=label"}, exitInput, "log.jsonl:1: reference"},
		{[]string{"import", "log.jsonl", "--field", "name=label"}, exitUsage, "--field name=label, want ROLE=FIELD, with one of the roles id, text, prompt, step, label, seed"},
		{[]string{"import", "none.jsonl"}, exitIO, "none.jsonl"},
		{[]string{"import", "bad.jsonl"}, exitInput, "bad.jsonl:1: it is no object of JSON"},
		{[]string{"import", "log.jsonl", "--out", "ran", "--name", "tiny"}, exitInput, "holds an experiment that was not imported"},
		{[]string{"run", filepath.Join("results", "tiny")}, exitUsage, "was imported from completions: there is nothing to run"},
		{[]string{"run", "tiny.toml"}, exitUsage, "give the run another folder (--out) or name (--name)"},
	} {
		code, out, errs := call(t, "", c.args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q %q, want %d and %q", c.args, code, out, errs, c.code, c.says)
		}
	}
}
