package sweep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
	"modebench/internal/visible"
)

// A PlannedCell is one cell of an experiment. Its number is its place in the plan:
// variants in the order of the spec, and of each the seeds.
type PlannedCell struct {
	Cell  int    `json:"cell"`
	ID    string `json:"id"`
	Label string `json:"label"`
	Seed  int    `json:"seed"`
}

type plannedCell struct {
	PlannedCell
	variant *spec.Variant
	steps   int // of its training
}

func eachCell(ctx context.Context, s *spec.Spec, do func(plannedCell) error) error {
	number := 0
	for _, v := range s.Variants {
		p, err := v.Setup()
		if err != nil {
			return err
		}
		var ids *record.SeedIDs
		cell := p.Cell(s.FirstSeed)
		for i, seed := range s.SeedNumbers() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if i == 0 || !s.Nested.Share(seed-1, seed) {
				p.Reseed(&cell, seed)
				if ids, err = record.NewSeedIDs(cell); err != nil {
					return err
				}
			}
			if err := do(plannedCell{PlannedCell{number, ids.At(seed), v.Label, seed}, v, p.Steps()}); err != nil {
				return err
			}
			number++
		}
	}
	return nil
}

// Cells goes through cells in the order of their numbers, and stops at an error.
type Cells func(do func(PlannedCell) error) error

// CellsOf are the experiment's cells, until the context ends, whose error is that of going
// through them.
func CellsOf(ctx context.Context, s *spec.Spec) Cells {
	return func(do func(PlannedCell) error) error {
		return eachCell(ctx, s, func(c plannedCell) error { return do(c.PlannedCell) })
	}
}

// SeedsOfWider is the number of seeds of the experiment in this folder, finished or under
// way, if it has the same variants as the spec and more seeds; else 0.
func SeedsOfWider(ctx context.Context, s *spec.Spec, dir string) (int, error) {
	list, err := manifestCells(dir)
	if err != nil { // a run that has not ended has a plan only
		list, err = ReadCells(dir)
	}
	if err != nil {
		return 0, nil // it is missing, or cannot be read
	}
	seeds := len(list.Cells) / max(1, len(s.Variants))
	if seeds <= s.Seeds || seeds*len(s.Variants) != len(list.Cells) {
		return 0, nil
	}
	known := map[string]bool{}
	for _, c := range list.Cells {
		known[c.ID] = true
	}
	err = CellsOf(ctx, s)(func(c PlannedCell) error {
		if !known[c.ID] {
			seeds = 0
		}
		return nil
	})
	return seeds, err
}

// PlannedShards is the number of shards that the plan in an experiment's folder has; 0: unknown, or
// there is no plan.
func PlannedShards(dir string) (int, error) {
	list, err := readPlan(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return list.Shards, nil
}

// A CellList is the cells of an experiment as a file lists them.
type CellList struct {
	Spec   string
	Shards int // that a plan divides the cells among; 0: unknown
	Cells  []PlannedCell
	// Manifest is the head of the experiment's manifest, without cells; nil: not in the file.
	Manifest *record.Manifest
}

// ReadCells reads the cells of an experiment from its folder: from its plan, or without a plan from
// its manifest.
func ReadCells(dir string) (*CellList, error) {
	list, err := readPlan(dir)
	if input.Is[*record.DamageError](err) {
		return nil, input.Errorf("%w", err)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return list, err
	}
	if list, err = manifestCells(dir); err != nil {
		if _, missing := os.Stat(filepath.Join(dir, record.ManifestFile)); errors.Is(missing, fs.ErrNotExist) {
			return nil, input.Errorf("%s holds no %s and no %s: not the folder of an experiment (bench run SPEC --plan --out OUT makes OUT/SPEC)", dir, record.PlanFile, record.ManifestFile)
		}
		return nil, input.Errorf("%w", err)
	}
	return list, nil
}

func manifestCells(dir string) (*CellList, error) {
	run, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	list := &CellList{Spec: run.Spec, Manifest: &run.Manifest}
	for i, v := range run.Variants {
		run.Variants[i].Cells = nil
		for _, ref := range v.Cells {
			list.Cells = append(list.Cells, PlannedCell{len(list.Cells), ref.ID, v.Label, ref.Seed})
		}
	}
	return list, list.check(filepath.Join(dir, record.ManifestFile))
}

func readPlan(dir string) (*CellList, error) {
	data, err := record.ReadBelow(dir, record.PlanFile)
	if err != nil {
		return nil, err
	}
	return parsePlan(filepath.Join(dir, record.PlanFile), data)
}

func parsePlan(path string, data []byte) (*CellList, error) {
	var file struct {
		Version  int              `json:"version"` // results version
		Spec     string           `json:"spec"`
		Shards   int              `json:"shards"` // that the cells are divided among; 0: unknown
		Cells    []PlannedCell    `json:"cells"`
		Manifest *record.Manifest `json:"manifest"` // missing in plans from before 2026-11-27
	}
	if err := record.Decode(path, data, &file); err != nil {
		return nil, input.Errorf("%w", err)
	}
	if file.Version != record.Version {
		return nil, input.Errorf("%s: a plan of results version %d, and this program makes version %d; plan again with bench run SPEC --plan", path, file.Version, record.Version)
	}
	list := &CellList{file.Spec, file.Shards, file.Cells, file.Manifest}
	for i := range list.Cells {
		list.Cells[i].Label = visible.Text(list.Cells[i].Label)
	}
	if list.Manifest != nil {
		visible.All(list.Manifest)
	}
	return list, list.check(path)
}

// check explains why a list cannot be that of an experiment. An ID becomes the name of a folder,
// so it must not lead out of the folder of all cells.
func (l *CellList) check(path string) error {
	if l.Spec == "" || len(l.Cells) == 0 {
		return input.Errorf("%s: it names no spec or no cells", path)
	}
	if !record.IsSpecName(l.Spec) {
		return input.Errorf("%s: spec: got %q, want the name of a folder: %s", path, l.Spec, record.NameRule)
	}
	if l.Shards < 0 || l.Shards > MaxShards {
		return input.Errorf("%s: shards: got %d, want 1 to %d", path, l.Shards, MaxShards)
	}
	for i, c := range l.Cells {
		if c.Cell != i || c.Seed < 0 || c.Label == "" || !record.IsID(c.ID) {
			return input.Errorf("%s: cells[%d]: got cell %d, id %q, label %q, seed %d; want them numbered from 0, each with its id, label and seed", path, i, c.Cell, c.ID, c.Label, c.Seed)
		}
	}
	return nil
}
