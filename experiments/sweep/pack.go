package sweep

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// GuessedCell is what a cell of tables counts as where no cell of its variant is finished.
// Most take less. One of a transformer may take longer than a task, and counts as a whole one.
const GuessedCell = 10 * time.Second

// mostShards is the most that Work.Shards chooses: Slurm takes no larger array, unless its
// administrator says so (MaxArraySize).
const mostShards = 1000

// A Work is what is left to do of an experiment, and how long it takes. A cell takes about
// as long as the finished ones of its variant did.
type Work struct {
	Guessed int // variants with cells to run of which none is finished

	all     int          // cells, finished ones too
	cells   []CellStatus // to run
	seconds []float64    // of each
}

// WorkOf looks at what finished cells have taken. dir is the folder of all cells, status what
// there is of them, and task how long a task may take. It ends with the context.
func WorkOf(ctx context.Context, s *spec.Spec, dir string, status *Status, task time.Duration) (*Work, error) {
	measured := make([]struct{ cells, seconds float64 }, len(s.Variants))
	unfinished := status.Cells
	err := CellsOf(ctx, s)(func(c PlannedCell) error {
		if len(unfinished) > 0 && unfinished[0].Cell == c.Cell {
			unfinished = unfinished[1:]
		} else if seconds, ok := cellSeconds(dir, c.ID); ok {
			m := &measured[c.Cell/s.Seeds]
			m.cells++
			m.seconds += seconds
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w := &Work{all: status.All(), cells: status.Cells}
	for _, c := range status.Cells {
		variant := c.Cell / s.Seeds
		m := &measured[variant]
		if m.cells == 0 {
			w.Guessed++
			m.cells, m.seconds = 1, GuessedCell.Seconds()
			p, err := s.Variants[variant].Setup()
			if err != nil {
				return nil, err
			}
			if _, ok := p.Policy.(*spec.TransformerPolicy); ok {
				m.seconds = task.Seconds()
			}
		}
		w.seconds = append(w.seconds, m.seconds/m.cells)
	}
	return w, nil
}

// cellSeconds is how long a finished cell took, over all runs that had a part in it; ok is
// false where that is not known. What cannot be read is not known: nothing but a guess
// depends on it.
func cellSeconds(dir, id string) (seconds float64, ok bool) {
	data, err := record.ReadBelow(dir, id, record.ProvenanceFile)
	var doc struct{ Seconds float64 }
	if err != nil || json.Unmarshal(data, &doc) != nil {
		return 0, false
	}
	return doc.Seconds, doc.Seconds > 0 && doc.Seconds < 1e9
}

// slack is how much longer than was wanted a task may take: without it two cells of a little
// more than half the time would never share one, and there would be twice as many.
const slack = 1.2

// Shards is the least number of tasks of which none takes much longer than task, unless one
// cell does: from 1 to the number of all cells.
func (w *Work) Shards(task time.Duration) int {
	sum, limit := 0.0, task.Seconds()
	for _, seconds := range w.seconds {
		sum += seconds
		limit = max(limit, seconds)
	}
	most := min(mostShards, w.all)
	n := max(1, int(min(math.Ceil(sum/task.Seconds()), float64(most))))
	for n < most && w.longest(n) > slack*limit {
		n++
	}
	return n
}

// Longest is how long the longest task takes if there are so many. Tasks are not alike, since
// a cell goes to one by its number.
func (w *Work) Longest(shards int) time.Duration {
	return time.Duration(w.longest(shards) * float64(time.Second))
}

// longest is Longest in seconds.
func (w *Work) longest(shards int) float64 {
	sums := make([]float64, shards)
	longest := 0.0
	for i, c := range w.cells {
		sum := &sums[c.Cell%shards]
		*sum += w.seconds[i]
		longest = max(longest, *sum)
	}
	return longest
}
