package main

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/progress"
)

// TestProgressJSON: a run prints its progress in lines of JSON, of which the last has all
// cells done, also if there is nothing left to do. Records and table are those of a run with its
// progress in words.
func TestProgressJSON(t *testing.T) {
	inDir(t)
	writeTiny(t)
	last := func(errs string) (last progress.Line) {
		t.Helper()
		lines := bufio.NewScanner(strings.NewReader(errs))
		for lines.Scan() {
			decoder := json.NewDecoder(strings.NewReader(lines.Text()))
			var line struct {
				progress.Line
				Note   string `json:"note"`
				Result string `json:"result"`
			}
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&line); err != nil {
				t.Fatalf("%q: %v", lines.Text(), err)
			}
			if line.Result != "" && line.Result != filepath.Join("json", "tiny") {
				t.Errorf("the result is in %q, want json/tiny", line.Result)
			}
			if line.Note+line.Result != "" {
				continue
			}
			if line.Made < last.Made || line.Done < last.Done || line.Done > line.Steps || line.Made > line.Cells {
				t.Errorf("after %+v comes %+v", last, line.Line)
			}
			last = line.Line
		}
		return last
	}
	words, _ := succeed(t, "run", "tiny.toml", "--out", "words", "--figure-format", "none")
	out, errs := succeed(t, "run", "tiny.toml", "--out", "json", "--figure-format", "none", "--progress", "json")
	if want := (progress.Line{Cells: 4, Made: 4, Steps: 40, Done: 40}); last(errs) != want {
		t.Errorf("at the end %+v, want %+v", last(errs), want)
	}
	if table := strings.ReplaceAll(out, "json", "words"); table != words {
		t.Errorf("prints\n%s\nin place of\n%s", table, words)
	}
	_, errs = succeed(t, "run", "tiny.toml", "--out", "json", "--figure-format", "none", "--progress", "json")
	if want := (progress.Line{}); last(errs) != want {
		t.Errorf("run again: %+v, want %+v", last(errs), want)
	}
	out, errs = succeed(t, "run", "tiny.toml", "--out", "none", "--figure-format", "none", "--progress", "none")
	if table := strings.ReplaceAll(out, "none", "words"); table != words || errs != "" {
		t.Errorf("quietly it prints\n%s\nin place of\n%s\nand %q", table, words, errs)
	}
	if code, _, errs := call(t, "", "run", "tiny.toml", "--progress", "yaml"); code != exitUsage || !strings.Contains(errs, `--progress is "yaml", want one of auto, json, none`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
