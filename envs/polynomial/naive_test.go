package polynomial

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
)

// A sheet is a problem as its prompt prints it. Checks of the truth and the judge work on
// sheets, so that they share no code with them: rational numbers of math/big, a parser of
// sums of its own, and a regular expression.
type sheet struct {
	left, right []factor
	literal     *regexp.Regexp
	pair        *regexp.Regexp
}

// A factor is a coefficient and the powers of x and y.
type factor struct {
	coefficient int64
	x, y        int
}

var productForm = regexp.MustCompile(`^([+-]?)(\d*)\*?(x?)(?:\^(\d))?\*?(y?)(?:\^(\d))?$`)

// readSheet reads the relation that a prompt prints; digits and decimals are
// those of the environment.
func readSheet(t testing.TB, p envs.Problem, digits, decimals int) sheet {
	t.Helper()
	_, rest, _ := strings.Cut(p.PromptText(), "relation:\n\n")
	line, _, _ := strings.Cut(rest, "\n\n")
	left, right, ok := strings.Cut(line, " = ")
	if !ok {
		t.Fatalf("no relation in the prompt:\n%s", p.PromptText())
	}
	literal := fmt.Sprintf(`[-−]?(?:0|[1-9][0-9]{0,%d})`, digits-1)
	if decimals > 0 {
		literal += fmt.Sprintf(`(?:\.[0-9]{1,%d})?`, decimals)
	}
	const blank = `[ \t\n\r\v\f]*`
	one := func(name string) string { return name + blank + "=" + blank + "(" + literal + ")" }
	spread := func(parts ...string) string { return blank + strings.Join(parts, blank) + blank }
	var forms []string
	for _, form := range [][]string{{one("x"), ",", one("y")}, {one("y"), ",", one("x")}} {
		forms = append(forms, spread(form...), spread(`\(`, spread(form...), `\)`))
	}
	return sheet{readSum(t, left), readSum(t, right), regexp.MustCompile("^" + literal + "$"),
		regexp.MustCompile("^(?:" + strings.Join(forms, "|") + ")$")}
}

func readSum(t testing.TB, text string) []factor {
	t.Helper()
	var sum []factor
	for _, part := range regexp.MustCompile(`[+-]?[^+-]+`).FindAllString(text, -1) {
		m := productForm.FindStringSubmatch(part)
		if m == nil {
			t.Fatalf("%q in %q is no product", part, text)
		}
		f := factor{coefficient: 1}
		if m[2] != "" {
			f.coefficient, _ = strconv.ParseInt(m[2], 10, 64)
		}
		if m[1] == "-" {
			f.coefficient = -f.coefficient
		}
		f.x, f.y = power(m[3], m[4]), power(m[5], m[6])
		if m[3] == "" && m[4] != "" {
			t.Fatalf("%q raises a constant to a power", part)
		}
		sum = append(sum, f)
	}
	return sum
}

func power(name, exponent string) int {
	if name == "" {
		return 0
	}
	if exponent == "" {
		return 1
	}
	n, _ := strconv.Atoi(exponent)
	return n
}

func evaluate(sum []factor, x, y *big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, f := range sum {
		v := big.NewRat(f.coefficient, 1)
		for range f.x {
			v.Mul(v, x)
		}
		for range f.y {
			v.Mul(v, y)
		}
		total.Add(total, v)
	}
	return total
}

// holds puts numbers into the printed relation.
func (s sheet) holds(x, y *big.Rat) bool {
	return evaluate(s.left, x, y).Cmp(evaluate(s.right, x, y)) == 0
}

func rational(t testing.TB, literal string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		t.Fatalf("%q is no number", literal)
	}
	return r
}

// shortest is a number as modes spell it.
func shortest(r *big.Rat) string {
	text := r.FloatString(6)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// ascii is a literal with the minus sign that verdicts and tokens have.
func ascii(literal string) string { return strings.ReplaceAll(literal, "−", "-") }

// An outcome is the expected verdict of an answer.
type outcome struct {
	valid, correct bool
	mode, variant  string
}

// judge reads an answer with the regular expression and puts its numbers into the
// printed relation.
func (s sheet) judge(t testing.TB, text string) outcome {
	t.Helper()
	m := s.pair.FindStringSubmatch(text)
	if m == nil {
		return outcome{}
	}
	var x, y string
	for form := range 4 {
		if first, second := ascii(m[1+2*form]), ascii(m[2+2*form]); first != "" {
			if x, y = first, second; form >= 2 {
				x, y = second, first
			}
		}
	}
	a, b := rational(t, x), rational(t, y)
	return outcome{true, s.holds(a, b), "x=" + shortest(a) + ", y=" + shortest(b), "x=" + x + ", y=" + y}
}

// literals lists all numbers of a grammar, spelling by spelling.
func literals(digits, decimals int) []string {
	var wholes []string
	top := 1
	for range digits {
		top *= 10
	}
	for n := range top {
		wholes = append(wholes, strconv.Itoa(n))
	}
	fractions := []string{""}
	for places := 1; places <= decimals; places++ {
		top := 1
		for range places {
			top *= 10
		}
		for n := range top {
			fractions = append(fractions, fmt.Sprintf(".%0*d", places, n))
		}
	}
	var out []string
	for _, sign := range []string{"", "-"} {
		for _, whole := range wholes {
			for _, fraction := range fractions {
				out = append(out, sign+whole+fraction)
			}
		}
	}
	return out
}

// solve goes through all pairs of literals, and lists the correct pairs in the
// order of a truth and counts their spellings.
func (s sheet) solve(t testing.TB, all []string) (modes []envs.Mode, solutions int64) {
	t.Helper()
	type value struct {
		number    *big.Rat
		spellings int64
	}
	var values []value
	known := map[string]int{}
	for _, literal := range all {
		r := rational(t, literal)
		at, ok := known[r.String()]
		if !ok {
			at = len(values)
			known[r.String()] = at
			values = append(values, value{number: r})
		}
		values[at].spellings++
	}
	slices.SortFunc(values, func(a, b value) int { return a.number.Cmp(b.number) })
	for _, x := range values {
		for _, y := range values {
			if s.holds(x.number, y.number) {
				modes = append(modes, envs.Mode("x="+shortest(x.number)+", y="+shortest(y.number)))
				solutions += x.spellings * y.spellings
			}
		}
	}
	return modes, solutions
}
