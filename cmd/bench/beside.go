package main

import (
	"context"
	"fmt"
	"path/filepath"

	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// beside gives a run of fewer seeds than the result that is there a folder of its own,
// SPEC-seeds-N, for table, figures and manifest, and notes it: a quick look must not
// replace a whole result. Records are shared either way. A spec that was edited has other
// cells, and replaces what it made before.
func beside(ctx context.Context, s streams, spec *spec.Spec, out string) error {
	dir := filepath.Join(out, spec.Name)
	seeds, err := sweep.SeedsOfWider(ctx, spec, dir)
	if err != nil || seeds == 0 {
		return err
	}
	spec.Name = fmt.Sprintf("%s-seeds-%d", spec.Name, spec.Seeds)
	s.note(fmt.Sprintf("%s has %d seeds, and this run %d: its table and figures go to %s (--force: to %s)",
		dir, seeds, spec.Seeds, filepath.Join(out, spec.Name), dir))
	return nil
}
