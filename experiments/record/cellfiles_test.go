package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/internal/visible"
)

// FuzzCellFiles: no text in the place of a file of a cell breaks its reader, whether DONE
// vouches for it or not. What is taken is of as many records as lines, and of visible names.
func FuzzCellFiles(f *testing.F) {
	run, ref := finishedCell(f)
	dir := run.Folder(ref)
	names := []string{CellFile, TrainFile, EvalFile, ProvenanceFile}
	whole := map[string][]byte{}
	for i, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			text = []byte(`{"base":{"file":"bandit-m1-0.base","sha256":"` + strings.Repeat("0a", 32) + `"},"timings":{"steps":1,"sample":0.5}}`)
		} else if err != nil {
			f.Fatal(err)
		}
		whole[name] = text
		f.Add(uint8(i), text)
		f.Add(uint8(i), text[:len(text)/2])
	}
	f.Add(uint8(2), []byte(`{"step":-1,"metrics":{"a\u001b":1e308,"b":null}}`+"\n\n"))
	f.Add(uint8(3), []byte(`{"base":{"file":"../x.base","sha256":"0"}}`))
	f.Fuzz(func(t *testing.T, file uint8, text []byte) {
		name := names[int(file)%len(names)]
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, whole[name], 0o644)
		for _, opened := range []bool{true, false} { // the first is held against DONE
			r := *run
			r.opened = opened
			_, cell := r.Cell(ref)
			trains, train := r.Trains(ref)
			evals, eval := r.Evals(ref)
			_, _, timing := r.Timings(ref)
			for _, err := range []error{cell, train, eval, timing} {
				if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("an error of several lines: %q", err)
				}
			}
			if lines := strings.Count(string(text), "\n"); name == TrainFile && train == nil && len(trains) != lines || name == EvalFile && eval == nil && len(evals) != lines {
				t.Errorf("%d and %d records of %d lines", len(trains), len(evals), lines)
			}
			for _, e := range evals {
				for metric := range e.Metrics {
					if !visible.Is(metric) {
						t.Errorf("a metric %q", metric)
					}
				}
			}
		}
		if base, ok := ReadBase(dir); ok && (filepath.Base(base.File) != base.File || len(base.SHA256) != 64) {
			t.Errorf("a base policy %+v", base)
		}
		if whole, why, err := Finished(dir, ref.ID); err != nil || !whole && (why == "" || strings.ContainsAny(why, "\n\r")) {
			t.Errorf("finished: %v, %q, %v", whole, why, err)
		}
	})
}
