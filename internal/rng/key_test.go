package rng

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"modebench/internal/testkit"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGoldenKeys pins keys and first words. Every recorded result hangs on
// them: if this test fails, the change that made it fail is wrong. Do not
// update the constants.
func TestGoldenKeys(t *testing.T) {
	for _, c := range []struct {
		name   string
		key    Key
		hi, lo uint64
		first  uint64
	}{
		{"zero value", Key{}, 0x0000000000000000, 0x0000000000000000, 0x38ffff682123e08a},
		{"New(0)", New(0), 0xa653b6d932fef913, 0xc25abb1cbd5e0221, 0x6cd0c33381206074},
		{"New(1)", New(1), 0xb139a57c52acdcdd, 0x7a7fb69f4fffc4a6, 0xa686ced189bbd0ea},
		{"Int(0)", New(1).Int(0), 0x0a10e6da45b7865e, 0x77e026d6219549e2, 0x73efd1982c5d6f49},
		{"Int(1)", New(1).Int(1), 0x5c1cbd3d6727f806, 0x8e5fea31f5a6b6fd, 0xf2f8a2bac4f73b9c},
		{"Int(max)", New(1).Int(1<<64 - 1), 0xaff4d8366a9c3548, 0xff0110ebb11e4984, 0x0d2c3f9eae6a9822},
		{"empty string", New(1).Str(""), 0x97306b975bd3375a, 0x8391c486052817ab, 0xe5a6e92c99da4d79},
		{"short string", New(1).Str("maze"), 0x07a68a52a3231eea, 0x3c6117d79c5d687b, 0xc3e48001da838ce3},
		{"one word", New(1).Str("rollouts"), 0xec45c700b281e77b, 0x9d56051b0d0b71d2, 0x459423e771d31955},
		{"word and rest", New(1).Str("countdown/train"), 0x5aaeb4218f1afff6, 0xaa9143255db68167, 0x307c4cc166c49427},
		{"path", New(42).Str("maze").Str("train").Int(7).Int(3), 0x877e26d040a1289f, 0x56822fd5dd47b9a4, 0xe7b47f89e975f9e4},
	} {
		var p rand.PCG
		c.key.Seed(&p)
		if first := p.Uint64(); c.key != (Key{c.hi, c.lo}) || first != c.first {
			t.Errorf("%s: %#016x, %#016x, %#016x", c.name, c.key.hi, c.key.lo, first)
		}
	}
}

// TestGoldenDraws pins the bits of the draws that go through package exact.
func TestGoldenDraws(t *testing.T) {
	r := New(42).Str("golden").Rand()
	var p rand.PCG
	New(42).Str("golden").Seed(&p)
	got := fmt.Sprintf("%x %x %x", []float64{Uniform(&p), Uniform(&p)},
		[]float64{Normal(r), Normal(r)}, []float64{testkit.Exponential(r), testkit.Exponential(r)})
	const want = "[0x1.1d6adc765fc9cp-02 0x1.ce3a58fd568aep-02] [-0x1.bcf16e7acc1aap+00 -0x1.35b961ecc7c7dp-02] [0x1.8fa067016c28bp-02 0x1.023ed0d3ad0fp-03]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Enough draws to come by every way out of the squeeze.
	sum := [3]float64{}
	for range 1000 {
		for i, shape := range []float64{0.3, 1.7, 40} {
			sum[i] += Gamma(r, shape)
		}
	}
	const wantSums = "[0x1.2474f4e93dc6p+08 0x1.a7728cf2ed67p+10 0x1.373aa897dd1a8p+15]"
	if got := fmt.Sprintf("%x", sum); got != wantSums {
		t.Errorf("sums of gamma variates: got  %s\nwant %s", got, wantSums)
	}
}

// TestSeedRandAgree: both ways to a generator start the same stream.
func TestSeedRandAgree(t *testing.T) {
	k := New(3).Str("x").Int(9)
	var p rand.PCG
	p.Seed(1, 2) // leftovers must not matter
	k.Seed(&p)
	r := k.Rand()
	for i := range 10 {
		if a, b := p.Uint64(), r.Uint64(); a != b {
			t.Fatalf("word %d: Seed gives %#x, Rand gives %#x", i, a, b)
		}
	}
}

// TestDistinct derives a million keys over a grid of parts as they occur in
// use (small integers, short names) and finds no two that share even one lane.
func TestDistinct(t *testing.T) {
	his := make(map[uint64]bool, 1<<20)
	los := make(map[uint64]bool, 1<<20)
	count := 0
	add := func(k Key) {
		count++
		if his[k.hi] || los[k.lo] {
			t.Fatalf("key %d repeats a lane", count)
		}
		his[k.hi], los[k.lo] = true, true
	}
	for seed := range uint64(8) {
		base := New(seed)
		add(base)
		for _, name := range []string{"", "a", "b", "ab", "train", "test", "rollout", "rollout ", "rollouts/train"} {
			named := base.Str(name)
			add(named)
			for i := range uint64(64) {
				outer := named.Int(i)
				add(outer)
				for j := range uint64(200) {
					add(outer.Int(j))
				}
			}
		}
		// Sparse words: one bit, and multiples of a large power of two.
		for i := range 64 {
			add(base.Int(1 << 63 >> i))
		}
		for i := range uint64(10_000) {
			add(base.Int(i<<40 | 3))
		}
	}
	t.Logf("%d keys", count)
	if count < 1_000_000 {
		t.Errorf("only %d keys", count)
	}
}

