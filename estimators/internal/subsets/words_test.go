package subsets

import (
	"math/rand/v2"
	"testing"
)

// TestWords: a set of words agrees with a map, however large, full or often cleared. Words
// that differ in few bits, high or low, are typical of sets of places.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 14))
	var w Words
	for round, room := range []int{0, 1, 33, 4096, 5} {
		if round > 0 {
			w.Clear(room)
		}
		want := map[uint64]float64{}
		for i := range 20_000 {
			word := uint64(1) << r.IntN(64)
			for range r.IntN(3) {
				word |= 1 << r.IntN(64)
			}
			beside, fresh := w.Add(word)
			number, known := want[word]
			if fresh == known || known && *beside != number {
				t.Fatalf("round %d: word %x: fresh %v, beside it %v, want %v and %v", round, word, fresh, *beside, !known, number)
			}
			*beside, want[word] = float64(i), float64(i)
			if w.Len() != len(want) {
				t.Fatalf("round %d: %d words, want %d", round, w.Len(), len(want))
			}
		}
	}
}
