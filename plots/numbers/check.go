package numbers

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// Check finds numbers that contradict each other in a variant that was read from a file.
func (v *Variant) Check(k record.FigureKind) error {
	switch {
	case len(v.Seeds) == 0 || len(v.Steps) == 0:
		return errors.New("no seeds or no steps, want one or more of each")
	case v.Draws != nil && len(v.Draws) != len(v.Seeds):
		return fmt.Errorf("draws: got %d for %d seeds, want one each, or none", len(v.Draws), len(v.Seeds))
	case k.Answers != (v.Pools != nil):
		return fmt.Errorf("pools of answers belong to the kinds that draw them, and this figure is of kind %s", k.Name)
	}
	return cmp.Or(
		checkSteps(v.Steps),
		checkEach("series", "series", v.Series, func(s Series) (string, error) { return s.Metric, s.Check(len(v.Steps), len(v.Seeds)) }),
		checkEach("scores", "list", v.Scores, func(s Scores) (string, error) { return s.Metric, s.check(len(v.Seeds)) }),
		v.Rivers.check(len(v.Steps)),
		v.Pools.fit(v.Steps),
	)
}

func checkSteps(steps []int) error {
	for i, step := range steps {
		if step < 0 || int64(step) > 1<<50 || i > 0 && step <= steps[i-1] {
			return fmt.Errorf("steps[%d]: got %d, want ascending steps from 0", i, step)
		}
	}
	return nil
}

// checkEach checks the elements of a list, of which each is of another metric.
func checkEach[T any](list, noun string, elements []T, check func(T) (metric string, err error)) error {
	metrics := map[string]bool{}
	for i, e := range elements {
		metric, err := check(e)
		if err == nil && metrics[metric] {
			err = fmt.Errorf("a second %s of %q", noun, metric)
		}
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", list, i, err)
		}
		metrics[metric] = true
	}
	return nil
}

func (s Scores) check(seeds int) error {
	switch {
	case tooLarge(s.Values...):
		return tooLargeError("values")
	case len(s.Values) != seeds:
		return fmt.Errorf("%d values for %d seeds", len(s.Values), seeds)
	}
	return nil
}

// Check compares the columns of n intervals with each other. Each interval is over at most
// seeds seeds, and over all of them if N is left out.
func (c Intervals) Check(n, seeds int) error {
	if len(c.Mean) != n || c.N != nil && len(c.N) != n || len(c.Low) != len(c.High) || c.Low != nil && len(c.Low) != n {
		return fmt.Errorf("%d means, %d n, %d low and %d high for %d steps: want as many of each, or no n, or neither low nor high",
			len(c.Mean), len(c.N), len(c.Low), len(c.High), n)
	}
	for i := range n {
		if err := c.check(i, seeds); err != nil {
			return err
		}
	}
	return nil
}

func (c Intervals) check(i, seeds int) error {
	interval := c.At(i, seeds)
	switch {
	case c.Mean[i] == nil && (c.N == nil || c.N[i] == 0): // not measured
	case c.Mean[i] == nil:
		return fmt.Errorf("mean[%d]: got null over %d seeds, want a number", i, c.N[i])
	case interval.N < 1 || interval.N > seeds:
		return fmt.Errorf("n[%d]: got %d, want 1 to %d, the seeds of the variant", i, interval.N, seeds)
	case !(interval.Low <= interval.Mean && interval.Mean <= interval.High) || tooLarge(interval.Mean, interval.Low, interval.High):
		return fmt.Errorf("[%d]: mean %v, low %v, high %v, want low <= mean <= high, within %.0e of 0", i, interval.Mean, interval.Low, interval.High, largest)
	}
	return nil
}

func (r *Rivers) check(steps int) error {
	if r == nil {
		return nil
	}
	if len(r.Modes) == 0 || len(r.Masses) != len(r.Modes) || len(r.Ranks) > draw.MaxRewarded+1 {
		return fmt.Errorf("rivers: %d modes, masses of %d and %d ranks, want masses of as many modes, one or more, and at most %d ranks", len(r.Modes), len(r.Masses), len(r.Ranks), draw.MaxRewarded+1)
	}
	rewarded := 0
	for _, m := range r.Modes {
		if KeyOf(m).Correct {
			rewarded++
		}
		if notMass(m.Mass) {
			return fmt.Errorf("rivers: mode %q has a mass of %v, want 0 to 1", m.Mode, m.Mass)
		}
	}
	if len(r.Ranks) > rewarded {
		return fmt.Errorf("rivers: %d ranks of %d rewarded modes", len(r.Ranks), rewarded)
	}
	for i, list := range slices.Concat([][]float64{r.Plain, r.Degenerate}, r.Ranks, r.Masses) {
		if i < 2 && list == nil {
			continue
		}
		if len(list) != steps {
			return fmt.Errorf("rivers: a list of %d masses for %d steps", len(list), steps)
		}
		if slices.ContainsFunc(list, notMass) {
			return errors.New("rivers: a mass outside 0 to 1")
		}
	}
	return nil
}

func notMass(x float64) bool { return !(x >= 0 && x <= 1+draw.Rounding) }

// largest is the largest number that a figure's file may hold: sums of such are finite.
const largest = 1e150

// tooLarge reports whether any of some numbers is larger than a file may hold, except for
// infinite bounds.
func tooLarge(xs ...float64) bool {
	return slices.ContainsFunc(xs, func(x float64) bool { return math.Abs(x) > largest && !math.IsInf(x, 0) })
}

func tooLargeError(path string) error {
	return fmt.Errorf("%s: a number beyond %.0e", path, largest)
}

// fit compares the pools with the steps of the variant, and the answers with each other.
func (p *Pools) fit(steps []int) error {
	if p == nil {
		return nil
	}
	if len(p.At) != len(steps) {
		return fmt.Errorf("pools: %d pools for %d steps", len(p.At), len(steps))
	}
	var known lengths
	for i, r := range p.Front {
		if err := known.reward(r, fmt.Sprintf("front[%d]", i)); err != nil {
			return err
		}
	}
	for i, pool := range p.At {
		if pool.Step != steps[i] || len(pool.Answers) == 0 {
			return fmt.Errorf("pools: at[%d]: %d answers at step %d, want one or more at step %d", i, len(pool.Answers), pool.Step, steps[i])
		}
		for j := range pool.Answers {
			if err := known.answer(&pool.Answers[j], fmt.Sprintf("at[%d].answers[%d]", i, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lengths are those of rewards and embeddings so far; 0 if unknown.
type lengths struct{ components, embedded int }

func same(length int, known *int) bool {
	*known = cmp.Or(*known, length)
	return length == *known
}

func (k *lengths) reward(r []float64, path string) error {
	switch {
	case tooLarge(r...):
		return tooLargeError("pools: " + path)
	case r != nil && !same(len(r), &k.components):
		return fmt.Errorf("pools: %s: a reward of %d components, want %d as before", path, len(r), k.components)
	}
	return nil
}

func (k *lengths) answer(a *Answer, path string) error {
	if len(a.Embedding) == 0 {
		a.Embedding = nil
	} else if !same(len(a.Embedding), &k.embedded) {
		return fmt.Errorf("pools: %s: an embedding of %d numbers, want %d as before", path, len(a.Embedding), k.embedded)
	}
	return k.reward(a.Reward, path+".reward")
}
