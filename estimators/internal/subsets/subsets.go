// Package subsets goes through the sets of n of a group's N rollouts, all of them or some
// that are drawn, and adds up what they are worth: marginal set advantages without a
// closed form (Poly-EPO eq. 8).
package subsets

import (
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"

	"modebench/internal/rng"
)

// Count is C(size, n), or some number above limit if C(size, n) is.
func Count(size, n, limit int) int {
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

// Ones returns the chances that a set of n holds c of the ones among size places, c = 0..n, in
// dst if that has room. Each follows from its neighbour nearer to the likeliest by a ratio of
// at most 1, so that no entry overflows.
func Ones(dst []float64, size, ones, n int) []float64 {
	dst = slices.Grow(dst[:0], n+1)[:n+1]
	clear(dst)
	spare := size - ones - n // zeros that are left where a set is all zeros
	lo, hi := max(0, -spare), min(n, ones)
	likeliest := min(max((n+1)*(ones+1)/(size+2), lo), hi)
	dst[likeliest] = 1
	for c := likeliest; c < hi; c++ {
		dst[c+1] = dst[c] * float64((ones-c)*(n-c)) / float64((c+1)*(spare+c+1))
	}
	for c := likeliest; c > lo; c-- {
		dst[c-1] = dst[c] * float64(c*(spare+c)) / float64((ones-c+1)*(n-c+1))
	}
	total := 0.0
	for _, p := range dst {
		total += p
	}
	for c := range dst {
		dst[c] /= total
	}
	return dst
}

// A Pass goes through sets of places from 0 to size-1. Its totals start at zero with every
// pass, and its buffers serve the next one.
type Pass struct {
	Totals
	set     []int // in ascending order
	taken   []bool
	known   map[rng.Key]struct{} // the sets drawn so far
	words   Words                // the same of few places
	lastSet []int                // by cluster, the number of the set that last held it
	number  int                  // of sets whose clusters were counted so far
}

// All goes through all sets of n, in lexicographic order. A set is valid until the next one.
func (p *Pass) All(size, n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		p.begin(size, n)
		for i := range p.set {
			p.set[i] = i
		}
		for yield(p.set) {
			i := n - 1
			for i >= 0 && p.set[i] == size-n+i {
				i--
			}
			if i < 0 {
				return
			}
			p.set[i]++
			for k := i + 1; k < n; k++ {
				p.set[k] = p.set[k-1] + 1
			}
		}
	}
}

// Drawn goes through draw sets of n, distinct and each as likely as any other. There have to be
// more sets than that. A set is valid until the next one.
func (p *Pass) Drawn(size, n, draw int, stream *rand.Rand) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		p.begin(size, n)
		if size <= wordSize {
			p.drawWords(size, draw, stream, yield)
		} else {
			p.drawKeys(size, draw, stream, yield)
		}
	}
}

// drawKeys draws that many different sets of any number of places.
func (p *Pass) drawKeys(size, draw int, stream *rand.Rand, yield func([]int) bool) {
	if p.known == nil {
		p.known = map[rng.Key]struct{}{}
	}
	clear(p.known)
	for len(p.known) < draw {
		key := p.draw(size, stream)
		if _, ok := p.known[key]; ok {
			continue
		}
		p.known[key] = struct{}{}
		if !yield(p.set) {
			return
		}
	}
}

// wordSize is the most places whose sets are words, a bit for each place.
const wordSize = 64

// drawWords is drawKeys for up to wordSize places, in a third of the time.
func (p *Pass) drawWords(size, draw int, stream *rand.Rand, yield func([]int) bool) {
	p.words.Clear(draw)
	for p.words.Len() < draw {
		word := p.drawWord(size, stream)
		if _, fresh := p.words.Add(word); !fresh {
			continue
		}
		members := p.set[:0]
		for rest := word; rest != 0; rest &= rest - 1 {
			members = append(members, bits.TrailingZeros64(rest))
		}
		if !yield(p.set) {
			return
		}
	}
}

func (p *Pass) drawWord(size int, stream *rand.Rand) uint64 {
	word := uint64(0)
	for last := size - len(p.set); last < size; last++ {
		bit := uint64(1) << stream.IntN(last+1)
		if word&bit != 0 {
			bit = 1 << last
		}
		word |= bit
	}
	return word
}

func (p *Pass) begin(size, n int) {
	p.set = slices.Grow(p.set[:0], n)[:n]
	for len(p.lastSet) < size {
		p.lastSet, p.taken = append(p.lastSet, 0), append(p.taken, false)
	}
	p.Reset(size)
}

// draw draws a set by Floyd's algorithm (Bentley and Floyd, CACM 30, 1987). Sets differ by their
// keys: of up to 64 places a key holds the whole set, of more it is a hash of 128 bits.
func (p *Pass) draw(size int, stream *rand.Rand) rng.Key {
	taken := p.taken[:size]
	clear(taken)
	for last := size - len(p.set); last < size; last++ {
		i := stream.IntN(last + 1)
		if taken[i] {
			i = last
		}
		taken[i] = true
	}
	var key rng.Key
	word, members := uint64(0), p.set[:0]
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

// Clusters counts the clusters of a set's members; clusters[i] is that of place i, or below 0.
func (p *Pass) Clusters(set, clusters []int) int {
	p.number++
	count := 0
	for _, i := range set {
		if k := clusters[i]; k >= 0 && p.lastSet[k] != p.number {
			p.lastSet[k] = p.number
			count++
		}
	}
	return count
}

// Totals adds up the worths of sets.
type Totals struct {
	held  []float64 // by place, of the sets that hold it
	holds []int     // and how many those are
	whole float64   // of all sets
	sets  int
}

// Reset starts again with size places.
func (t *Totals) Reset(size int) {
	t.held, t.holds = t.held[:0], t.holds[:0]
	for range size {
		t.held, t.holds = append(t.held, 0), append(t.holds, 0)
	}
	t.whole, t.sets = 0, 0
}

// Add adds a set of that worth.
func (t *Totals) Add(set []int, worth float64) {
	t.whole += worth
	t.sets++
	for _, i := range set {
		t.held[i] += worth
		t.holds[i]++
	}
}

// Marginal writes for each place the mean worth of the sets that hold it, less the mean over
// all sets (Poly-EPO eq. 8); 0 if no set holds it.
func (t *Totals) Marginal(dst []float64) {
	mean := t.whole / float64(t.sets)
	for i, n := range t.holds {
		dst[i] = 0
		if n > 0 {
			dst[i] = t.held[i]/float64(n) - mean
		}
	}
}
