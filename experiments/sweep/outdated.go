package sweep

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// This file removes the stored progress of cells that no run continues. Such a file has no lock,
// since it waits for a future run: the specs tell who needs it.

// unknownAfter is how long the file of an unknown cell must have been unchanged: its spec may be on
// another machine, and the file may have come with a merge.
const unknownAfter = 24 * time.Hour

// dropUnknown removes the stored progress and failures of cells that are in no spec here and
// in no plan or manifest in out, that no process works on, and that have been unchanged for a day.
// Shards of an experiment without a plan left such files. A plan or manifest that cannot be read
// may need any cell.
func dropUnknown(ctx context.Context, out string, specs []*spec.Spec) {
	dir := filepath.Join(out, record.CellsDir)
	unknown := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		for _, prefix := range []string{cells.ResumePrefix, cells.FailedPrefix} {
			id, ours := strings.CutPrefix(e.Name(), prefix)
			if ours && record.IsID(id) && untouched(e) {
				unknown[id] = true
			}
		}
	}
	if len(unknown) == 0 {
		return
	}
	for _, s := range specs {
		err := CellsOf(ctx, s)(func(c PlannedCell) error {
			delete(unknown, c.ID)
			return nil
		})
		if err != nil {
			return
		}
	}
	experiments, err := os.ReadDir(out)
	if err != nil {
		return
	}
	for _, e := range experiments {
		ids, err := knownIDs(out, e.Name())
		if err != nil {
			return
		}
		for id := range ids {
			delete(unknown, id)
		}
	}
	folder, err := cells.Look(dir)
	if err != nil {
		return
	}
	for id := range unknown {
		if state, _, err := folder.State(id, false); err == nil && state != cells.Running {
			cells.Forget(dir, id)
		}
	}
}

// untouched reports whether a file has been unchanged for unknownAfter.
func untouched(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= unknownAfter
}

// knownIDs are the cells in the plan and the manifest of an experiment.
func knownIDs(out, experiment string) (map[string]bool, error) {
	ids := map[string]bool{}
	var plan struct{ Cells []PlannedCell }
	var manifest record.Manifest
	for name, into := range map[string]any{record.PlanFile: &plan, record.ManifestFile: &manifest} {
		data, err := record.ReadBelow(out, experiment, name)
		if record.Missing(err) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, c := range plan.Cells {
		ids[c.ID] = true
	}
	for _, v := range manifest.Variants {
		for _, ref := range v.Cells {
			ids[ref.ID] = true
		}
	}
	return ids, nil
}

// listed reports whether an experiment has a plan or a manifest, even if it cannot be read.
func listed(out, experiment string) bool {
	for _, name := range []string{record.PlanFile, record.ManifestFile} {
		if err := record.FindBelow(out, experiment, name); !record.Missing(err) {
			return true
		}
	}
	return false
}

// dropOutdated removes the stored progress of cells that are in the plan in the experiment's folder
// and no longer in the spec: no run continues these, unless the plan of another experiment in out
// has them too. Files that cannot be read or removed do no harm.
func dropOutdated(ctx context.Context, s *spec.Spec, out string) {
	outdated := plannedIDs(out, s.Name)
	if len(outdated) == 0 {
		return
	}
	err := CellsOf(ctx, s)(func(c PlannedCell) error {
		delete(outdated, c.ID)
		return nil
	})
	if len(outdated) == 0 || err != nil {
		return
	}
	experiments, _ := os.ReadDir(out)
	for _, e := range experiments {
		if e.Name() != s.Name {
			for id := range plannedIDs(out, e.Name()) {
				delete(outdated, id)
			}
		}
	}
	for id := range outdated {
		cells.Forget(filepath.Join(out, record.CellsDir), id)
	}
}

// plannedIDs are the cells in the plan of an experiment, of this version or an earlier one.
func plannedIDs(out, experiment string) map[string]bool {
	data, _ := record.ReadBelow(out, experiment, record.PlanFile)
	var plan struct{ Cells []PlannedCell }
	_ = json.Unmarshal(data, &plan)
	ids := map[string]bool{}
	for _, c := range plan.Cells {
		if record.IsID(c.ID) {
			ids[c.ID] = true
		}
	}
	return ids
}