// TestEncoding: sequences of parts that look alike give different keys.
func TestEncoding(t *testing.T) {
	k := New(1)
	keys := map[string]Key{
		"nothing":          k,
		"''":               k.Str(""),
		"'' ''":            k.Str("").Str(""),
		"'a' 'b'":          k.Str("a").Str("b"),
		"'b' 'a'":          k.Str("b").Str("a"),
		"'ab'":             k.Str("ab"),
		"'ab' ''":          k.Str("ab").Str(""),
		"'' 'ab'":          k.Str("").Str("ab"),
		"'ab\\0'":          k.Str("ab\x00"),
		"1":                k.Int(1),
		"0":                k.Int(0),
		"0 0":              k.Int(0).Int(0),
		"'1'":              k.Str("1"),
		"'\\1'":            k.Str("\x01"),
		"'\\1\\0...'":      k.Str("\x01\x00\x00\x00\x00\x00\x00\x00"),
		"8 1":              k.Int(8).Int(1),
		"1 2":              k.Int(1).Int(2),
		"2 1":              k.Int(2).Int(1),
		"'a' 1":            k.Str("a").Int(1),
		"1 'a'":            k.Int(1).Str("a"),
		"8 bytes":          k.Str("12345678"),
		"8 bytes, 1":       k.Str("123456781"),
		"8 bytes, split":   k.Str("1234").Str("5678"),
		"16 bytes":         k.Str("1234567812345678"),
		"8 bytes, 8 bytes": k.Str("12345678").Str("12345678"),
		"seed 2":           New(2),
		"seed 0":           New(0),
		"zero key":         {},
		"zero key, 1":      Key{}.Int(1),
		"zero key, '1'":    Key{}.Str("1"),
	}
	seen := map[Key]string{}
	for name, key := range keys {
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[key] = name
	}
}

// TestPartsProperty: lists of strings give the same key exactly if they are
// equal.
func TestPartsProperty(t *testing.T) {
	derive := func(parts []string) Key {
		k := New(0)
		for _, p := range parts {
			k = k.Str(p)
		}
		return k
	}
	// Few letters and short strings, so that near misses are common.
	part := rapid.StringOfN(rapid.RuneFrom([]rune{0, 'a', 'b'}), 0, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(part, 0, 4).Draw(t, "a")
		b := rapid.SliceOfN(part, 0, 4).Draw(t, "b")
		equal := slices.Equal(a, b)
		if (derive(a) == derive(b)) != equal {
			t.Errorf("parts equal: %v, keys equal: %v", equal, !equal)
		}
	})
}

// TestAvalanche flips single bits of an integer part, a seed, a string and an
// earlier part: half of the key's 128 bits change on average, and every output
// bit reacts to every input bit about half of the time.
func TestAvalanche(t *testing.T) {
	const samples = 4000
	for _, c := range []struct {
		name   string
		derive func(w uint64) Key
	}{
		{"seed", New},
		{"last part", func(w uint64) Key { return New(1).Int(w) }},
		{"earlier part", func(w uint64) Key { return New(1).Int(w).Int(5) }},
		{"string", func(w uint64) Key {
			var s [8]byte
			for i := range s {
				s[i] = byte(w >> (8 * i))
			}
			return New(1).Str(string(s[:]))
		}},
	} {
		total, lowest, highest := 0, samples, 0
		for in := range 64 {
			var flips [128]int
			for i := range uint64(samples) {
				// Small integers and spread ones alike.
				w := i
				if i%2 == 1 {
					w = i * 0xd1342543de82ef95
				}
				a, b := c.derive(w), c.derive(w^1<<in)
				hi, lo := a.hi^b.hi, a.lo^b.lo
				total += bits.OnesCount64(hi) + bits.OnesCount64(lo)
				for out := range 64 {
					flips[out] += int(hi >> out & 1)
					flips[64+out] += int(lo >> out & 1)
				}
			}
			for _, n := range flips {
				lowest, highest = min(lowest, n), max(highest, n)
			}
		}
		mean := float64(total) / (64 * samples)
		low, high := float64(lowest)/samples, float64(highest)/samples
		t.Logf("%s: %.3f of 128 bits flip; a single pair of bits in %.3f to %.3f of the samples", c.name, mean, low, high)
		if mean < 63.9 || mean > 64.1 {
			t.Errorf("%s: %.3f bits flip on average, want 64", c.name, mean)
		}
		// 5.5 standard deviations of a fair coin over 8192 pairs of bits.
		if low < 0.456 || high > 0.544 {
			t.Errorf("%s: a pair of bits is correlated: %.3f to %.3f", c.name, low, high)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	base, name := New(1), strings.Repeat("x", 21)
	var p rand.PCG
	var sum float64
	if n := testing.AllocsPerRun(100, func() {
		base.Str(name).Int(7).Seed(&p)
		sum += Uniform(&p)
	}); n != 0 {
		t.Errorf("%v allocations per stream", n)
	}
}
