package metrics

import (
	"errors"
	"fmt"

	"modebench/envs"
)

// Add measures the pool of one problem. The package comment says what is
// estimated, and how. best@k, coverage@k and the like are unbiased; the order of
// the chains changes no bit of a result, but of best_first@k.
//
// Errors, after which the table is as before: no chains, an empty one or one of
// another length than the first, a k above the number of candidates, a reward of
// another length than the weights, |w.r| beyond 1e300 or a reward component
// beyond 1e150, more correct modes than Modes (where that is not negative), a
// front vector of another length or that is not finite, equal to or dominated by
// another one, and a candidate whose rewards no front vector reaches (within
// 1e-9).
func (t *Table) Add(p Pool) error {
	a := &t.answers
	a.reset()
	a.exact, a.existing, a.front = false, p.Modes, p.Front
	if len(p.Chains) == 0 {
		return errNoAnswers
	}
	if p.Named != nil && len(p.Named) != len(p.Chains) {
		return fmt.Errorf("named: %d entries, want %d (one per chain)", len(p.Named), len(p.Chains))
	}
	for i, chain := range p.Chains {
		named := 0
		if p.Named != nil {
			named = p.Named[i]
		}
		if err := a.push(i, 1, chain, named); err != nil {
			return err
		}
	}
	for _, k := range t.opt.K {
		if err := checkSize(a.n*a.m, k); err != nil {
			return err
		}
	}
	if err := t.number(a); err != nil {
		return err
	}
	t.plan.prepare(&t.opt, a.n, a.m)
	t.measure(a)
	if t.has(envs.HasReward) {
		t.addFirst(a)
		if len(t.opt.Weights) > 1 {
			t.addPoolVectors(a)
		}
	}
	return nil
}

// number numbers vectors and modes, and checks both against the ground truth.
func (t *Table) number(a *answers) error {
	if err := checkFront(a.front, t.opt.Weights); err != nil {
		return err
	}
	if t.has(envs.HasReward) {
		if err := a.numberVectors(t.opt.Weights); err != nil {
			return err
		}
		if err := a.checkReached(); err != nil {
			return err
		}
	}
	if t.has(envs.HasMode) {
		a.numberModes()
	}
	if t.has(envs.HasEmbedding) {
		if err := a.numberEmbeddings(); err != nil {
			return err
		}
	}
	if !t.has(envs.HasCorrect|envs.HasMode) || a.existing < 0 {
		return nil
	}
	found := 0
	seen := make([]bool, len(a.modes))
	for i := range a.all {
		if e := a.correctMode(i); e >= 0 && !seen[e] {
			seen[e] = true
			found++
		}
	}
	if found > a.existing {
		return fmt.Errorf("%d distinct correct modes, but modes says that %d exist", found, a.existing)
	}
	return nil
}

// measure adds the metrics that pools and distributions have in common.
func (t *Table) measure(a *answers) {
	if t.has(envs.HasReward) {
		t.addScalar(a)
		if len(t.opt.Weights) > 1 {
			t.addScalarisations(a)
			t.addFrontCoverage(a)
			t.lines.add(a.vectors, a.weight)
		}
	}
	if t.has(envs.HasCorrect) {
		t.addCorrect(a)
	}
	if t.has(envs.HasMode) {
		t.addModes(a)
	}
	if t.has(envs.HasCorrect | envs.HasVariant) {
		t.addVariants(a)
	}
	if t.opt.Groups&Votes != 0 && t.has(envs.HasCorrect|envs.HasAnswer) {
		t.addVotes(a)
	}
	if t.opt.Groups&Rollouts != 0 {
		t.addRollouts(a)
	}
	if t.has(envs.HasEmbedding) {
		t.addEmbeddings(a)
	}
}

// addScalar adds best@k, regret@k and reward.
func (t *Table) addScalar(a *answers) {
	top, bounded := frontBest(a.front, t.opt.Weights)
	scores, tails := t.climb(a, a.scores)
	for i := range t.opt.K {
		best := tails.best(&t.plan.at[i], scores)
		t.addAt(bestAt, i, best)
		if a.exact {
			t.addAt(bestFirstAt, i, best)
		}
		if bounded {
			t.addAt(regretAt, i, max(0, top-best)) // below 0 by rounding alone: see checkReached
		}
	}
	t.addPlain(meanReward, dot(a.weight, a.scores)/a.candidates())
}

