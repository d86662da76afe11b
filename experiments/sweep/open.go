package sweep

import (
	"os"
	"path/filepath"

	"modebench/experiments/record"
	"modebench/internal/input"
)

// OpenFolder opens the folder of an experiment. If its run has ended, part is nil. Else part has
// its plan and its finished cells, and run is that of the finished cells, or an earlier one, nil
// without any.
func OpenFolder(dir string) (run *record.Run, part *Part, err error) {
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	if exists(record.PlanFile) {
		if part, err = PartOf(dir); err != nil {
			return nil, nil, err
		}
		switch manifest := exists(record.ManifestFile); {
		case manifest && len(part.Status.Cells) == 0: // all cells of the plan have been run
			part = nil
		case part.Run != nil || !manifest:
			return part.Run, part, nil
		}
	}
	run, err = record.Open(dir)
	return run, part, input.UnlessFile(err)
}
