package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/internal/visible"
)

// Each file of a cell has a target of its own, so that a number of inputs tests one reader. No text
// in the place of the file breaks its reader, whether DONE vouches for it or not. An accepted file
// has as many records as lines, and visible names.

func FuzzCell(f *testing.F) {
	fuzzCellFile(f, CellFile, "", func(t *testing.T, r *Run, ref Ref, _ string) error {
		_, err := r.Cell(ref)
		return err
	})
}

func FuzzTrains(f *testing.F) {
	fuzzCellFile(f, TrainFile, `{"step":-1,"reward":1e308,"entropy":null,"a\u001b":[]}`+"\n\n", func(t *testing.T, r *Run, ref Ref, text string) error {
		records, err := r.Trains(ref)
		if want := strings.Count(text, "\n"); err == nil && len(records) != want {
			t.Errorf("%d records of %d lines", len(records), want)
		}
		return err
	})
}

func FuzzEvals(f *testing.F) {
	fuzzCellFile(f, EvalFile, `{"step":-1,"metrics":{"a\u001b":1e308,"b":null}}`+"\n\n", func(t *testing.T, r *Run, ref Ref, text string) error {
		records, err := r.Evals(ref)
		if want := strings.Count(text, "\n"); err == nil && len(records) != want {
			t.Errorf("%d records of %d lines", len(records), want)
		}
		for _, e := range records {
			for metric := range e.Metrics {
				if !visible.Is(metric) {
					t.Errorf("a metric %q", metric)
				}
			}
		}
		return err
	})
}

func FuzzProvenance(f *testing.F) {
	fuzzCellFile(f, ProvenanceFile, `{"base":{"file":"../x.base","sha256":"0"}}`, func(t *testing.T, r *Run, ref Ref, _ string) error {
		base, ok := ReadBase(r.Folder(ref))
		if ok && (filepath.Base(base.File) != base.File || len(base.SHA256) != 64) {
			t.Errorf("a base policy %+v", base)
		}
		cells, id := filepath.Split(r.Folder(ref))
		if cost, ok := ReadCost(cells, id); ok && !(cost.Seconds > 0 && cost.Seconds+cost.Pretraining < 2*longest) {
			t.Errorf("a cost of %+v", cost)
		}
		_, _, err := r.Timings(ref)
		return err
	})
}

// fuzzCellFile puts texts in the place of one file of a finished cell and reads them. The fuzzer
// begins with the content of the file, a half of that, and an odd text.
func fuzzCellFile(f *testing.F, name, odd string, read func(t *testing.T, r *Run, ref Ref, text string) error) {
	run, ref := finishedCell(f)
	dir := run.Folder(ref)
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		whole = []byte(`{"base":{"file":"bandit-m1-0.base","sha256":"` + strings.Repeat("0a", 32) + `"},"timings":{"steps":1,"sample":0.5},"seconds":1.5,"pretraining":60}`)
	} else if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(odd))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, opened := range []bool{true, false} { // the first is held against DONE
			r := *run
			r.opened = opened
			if err := read(t, &r, ref, string(text)); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of several lines: %q", err)
			}
		}
		if whole, why, err := Finished(dir, ref.ID); err != nil || !whole && (why == "" || strings.ContainsAny(why, "\n\r")) {
			t.Errorf("finished: %v, %q, %v", whole, why, err)
		}
	})
}
