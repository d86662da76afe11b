package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"modebench/experiments/spec"
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
