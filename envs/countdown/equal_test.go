package countdown

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// What follows decides modes by their definition alone, a second time and in another way than
// bruteForce: every expression is a fraction of polynomials in the slots, with exact
// coefficients, and two are one mode if some exchange of equal numbers makes the fractions equal.

// A polynomial is its coefficients by the exponents of the slots.
type polynomial map[[maxSlots]uint8]int64

func (p polynomial) plus(sign int64, q polynomial) polynomial {
	out := maps.Clone(p)
	for at, c := range q {
		if out[at] += sign * c; out[at] == 0 {
			delete(out, at)
		}
	}
	return out
}

func (p polynomial) times(q polynomial) polynomial {
	out := polynomial{}
	for a, c := range p {
		for b, d := range q {
			for i := range b {
				b[i] += a[i]
			}
			if out[b] += c * d; out[b] == 0 {
				delete(out, b)
			}
		}
	}
	return out
}

// exchanged has slot i in the place of slot order[i].
func (p polynomial) exchanged(order []int) polynomial {
	out := polynomial{}
	for at, c := range p {
		var to [maxSlots]uint8
		for i, j := range order {
			to[j] = at[i]
		}
		out[to] = c
	}
	return out
}

// A ratio is an expression as a fraction of polynomials, and its value.
type ratio struct {
	over, under polynomial
	value       *big.Rat
}

// ratios lists what can be made of a set of slots: of every way to cut it in two, what an
// operator makes of both sides. Nothing divides by zero.
func ratios(numbers []int16, set int, known map[int][]ratio) []ratio {
	if made, ok := known[set]; ok {
		return made
	}
	var made []ratio
	for i, number := range numbers {
		if set == 1<<i {
			var at [maxSlots]uint8
			at[i] = 1
			made = append(made, ratio{polynomial{at: 1}, polynomial{{}: 1}, big.NewRat(int64(number), 1)})
		}
	}
	for left := 1; left < set; left++ {
		if left&^set != 0 {
			continue
		}
		for _, x := range ratios(numbers, left, known) {
			for _, y := range ratios(numbers, set&^left, known) {
				xy, yx, under := x.over.times(y.under), y.over.times(x.under), x.under.times(y.under)
				made = append(made,
					ratio{xy.plus(1, yx), under, new(big.Rat).Add(x.value, y.value)},
					ratio{xy.plus(-1, yx), under, new(big.Rat).Sub(x.value, y.value)},
					ratio{x.over.times(y.over), under, new(big.Rat).Mul(x.value, y.value)})
				if y.value.Sign() != 0 {
					made = append(made, ratio{xy, yx, new(big.Rat).Quo(x.value, y.value)})
				}
			}
		}
	}
	known[set] = made
	return made
}

// modesByDefinition counts the functions that make the target, up to exchanges of equal numbers.
func modesByDefinition(p *Problem) int {
	numbers := p.given()
	orders := arrangements(numbers)
	target := big.NewRat(int64(p.target), 1)
	var modes []ratio
	for _, x := range ratios(numbers, 1<<len(numbers)-1, map[int][]ratio{}) {
		if x.value.Cmp(target) != 0 {
			continue
		}
		if !slices.ContainsFunc(modes, func(y ratio) bool {
			return slices.ContainsFunc(orders, func(order []int) bool {
				return len(x.over.exchanged(order).times(y.under).plus(-1, y.over.times(x.under.exchanged(order)))) == 0
			})
		}) {
			modes = append(modes, x)
		}
	}
	return len(modes)
}

