package multiplication

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// tally counts the expressions for an operand by kind, by writing all of them: every
// sequence of up to terms numbers from 1 to most with every sign, of which the last is the
// missing rest, without those with a number and its negative. The texts are sets: orders do
// not count.
func tally(operand int64, terms int, most int64) map[string]int64 {
	texts := map[string]string{operandText(operand): "plain"}
	var sums func(taken []*big.Int, rest int64)
	sums = func(taken []*big.Int, rest int64) {
		if size := max(rest, -rest); len(taken) > 0 && size > 0 && size <= most {
			all := append(slices.Clone(taken), big.NewInt(rest))
			if !slices.ContainsFunc(all, func(x *big.Int) bool {
				return slices.ContainsFunc(all, func(y *big.Int) bool { return x.Cmp(new(big.Int).Neg(y)) == 0 })
			}) {
				texts[textOf(all)] = nameOf(all, operand)
			}
		}
		if len(taken)+1 < terms {
			for x := int64(1); x <= most; x++ {
				sums(append(slices.Clone(taken), big.NewInt(x)), rest-x)
				sums(append(slices.Clone(taken), big.NewInt(-x)), rest+x)
			}
		}
	}
	sums(nil, operand)
	products := map[string]bool{}
	var divide func(taken []int64, rest int64)
	divide = func(taken []int64, rest int64) {
		if len(taken) > 0 && rest > 1 {
			all := append(slices.Clone(taken), rest)
			slices.Sort(all)
			key := ""
			for _, x := range all {
				key += "*" + operandText(x)
			}
			products[key] = true
		}
		if len(taken)+1 < terms {
			for x := int64(2); x <= rest; x++ {
				if rest%x == 0 {
					divide(append(slices.Clone(taken), x), rest/x)
				}
			}
		}
	}
	divide(nil, operand)
	counts := map[string]int64{}
	for _, name := range texts {
		counts[name]++
	}
	if len(products) > 0 {
		counts["factor"] = int64(len(products))
	}
	return counts
}

func operandText(x int64) string { return big.NewInt(x).String() }

// expectTruth holds the truth and the families of two operands against tallies.
func expectTruth(t *testing.T, p *Problem, first, second map[string]int64) {
	t.Helper()
	want := map[envs.Mode]int64{}
	total := int64(-1) // without plain*plain
	for x, m := range first {
		for y, n := range second {
			count := m * n
			if p.a == p.b && x == y {
				count = m * (m + 1) / 2
			} else if p.a == p.b && slices.Index(kindNames[:], x) > slices.Index(kindNames[:], y) {
				continue
			}
			want[envs.Mode(x+"*"+y)] = count
			total += count
		}
	}
	delete(want, "plain*plain")
	truth, got := p.Truth(), map[envs.Mode]int64{}
	for i, f := range p.Fields()["families"].([]family) {
		got[f.Mode] = *f.Variants
		if truth.Modes[i] != f.Mode {
			t.Fatalf("%d*%d: family %d is %s, and mode %d of the truth %s", p.a, p.b, i, f.Mode, i, truth.Modes[i])
		}
		if v := p.JudgeText(f.Answer); v.Mode != f.Mode || !slices.Equal(v.Reward, []float64{1, 1, 1}) {
			t.Fatalf("%d*%d: the example of %s, %s, gets %+v", p.a, p.b, f.Mode, f.Answer, v)
		}
	}
	if d := cmp.Diff(want, got); d != "" || truth.Solutions != total {
		t.Fatalf("%d*%d, %d terms: %d solutions, want %d; families (-want +got):\n%s", p.a, p.b, p.format.terms, truth.Solutions, total, d)
	}
	if d := cmp.Diff([][]float64{{1, 1, 1}}, truth.Front); d != "" {
		t.Fatalf("front (-want +got):\n%s", d)
	}
}

// TestTruth counts the variants of every pair of operands of two digits, those
// that end in 0 included, with two terms.
func TestTruth(t *testing.T) {
	counts := map[int64]map[string]int64{}
	for x := int64(10); x < 100; x++ {
		counts[x] = tally(x, 2, 100)
	}
	e := build(t, nil)
	for a := int64(10); a < 100; a++ {
		for b := a % 7; b < 100; b += 7 {
			if b >= 10 {
				expectTruth(t, e.newProblem(e.usual, "drawn", a, b), counts[a], counts[b])
			}
		}
		expectTruth(t, e.newProblem(e.usual, "drawn", a, a), counts[a], counts[a])
	}
}

