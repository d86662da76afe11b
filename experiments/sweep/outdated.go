package sweep

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
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

// dropUnknown removes the stored progress and failures of cells that are in no spec here and in no
// plan or manifest in out, that no process works on, and that have been unchanged for a day. Shards
// of an experiment without a plan left such files.
func dropUnknown(ctx context.Context, out string, specs []*spec.Spec) {
	dir := filepath.Join(out, record.CellsDir)
	unknown := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if id, _, ours := cells.Beside(e.Name()); ours && untouched(e) {
			unknown[id] = true
		}
	}
	if len(unknown) == 0 || !dropKnown(ctx, unknown, out, "", specs...) {
		return
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

// dropKnown removes from ids the cells of the specs, and of the plans and manifests of the
// experiments in out but for the one named. It reports whether all of them could be read.
func dropKnown(ctx context.Context, ids map[string]bool, out, without string, specs ...*spec.Spec) bool {
	for _, s := range specs {
		err := CellsOf(ctx, s)(func(c PlannedCell) error {
			delete(ids, c.ID)
			return nil
		})
		if err != nil {
			return false
		}
	}
	experiments, err := os.ReadDir(out)
	for _, e := range experiments {
		if e.Name() == without {
			continue
		}
		planned, listed, err := knownIDs(out, e.Name())
		if err != nil {
			return false
		}
		for _, id := range append(planned, listed...) {
			delete(ids, id)
		}
	}
	return err == nil
}

// untouched reports whether a file has been unchanged for unknownAfter.
func untouched(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= unknownAfter
}

// knownIDs are the cells in the plan and in the manifest of an experiment, of any version.
func knownIDs(out, experiment string) (planned, listed []string, err error) {
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
			return nil, nil, err
		}
	}
	for _, c := range plan.Cells {
		planned = append(planned, c.ID)
	}
	for _, v := range manifest.Variants {
		for _, ref := range v.Cells {
			listed = append(listed, ref.ID)
		}
	}
	return planned, listed, nil
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

// dropOutdated removes the stored progress of cells that are in the experiment's plan, and no
// longer in the spec nor in another experiment in out.
func dropOutdated(ctx context.Context, s *spec.Spec, out string) {
	planned, _, err := knownIDs(out, s.Name)
	outdated := map[string]bool{}
	for _, id := range planned {
		if record.IsID(id) {
			outdated[id] = true
		}
	}
	if err != nil || len(outdated) == 0 || !dropKnown(ctx, outdated, out, s.Name, s) {
		return
	}
	for id := range outdated {
		cells.Forget(filepath.Join(out, record.CellsDir), id)
	}
}
