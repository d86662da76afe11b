package sweep

import (
	"fmt"
	"slices"

	"modebench/experiments/cells"
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
	for shard := range has {
		has[shard] = has[shard] && !alive[shard]
	}
	out := Numbers{}
	for shard, run := range has {
		if run {
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
