package subsets

import "math/bits"

// Words is a set of words other than 0, with a number beside each. It is a hash table whose
// collisions go to the next free slot: an audit asks it hundreds of millions of times, and
// a map takes three times as long. The zero Words is empty.
type Words struct {
	slots  []uint64 // 0: free
	beside []float64
	shift  int // of a 64-bit hash to the right, which leaves the slot
	held   int
}

const leastSlots = 64

// Clear empties the set, and makes room for that many words.
func (w *Words) Clear(room int) {
	w.held = 0
	w.resize(max(leastSlots, 1<<bits.Len(uint(2*room-1))))
	clear(w.slots)
}

func (w *Words) resize(slots int) {
	if cap(w.slots) < slots {
		w.slots, w.beside = make([]uint64, slots), make([]float64, slots)
	}
	w.slots, w.beside = w.slots[:slots], w.beside[:slots]
	w.shift = 64 - bits.TrailingZeros(uint(slots))
}

// Len is how many words the set holds.
func (w *Words) Len() int { return w.held }

// Add adds a word, which is not 0. fresh reports that it was not there; beside is the number
// beside it, arbitrary for a fresh word, and valid until the next call.
func (w *Words) Add(word uint64) (beside *float64, fresh bool) {
	if 2*w.held >= len(w.slots) {
		w.grow()
	}
	slot := w.slot(word)
	if fresh = w.slots[slot] == 0; fresh {
		w.slots[slot] = word
		w.held++
	}
	return &w.beside[slot], fresh
}

// slot is where a word is, or would be.
func (w *Words) slot(word uint64) int {
	mask := len(w.slots) - 1
	index := int(word * 0x9e3779b97f4a7c15 >> w.shift) // 2^64 over the golden ratio: Knuth, vol. 3, sec. 6.4
	for w.slots[index] != word && w.slots[index] != 0 {
		index = (index + 1) & mask
	}
	return index
}

func (w *Words) grow() {
	old := *w
	w.slots, w.beside = nil, nil
	w.resize(max(leastSlots, 2*len(old.slots)))
	for i, word := range old.slots {
		if word != 0 {
			slot := w.slot(word)
			w.slots[slot], w.beside[slot] = word, old.beside[i]
		}
	}
}
