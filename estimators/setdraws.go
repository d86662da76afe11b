package estimators

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"modebench/internal/rng"
)

// setDraws goes through sets of a group's rollouts, all of them or some that are drawn,
// and adds up what they are worth.
type setDraws struct {
	stream simplex
	set    []int // the members' places in the group, ascending
	taken  []bool
	known  map[rng.Key]struct{} // the sets drawn so far
	words  map[uint64]struct{}  // the same of small groups
	seen   []int                // by cluster, the number of the set that last held it
	number int                  // of sets whose modes were counted so far
	totals setTotals
}

// drawsSome says whether a group has more sets of n than are to be drawn; draw = 0 is all
// sets.
func drawsSome(size, n, draw int) bool { return draw > 0 && sets(size, n, draw) > draw }

// sets is C(size, n), or some number above limit where it is more than that.
func sets(size, n, limit int) int {
	n = min(n, size-n)
	count := 1
	for j := range n {
		count = count * (size - j) / (j + 1)
		if count > limit {
			break
		}
	}
	return count
}

// start goes to the start of the group's stream.
func (l *setDraws) start(b *Batch, g *Group) { l.stream.begin(b, "set-rl", g) }

// drawn goes through as many sets of n, distinct and each as likely as any other, from
// the stream where it stands. There have to be more sets than that.
func (l *setDraws) drawn(size, n, draw int) iter.Seq[[]int] {
	if size <= wordSize {
		return l.drawnWords(size, n, draw)
	}
	return l.drawnKeys(size, n, draw)
}

// drawnKeys is drawn for groups of any size.
func (l *setDraws) drawnKeys(size, n, draw int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
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
			if !yield(l.set) {
				return
			}
		}
	}
}

// wordSize is the largest group whose sets are words, a bit for each rollout.
const wordSize = 64

// drawnWords is drawnKeys, set for set, for groups of up to wordSize, in a third of the
// time: an audit draws hundreds of millions.
func (l *setDraws) drawnWords(size, n, draw int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		l.begin(size, n)
		if l.words == nil {
			l.words = map[uint64]struct{}{}
		}
		clear(l.words)
		for len(l.words) < draw {
			word := l.drawWord(size, n)
			before := len(l.words)
			if l.words[word] = struct{}{}; len(l.words) == before {
				continue
			}
			members := l.set[:0]
			for rest := word; rest != 0; rest &= rest - 1 {
				members = append(members, bits.TrailingZeros64(rest))
			}
			if !yield(l.set) {
				return
			}
		}
	}
}

// drawWord is draw for a set of n that is a word.
func (l *setDraws) drawWord(size, n int) uint64 {
	word := uint64(0)
	for last := size - n; last < size; last++ {
		bit := uint64(1) << l.stream.rand.IntN(last+1)
		if word&bit != 0 {
			bit = 1 << last
		}
		word |= bit
	}
	return word
}

// every goes through all sets of n, in lexicographic order.
func (l *setDraws) every(size, n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		l.begin(size, n)
		for i := range l.set {
			l.set[i] = i
		}
		for yield(l.set) {
			i := n - 1
			for i >= 0 && l.set[i] == size-n+i {
				i--
			}
			if i < 0 {
				return
			}
			l.set[i]++
			for k := i + 1; k < n; k++ {
				l.set[k] = l.set[k-1] + 1
			}
		}
	}
}

// begin makes room for groups of that size and sets of n.
func (l *setDraws) begin(size, n int) {
	l.set = slices.Grow(l.set[:0], n)[:n]
	for len(l.seen) < size {
		l.seen, l.taken = append(l.seen, 0), append(l.taken, false)
	}
	l.totals.reset(size)
}

// draw draws a set into l.set by Floyd's algorithm (Bentley and Floyd, CACM 30, 1987). Sets
// differ by their keys: of a group of up to 64 a key holds all there is to
// know, above that it is a hash of 128 bits.
func (l *setDraws) draw(size int) rng.Key {
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

// distinct is how many clusters the set has members of; of numbers the cluster of each
// rollout, below 0 for none.
func (l *setDraws) distinct(of []int) int {
	l.number++
	count := 0
	for _, i := range l.set {
		if k := of[i]; k >= 0 && l.seen[k] != l.number {
			l.seen[k] = l.number
			count++
		}
	}
	return count
}

// add adds what the set is worth.
func (l *setDraws) add(worth float64) { l.totals.add(l.set, worth) }

// marginal writes the marginal advantages over the sets of the last pass.
func (l *setDraws) marginal(dst []float64) { l.totals.marginal(dst) }

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

// checkSetSize says whether a group has sets of that size.
func checkSetSize(field string, size, group int) error {
	if size < 1 || size > group {
		return fmt.Errorf("%s = %d, want from 1 to at most the %d rollouts of the group", field, size, group)
	}
	return nil
}
