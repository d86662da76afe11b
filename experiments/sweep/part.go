package sweep

import (
	"path/filepath"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/internal/input"
)

// A Part holds the finished cells of an experiment whose run has not ended.
type Part struct {
	Spec   string
	Status *Status
	// Run has the variants and seeds of the finished cells. It is nil if no cell is finished, or if
	// the plan does not hold the head of the manifest.
	Run     *record.Run
	Without []string // labels of variants of which no cell is finished
}

// PartOf reads by the plan in an experiment's folder what is finished of it.
func PartOf(dir string) (*Part, error) {
	list, err := ReadCells(dir)
	if err != nil {
		return nil, err
	}
	status, err := StatusOf(filepath.Join(dir, "..", record.CellsDir), list.Each, false)
	if err != nil {
		return nil, err
	}
	part := &Part{Spec: list.Spec, Status: status}
	finished := map[string][]record.Ref{}
	left := status.Cells // which are in the order of the list
	for _, c := range list.Cells {
		if len(left) > 0 && left[0].Cell == c.Cell {
			left = left[1:]
			continue
		}
		finished[c.Label] = append(finished[c.Label], record.Ref{Seed: c.Seed, ID: c.ID})
	}
	for i, c := range list.Cells {
		if (i == 0 || list.Cells[i-1].Label != c.Label) && finished[c.Label] == nil {
			part.Without = append(part.Without, c.Label)
		}
	}
	if list.Manifest == nil || status.Counts[cells.Finished] == 0 {
		return part, nil
	}
	path := filepath.Join(dir, record.PlanFile)
	m := *list.Manifest
	m.Variants = nil
	for _, v := range list.Manifest.Variants {
		if v.Cells = finished[v.Label]; v.Cells != nil {
			m.Variants = append(m.Variants, v)
		}
	}
	if m.Spec != list.Spec || m.Version != record.Version || len(m.Variants) == 0 {
		return nil, input.Errorf("%s: its manifest is of another experiment than its cells", path)
	}
	if part.Run, err = record.OpenPart(dir, path, m); err != nil {
		return nil, input.Errorf("%w", err)
	}
	return part, nil
}
