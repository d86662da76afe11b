package experiments

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

func snapshotOf(t testing.TB, run *record.Run) *Snapshot {
	t.Helper()
	s, err := TakeSnapshot(run)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSnapshotReadsBack: a snapshot is what it was after a file, and holds the last
// numbers of the records.
func TestSnapshotReadsBack(t *testing.T) {
	run := runIn(t, small(t), t.TempDir(), 2)
	s := snapshotOf(t, run)
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadSnapshot("b.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, back); d != "" {
		t.Errorf("read back (-was +is):\n%s", d)
	}
	if lines := strings.Count(string(text), "\n"); lines != len(s.Cells)+2 {
		t.Errorf("%d lines for %d cells", lines, len(s.Cells))
	}
	for i, ref := range run.Variants[0].Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		last := evals[len(evals)-1].Metrics
		for name, x := range last {
			if got := s.Cells[i].Series[name].Last; math.Abs(got-x) > 1e-5*math.Abs(x) {
				t.Errorf("seed %d: %s is %v, want %v to six digits", ref.Seed, name, got, x)
			}
		}
		trains, err := run.Trains(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Cells[i].Series["train.reward"].Last; math.Abs(got-trains[len(trains)-1].Reward) > 1e-5 {
			t.Errorf("seed %d: train.reward is %v", ref.Seed, got)
		}
		if len(s.Cells[i].Series) != len(last)+10 {
			t.Errorf("seed %d: %d series, want %d metrics and the 10 fields of training", ref.Seed, len(s.Cells[i].Series), len(last))
		}
	}
}

// TestAgainst changes one thing at a time in the records of a run, and wants that
// thing named, and the others not.
func TestAgainst(t *testing.T) {
	base := small(t)
	for _, c := range []struct {
		reason, file, old, new string
		want                   string // in the report's text
		trained                bool
	}{
		{"a metric at the end", record.EvalFile, "", "", "pass@4", false},
		{"a metric in between", record.EvalFile, "middle", "", "(", false},
		{"the modes", record.EvalFile, "modes", "", "the probabilities of modes", false},
		{"a training record", record.TrainFile, "", "", "train.loss", true},
		{"the trained policy alone", record.CheckpointFile, "", "", "the trained policy", true},
	} {
		run := runIn(t, base, t.TempDir(), 2)
		before := snapshotOf(t, run)
		ref := run.Variants[0].Cells[1]
		change(t, filepath.Join(run.Folder(ref), c.file), c.old)
		report := snapshotOf(t, run).Against(before, nil)
		if len(report.Moved) != 1 || report.Green() {
			t.Errorf("%s: %+v", c.reason, report)
			continue
		}
		m := report.Moved[0]
		if m.Seed != 1 || m.Trained != c.trained || len(m.Shifts) != 1 || !strings.Contains(report.Text(0), c.want) {
			t.Errorf("%s: seed %d, trained %v, %d shifts, want %q alone\n%s", c.reason, m.Seed, m.Trained, len(m.Shifts), c.want, report.Text(0))
		}
	}
	run := runIn(t, base, t.TempDir(), 2)
	before := snapshotOf(t, run)
	if report := before.Against(before, nil); !report.Green() || report.Cells != len(before.Cells) || report.Text(0) != "" {
		t.Errorf("a run against itself: %+v", report)
	}
	other := snapshotOf(t, run)
	other.Cells[0].ID = "another"
	other.Cells = append(other.Cells[:1:1], CellSnapshot{Spec: "s", Label: "new", Method: "new"})
	report := other.Against(before, nil)
	if report.Green() || len(report.OtherSettings) != 1 || len(report.Added) != 1 || len(report.Removed) != len(before.Cells)-1 || report.Cells != 0 {
		t.Errorf("other cells: %+v", report)
	}
	if report := other.Against(before, func(_, method string) bool { return method == "nobody" }); !report.Green() {
		t.Errorf("cells that were not asked for: %+v", report)
	}
}

// change alters one number of a record file, or a byte of any other.
func change(t *testing.T, path, where string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	last := len(lines) - 1
	switch filepath.Base(path) {
	case record.EvalFile:
		if where == "middle" {
			last--
		}
		var e record.Eval
		if err := json.Unmarshal([]byte(lines[last]), &e); err != nil {
			t.Fatal(err)
		}
		if where == "modes" {
			e.Modes[0].Mass += 1e-9
		} else {
			e.Metrics["pass@4"] = math.Nextafter(e.Metrics["pass@4"], 2)
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines[last] = string(text)
	case record.TrainFile:
		var e record.Train
		if err := json.Unmarshal([]byte(lines[last]), &e); err != nil {
			t.Fatal(err)
		}
		e.Loss += 1e-9
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines[last] = string(text)
	default:
		data[len(data)-1] ^= 1
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadSnapshotErrors(t *testing.T) {
	const cell = `{"spec":"s","label":"l","method":"m","seed":0,"id":"i","train":"0123456789abcdef0123456789abcdef","eval":"0123456789abcdef0123456789abcdef","values":"0.5:9f3a -"}`
	good := `{"version": 2, "names": ["a", "b"], "cells": [` + cell + `]}`
	if _, err := ReadSnapshot("b.json", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reason, from, to, want string }{
		{"no JSON", "{", "", `b.json:1:`},
		{"an unknown field", `"spec"`, `"spock"`, `b.json: unknown field "spock"`},
		{"another results version", `"version": 2`, `"version": 1`, `b.json: a baseline of results version 1, and this program makes version 2; make the baseline again with --update`},
		{"no cells", cell, "", `b.json: a baseline without cells`},
		{"a cell twice", cell, cell + "," + cell, `b.json: cells[1]: s, l, seed 0 stands there twice`},
		{"no label", `"label":"l"`, `"label":""`, `b.json: cells[0]: want spec, label, method and id`},
		{"a digest cut off", `"eval":"0`, `"eval":"`, `digests of train and eval`},
		{"too few values", ` -"`, `"`, `b.json: cells[0]: values: 1 of them, want 2 (one per name)`},
		{"no number", "0.5:", "x:", `b.json: cells[0]: values: a: "x:9f3a" is not a number and a digest of 4 digits`},
		{"not finite", "0.5:", "inf:", `"inf:9f3a" is not a number`},
		{"no digest", ":9f3a", "", `"0.5" is not a number and a digest`},
		{"another digest", "9f3a", "9F3A", `is not a number and a digest`},
	} {
		_, err := ReadSnapshot("b.json", []byte(strings.Replace(good, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
}

func FuzzReadSnapshot(f *testing.F) {
	f.Add([]byte(`{"version": 2, "names": ["a"], "cells": [{"spec":"s","label":"l","method":"m","seed":0,"id":"i","train":"0123456789abcdef0123456789abcdef","eval":"0123456789abcdef0123456789abcdef","values":"0.5:9f3a"}]}`))
	f.Add([]byte(`{"version": 2, "names": [], "cells": []}`))
	f.Add([]byte(`{"version": 2, "names": ["a", "a"], "cells": [{"values": "- -"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSnapshot("b.json", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSnapshot("b.json", text); err != nil {
			t.Errorf("what was read cannot be read back: %v", err)
		}
		if report := s.Against(s, nil); !report.Green() {
			t.Errorf("not the same as itself: %+v", report)
		}
	})
}
