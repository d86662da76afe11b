// Package imported makes records of other people's completions: the answers of a language model to
// problems of the environments, in log files.
//
// A record of a log has completions: the problem, by its reference or by its prompt, the texts,
// and where known the step of training, the label of the model or method, and the seed. All
// completions of one label, seed and kind of problems make a cell, those of one step an
// evaluation of it. They are judged, and measured by the code that measures evaluations of
// our own policies, so whatever reads records reads these.
//
// A cell is a pure function of its completions and of the options. The policy of its
// resolved cell is the hash of the completions that were measured.
package imported

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"modebench/envs/reference"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/input"
	"modebench/internal/program"
)

// Import makes cells of the completions in log files, and the manifest of them. A cell that is
// there already stays as it is: it has the same bytes. Mistakes in logs are *input.Error, with
// file and line.
func Import(ctx context.Context, files []string, opt Options) (*record.Run, error) {
	if err := checkPlace(opt.Out, opt.Name); err != nil {
		return nil, err
	}
	m := &importer{
		opt: opt, byName: map[[2]string]*group{},
		problems: &problems{asked: opt.Prompts, made: map[string]*problem{}, cache: reference.NewCache(1), prompts: map[string]*problem{}},
	}
	for _, path := range files {
		if err := m.read(ctx, path); err != nil {
			return nil, err
		}
	}
	m.sort()
	if err := m.cut(); err != nil {
		return nil, err
	}
	if err := m.chooseK(); err != nil {
		return nil, err
	}
	return m.write(ctx)
}

// checkPlace refuses the folder of an experiment that was run: its manifest would be lost.
func checkPlace(out, name string) error {
	dir := filepath.Join(out, name)
	if err := record.CheckFolder(out, name); err != nil {
		return err
	}
	for _, file := range []string{record.PlanFile, record.ManifestFile} {
		data, err := record.ReadBelow(out, name, file)
		if record.Missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		var manifest record.Manifest
		if json.Unmarshal(data, &manifest) != nil || !Is(&manifest) {
			return input.Errorf("%s holds an experiment that was not imported: give this one another name (--name)", dir)
		}
	}
	return nil
}

func (m *importer) write(ctx context.Context) (*record.Run, error) {
	into := filepath.Join(m.opt.Out, record.CellsDir)
	dir := filepath.Join(m.opt.Out, m.opt.Name)
	if err := record.CheckCells(m.opt.Out); err != nil {
		return nil, err
	}
	for _, folder := range []string{into, dir} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("cannot write results: %w", err)
		}
	}
	manifest := record.Manifest{Version: record.Version, Spec: m.opt.Name, Title: m.title(), Cells: "../" + record.CellsDir}
	have, made := map[string]int{}, 0
	axes := m.axes()
	for i, g := range m.groups {
		v := g.variant(axes[i])
		for _, c := range g.cells {
			id, evals, err := m.writeCell(ctx, into, g, c)
			if err != nil {
				return nil, err
			}
			for name := range evals[len(evals)-1].Metrics {
				have[name]++
			}
			made++
			v.Cells = append(v.Cells, record.Ref{Seed: c.seed, ID: id})
		}
		manifest.Variants = append(manifest.Variants, v)
	}
	m.show(&manifest, have, made)
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(dir, record.ManifestFile), append(text, '\n')); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	return record.Open(dir)
}

func (m *importer) writeCell(ctx context.Context, into string, g *group, c *cell) (id string, evals []record.Eval, err error) {
	kept := c.numbers()
	kept = kept[:min(m.opt.Keep, len(kept))]
	resolved := m.cell(g, c, len(kept))
	if id, err = resolved.ID(); err != nil {
		return "", nil, err
	}
	evals, pools, err := m.measure(ctx, g, c, kept)
	if err != nil {
		return "", nil, err
	}
	place, err := cells.NewPartial(into, id)
	if err != nil {
		return "", nil, fmt.Errorf("cannot write results: %w", err)
	}
	defer func() { err = errors.Join(err, place.Remove()) }()
	if err := c.writeFiles(place.Path, resolved, evals, pools); err != nil {
		return "", nil, err
	}
	if err := cells.MoveInto(place.Path, filepath.Join(into, id)); err != nil {
		return "", nil, err
	}
	return id, evals, nil
}

// writeFiles writes the files of a cell into a folder. Nothing was trained, and the policy is
// not ours, so that there are no training records and the checkpoint is empty.
func (c *cell) writeFiles(dir string, resolved record.Cell, evals []record.Eval, pools []record.Pool) error {
	path := func(name string) string { return filepath.Join(dir, name) }
	err := cmp.Or(
		cells.WriteJSON(path(record.CellFile), resolved),
		cells.WriteFile(path(record.TrainFile), nil),
		cells.WriteFile(path(record.CheckpointFile), nil),
		writeLines(path(record.EvalFile), evals),
		cells.WriteJSON(path(record.ProvenanceFile), map[string]any{"imported": c.files, "modebench": program.Build()}),
	)
	if err == nil && len(pools) > 0 {
		err = writeLines(path(record.PoolsFile), pools)
	}
	if err != nil {
		return err
	}
	return cells.WriteDone(dir)
}

func writeLines[T any](path string, records []T) error {
	return cells.WriteTo(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for i := range records {
			if err := lines.Encode(&records[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
