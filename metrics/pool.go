package metrics

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
)

// A Pool is the judged answers drawn for one problem, each from the same
// policy and independent of the others.
type Pool struct {
	// Modes is the number of modes that correct answers of the problem have
	// (envs.Truth.Modes), or -1 where it is not known. Coverage is left out
	// where it is not positive.
	Modes    int
	Verdicts []envs.Verdict
}

// Sampled returns the metrics of one pool of n answers, in this order:
//
//	for each k: pass@k, best@k, coverage@k
//	accuracy, reward, distinct_correct, distinct_incorrect, entropy_mode
//
// The package comment gives units and ranges. pass@k, best@k, coverage@k (see
// PassAtK, BestAtK, CoverageAtK), accuracy and reward are unbiased.
// distinct_correct and distinct_incorrect are counts in this pool: unbiased for
// what Distribution.Metrics gives for samples = n, and growing with n, so pools
// of different sizes do not compare. A mode with correct and incorrect answers
// counts in both. entropy_mode is the plug-in estimate
//
//	-sum of (c_m/n) log(c_m/n)
//
// which is biased low, by about (classes-1)/(2n) nats (Miller 1955), and never
// exceeds log n.
//
// weights is w, with one finite entry per reward component. The order of the
// answers does not change a bit of the result.
//
// Errors: no answers, a k outside 1..n, a k given twice, a reward of another
// length than weights, |w.r| beyond 1e300, more correct modes than Modes (where
// that is not negative).
func Sampled(p Pool, weights []float64, ks []int) ([]Value, error) {
	if err := checkKs(ks); err != nil {
		return nil, err
	}
	t := newTable(ks, envs.HasAll)
	if err := t.add(p, weights, ks); err != nil {
		return nil, err
	}
	return t.values(), nil
}

// A table averages the metrics of pools over problems. Metrics keep their row
// whether or not a problem has a value for them, so the order of the result
// never depends on the data.
type table struct {
	rows []Value // Mean holds the sum until values is called
	have envs.Fields
}

// newTable returns the empty table for metrics at ks of candidates that carry
// the given fields.
func newTable(ks []int, have envs.Fields) *table {
	t := &table{rows: make([]Value, 0, 3*len(ks)+5), have: have}
	for _, k := range ks {
		t.rows = append(t.rows,
			Value{Name: atK("pass", k)}, Value{Name: atK("best", k)}, Value{Name: atK("coverage", k)})
	}
	for _, name := range []string{"accuracy", "reward", "distinct_correct", "distinct_incorrect", "entropy_mode"} {
		t.rows = append(t.rows, Value{Name: name})
	}
	return t
}

// put adds one problem's value to a row.
func (t *table) put(row int, value float64) {
	t.rows[row].Mean += value
	t.rows[row].Problems++
}

// values returns the rows that some problem has a value for.
func (t *table) values() []Value {
	var out []Value
	for _, v := range t.rows {
		if v.Problems > 0 {
			v.Mean /= float64(v.Problems)
			out = append(out, v)
		}
	}
	return out
}

// add measures one pool. Fields that t.have lacks are not looked at.
func (t *table) add(p Pool, weights []float64, ks []int) error {
	n := len(p.Verdicts)
	if n == 0 {
		return errNoAnswers
	}
	for _, k := range ks {
		if err := checkSize(n, k); err != nil {
			return err
		}
	}
	if err := t.addRewards(p, weights, ks); err != nil {
		return err
	}
	if t.have&envs.HasCorrect != 0 {
		correct := 0
		for i := range p.Verdicts {
			if p.Verdicts[i].Correct {
				correct++
			}
		}
		for i, k := range ks {
			t.put(3*i, 1-missing(n, correct, k))
		}
		t.put(3*len(ks), float64(correct)/float64(n))
	}
	return t.addModes(p, ks)
}

