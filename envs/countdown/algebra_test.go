package countdown

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestFormsAreCounted: expressions without signs over n distinct numbers make 1,
// 6, 68, 1170, 27142 and 793002 functions (OEIS A140606). Writing them without
// needless parentheses takes as many strings as a plain count over trees gives.
func TestFormsAreCounted(t *testing.T) {
	functions := []int{0, 1, 6, 68, 1170, 27142, 793002}
	strings := []int64{0, 1, 8, 168, 5856, 285600, 17904960}
	most := maxSlots
	if testing.Short() {
		most = 5
	}
	al := newAlgebra(most)
	for n := 1; n <= most; n++ {
		count, all := 0, int64(0)
		for f := range al[n].forms {
			plus, minus := al[n].plus[f], al[n].minus[f]
			if plus == 0 {
				t.Fatalf("%d slots: form %d is the value of no expression", n, f)
			}
			count++
			if minus > 0 {
				count++
			}
			all += int64(plus) + int64(minus)
		}
		if count != functions[n] || all != strings[n] {
			t.Errorf("%d slots: %d functions and %d strings, want %d and %d", n, count, all, functions[n], strings[n])
		}
	}
}

// TestSignsMakeNoModes: a form whose negative is the value of no expression without
// signs has no subtraction, so its value is positive and its negative's is not: a
// sign makes no mode of a correct answer. The negatives of all others are values
// of such expressions anyway.
func TestSignsMakeNoModes(t *testing.T) {
	al := newAlgebra(5)
	subtracts := [6][]bool{1: {false}}
	for n := 2; n <= 5; n++ {
		for f, form := range al[n].forms {
			left := bits.OnesCount8(form.left)
			has := form.op == difference || subtracts[left][form.a] || subtracts[n-left][form.b]
			subtracts[n] = append(subtracts[n], has)
			if has != (al[n].minus[f] > 0) {
				t.Fatalf("%d slots: form %d subtracts: %v, strings of its negative: %d", n, f, has, al[n].minus[f])
			}
		}
	}
}

// evaluate is a form's value at a point.
func (al *algebra) evaluate(x part, slot func(int) uint64) uint64 {
	if bits.OnesCount8(x.slots) == 1 {
		return slot(bits.TrailingZeros8(x.slots))
	}
	f := al[bits.OnesCount8(x.slots)].forms[x.form]
	left := expand[x.slots][f.left]
	a := al.evaluate(part{form: f.a, slots: left}, slot)
	b := al.evaluate(part{form: f.b, slots: x.slots &^ left}, slot)
	if f.op == inverse {
		return residue('/', b, a)
	}
	return residue("+-*/"[f.op], a, b)
}

// TestFormsAreFunctions: an operation on two forms has the value of the form in the table,
// and forms differ from each other and from their negatives.
func TestFormsAreFunctions(t *testing.T) {
	al := newAlgebra(4)
	for n := 2; n <= 4; n++ {
		full := slots(1<<n - 1)
		at := func(k int) func(int) uint64 { return func(slot int) uint64 { return points[k][slot] } }
		seen := map[fingerprint]uint32{}
		for f := range uint32(len(al[n].forms)) {
			for _, sign := range []byte("+-") {
				var values fingerprint
				for k := range points {
					values[k] = residue(sign, 0, al.evaluate(part{form: f, slots: full}, at(k)))
				}
				if other, known := seen[values]; known {
					t.Fatalf("%d slots: forms %d and %d are one function up to their sign", n, other, f)
				}
				seen[values] = f
			}
		}
		for left := slots(1); left < full; left += 2 {
			a, b := al.sides(full, left)
			for i := range uint32(len(a.forms)) {
				for j := range uint32(len(b.forms)) {
					for o := range operations {
						x, y := al.evaluate(part{i, left, false}, at(0)), al.evaluate(part{j, full &^ left, false}, at(0))
						if o == inverse {
							x, y = y, x
						}
						got := al.evaluate(part{al.join(o, full, left, i, j), full, false}, at(0))
						if want := residue("+-*//"[o], x, y); got != want {
							t.Fatalf("%d slots: operation %d on forms %d and %d over %b: value %d, want %d", n, o, i, j, left, got, want)
						}
					}
				}
			}
		}
	}
}