// TestModesOfEqualNumbers: a mode is a function of the numbers, and not what is left of it for
// these values. So with 10 and 10 there are four ways to do nothing to 25+18, each a mode.
func TestModesOfEqualNumbers(t *testing.T) {
	s := build(t, nil).usual
	p := newProblem(s, "tens", [maxSlots]int16{10, 10, 18, 25}, 43)
	want := []envs.Mode{"25+18+10-10", "(25+18)*10/10", "25*10/10+18", "25+18*10/10"}
	got := slices.Clone(p.Truth().Modes)
	if n := modesByDefinition(p); n != len(want) || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("the modes are %q, and by the definition %d; want %q", got, n, want)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"18+25+10-10", "10-10+25+18", true},       // order
		{"18+25+(10-10)", "18+25-(10-10)", true},   // the tens trade places
		{"(18+25)*10/10", "(18+25)/(10/10)", true}, // they do again
		{"18*(10/10)+25", "18/10*10+25", true},
		{"18*10/10+25", "(18+25)*10/10", false},
		{"18+25+10-10", "(18+25)*10/10", false},
	} {
		a, b := p.JudgeText(c.a), p.JudgeText(c.b)
		if !a.Correct || !b.Correct || (a.Mode == b.Mode) != c.same {
			t.Errorf("%s has the mode %q, %s %q; one mode: want %v", c.a, a.Mode, c.b, b.Mode, c.same)
		}
	}
}

// TestModesByDefinition: the modes of problems of the published draw and of smaller
// numbers, with equal numbers and without, are as many as by the definition.
func TestModesByDefinition(t *testing.T) {
	equal := 0
	for _, c := range []struct {
		change   func(*Config)
		problems int
	}{
		{nil, 150},
		{func(k *Config) { k.MinNumber, k.MaxNumber, k.TargetMin, k.TargetMax, k.MinModes = 1, 6, 1, 40, 1 }, 60},
		{func(k *Config) { k.MinNumber, k.MaxNumber, k.TargetMin, k.TargetMax, k.MinModes = 2, 3, 1, 20, 1 }, 40},
	} {
		e := build(t, c.change)
		for i := range c.problems {
			if testing.Short() && i%10 != 0 {
				continue
			}
			p := envtest.Problem[*Problem](t, e, envs.Train, i)
			if p.equal != 0 {
				equal++
			}
			if got, want := len(p.Truth().Modes), modesByDefinition(p); got != want {
				t.Errorf("%v -> %d has %d modes, by the definition %d: %q", p.given(), p.target, got, want, p.Truth().Modes)
			}
		}
	}
	if equal < 10 {
		t.Errorf("%d problems have equal numbers", equal)
	}
}

// TestShareOfEqualNumbers: docs/environments.md states how many problems have equal
// numbers, and how many of these nothing but modes that do nothing with them: which have
// the target as their value whatever the equal numbers are.
func TestShareOfEqualNumbers(t *testing.T) {
	page, err := os.ReadFile("../../docs/environments.md")
	if err != nil {
		t.Fatal(err)
	}
	e, equal, idle := build(t, nil), 0, 0
	for i := range 1000 {
		p := envtest.Problem[*Problem](t, e, envs.Train, i)
		if p.equal == 0 {
			continue
		}
		equal++
		if !slices.ContainsFunc(p.Truth().Modes, func(m envs.Mode) bool { return p.needsEqual(t, m) }) {
			idle++
		}
	}
	want := fmt.Sprintf("%d of the first 1000 problems of `train` have equal numbers, and %d of these", equal, idle)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("the page does not say: %s", want)
	}
}

// needsEqual reports whether a mode has another value where its equal numbers are others.
func (p *Problem) needsEqual(t *testing.T, mode envs.Mode) bool {
	t.Helper()
	numbers := p.given()
	for _, other := range []string{"1009", "7919"} {
		text := regexp.MustCompile(`\d+`).ReplaceAllStringFunc(string(mode), func(number string) string {
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.Index(numbers, int16(n)); i < len(numbers)-1 && numbers[i+1] == int16(n) {
				number = other
			}
			return number + ".0" // so that / does not cut
		})
		tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !constant.Compare(tv.Value, token.EQL, constant.MakeInt64(int64(p.target))) {
			return true
		}
	}
	return false
}