// addFirst adds best_first@k, the highest score in draw order.
func (t *Table) addFirst(a *answers) {
	for i, k := range t.opt.K {
		best := a.scores[a.vector[0]]
		for _, number := range a.vector[1:k] {
			best = max(best, a.scores[number])
		}
		t.addAt(bestFirstAt, i, best)
	}
}

// addScalarisations adds ew_best@k.
func (t *Table) addScalarisations(a *answers) {
	if len(t.opt.Draws) == 0 || len(t.opt.K) == 0 {
		return
	}
	s := &t.scratch
	s.sums = zeros(s.sums, len(t.opt.K))
	for _, w := range t.opt.Draws {
		s.scores = s.scores[:0]
		for _, r := range a.vectors {
			s.scores = append(s.scores, dot(w, r))
		}
		ascending, tails := t.climb(a, s.scores)
		for i := range s.sums {
			s.sums[i] += tails.best(&t.plan.at[i], ascending)
		}
	}
	for i, sum := range s.sums {
		t.addAt(ewBestAt, i, sum/float64(len(t.opt.Draws)))
	}
}

// addFrontCoverage adds front_coverage@k.
func (t *Table) addFrontCoverage(a *answers) {
	if len(a.front) == 0 || len(t.opt.K) == 0 {
		return
	}
	s := &t.scratch
	s.frontNumber = a.frontNumbers(s.frontNumber)
	tails := t.tally(a, t.events(a, func(i int) int32 { return s.frontNumber[a.vector[i]] }), len(a.front))
	for i, k := range t.opt.K {
		t.addAt(frontCoverageAt, i, min(1, tails.expected(&t.plan.at[i])/float64(min(k, len(a.front)))))
	}
}

// addCorrect adds pass@k and accuracy.
func (t *Table) addCorrect(a *answers) {
	correct := 0.0
	for i, v := range a.all {
		if v.Correct {
			correct += a.mass[i/a.m]
		}
	}
	t.addPlain(accuracy, min(1, correct/a.candidates()))
	tails := t.tally(a, t.events(a, func(i int) int32 {
		if a.all[i].Correct {
			return 0
		}
		return -1
	}), 1)
	for i := range t.opt.K {
		t.addAt(passAt, i, min(1, tails.expected(&t.plan.at[i])))
	}
}

// addModes adds entropy_mode, coverage@k and the counts of distinct modes.
func (t *Table) addModes(a *answers) {
	t.scratch.masses[0] = zeros(t.scratch.masses[0], len(a.modes))
	masses := t.scratch.masses[0]
	for i, number := range a.mode {
		masses[number] += a.mass[i/a.m]
	}
	h := 0.0
	for _, mass := range masses {
		h += surprise(mass / a.candidates())
	}
	t.addPlain(entropyMode, max(0, h))
	if !t.has(envs.HasCorrect) {
		return
	}
	t.addPlain(distinctIncorrect, t.distinct(a, t.tally(a, t.events(a, a.incorrectMode), len(a.modes))))
	tails := t.tally(a, t.events(a, a.correctMode), len(a.modes))
	t.addPlain(distinctCorrect, t.distinct(a, tails))
	if a.existing < 1 {
		return
	}
	for i, k := range t.opt.K {
		t.addAt(coverageAt, i, min(1, tails.expected(&t.plan.at[i])/float64(min(k, a.existing))))
	}
}

// distinct returns how many of the events a pool shows, or a distribution is
// expected to show in Options.Samples candidates.
func (t *Table) distinct(a *answers, tails tails) float64 {
	if a.exact {
		return tails.expected(&t.plan.samples)
	}
	count := 0
	for _, chains := range tails.whole() {
		if chains > 0 {
			count++
		}
	}
	return float64(count)
}

var errNoAnswers = errors.New("no answers")

// checkSize reports a k for which n answers have no k-subsets.
func checkSize(n, k int) error {
	switch {
	case n < 1:
		return errNoAnswers
	case k < 1:
		return fmt.Errorf("k is %d, want at least 1", k)
	case k > n:
		return fmt.Errorf("k is %d, but there are %d answers; no estimator is unbiased for k > n", k, n)
	}
	return nil
}
