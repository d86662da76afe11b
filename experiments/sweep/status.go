package sweep

import (
	"fmt"
	"path/filepath"
	"slices"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/internal/input"
)

// A CellStatus is a cell and its state.
type CellStatus struct {
	PlannedCell
	State cells.State
	Why   string // it failed, or the fault of its folder
}

// A Status is the state of an experiment's cells.
type Status struct {
	Counts [cells.States]int
	Cells  []CellStatus // those that are not finished
}

// All is the number of cells.
func (s *Status) All() int {
	n := 0
	for _, count := range s.Counts {
		n += count
	}
	return n
}

// ToRun lists the shards that have cells to run and no running cell: a shard with a running cell
// has a live task, which will reach the rest.
func (s *Status) ToRun(shards int) Numbers {
	has, alive := make([]bool, shards), make([]bool, shards)
	for _, c := range s.Cells {
		shard := c.Cell % shards
		has[shard] = true
		alive[shard] = alive[shard] || c.State == cells.Running
	}
	out := Numbers{}
	for shard := range shards {
		if has[shard] && !alive[shard] {
			out = append(out, shard)
		}
	}
	return out
}

// Left lists the unfinished cells of some of the shards.
func (s *Status) Left(some Numbers, shards int) Numbers {
	var out Numbers
	for _, c := range s.Cells {
		if _, found := slices.BinarySearch(some, c.Cell%shards); found {
			out = append(out, c.Cell)
		}
	}
	return out
}

func (s *Status) unfinished(cell int) bool {
	_, found := slices.BinarySearchFunc(s.Cells, cell, func(c CellStatus, number int) int { return c.Cell - number })
	return found
}

// StatusOf looks at the folder of all cells. each goes through the cells of interest. verify
// checks the hashes of finished ones, as a run does; without it, a DONE file is enough.
func StatusOf(dir string, each Cells, verify bool) (*Status, error) {
	folder, err := cells.Look(dir)
	if err != nil {
		return nil, err
	}
	s := &Status{}
	err = each(func(c PlannedCell) error {
		state, why, err := folder.State(c.ID, verify)
		if err != nil {
			return fmt.Errorf("cannot read results: %w", err)
		}
		s.Counts[state]++
		if state != cells.Finished {
			s.Cells = append(s.Cells, CellStatus{c, state, why})
		}
		return nil
	})
	return s, err
}

// Each goes through the cells of a list.
func (l *CellList) Each(do func(PlannedCell) error) error {
	for _, c := range l.Cells {
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}

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
	finished := map[string][]record.Ref{}
	var labels []string
	for _, c := range list.Cells {
		labels = append(labels, c.Label)
		if !status.unfinished(c.Cell) {
			finished[c.Label] = append(finished[c.Label], record.Ref{Seed: c.Seed, ID: c.ID})
		}
	}
	without := slices.DeleteFunc(slices.Compact(labels), func(label string) bool { return finished[label] != nil })
	part := &Part{Spec: list.Spec, Status: status, Without: without}
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