// addRewards fills best@k and reward.
func (t *table) addRewards(p Pool, weights []float64, ks []int) error {
	if t.have&envs.HasReward == 0 {
		return nil
	}
	scores := make([]float64, len(p.Verdicts))
	for i := range p.Verdicts {
		s, err := scalar(&p.Verdicts[i], weights)
		if err != nil {
			return fmt.Errorf("answer %d: %w", i, err)
		}
		scores[i] = s
	}
	slices.Sort(scores)
	for i, k := range ks {
		t.put(3*i+1, bestOfSorted(scores, k))
	}
	t.put(3*len(ks)+1, bestOfSorted(scores, 1))
	return nil
}

// addModes fills coverage@k, the counts of distinct modes and the entropy.
func (t *table) addModes(p Pool, ks []int) error {
	if t.have&envs.HasMode == 0 {
		return nil
	}
	modes := tallyModes(p.Verdicts)
	t.put(3*len(ks)+4, modes.entropy(len(p.Verdicts)))
	if t.have&envs.HasCorrect == 0 {
		return nil
	}
	t.put(3*len(ks)+2, float64(len(modes.correct)))
	t.put(3*len(ks)+3, float64(modes.incorrect))
	if p.Modes >= 0 && len(modes.correct) > p.Modes {
		return errTooManyModes(len(modes.correct), p.Modes)
	}
	if p.Modes < 1 {
		return nil
	}
	for i, k := range ks {
		t.put(3*i+2, coverageOf(modes.correct, len(p.Verdicts), k, p.Modes))
	}
	return nil
}

// errTooManyModes says that answers contradict the stated ground truth.
func errTooManyModes(found, existing int) error {
	return fmt.Errorf("%d distinct correct modes, but modes says that %d exist", found, existing)
}

// A tally counts answers by mode.
type tally struct {
	all       []int // answers of each mode, Degenerate among them, ascending
	correct   []int // correct answers of each mode that has some, ascending
	incorrect int   // modes with incorrect answers
}

func tallyModes(verdicts []envs.Verdict) tally {
	type count struct{ correct, all int }
	index := map[envs.Mode]int{}
	var counts []count
	degenerate := -1
	for i := range verdicts {
		v := &verdicts[i]
		at, seen := index[v.Mode]
		if !seen {
			at = len(counts)
			index[v.Mode] = at
			counts = append(counts, count{})
			if v.Mode == envs.Degenerate {
				degenerate = at
			}
		}
		counts[at].all++
		if v.Correct {
			counts[at].correct++
		}
	}
	t := tally{all: make([]int, 0, len(counts))}
	for i, c := range counts {
		t.all = append(t.all, c.all)
		if i == degenerate {
			continue
		}
		if c.correct > 0 {
			t.correct = append(t.correct, c.correct)
		}
		if c.correct < c.all {
			t.incorrect++
		}
	}
	// Ascending, so that sums over modes do not depend on the draw order.
	slices.Sort(t.all)
	slices.Sort(t.correct)
	return t
}

// entropy is the plug-in estimate over all n answers, in nats.
func (t tally) entropy(n int) float64 {
	h := 0.0
	for _, c := range t.all {
		p := float64(c) / float64(n)
		h -= float64(p * exact.Log(p))
	}
	return h
}

// scalar returns w.r, or an error where it cannot be formed.
func scalar(v *envs.Verdict, weights []float64) (float64, error) {
	if len(v.Reward) != len(weights) {
		return 0, errRewardLength(len(v.Reward), len(weights))
	}
	s := v.Scalar(weights)
	if err := checkScore(s); err != nil {
		return 0, fmt.Errorf("w.r: %w", err)
	}
	return s, nil
}

func errRewardLength(got, want int) error {
	return fmt.Errorf("reward: %d entries, want %d (one per weight)", got, want)
}

// checkKs reports a k below 1 or one that is listed twice.
func checkKs(ks []int) error {
	for i, k := range ks {
		if k < 1 {
			return fmt.Errorf("k[%d]: %d, want at least 1", i, k)
		}
		if slices.Contains(ks[:i], k) {
			return fmt.Errorf("k[%d]: %d is listed twice", i, k)
		}
	}
	return nil
}
