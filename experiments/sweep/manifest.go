package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
)

func writeManifest(ctx context.Context, s *spec.Spec, out string, manifest record.Manifest) (*record.Run, error) {
	dir := filepath.Join(out, s.Name)
	if err := makeFolder(s, out); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(dir, record.ManifestFile), append(text, '\n')); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	dropOutdated(ctx, s, out)
	// The plan has done its work, and may be one of another number of seeds.
	if err := os.Remove(filepath.Join(dir, record.PlanFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	return &record.Run{Manifest: manifest, Dir: dir}, nil
}

// newManifest makes the head of the experiment's manifest, without variants.
func newManifest(s *spec.Spec) record.Manifest {
	return record.Manifest{
		Version: record.Version, Spec: s.Name, Title: s.Title, Source: s.Source, Cells: "../" + record.CellsDir,
		Nested: s.Nested, Columns: s.Columns, Timings: s.Timings, Figures: s.Figures, Claims: s.Claims,
	}
}
