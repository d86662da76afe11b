package main

import (
	"fmt"
	"path/filepath"

	"modebench/experiments"
	"modebench/experiments/record"
)

// beside gives a run of fewer seeds than the result that is there a folder of its own,
// SPEC-seeds-N, for table, figures and manifest, and says so: a quick look must not
// replace a whole result. Records are shared either way. A spec that was edited has other
// cells, and replaces what it made before.
func beside(s streams, spec *experiments.Spec, out string) error {
	dir := filepath.Join(out, spec.Name)
	seeds := 0
	if there, err := record.Open(dir); err == nil {
		if narrower, err := spec.NarrowerThan(there); err != nil || !narrower {
			return err
		}
		seeds = len(there.Variants[0].Cells)
	} else if plan, err := experiments.ReadCells(dir); err == nil { // a run that has not ended yet
		if seeds, err = spec.SeedsOfWider(plan); err != nil || seeds == 0 {
			return err
		}
	} else {
		return nil // none, or none that could be read again
	}
	spec.Name = fmt.Sprintf("%s-seeds-%d", spec.Name, spec.Seeds)
	fmt.Fprintf(s.err, "%s has %d seeds, and this run %d: its table and figures go to %s (--force: to %s)\n",
		dir, seeds, spec.Seeds, filepath.Join(out, spec.Name), dir)
	return nil
}
