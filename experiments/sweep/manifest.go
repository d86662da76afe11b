package sweep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// WritePlan writes the experiment's cells: JSON, a line for each, and last the head of its future
// manifest, for readers of a run under way. They depend on the spec alone, not on finished cells.
// shards is the number of shards that the cells are divided among, 0: unknown.
func WritePlan(ctx context.Context, w io.Writer, s *spec.Spec, shards int) error {
	name, err := json.Marshal(s.Name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\"version\": %d, \"spec\": %s, ", record.Version, name)
	if shards > 0 {
		fmt.Fprintf(b, "\"shards\": %d, ", shards)
	}
	b.WriteString("\"cells\": [")
	separator := "\n"
	err = CellsOf(ctx, s)(func(c PlannedCell) error {
		line, err := json.Marshal(c)
		if err == nil {
			_, err = b.WriteString(separator + string(line))
		}
		separator = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	manifest := newManifest(s)
	for _, v := range s.Variants {
		variant := v.Record()
		variant.Cells = nil // they are the list above
		manifest.Variants = append(manifest.Variants, variant)
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n],\n\"manifest\": %s}\n", text)
	return b.Flush()
}

// SavePlan writes the plan into the experiment's folder in out, making the folder if needed, and
// returns its path. If shards is 0, it keeps the number in the existing plan: tasks may still go by
// it.
func SavePlan(ctx context.Context, s *spec.Spec, out string, shards int) (path string, err error) {
	path = filepath.Join(out, s.Name, record.PlanFile)
	if shards == 0 {
		shards, _ = PlannedShards(filepath.Dir(path)) // a damaged plan has no number
	}
	var text bytes.Buffer
	if err = WritePlan(ctx, &text, s, shards); err == nil {
		err = makeFolder(s, out)
	}
	if err == nil {
		dropOutdated(ctx, s, out)
		err = atomicfile.Write(path, text.Bytes())
	}
	if err != nil {
		return "", fmt.Errorf("cannot write results: %w", err)
	}
	return path, nil
}

// makeFolder makes the experiment's folder in out, if it is missing. A link out of out is not
// followed.
func makeFolder(s *spec.Spec, out string) error {
	if err := record.CheckFolder(out, s.Name); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(out, s.Name), 0o755)
}
