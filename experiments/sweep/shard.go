package sweep

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

// A Shard is the part of an experiment that one of several runs makes: of n, number i
// makes the cells whose number leaves the remainder i when divided by n. N is 0 where the
// plan states how many there are.
type Shard struct{ I, N int }

// MaxShards bounds the shards of an experiment, and the memory that a list of them takes.
const MaxShards = 1_000_000

// Has reports whether a cell is of the shard, of which N is known.
func (s Shard) Has(cell int) bool { return cell%s.N == s.I }

// The variables from which a task of a Slurm array, or a pod of an indexed Job, knows its
// number. The number of pods comes from the Job's manifest (JOB_COMPLETIONS) or from the plan.
const (
	slurmTask      = "SLURM_ARRAY_TASK_ID"
	jobIndex       = "JOB_COMPLETION_INDEX"
	jobCompletions = "JOB_COMPLETIONS"
	shardAuto      = "auto"
)

// ParseShard reads I/N, with 0 <= I < N; auto/N, where I is the number of the array's task or of
// the Job's pod; and auto, where N is the number of the Job's pods if a variable holds it, else 0:
// an array may be the rerun part of a larger one, so only the plan has N. getenv reads a variable.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	i, n, given := strings.Cut(text, "/")
	if i != shardAuto {
		return newShard(i, n)
	}
	name, index := slurmTask, getenv(slurmTask)
	if pod := getenv(jobIndex); pod != "" {
		if index != "" {
			return Shard{}, fmt.Errorf("%s and %s are both set: name the shard, as in 3/20", slurmTask, jobIndex)
		}
		name, index = jobIndex, pod
		if !given {
			n = getenv(jobCompletions)
		}
	}
	if index == "" {
		return Shard{}, fmt.Errorf("auto, and neither %s nor %s is set: name the shard, as in 3/20", slurmTask, jobIndex)
	}
	if given || n != "" {
		s, err := newShard(index, n)
		if err != nil {
			err = fmt.Errorf("%s is %q of %q shards, want a number from 0 and below theirs", name, index, n)
		}
		return s, err
	}
	number, err := digits(index)
	if err != nil {
		err = fmt.Errorf("%s is %q, want a number from 0", name, index)
	}
	return Shard{I: number}, err
}

func newShard(i, n string) (s Shard, err error) {
	if s.I, err = digits(i); err == nil {
		s.N, err = digits(n)
	}
	if err != nil || s.I >= s.N {
		return Shard{}, fmt.Errorf("want I/N with 0 <= I < N, as in 3/20; or auto/N, where I is that of the array's task or of the Job's pod")
	}
	return s, nil
}

func digits(text string) (int, error) {
	if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return strconv.Atoi(text)
}

// Numbers are a set of numbers of cells or shards, in order, each once.
type Numbers []int

// maxNumber bounds a list: an experiment has no more cells.
const maxNumber = spec.MaxVariants * spec.MaxSeeds

// ParseNumbers reads numbers and ranges of them, rising: 3,7-9.
func ParseNumbers(text string) (Numbers, error) {
	var out Numbers
	next := 0
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := digits(from)
		last, err2 := digits(to)
		if err != nil || err2 != nil || first < next || last < first || last >= maxNumber {
			return nil, fmt.Errorf("got %q at %q, want numbers from 0 and ranges of them, rising, as in 3,7-9", text, part)
		}
		if len(out)+last-first > maxListed {
			return nil, fmt.Errorf("got %q, want at most %d numbers", text, maxListed)
		}
		for i := first; i <= last; i++ {
			out = append(out, i)
		}
		next = last + 1
	}
	return out, nil
}

// maxListed bounds the memory that a list takes.
const maxListed = 10_000_000

// String returns the form that ParseNumbers reads and that Slurm accepts as an array.
func (n Numbers) String() string {
	var b strings.Builder
	for i := 0; i < len(n); {
		last := i
		for last+1 < len(n) && n[last+1] == n[last]+1 {
			last++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n[i]))
		if last > i {
			b.WriteString("-" + strconv.Itoa(n[last]))
		}
		i = last + 1
	}
	return b.String()
}

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
