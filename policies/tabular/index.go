package tabular

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
)

// An index finds numbers by keys of bytes. A table has tens of thousands of
// states, and a hundred tables are alive at once, so the keys lie end to end in
// one slice and an entry costs three words of four bytes: less than half of what a
// map of strings takes. Where an entry lies differs from run to run, and nothing goes
// through the entries in that order.
type index struct {
	slots []slot // a power of two of them, at most three quarters taken
	keys  []byte // each preceded by its length
	n     int
}

// A slot holds one more than the place of its key among the keys, or zero, and of the
// key's hash as much as tells most other keys apart without a look at them.
type slot struct{ key, value, hash uint32 }

var hashSeed = maphash.MakeSeed()

var errFull = errors.New("more states than a table can number")

// find returns the number stored under a key.
func (x *index) find(key []byte) (uint32, bool) {
	if x.n == 0 {
		return 0, false
	}
	s := x.place(key, hash(key))
	return s.value, s.key != 0
}

func hash(key []byte) uint32 { return uint32(maphash.Bytes(hashSeed, key)) }

// place is the key's slot, or the free one where it would go.
func (x *index) place(key []byte, hash uint32) *slot {
	mask := uint32(len(x.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := &x.slots[at]
		if s.key == 0 || s.hash == hash && string(x.key(*s)) == string(key) {
			return s
		}
	}
}

func (x *index) key(s slot) []byte {
	rest := x.keys[s.key-1:]
	n, width := binary.Uvarint(rest)
	return rest[width : uint64(width)+n]
}

// add stores a number under a key that is not there yet.
func (x *index) add(key []byte, value uint32) error {
	if uint64(len(x.keys)) >= math.MaxUint32 {
		return errFull
	}
	if 4*(x.n+1) > 3*len(x.slots) {
		x.grow()
	}
	h := hash(key)
	*x.place(key, h) = slot{uint32(len(x.keys)) + 1, value, h}
	x.keys = binary.AppendUvarint(x.keys, uint64(len(key)))
	x.keys = append(x.keys, key...)
	x.n++
	return nil
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]slot, max(4, 2*len(old)))
	mask := uint32(len(x.slots) - 1)
	for _, s := range old {
		if s.key == 0 {
			continue
		}
		at := s.hash & mask
		for x.slots[at].key != 0 {
			at = (at + 1) & mask
		}
		x.slots[at] = s
	}
}

// A slab hands out pieces of larger allocations, for things that live as long
// as each other.
type slab[T any] struct {
	rest []T
	size int
}

// take returns n zero values, side by side.
func (s *slab[T]) take(n int) []T {
	if len(s.rest) < n {
		s.size = min(max(2*s.size, 4), 1024)
		s.rest = make([]T, max(n, s.size))
	}
	out := s.rest[:n:n]
	s.rest = s.rest[n:]
	return out
}
