package tabular

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
)

// An index finds numbers by keys of bytes. A task has tens of thousands of states, and
// a hundred tasks are alive at once, so the keys lie end to end in one slice and
// an entry costs three words of four bytes: less than half of a map of strings. Where an entry lies
// differs from run to run, and nothing goes through the entries in that order.
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

// A spot is the place of a key in an index, or the place for a new key.
type spot struct {
	value uint32 // stored under the key
	found bool

	hash, slot uint32
}

func (x *index) find(key []byte) (uint32, bool) {
	s := x.seek(key)
	return s.value, s.found
}

// seek looks a key up; if it is missing, insert may store it without a second look.
func (x *index) seek(key []byte) spot {
	h := uint32(maphash.Bytes(hashSeed, key))
	if x.n == 0 {
		return spot{hash: h}
	}
	mask := uint32(len(x.slots) - 1)
	for slot := h & mask; ; slot = (slot + 1) & mask {
		s := &x.slots[slot]
		if s.key == 0 || s.hash == h && string(x.key(s.key)) == string(key) {
			return spot{s.value, s.key != 0, h, slot}
		}
	}
}

func (x *index) key(start uint32) []byte {
	rest := x.keys[start-1:]
	n, width := binary.Uvarint(rest)
	return rest[width : uint64(width)+n]
}

func (x *index) end() uint32 { return uint32(len(x.keys)) + 1 }

// insert stores a number under a missing key, at the spot that seek has returned just before.
func (x *index) insert(s spot, key []byte, value uint32) error {
	if uint64(len(x.keys)) >= math.MaxUint32 {
		return errFull
	}
	if 4*(x.n+1) > 3*len(x.slots) {
		x.grow()
		s.slot = x.free(s.hash)
	}
	x.slots[s.slot] = slot{x.end(), value, s.hash}
	x.keys = binary.AppendUvarint(x.keys, uint64(len(key)))
	x.keys = append(x.keys, key...)
	x.n++
	return nil
}

func (x *index) free(hash uint32) uint32 {
	mask := uint32(len(x.slots) - 1)
	slot := hash & mask
	for x.slots[slot].key != 0 {
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]slot, max(4, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			x.slots[x.free(s.hash)] = s
		}
	}
}

// A slab hands out pieces of larger allocations that live as long as each other.
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

// A list numbers things in the order they are made. They do not move.
type list[T any] struct {
	chunks []*[listChunk]T
	n      uint32
}

const listChunk = 64

func (l *list[T]) get(i uint32) *T { return &l.chunks[i/listChunk][i%listChunk] }

// next is the place of the thing that is made next, which is not one of them until add.
func (l *list[T]) next() *T {
	if int(l.n/listChunk) == len(l.chunks) {
		l.chunks = append(l.chunks, new([listChunk]T))
	}
	return l.get(l.n)
}

func (l *list[T]) add() { l.n++ }