// TestTruthOfMoreTerms does the same for larger numbers and more terms, as far as
// can be enumerated.
func TestTruthOfMoreTerms(t *testing.T) {
	for _, c := range []struct {
		a, b  int64
		terms int
	}{{96, 13, 3}, {60, 60, 3}, {343, 67, 2}, {700, 999, 2}} {
		p := drawn(t, c.a, c.b, c.terms)
		expectTruth(t, p, tally(c.a, c.terms, p.format.largest), tally(c.b, c.terms, p.format.largest))
	}
}

// TestProductsOfProducts writes every answer whose sides are numbers or products of
// numbers, and compares the variants that are judged correct with the truth.
func TestProductsOfProducts(t *testing.T) {
	for _, c := range []struct {
		a, b  int64
		terms int
	}{{46, 27, 2}, {72, 48, 3}} {
		p := drawn(t, c.a, c.b, c.terms)
		found := map[string]envs.Mode{}
		var visit func(text string, leaves, left int, rest int64)
		visit = func(text string, leaves, left int, rest int64) {
			if rest == 1 && leaves > left && left > 0 {
				first, second := text[:strings.Index(text, "|")], text[strings.Index(text, "|")+1:]
				if left > 1 {
					first = "(" + first + ")"
				}
				if leaves-left > 1 {
					second = "(" + second + ")"
				}
				if v := p.JudgeText(fmt.Sprintf("%s*%s = %d", first, second, c.a*c.b)); v.Mode != envs.Degenerate {
					found[v.Variant] = v.Mode
				}
				return
			}
			for x := int64(2); x <= min(rest, p.format.largest); x++ {
				if rest%x != 0 {
					continue
				}
				switch {
				case leaves == 0:
					visit(fmt.Sprint(x), 1, 0, rest/x)
				case left == 0:
					visit(fmt.Sprintf("%s|%d", text, x), leaves+1, leaves, rest/x)
				}
				if leaves > 0 && leaves-left < c.terms {
					visit(fmt.Sprintf("%s*%d", text, x), leaves+1, left, rest/x)
				}
			}
		}
		visit("", 0, 0, c.a*c.b)
		got, want := map[envs.Mode]int64{}, map[envs.Mode]int64{}
		for _, m := range found {
			got[m]++
		}
		for _, f := range p.Fields()["families"].([]family) {
			if strings.Trim(strings.NewReplacer("plain", "", "factor", "").Replace(string(f.Mode)), "*") == "" {
				want[f.Mode] = *f.Variants
			}
		}
		if d := cmp.Diff(want, got); d != "" || len(want) != 3 {
			t.Errorf("%d*%d, %d terms: families of products (-want +got):\n%s", c.a, c.b, c.terms, d)
		}
	}
}

// TestMultisets compares the counts of multisets with their definition, also where
// there are more terms than can be enumerated with signs.
func TestMultisets(t *testing.T) {
	f := &format{largest: 9, terms: 5}
	f.countMultisets()
	for k := range 6 {
		want := make([]uint64, len(f.sums[k]))
		var visit func(left int, least, sum int64)
		visit = func(left int, least, sum int64) {
			if left == 0 {
				want[sum]++
				return
			}
			for x := least; x <= 9; x++ {
				visit(left-1, x, sum+x)
			}
		}
		visit(k, 1, 0)
		if d := cmp.Diff(want, f.sums[k]); d != "" {
			t.Errorf("%d numbers from 1 to 9 (-want +got):\n%s", k, d)
		}
	}
}

// TestCountSums compares the counts with all sequences of signed numbers, sorted
// and without a number beside its negative, for few numbers but up to five terms.
func TestCountSums(t *testing.T) {
	for terms := 2; terms <= 5; terms++ {
		f := &format{largest: 4, terms: terms}
		want := map[int]int64{}
		var visit func(taken []int, least, sum int)
		visit = func(taken []int, least, sum int) {
			if len(taken) >= 2 {
				want[sum]++
			}
			for x := least; len(taken) < terms && x <= 4; x++ {
				if x != 0 && !slices.Contains(taken, -x) {
					visit(append(taken[:len(taken):len(taken)], x), x, sum+x)
				}
			}
		}
		visit(nil, -4, 0)
		for v := 1; v <= 4*terms; v++ {
			if got := f.countSums(int64(v)); got != want[v] {
				t.Errorf("%d terms from -4 to 4 with the sum %d: %d, want %d", terms, v, got, want[v])
			}
		}
	}
}

