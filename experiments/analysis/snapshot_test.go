package analysis

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics"
)

func snapshotOf(t testing.TB, run *record.Run) *Snapshot {
	t.Helper()
	s, err := TakeSnapshot(run)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSnapshotReadsBack: a snapshot is the same after a file, and holds the last numbers of the
// records.
func TestSnapshotReadsBack(t *testing.T) {
	run := runIn(t, exptest.Small(t), t.TempDir(), 2)
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
		if got, want := s.Cells[i].Series[metrics.CollapseMetric].Last, finalValue(evals, metrics.CollapseMetric); got != want {
			t.Errorf("seed %d: %s is %v, want %v", ref.Seed, metrics.CollapseMetric, got, want)
		}
		if len(s.Cells[i].Series) != len(last)+11 {
			t.Errorf("seed %d: %d series, want %d metrics, the 10 fields of training and the step of collapse", ref.Seed, len(s.Cells[i].Series), len(last))
		}
	}
}

// TestAgainst changes one thing at a time in the records of a run, and wants that
// thing named, and the others not.
func TestAgainst(t *testing.T) {
	base := exptest.Small(t)
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
		{"a cell twice", cell, cell + "," + cell, `b.json: cells[1]: s, l, seed 0 is there twice`},
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

// seeded is a variant's cells with the values of metric "m" by seed; NaN: without.
func seeded(label string, values ...float64) []CellSnapshot {
	var cells []CellSnapshot
	for seed, x := range values {
		c := CellSnapshot{Spec: "s", Label: label, Method: "grpo", Seed: seed, Series: map[string]Series{}}
		if !math.IsNaN(x) {
			c.Series["m"] = Series{x, "0000"}
		}
		cells = append(cells, c)
	}
	return cells
}

// TestStatistically: the variants and seeds that are compared, and the verdicts of metrics that
// one side lacks.
func TestStatistically(t *testing.T) {
	nan := math.NaN()
	old := []float64{1, 20, 300, 4000, 50000, 600000, 7000000}
	up := []float64{2, 21, 301, 4001, 50001, 600001, 7000001}
	for _, c := range []struct {
		reason   string
		old, new []float64
		verdict  Verdict
		oneSided string
		text     string
	}{
		// Within pairs every seed rises by 1, which 2 of 2^7 sign patterns do; unpaired
		// the two sides are as good as the same.
		{"pairs, in whatever order they stand", old, up, VerdictMoved, "", "difference +1 [+1, +1] (p=0.016 n=7)"},
		{"a small difference is shown", []float64{1, 1, 1, 1, 1, 1}, []float64{1.0001, 1.0001, 1.0001, 1.0001, 1.0001, 1.0001}, VerdictMoved, "", "difference +0.0001 ["},
		{"a metric that is gone", old, []float64{nan, nan, nan, nan, nan, nan, nan}, VerdictUndefined, "is gone", "moved: a on s: m is gone\n\n1 comparisons: 0 the same, 1 moved, 0 not seen to move, 0 underpowered, 0 undefined"},
		{"a metric that is new", []float64{nan, nan}, []float64{1, 1}, VerdictUndefined, "is new", "moved: a on s: m is new\n"},
		{"a metric that neither has", []float64{nan, nan}, []float64{nan, nan}, VerdictUndefined, "", " 0 moved, 0 not seen to move, 0 underpowered, 1 undefined"},
	} {
		news := seeded("a", c.new...)
		slices.Reverse(news)
		got := (&Snapshot{Cells: append(news, seeded("b", c.old...)...)}).Statistically(&Snapshot{Cells: seeded("a", c.old...)}, []string{"m"}, nil)
		if len(got) != 1 || got[0].Label != "a" || len(got[0].Metrics) != 1 {
			t.Fatalf("%s: %+v, want the variant that both have", c.reason, got)
		}
		m := got[0].Metrics[0]
		if m.Verdict != c.verdict || m.OneSided() != c.oneSided {
			t.Errorf("%s: %s, %q, want %s, %q", c.reason, m.Verdict, m.OneSided(), c.verdict, c.oneSided)
		}
		if text := StatisticalText(got); !strings.Contains(text, c.text) {
			t.Errorf("%s: want %q in\n%s", c.reason, c.text, text)
		}
	}
}
