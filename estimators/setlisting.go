package estimators

import (
	"slices"

	"modebench/internal/rng"
)

// setListing looks at drawn sets one by one.
type setListing struct {
	set    []int // the members' places in the group, ascending
	seen   []int // by cluster, the number of the set that last held it
	number int   // of sets looked at so far
	totals setTotals
	stream simplex
	taken  []bool
	known  map[rng.Key]struct{}
}

// drawn sums over `draw` sets of n, distinct and each as likely as any other, from
// the stream where it stands. There have to be more sets than that.
func (l *setListing) drawn(dst, scores []float64, of []int, f *setObjective, n, draw int) {
	worth := func([]int) (float64, error) { return l.value(scores, of, f), nil }
	if l.eachDrawn(len(scores), n, draw, worth) == nil {
		l.totals.marginal(dst)
	}
}

// eachDrawn adds up what drawn sets are worth, as drawn has them.
func (l *setListing) eachDrawn(size, n, draw int, worth func(set []int) (float64, error)) error {
	l.begin(size, n)
	if l.known == nil {
		l.known = map[rng.Key]struct{}{}
	}
	clear(l.known)
	for len(l.known) < draw {
		key := l.draw(size)
		if _, ok := l.known[key]; ok {
			continue
		}
		l.known[key] = struct{}{}
		f, err := worth(l.set)
		if err != nil {
			return err
		}
		l.totals.add(l.set, f)
	}
	return nil
}

// each adds up what all sets of n are worth, in lexicographic order.
func (l *setListing) each(size, n int, worth func(set []int) (float64, error)) error {
	l.begin(size, n)
	for i := range l.set {
		l.set[i] = i
	}
	for {
		f, err := worth(l.set)
		if err != nil {
			return err
		}
		l.totals.add(l.set, f)
		i := n - 1
		for i >= 0 && l.set[i] == size-n+i {
			i--
		}
		if i < 0 {
			return nil
		}
		l.set[i]++
		for k := i + 1; k < n; k++ {
			l.set[k] = l.set[k-1] + 1
		}
	}
}

// begin makes room for groups of that size and sets of n.
func (l *setListing) begin(size, n int) {
	l.set = slices.Grow(l.set[:0], n)[:n]
	for len(l.seen) < size {
		l.seen, l.taken = append(l.seen, 0), append(l.taken, false)
	}
	l.totals.reset(size)
}

// value is f of the set.
func (l *setListing) value(scores []float64, of []int, f *setObjective) float64 {
	l.number++
	acc, distinct := f.start, 0
	for _, i := range l.set {
		acc = f.fold(acc, scores[i])
		if k := of[i]; k >= 0 && l.seen[k] != l.number {
			l.seen[k] = l.number
			distinct++
		}
	}
	return f.value(acc, distinct, len(l.set))
}

// draw draws a set by Floyd's algorithm (Bentley and Floyd, CACM 30, 1987). Sets
// are told apart by their keys: of a group of up to 64 a key holds all there is to
// know, beyond that it is a hash of 128 bits.
func (l *setListing) draw(size int) rng.Key {
	taken := l.taken[:size]
	clear(taken)
	for last := size - len(l.set); last < size; last++ {
		i := l.stream.rand.IntN(last + 1)
		if taken[i] {
			i = last
		}
		taken[i] = true
	}
	var key rng.Key
	word, members := uint64(0), l.set[:0]
	for i, in := range taken {
		if in {
			members = append(members, i)
			word |= 1 << (i % 64)
		}
		if i%64 == 63 || i == size-1 {
			key, word = key.Int(word), 0
		}
	}
	return key
}

// setTotals adds up what some sets are worth.
type setTotals struct {
	held  []float64 // by rollout, of the sets that hold it
	holds []int     // how many those are
	whole float64   // of all sets
	sets  int
}

func (t *setTotals) reset(size int) {
	t.held, t.holds = t.held[:0], t.holds[:0]
	for range size {
		t.held, t.holds = append(t.held, 0), append(t.holds, 0)
	}
	t.whole, t.sets = 0, 0
}

// add adds a set of that worth.
func (t *setTotals) add(set []int, worth float64) {
	t.whole += worth
	t.sets++
	for _, i := range set {
		t.held[i] += worth
		t.holds[i]++
	}
}

// marginal writes the marginal set advantages (Poly-EPO eq. 8): 0 for a rollout in
// no set.
func (t *setTotals) marginal(dst []float64) {
	mean := t.whole / float64(t.sets)
	for i, n := range t.holds {
		dst[i] = 0
		if n > 0 {
			dst[i] = t.held[i]/float64(n) - mean
		}
	}
}