// TestCountsFit: the largest count that there is, in floating point, which does not
// overflow. The smaller an operand, the more sums make it.
func TestCountsFit(t *testing.T) {
	f := newFormat(5, 4, maxTerms)
	got, want := float64(f.countSums(1)), 0.0
	all := func(added, taken int) (total float64) {
		for s, n := range f.sums[added] {
			if s >= 1 && s-1 < len(f.sums[taken]) {
				total += float64(n) * float64(f.sums[taken][s-1])
			}
		}
		return total
	}
	most := float64(f.largest)
	for added := 1; added <= maxTerms; added++ {
		for taken := max(0, 2-added); added+taken <= maxTerms; taken++ {
			want += all(added, taken)
			if added > 1 && taken > 0 {
				want -= most * all(added-1, taken-1)
			}
			if added > 2 && taken > 1 {
				want += most * (most - 1) / 2 * all(added-2, taken-2)
			}
		}
	}
	if math.Abs(got/want-1) > 1e-9 || want > math.MaxInt64 {
		t.Errorf("%v sums, want %v", got, want)
	}
}

// TestUnknownCounts: counts that do not fit into an int64 are reported as such.
func TestUnknownCounts(t *testing.T) {
	for _, c := range []struct {
		reason         string
		a, b           int64
		terms          int
		known, unknown int // families
	}{
		{"pairs of splits do not fit, but splits do", 6789, 9876, 4, 23, 1},
		{"also where both operands are one", 6789, 6789, 4, 13, 1},
		{"the largest operands: several do not fit", 98765, 9876, 5, 18, 6},
	} {
		p := drawn(t, c.a, c.b, c.terms)
		known, unknown := 0, 0
		for _, f := range p.Fields()["families"].([]family) {
			if f.Variants == nil {
				unknown++
			} else {
				known++
			}
		}
		if known != c.known || unknown != c.unknown || p.Truth().Solutions != -1 {
			t.Errorf("%s: %d families are counted and %d are not, want %d and %d; %d solutions, want -1", c.reason, known, unknown, c.known, c.unknown, p.Truth().Solutions)
		}
		if first, _, _ := strings.Cut(p.Picture(), "\n"); !strings.HasSuffix(first, ", ? variants") {
			t.Errorf("%s: the picture begins with %q", c.reason, first)
		}
	}
}

// TestVariantsOfWholeWalks writes every second operand that the grammar has beside a
// plain first one, with the right expansion and product, and counts the variants.
func TestVariantsOfWholeWalks(t *testing.T) {
	p := drawn(t, 13, 24, 2)
	found := map[string]envs.Mode{}
	var visit func(c cursor, taken []envs.Token)
	visit = func(c cursor, taken []envs.Token) {
		if c.stage != secondOperand {
			for !c.Done() {
				next := c.right()
				c.take(next)
				taken = append(taken, next)
			}
			if v := p.Judge(taken); v.Mode != envs.Degenerate {
				if !v.Correct || v.Scalar([]float64{1, 1, 1}) != 3 {
					t.Fatalf("%s: %+v", p.AnswerText(taken), v)
				}
				found[v.Variant] = v.Mode
			}
			return
		}
		for _, next := range c.Legal() {
			d := c
			d.take(next)
			visit(d, append(taken[:len(taken):len(taken)], next))
		}
	}
	begin := []envs.Token{1, 3, star}
	visit(*walked(t, p, begin), begin)
	want := int64(0)
	for _, f := range p.Fields()["families"].([]family) {
		if f.Mode[:6] == "plain*" {
			want += *f.Variants
		}
	}
	modes := map[envs.Mode]bool{}
	for _, m := range found {
		modes[m] = true
	}
	if int64(len(found)) != want || len(modes) != 4 {
		t.Errorf("%d variants in %d modes, want %d in 4", len(found), len(modes), want)
	}
}
