package countdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// A tree is an expression as the brute force builds it: from the bottom up, out of
// any two that are left. It knows nothing of slots, forms or tokens.
type tree struct {
	op          byte // 0: a number
	left, right *tree
	slot        int
	num, den    int64
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// joined is nil if it would divide by zero.
func joined(op byte, x, y *tree) *tree {
	num, den := int64(0), x.den*y.den
	switch op {
	case '+':
		num = x.num*y.den + y.num*x.den
	case '-':
		num = x.num*y.den - y.num*x.den
	case '*':
		num = x.num * y.num
	case '/':
		if y.num == 0 {
			return nil
		}
		num, den = x.num*y.den, x.den*y.num
	}
	if den < 0 {
		num, den = -num, -den
	}
	shared := gcd(num, den)
	return &tree{op: op, left: x, right: y, num: num / shared, den: den / shared}
}

// everything calls visit with every expression that uses all of the trees.
func everything(trees []*tree, visit func(*tree)) {
	if len(trees) == 1 {
		visit(trees[0])
		return
	}
	for i, x := range trees {
		for j, y := range trees {
			if i == j {
				continue
			}
			rest := []*tree{nil}
			for k, other := range trees {
				if k != i && k != j {
					rest = append(rest, other)
				}
			}
			for _, op := range []byte("+-*/") {
				if rest[0] = joined(op, x, y); rest[0] != nil {
					everything(rest, visit)
				}
			}
		}
	}
}

// text writes a tree with the parentheses that count, and returns how tight the text binds:
// 1 for sums, 2 for products, 3 for numbers.
func (x *tree) text(numbers []int16) (string, int) {
	if x.op == 0 {
		return fmt.Sprint(numbers[x.slot]), 3
	}
	left, l := x.left.text(numbers)
	right, r := x.right.text(numbers)
	enclose := func(text string, when bool) string {
		if when {
			return "(" + text + ")"
		}
		return text
	}
	switch x.op {
	case '+':
		return left + "+" + right, 1
	case '-':
		return left + "-" + enclose(right, r == 1), 1
	case '*':
		return enclose(left, l == 1) + "*" + enclose(right, r == 1), 2
	}
	return enclose(left, l == 1) + "/" + enclose(right, r < 3), 2
}

func (x *tree) residue(slot func(int) uint64) uint64 {
	if x.op == 0 {
		return slot(x.slot)
	}
	return residue(x.op, x.left.residue(slot), x.right.residue(slot))
}

// bruteForce lists the strings of all solutions, by the function that they are.
func bruteForce(p *Problem) map[fingerprint][]string {
	numbers := p.given()
	orders := arrangements(numbers)
	found := map[fingerprint][]string{}
	known := map[string]bool{}
	for set := 1; set < 1<<len(numbers); set++ {
		var trees []*tree
		for i, number := range numbers {
			if set>>i&1 == 1 {
				trees = append(trees, &tree{slot: i, num: int64(number), den: 1})
			}
		}
		if len(trees) < len(numbers) && !p.shape.env.config.AtMostOnce {
			continue
		}
		everything(trees, func(x *tree) {
			if x.den != 1 || x.num != int64(p.target) {
				return
			}
			text, _ := x.text(numbers)
			if !known[text] {
				known[text] = true
				print := fingerprintOf(orders, x.residue)
				found[print] = append(found[print], text)
			}
		})
	}
	return found
}

// TestTruthAgainstBruteForce: the modes and the strings of all solutions of 1000
// random problems with four numbers, and of some others.
func TestTruthAgainstBruteForce(t *testing.T) {
	for _, c := range []struct {
		reason   string
		n, high  int
		target   int // the largest
		optional bool
		problems int
	}{
		{"four numbers", 4, 25, 99, false, 800},
		{"small numbers, many of them equal", 4, 6, 99, false, 200},
		{"large numbers", 4, 150, 300, false, 100},
		{"three numbers", 3, 12, 99, false, 100},
		{"some left out", 4, 12, 99, true, 60},
		{"five numbers", 5, 9, 99, false, 2},
		{"five numbers, most of them equal", 5, 3, 6, false, 12},
		{"five numbers, some of them equal", 5, 8, 30, false, 6},
		{"five equal numbers, some left out", 5, 2, 4, true, 3},
	} {
		e := build(t, func(k *Config) { k.AtMostOnce, k.TargetMin, k.TargetMax = c.optional, 1, c.target })
		s := newShape(e, c.n, 1, c.high)
		solvable := 0
		for i := range c.problems {
			if testing.Short() && i%10 != 0 {
				continue
			}
			p := randomProblem(s, rng.New(4).Str(c.reason).Int(uint64(i)).Rand())
			want := bruteForce(p)
			if len(want) > 0 {
				solvable++
			}
			checkTruth(t, p, want)
		}
		if solvable == 0 && !testing.Short() {
			t.Errorf("%s: no problem is solvable", c.reason)
		}
	}
}

// TestTruthOfZeros: modes with a value where some of their expressions divide by zero, as
// 22+3/(16/(11-11)) does. These expressions are not solutions.
func TestTruthOfZeros(t *testing.T) {
	s := newShape(build(t, nil), 5, 1, 25)
	for _, c := range []struct {
		numbers          [maxSlots]int16
		target           int16
		modes, solutions int
	}{
		{[maxSlots]int16{2, 2, 2, 2, 2}, 2, 37, 326},
		{[maxSlots]int16{3, 11, 11, 16, 22}, 22, 20, 372},
	} {
		p := newProblem(s, "zeros", c.numbers, c.target)
		want := bruteForce(p)
		strings := 0
		for _, texts := range want {
			strings += len(texts)
		}
		if len(want) != c.modes || strings != c.solutions {
			t.Errorf("%v -> %d: the brute force finds %d modes and %d strings, want %d and %d", p.given(), p.target, len(want), strings, c.modes, c.solutions)
		}
		checkTruth(t, p, want)
	}
}

func checkTruth(t *testing.T, p *Problem, want map[fingerprint][]string) {
	t.Helper()
	truth := p.Truth()
	strings, modes := int64(0), map[envs.Mode]int64{}
	for _, texts := range want {
		mode := p.JudgeText(texts[0]).Mode
		if _, twice := modes[mode]; twice {
			t.Fatalf("%v -> %d: two functions have the mode %s", p.given(), p.target, mode)
		}
		modes[mode] = int64(len(texts))
		strings += int64(len(texts))
		for _, text := range texts {
			if v := p.JudgeText(text); !v.Correct || v.Mode != mode || v.Variant != text {
				t.Fatalf("%v -> %d: %s is judged %+v, want mode %s", p.given(), p.target, text, v, mode)
			}
		}
	}
	if len(truth.Modes) != len(modes) || truth.Solutions != strings {
		t.Fatalf("%v -> %d: %d modes and %d solutions, want %d and %d", p.given(), p.target, len(truth.Modes), truth.Solutions, len(modes), strings)
	}
	for i, mode := range truth.Modes {
		if s := p.solutions[i]; modes[mode] != s.Variants || s.Mode != mode {
			t.Fatalf("%v -> %d: mode %s has %+v, want %d strings", p.given(), p.target, mode, s, modes[mode])
		}
		if v := p.JudgeText(string(mode)); !v.Correct || v.Mode != mode || v.Variant != string(mode) {
			t.Fatalf("%v -> %d: the mode %s as an answer is judged %+v", p.given(), p.target, mode, v)
		}
	}
}

// TestSetPO is the case study of SetPO app. G.2: its seven answers are two strategies, as
// in the paper.
func TestSetPO(t *testing.T) {
	p := newProblem(build(t, nil).usual, "setpo", [maxSlots]int16{3, 21, 24, 54}, 63)
	for mode, texts := range map[envs.Mode][]string{
		"54+(24-21)*3": {"54+(24-21)*3", "(24-21)*3+54", "54-(21-24)*3"},
		"54/3+24+21":   {"(54/3)+24+21", "24+54/3+21", "24+21+54/3", "21+24+54/3"},
	} {
		for _, text := range texts {
			v := p.JudgeText(text)
			if !v.Correct || v.Mode != mode || v.Variant != strings.NewReplacer("(54/3)", "54/3").Replace(text) {
				t.Errorf("%s: %+v, want the mode %s", text, v, mode)
			}
		}
	}
	if truth := p.Truth(); !slices.Equal(truth.Modes, []envs.Mode{"54/3+24+21", "54+(24-21)*3"}) || truth.Solutions != 12 {
		t.Errorf("truth %+v, want two modes and 12 solutions", truth)
	}
}

// TestModesAreReadable: how modes are printed.
func TestModesAreReadable(t *testing.T) {
	p := newProblem(build(t, nil).usual, "p", [maxSlots]int16{2, 5, 5, 7}, 24)
	for _, c := range []struct{ reason, text, want string }{
		{"terms and factors by their largest number", "2*(5+7)-5", "(7+5)*2-5"},
		{"positive terms first", "2-5+5*7", "7*5+2-5"},
		{"sums in products are turned to be positive", "(5-7)*(2-5)", "(7-5)*(5-2)"},
		{"the sign of a product comes out", "(5-7)*(5+2)", "-(7-5)*(5+2)"},
		{"and joins that of its term", "2-(5-7)*5", "(7-5)*5+2"},
		{"quotients of quotients", "7/(5/(2/5))", "7*2/5/5"},
		{"division by a product", "5/(5*(2+7))", "5/(7+2)/5"},
		{"nothing but minus signs", "-5-2-5-7", "-7-5-5-2"},
		{"zero has no sign", "2*7-(5-5)", "7*2+5-5"},
		{"nor has what it is a factor of, alone", "(5-5)*2*7", "7*(5-5)*2"},
		{"nor has what it is a factor of", "7-(5-5)*2", "7+(5-5)*2"},
		{"zero by chance has one", "5-(7-5-2)", "5+5+2-7"},
		{"undefined", "7/(5-5)-2", "7/(5-5)-2"},
	} {
		if v := p.JudgeText(c.text); v.Err != nil || string(v.Mode) != c.want {
			t.Errorf("%s: %s has the mode %s (error %v), want %s", c.reason, c.text, v.Mode, v.Err, c.want)
		}
	}
}

// TestOODOfSix: six numbers stay within 64 bits and a modest time.
func TestOODOfSix(t *testing.T) {
	if testing.Short() {
		t.Skip("six slots take half a second")
	}
	e := build(t, func(c *Config) { c.Numbers, c.MaxNumber, c.MinNumber = 6, 499, 300 })
	p := problem(t, e, envs.OOD, 0)
	for _, number := range p.given() {
		if number < 500 || number > 998 {
			t.Errorf("numbers %v, want 500 to 998", p.given())
		}
	}
	for i, mode := range p.Truth().Modes {
		if v := p.JudgeText(string(mode)); !v.Correct || v.Mode != mode {
			t.Fatalf("mode %d, %s: %+v", i, mode, v)
		}
	}
}
