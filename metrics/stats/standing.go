package stats

import (
	"fmt"
	"math"
)

// A Standing is the answer on a method beside a reference.
type Standing string

const (
	// Better: the interval of the difference is above 0, and not wholly within the margin.
	Better Standing = "better"
	// Worse: the interval is below 0, and not wholly within the margin.
	Worse Standing = "worse"
	// Equal: the interval is wholly within the margin, to either side of 0.
	Equal Standing = "equal"
	// Unsettled: no answer above is shown. More seeds can show one.
	Unsettled Standing = "undecided"
)

// referenceDraws are those of CompareWithReference, and pairDraws those of RankByLooks, whose
// every draw compares all pairs.
var referenceDraws, pairDraws = draws{9999, 1999}, draws{1999, 499}

// A Comparison is a method beside a reference.
type Comparison struct {
	// Difference is the method's score less the reference's, in the unit of the scores. Mean is the mean
	// over tasks of the mean over seeds. The bounds hold for all methods at once. N is the number of
	// seeds, summed over tasks, that both have.
	Difference Interval
	SE         float64 // of Difference.Mean
	Tasks      int     // that both have, with two seeds or more
	Standing   Standing
}

// Comparisons are those of a number of methods, made together.
type Comparisons struct {
	Critical float64      // the bounds are Mean -+ Critical*SE
	Methods  []Comparison // in the order of the tables
}

// CompareWithReference compares methods with a reference. Its intervals hold all at once with probability
// 1-alpha, by the largest statistic of all methods (max-T; Westfall and Young 1993, ch. 2). For a method,
// with d its paired differences over the n seeds of a task,
//
//	Delta = mean over tasks of mean(d),   se^2 = sum over tasks of var(d)/n / tasks^2,   t = Delta/se
//
// The interval is Delta -+ c*se. The critical value c is the larger of two. The first is from sign flips. In
// each of 9999 draws every seed of every task gets a sign, which flips the differences of all methods there.
// The critical value is the 1-alpha quantile of the largest |t| of a draw, the data's own signs counted among
// the draws. The second is the same quantile of 1999 resamples of the seeds of every task, by the studentised
// bootstrap (Romano and Wolf 2005). Sign flips alone call skewed differences better or worse too often.
//
// The margin is in the unit of the scores. Scores in units of the reference's mean on the task make tasks
// weigh alike.
//
// The level is exact if all methods are equal to the reference and the differences are symmetric.
// docs/statistics.md has the measured errors, also for skewed differences and for those that are not 0.
//
// A score that is NaN is missing. A table may have fewer seeds of a task than another; index s is the
// same seed in all. A seed that only one of the two has is left out, and so is a task of which they share
// fewer than two seeds. Without a common task Mean is NaN and the method unsettled. A method whose
// differences are all 0, up to 10^-9 of the larger score, has the interval [0, 0], and is equal.
//
// The result for a method depends on the other tables through c alone, and not on their order. It is
// an error if the reference has no tasks, if a score is infinite, if alpha is not between 0 and 1, or
// if the margin is not a number from 0 on.
func CompareWithReference(methods []Table, reference Table, alpha, margin float64) (*Comparisons, error) {
	return compareWith(referenceDraws, methods, reference, alpha, margin)
}

// compareWith is CompareWithReference with a number of draws.
func compareWith(d draws, methods []Table, reference Table, alpha, margin float64) (*Comparisons, error) {
	if err := checkLevel(alpha); err != nil {
		return nil, err
	}
	switch {
	case !(margin >= 0) || math.IsInf(margin, 1):
		return nil, fmt.Errorf("the margin is %v, want a number from 0 on", margin)
	case len(reference) == 0:
		return nil, fmt.Errorf("the reference has no tasks: give it at least one with its scores")
	}
	all := append(append([]Table{}, methods...), reference)
	pairs := make([][2]int, len(methods))
	for i := range methods {
		pairs[i] = [2]int{i, len(methods)}
	}
	f, err := newFlips(all, pairs)
	if err != nil {
		return nil, err
	}
	c := &Comparisons{Critical: f.critical(d, alpha)}
	for _, difference := range f.differences {
		interval := difference.interval(c.Critical)
		c.Methods = append(c.Methods, Comparison{interval, difference.se, len(difference.terms), standing(interval, margin)})
	}
	return c, nil
}

