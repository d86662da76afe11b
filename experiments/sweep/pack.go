package sweep

import (
	"context"
	"math"
	"path/filepath"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

// GuessedCell is the assumed time of a cell of tables if no cell of its variant is finished. Most
// take less. A cell of a transformer may take longer than a task, and counts as a whole task.
const GuessedCell = 10 * time.Second

// mostShards is the largest array of Slurm, unless its administrator raises MaxArraySize.
const mostShards = 1000

// A Work describes the unfinished work of an experiment, and how long it takes. A cell takes about
// as long as the finished ones of its variant did. A task that needs a base policy which is
// not in the cache makes it first, since tasks begin together.
type Work struct {
	Guessed int // variants with cells to run and no finished cell
	Missing int // base policies of the others that are not in the cache

	all     int          // cells, finished ones too
	cells   []CellStatus // to run
	seconds []float64    // of each
	base    []int        // of each, which missing base policy it begins from; -1: none
	making  []float64    // seconds, of each missing base policy
}

// An Estimate holds the inputs of WorkOf.
type Estimate struct {
	Dir   string        // of all cells
	Cache string        // of base policies; "": as in Options
	Task  time.Duration // how long a task may take
}

type measure struct {
	cells, seconds float64
	base           string // file of the base policy that they began from; "": unknown
}

// WorkOf estimates the work left from the times of finished cells; status is the state of all
// cells. It ends with the context.
func WorkOf(ctx context.Context, s *spec.Spec, status *Status, from Estimate) (*Work, error) {
	measured := make([]measure, len(s.Variants))
	making := map[string]float64{} // by file
	err := CellsOf(ctx, s)(func(c PlannedCell) error {
		if cost, ok := record.ReadCost(from.Dir, c.ID); ok && !status.unfinished(c.Cell) {
			m := &measured[c.Cell/s.Seeds]
			m.cells++
			m.seconds += cost.Seconds
			if base, ok := record.ReadBase(filepath.Join(from.Dir, c.ID)); ok {
				m.base = base.File
				making[base.File] = max(making[base.File], cost.Pretraining)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w := &Work{all: status.All(), cells: status.Cells}
	missing := map[string]int{} // by file: its number, or -1
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
				m.seconds = from.Task.Seconds() // its base policy included
			}
		}
		number, known := missing[m.base]
		if !known {
			number = -1
			if seconds := making[m.base]; seconds > 0 && !train.HasBase(from.Cache, m.base) {
				number = len(w.making)
				w.making = append(w.making, seconds)
			}
			missing[m.base] = number
		}
		w.seconds = append(w.seconds, m.seconds/m.cells)
		w.base = append(w.base, number)
	}
	w.Missing = len(w.making)
	return w, nil
}

// slack is how much longer than was wanted a task may take: without it two cells of a little
// more than half the time would never share one, and there would be twice as many.
const slack = 1.2

// Shards is the least number of tasks of which none takes much longer than task, unless one
// cell does, with its base policy: from 1 to the number of all cells.
func (w *Work) Shards(task time.Duration) int {
	sum, limit := 0.0, task.Seconds()
	for i, seconds := range w.seconds {
		sum += seconds
		if base := w.base[i]; base >= 0 {
			seconds += w.making[base]
		}
		limit = max(limit, seconds)
	}
	largest := min(mostShards, w.all)
	n := max(1, int(min(math.Ceil(sum/task.Seconds()), float64(largest))))
	for n < largest && w.longest(n) > slack*limit {
		n++
	}
	return n
}

// Longest is the time of the longest of that many tasks. Tasks are not alike, since a cell goes to
// one by its number.
func (w *Work) Longest(shards int) time.Duration {
	return time.Duration(w.longest(shards) * float64(time.Second))
}

func (w *Work) longest(shards int) float64 {
	sums := make([]float64, shards)
	made := make([]bool, shards*len(w.making)) // by task and base policy
	longest := 0.0
	for i, c := range w.cells {
		task := c.Cell % shards
		sum := &sums[task]
		*sum += w.seconds[i]
		if base := w.base[i]; base >= 0 {
			if first := &made[task*len(w.making)+base]; !*first {
				*first = true
				*sum += w.making[base]
			}
		}
		longest = max(longest, *sum)
	}
	return longest
}
