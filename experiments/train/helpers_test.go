package train

import (
	"os"
	"path/filepath"
	"testing"

	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// trained makes every run of a spec and gives what readers of records need, without the
// manifest that a sweep writes.
func trained(t testing.TB, s *spec.Spec, out string) *record.Run {
	t.Helper()
	cells := filepath.Join(out, record.CellsDir)
	if err := os.MkdirAll(cells, 0o755); err != nil {
		t.Fatal(err)
	}
	opt := Options{Bases: &Bases{opt: BaseOptions{Dir: t.TempDir()}}, Observer: unobserved{}}
	run := &record.Run{Manifest: record.Manifest{Version: record.Version, Spec: s.Name, Cells: "../" + record.CellsDir}, Dir: filepath.Join(out, s.Name)}
	for _, v := range s.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		entry := v.Record()
		for seed := range s.Seeds {
			id, err := p.Cell(seed).ID()
			if err == nil {
				err = Run(t.Context(), cells, v, seed, opt)
			}
			if err != nil {
				t.Fatal(err)
			}
			entry.Cells = append(entry.Cells, record.Ref{Seed: seed, ID: id})
		}
		run.Variants = append(run.Variants, entry)
	}
	return run
}