// checkLevel checks the chance of an error.
func checkLevel(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("alpha is %v, want a number between 0 and 1", alpha)
	}
	return nil
}

// standing is the answer of an interval.
func standing(i Interval, margin float64) Standing {
	switch {
	case -margin <= i.Low && i.High <= margin:
		return Equal
	case i.Low > 0:
		return Better
	case i.High < 0:
		return Worse
	}
	return Unsettled
}

// A Look is a number of seeds at which methods are compared, and the chance of an error there.
type Look struct {
	Seeds int
	Alpha float64
}

// Looks are the looks of a board. By Bonferroni's rule the chance of a wrong answer at any of them is at
// most the sum of their levels, .05.
var Looks = []Look{{12, 0.010}, {24, 0.015}, {40, 0.025}}

// A Decision is the answer on a method, and the look that gave it.
type Decision struct {
	Comparison     // at that look, or at the last look taken if the method is unsettled
	Look       int // the number of the look that settled it, from 1; 0 if it is unsettled
	// Seeds is how many seeds of each task the answer is from. For an unsettled method it is the number
	// of the next look, which its table may lack.
	Seeds int
}

// Decisions are those of a group-sequential comparison.
type Decisions struct {
	Taken     int       // how many looks were taken
	Criticals []float64 // of each look that was taken
	Methods   []Decision
}

// Decide compares methods with a reference at one look after another. A method that is settled at a
// look stops: its answer stays, and later looks use the seeds that it had then, even if its table has
// more. The others continue with the next look's seeds. A method without these seeds on a task that it
// shares with the reference stays unsettled, and Decision.Seeds is the number that it lacks. Other methods
// are compared without waiting for it. A seed whose score is NaN counts as present.
//
// So each answer depends only on the seeds that the rule asks for. It is an error if the looks do not
// ascend, and in the cases of CompareWithReference.
func Decide(methods []Table, reference Table, looks []Look, margin float64) (*Decisions, error) {
	return decideWith(referenceDraws, methods, reference, looks, margin)
}

