package tabular

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestIndex compares with a map: keys of all lengths, some of them beginnings of
// others, and some longer than one byte can count.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var x index
	want := map[string]uint32{}
	if _, ok := x.find(nil); ok {
		t.Error("an empty index found something")
	}
	for i := range 5000 {
		key := make([]byte, r.IntN(6))
		for j := range key {
			key[j] = byte(r.IntN(5))
		}
		if i%50 == 0 {
			key = append(key, make([]byte, 120+r.IntN(300))...)
		}
		at, ok := x.find(key)
		had, known := want[string(key)]
		if ok != known || at != had {
			t.Fatalf("key %q: found %d, %v, want %d, %v", key, at, ok, had, known)
		}
		if !ok {
			want[string(key)] = uint32(i)
			if err := x.insert(x.seek(key), key, uint32(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(want) < 1000 {
		t.Fatalf("only %d keys: the test is too easy", len(want))
	}
	for key, at := range want {
		if got, ok := x.find([]byte(key)); !ok || got != at {
			t.Errorf("key %q: found %d, %v, want %d", key, got, ok, at)
		}
	}
}

// TestIndexIsSmall: an entry takes less than 36 bytes beside its key.
func TestIndexIsSmall(t *testing.T) {
	var x index
	const n = 30000
	for i := range uint32(n) {
		key := binary.LittleEndian.AppendUint32(nil, i)
		if err := x.insert(x.seek(key), key, i); err != nil {
			t.Fatal(err)
		}
	}
	if got := (12*len(x.slots) + cap(x.keys)) / n; got > 40 {
		t.Errorf("%d bytes an entry with a key of 4, want at most 40", got)
	}
}

// TestSlab: pieces do not overlap, whatever sizes are asked for.
func TestSlab(t *testing.T) {
	var s slab[int]
	var pieces [][]int
	for i := range 300 {
		piece := s.take(i * 7 % 50)
		if len(piece) != i*7%50 || cap(piece) != len(piece) {
			t.Fatalf("piece of %d, room for %d, want %d", len(piece), cap(piece), i*7%50)
		}
		for j := range piece {
			if piece[j] != 0 {
				t.Fatal("a piece that is not zero")
			}
			piece[j] = i + 1
		}
		pieces = append(pieces, piece)
	}
	for i, piece := range pieces {
		for _, x := range piece {
			if x != i+1 {
				t.Fatalf("piece %d holds what was written to piece %d", i, x-1)
			}
		}
	}
}

// TestParamFillsALine: training goes from row to row of parameters, each a line of the
// processor's caches.
func TestParamFillsALine(t *testing.T) {
	if got := reflect.TypeFor[param]().Size(); got != 64 {
		t.Errorf("parameters take %d bytes beside their floats, want 64", got)
	}
}

// TestList: things do not move, and their numbers find them.
func TestList(t *testing.T) {
	var l list[int]
	var all []*int
	for i := range 3*listChunk + 1 {
		p := l.next()
		if *p != 0 || l.next() != p {
			t.Fatalf("thing %d is %d at %p, and at %p when asked again", i, *p, p, l.next())
		}
		*p = i + 1
		l.add()
		all = append(all, p)
	}
	for i, p := range all {
		if l.get(uint32(i)) != p || *p != i+1 {
			t.Errorf("thing %d moved or is %d", i, *p)
		}
	}
}