// TestImages: with equal numbers two forms with their signs have one image if and
// only if exchanging equal slots turns one function into the other.
func TestImages(t *testing.T) {
	for n := 2; n <= 4; n++ {
		p := &Problem{shape: newShape(build(t, nil), n, 1, 25)}
		for equal := range uint8(1) << (n - 1) {
			for i := range n - 1 {
				p.numbers[i+1] = p.numbers[i] + 1 - int16(equal>>i&1)
			}
			p.equal = neighbours(p.given())
			if p.equal != equal {
				t.Fatalf("numbers %v: pattern %b, want %b", p.given(), p.equal, equal)
			}
			orders := arrangements(p.given())
			if got := p.orders(p.shape.full); got != int64(len(orders)) {
				t.Errorf("numbers %v: %d arrangements, want %d", p.given(), got, len(orders))
			}
			modes, prints := map[part]fingerprint{}, map[fingerprint]part{}
			for f := range p.shape.algebra[n].forms {
				for _, flipped := range []bool{false, true} {
					x := part{uint32(f), p.shape.full, flipped}
					print := fingerprintOf(orders, func(slot func(int) uint64) uint64 {
						v := p.shape.algebra.evaluate(x, slot)
						if flipped {
							v = residue('-', 0, v)
						}
						return v
					})
					mode := p.strategy(x)
					if old, known := modes[mode]; known && old != print {
						t.Fatalf("numbers %v: different functions have the mode %+v", p.given(), mode)
					}
					if old, known := prints[print]; known && old != mode {
						t.Fatalf("numbers %v: modes %+v and %+v are one function", p.given(), old, mode)
					}
					modes[mode], prints[print] = print, mode
				}
			}
		}
	}
}

// randomAnswer is a whole answer, right or wrong.
func randomAnswer(p *Problem, r *rand.Rand) []envs.Token {
	var out []envs.Token
	for c := p.Start(); !c.Done(); {
		legal := c.Legal()
		out = append(out, legal[r.IntN(len(legal))])
		if c.Push(out[len(out)-1]) != nil {
			return nil
		}
	}
	return out
}

// TestModeIsTheFunction judges random answers of many problems, with equal
// numbers and without, as text and as tokens: modes are equal exactly when the
// functions are. Embeddings are equal exactly when modes are.
func TestModeIsTheFunction(t *testing.T) {
	for _, c := range []struct {
		n        int
		high     int
		optional bool
		answers  int
	}{{3, 4, false, 300}, {4, 6, false, 800}, {4, 25, false, 800}, {5, 4, false, 400}, {4, 3, true, 800}} {
		e := build(t, func(k *Config) { k.AtMostOnce, k.MinNumber = c.optional, 1 })
		s := newShape(e, c.n, 1, c.high)
		for i := range 12 {
			r := rng.New(3).Int(uint64(c.n)).Int(uint64(i)).Rand()
			p := randomProblem(s, r)
			orders := arrangements(p.given())
			modes, prints := map[envs.Mode]fingerprint{}, map[fingerprint]envs.Mode{}
			embeddings := map[[dimension]float32]envs.Mode{}
			for range c.answers {
				answer := randomAnswer(p, r)
				v := p.JudgeText(p.AnswerText(answer))
				print := fingerprintOf(orders, func(slot func(int) uint64) uint64 { return postfix(p, answer, slot) })
				if again := p.JudgeText(string(v.Mode)); again.Mode != v.Mode {
					t.Fatalf("%v: %s has the mode %s, and that has the mode %s", p.given(), p.AnswerText(answer), v.Mode, again.Mode)
				}
				if old, known := modes[v.Mode]; known && old != print {
					t.Fatalf("%v: %s has the mode %s, but is another function than others of that mode", p.given(), p.AnswerText(answer), v.Mode)
				}
				if old, known := prints[print]; known && old != v.Mode {
					t.Fatalf("%v: %s has the mode %s, but is the same function as some of mode %s", p.given(), p.AnswerText(answer), v.Mode, old)
				}
				modes[v.Mode], prints[print] = print, v.Mode
				embedding := [dimension]float32(v.Embedding)
				if old, known := embeddings[embedding]; known && old != v.Mode {
					t.Fatalf("%v: modes %s and %s have one embedding", p.given(), old, v.Mode)
				}
				embeddings[embedding] = v.Mode
			}
		}
	}
}

// randomProblem draws numbers and a target that need not be reachable.
func randomProblem(s *shape, r *rand.Rand) *Problem {
	numbers := [maxSlots]int16{}
	for i := range s.n {
		numbers[i] = int16(s.low + r.IntN(s.high-s.low+1))
	}
	slices.Sort(numbers[:s.n])
	return newProblem(s, "random", numbers, int16(s.env.config.TargetMin+r.IntN(s.env.config.TargetMax-s.env.config.TargetMin+1)))
}