// decideWith is Decide with a number of draws.
func decideWith(d draws, methods []Table, reference Table, looks []Look, margin float64) (*Decisions, error) {
	out := &Decisions{Methods: make([]Decision, len(methods))}
	for i := range out.Methods {
		m := &out.Methods[i]
		m.Standing, m.Difference = Unsettled, (&difference{}).interval(0)
	}
	if err := checkLooks(looks); err != nil {
		return nil, err
	}
	lacking := make([]bool, len(methods))
	for number, look := range looks {
		ready := false
		for i := range out.Methods {
			if m := &out.Methods[i]; m.Standing == Unsettled && !lacking[i] {
				m.Seeds = look.Seeds
				lacking[i] = !hasSeeds(methods[i], reference, look.Seeds)
				ready = ready || !lacking[i]
			}
		}
		if !ready {
			break
		}
		if err := out.take(d, number+1, look, methods, reference, margin, lacking); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkLooks checks that looks ascend.
func checkLooks(looks []Look) error {
	before := 0
	for i, look := range looks {
		if look.Seeds <= before {
			return fmt.Errorf("look %d has %d seeds, want more than the %d before", i+1, look.Seeds, before)
		}
		if err := checkLevel(look.Alpha); err != nil {
			return fmt.Errorf("look %d: %w", i+1, err)
		}
		before = look.Seeds
	}
	return nil
}

// take takes a look, and settles methods that do not lack its seeds.
func (out *Decisions) take(d draws, number int, look Look, methods []Table, reference Table, margin float64, lacking []bool) error {
	tables := make([]Table, len(methods))
	for i, table := range methods {
		tables[i] = firstSeeds(table, out.Methods[i].Seeds)
	}
	c, err := compareWith(d, tables, firstSeeds(reference, look.Seeds), look.Alpha, margin)
	if err != nil {
		return err
	}
	out.Taken, out.Criticals = number, append(out.Criticals, c.Critical)
	for i := range out.Methods {
		m := &out.Methods[i]
		if m.Standing != Unsettled || lacking[i] {
			continue
		}
		m.Comparison = c.Methods[i]
		if m.Standing != Unsettled {
			m.Look = number
		}
	}
	return nil
}

// hasSeeds reports whether both tables have that number of seeds of every task that they share.
func hasSeeds(a, b Table, seeds int) bool {
	for _, task := range shared(a, b) {
		if min(len(a[task]), len(b[task])) < seeds {
			return false
		}
	}
	return true
}

// firstSeeds returns the table of the first seeds of each task.
func firstSeeds(table Table, seeds int) Table {
	out := Table{}
	for task, scores := range table {
		out[task] = scores[:min(len(scores), seeds)]
	}
	return out
}

// RankByLooks compares all pairs of methods, as CompareWithReference compares methods with a reference, by
// the largest |t| of all pairs in 1999 flips and 499 resamples. It returns ranges of ranks that hold the
// true ranks all at once, with probability 1 minus the levels of the looks (Mogstad, Romano, Shaikh and
// Wilhelm 2024). A method is surely above another if the interval of their difference is above 0, and
//
//	ranks of i: from 1 + #{j surely above i} to M - #{j surely below i}
//
// The relation need not be transitive. Methods stop at looks, as those of Decide, because of their scores.
// So over the seeds that it shares with a method that continued, a method that stopped is above too often.
// Each pair is therefore compared once, at the last look whose seeds both have on every task in common, and
// at that look's level. The critical value of a look is of all pairs, with the seeds up to that look that
// each method has. Pairs without the first look's seeds have no order.
//
// It is an error if the looks do not ascend, if there are no tables or no scores, if a score is infinite,
// and if a level is not between 0 and 1.
func RankByLooks(methods []Table, looks []Look) (*Rankings, error) {
	return rankLooks(pairDraws, methods, looks)
}

// rankLooks is RankByLooks with a number of draws.
func rankLooks(d draws, methods []Table, looks []Look) (*Rankings, error) {
	if err := checkLooks(looks); err != nil {
		return nil, err
	}
	r := newRankings(len(methods))
	for k, look := range looks {
		tables := make([]Table, len(methods))
		for i, table := range methods {
			tables[i] = firstSeeds(table, look.Seeds)
		}
		last := func(i, j int) bool {
			a, b := methods[i], methods[j]
			return hasSeeds(a, b, look.Seeds) && (k+1 == len(looks) || !hasSeeds(a, b, looks[k+1].Seeds))
		}
		if err := r.compare(d, tables, look.Alpha, last); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// compare notes the orders of the chosen pairs, by the critical value of all pairs.
func (r *Rankings) compare(d draws, methods []Table, alpha float64, chosen func(i, j int) bool) error {
	if err := checkLevel(alpha); err != nil {
		return err
	}
	var pairs [][2]int
	for i := range methods {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	f, err := newFlips(methods, pairs)
	if err != nil {
		return err
	}
	critical := f.critical(d, alpha)
	for _, difference := range f.differences {
		i, j := difference.i, difference.j
		if !chosen(i, j) {
			continue
		}
		switch interval := difference.interval(critical); {
		case interval.Low > 0:
			r.note(i, j)
		case interval.High < 0:
			r.note(j, i)
		}
	}
	return nil
}
