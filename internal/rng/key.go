// Package rng derives independent random streams from keys.
//
// Nothing in this project draws from a shared generator. Each draw belongs to a stream named by a
// seed and a list of parts (a purpose, a split, a problem index, a rollout index, ...), and the
// name alone decides the numbers. So the order of execution, the number of threads, sharding and
// resuming cannot change a result, and two streams with different names do not overlap the way
// "seed + index" schemes do.
//
//	base := rng.New(seed).Str("rollout").Int(step)   // once per step
//	var p rand.PCG
//	for i := range n {
//		base.Int(uint64(i)).Seed(&p)                 // a few ns, no allocation
//		u := rng.Uniform(&p)
//	}
//
// The key hash, the PCG of math/rand/v2 (whose output the Go compatibility promise fixes), Uniform,
// Normal and Gamma give the same bits on every CPU and architecture.
package rng

import (
	"math/bits"
	"math/rand/v2"
)

// Key is an immutable 128-bit name of a random stream. Derive one with New and
// refine it with Int and Str; each returns a new Key and leaves the receiver
// as it was, so a prefix can be stored and reused. Keys are comparable and their
// methods do not allocate. The zero Key works but names no seed: use New.
//
// The hash is not cryptographic.
type Key struct{ hi, lo uint64 }

// The tags mark the kind of part that a word belongs to. A tag enters another lane than the raw
// word, so no choice of word can imitate another tag. They are arbitrary odd constants
// (fractional digits of the square roots of 2, 3, 5 and 7).
const (
	tagSeed uint64 = 0x6a09e667f3bcc909
	tagInt  uint64 = 0xbb67ae8584caa73b
	tagStr  uint64 = 0x3c6ef372fe94f82b
	tagWord uint64 = 0xa54ff53a5f1d36f1
)

// New returns the key of a seed. Every seed, 0 included, gives an unrelated key.
func New(seed uint64) Key {
	return Key{}.fold(seed, tagSeed)
}

// Int appends an integer part. Order matters, and Int(1) differs from
// Str("1") and from any other string.
func (k Key) Int(v uint64) Key {
	return k.fold(v, tagInt)
}

// Str appends a string part. The length is folded before the bytes, so
// Str("a").Str("b"), Str("ab") and Str("ab\x00") are three different keys.
func (k Key) Str(s string) Key {
	k = k.fold(uint64(len(s)), tagStr)
	for len(s) >= 8 {
		// Spelled out so that the bytes have one order on every machine; the
		// compiler turns it into a single load.
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		k = k.fold(w, tagWord)
		s = s[8:]
	}
	if len(s) > 0 {
		var w uint64
		for i := range len(s) {
			w |= uint64(s[i]) << (8 * i)
		}
		k = k.fold(w, tagWord)
	}
	return k
}

// fold mixes one word into both lanes. Each lane runs a full 64-bit finaliser (Stafford's variant
// 13, as in SplitMix64, and MurmurHash3's fmix64), side by side for speed; then the lanes are
// crossed by an invertible step, so that a bit of either lane reaches both. For a fixed word the
// fold is a bijection of the 128-bit state, and for a fixed state no two words collide.
func (k Key) fold(v, tag uint64) Key {
	a := k.lo ^ v
	a ^= a >> 30
	a *= 0xbf58476d1ce4e5b9
	a ^= a >> 27
	a *= 0x94d049bb133111eb
	a ^= a >> 31

	// The word is multiplied here and not in the other lane, so that the two
	// finalisers never see the same input; the rotation keeps high bits of the
	// word from meeting only high bits of the lane.
	b := (k.hi + tag) ^ bits.RotateLeft64(v*0x9e3779b97f4a7c15, 32)
	b ^= b >> 33
	b *= 0xff51afd7ed558ccd
	b ^= b >> 33
	b *= 0xc4ceb9fe1a85ec53
	b ^= b >> 33

	lo := a + b
	hi := b ^ bits.RotateLeft64(lo*0x9fb21c651e98df25, 32)
	return Key{hi: hi, lo: lo}
}

// Seed sets p to the start of the stream that the key names. It is the hot
// path's way to a generator: p can be reused from stream to stream.
func (k Key) Seed(p *rand.PCG) {
	p.Seed(k.hi, k.lo)
}

// Uint64 is the first word of the stream that the key names: a hash of its parts.
func (k Key) Uint64() uint64 {
	var p rand.PCG
	k.Seed(&p)
	return p.Uint64()
}

// Rand returns a fresh generator at the start of the stream that the key names. It allocates; on
// hot paths reuse a PCG with Seed. Take Normal of this package instead of its
// NormFloat64 and ExpFloat64, whose bits depend on the CPU.
func (k Key) Rand() *rand.Rand {
	return rand.New(rand.NewPCG(k.hi, k.lo))
}
