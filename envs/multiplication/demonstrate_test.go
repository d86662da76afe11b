package multiplication

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// A crowd has statistics of demonstrations, on the average over problems.
type crowd struct {
	pass1, pass64             float64
	decomposition, expansion  float64 // shares of answers where the component is 1
	modes, variants           float64 // distinct ones among the correct of 64
	entropy                   float64 // of the modes of 64, degenerate ones as one, in nats
	known, degenerate, tokens float64 // modes of the truth; share; mean length
}

func observe(t testing.TB, e *Env, problems int) crowd {
	const each = 64
	var c crowd
	for i := range problems {
		p := problem(t, e, envs.Train, i)
		modes, variants, count := map[envs.Mode]bool{}, map[string]bool{}, map[envs.Mode]float64{}
		solved := 0.0
		for j := range each {
			answer := p.Demonstrate(rng.New(1).Int(uint64(i)).Int(uint64(j)).Rand())
			v := p.Judge(answer)
			c.tokens += float64(len(answer)) / each
			c.pass1 += v.Reward[0] / each
			c.decomposition += v.Reward[1] / each
			c.expansion += v.Reward[2] / each
			solved = max(solved, v.Reward[0])
			if count[v.Mode]++; v.Mode == envs.Degenerate {
				c.degenerate += 1.0 / each
			} else if v.Correct {
				modes[v.Mode], variants[v.Variant] = true, true
			}
		}
		for _, n := range count {
			c.entropy -= n / each * math.Log(n/each)
		}
		c.pass64 += solved
		c.modes += float64(len(modes))
		c.variants += float64(len(variants))
		c.known += float64(len(p.Truth().Modes))
	}
	for _, x := range []*float64{&c.pass1, &c.pass64, &c.decomposition, &c.expansion, &c.modes, &c.variants, &c.entropy, &c.known, &c.degenerate, &c.tokens} {
		*x /= float64(problems)
	}
	return c
}

// TestDemonstrator: a base policy is competent and diverse, that is right in one
// answer out of 20 to one out of two, in one of 64 on nearly every problem, and in
// many modes.
func TestDemonstrator(t *testing.T) {
	for _, v := range []struct {
		name          string
		change        func(*Config)
		pass1, modes  float64 // expected, and at least
		decomposition float64 // at least
	}{
		{"default", nil, 0.36, 10, 0.8},
		{"a worse demonstrator", func(c *Config) { c.Slip, c.Lapse = 0.5, 0.05 }, 0.09, 3, 0.6},
		{"no skew", func(c *Config) { c.Skew = 0 }, 0.36, 12, 0.8},
		{"one family for the most part", func(c *Config) { c.Skew = 6 }, 0.36, 1, 0.8},
		{"three digits by two", func(c *Config) { c.DigitsA = 3 }, 0.29, 8, 0.75},
	} {
		got := observe(t, build(t, v.change), 100)
		t.Logf("%s: %+v", v.name, got)
		if math.Abs(got.pass1-v.pass1) > 0.03 || got.modes < v.modes || got.decomposition < v.decomposition || v.pass1 > 0.1 && got.pass64 < 0.99 {
			t.Errorf("%s: %+v, want pass@1 %v, %v modes, %v valid decompositions", v.name, got, v.pass1, v.modes, v.decomposition)
		}
	}
}

// TestProductOfDemonstrations compares the share of right products with the product
// of the chances of its tokens: digits from the ten, then from ten and the end.
func TestProductOfDemonstrations(t *testing.T) {
	const slip, n = 0.3, 20_000
	p := problem(t, build(t, func(c *Config) { c.Slip = slip }), envs.Train, 1)
	want := 1.0
	for i := range len(p.answer) + 1 {
		legal := 11.0
		switch {
		case i == 0:
			legal = 10 // no end
		case i == len(p.answer) && i == p.format.product:
			legal = 1 // nothing else
		case i == p.format.product-1:
			legal = 10 // no 0
		}
		if i > 1 && i < len(p.answer) && p.answer[len(p.answer)-i] == '0' || i == p.format.product-1 && p.answer[1] == '0' {
			t.Fatalf("%s: choose a product without zeros, which the end cannot follow", p.answer)
		}
		want *= 1 - slip + slip/legal
	}
	right := 0.0
	for i := range n {
		if p.Judge(p.Demonstrate(rng.New(2).Int(uint64(i)).Rand())).Correct {
			right++
		}
	}
	if sd := math.Sqrt(want * (1 - want) / n); math.Abs(right/n-want) > 4*sd {
		t.Errorf("%v of %s are right, want %.4f", right/n, p.answer, want)
	}
}

// TestKindsOfDemonstrations: without lapses the kinds come with the weights of the
// skew, plain*plain left out in favour of the second operand's other kinds.
func TestKindsOfDemonstrations(t *testing.T) {
	const n = 20_000
	e := build(t, func(c *Config) { c.Lapse, c.Skew = 1e-4, 2 })
	p := e.newProblem(e.usual, "drawn", 15, 61) // 61 is a prime
	first := [kinds]float64{place: 1, plain: 1. / 4, near: 1. / 9, factor: 1. / 16, split: 1. / 25}
	second := first
	second[factor] = 0
	sum := func(w [kinds]float64) (s float64) {
		for _, x := range w {
			s += x
		}
		return s
	}
	counts := map[envs.Mode]float64{}
	for i := range n {
		counts[p.Judge(p.Demonstrate(rng.New(3).Int(uint64(i)).Rand())).Mode]++
	}
	for i, x := range first {
		for j, y := range second {
			want := x / sum(first) * y / sum(second)
			if kind(i) == plain {
				want = x / sum(first) * y / (sum(second) - second[plain])
				if kind(j) == plain {
					want = 0
				}
			}
			// One answer in 700 lapses.
			if got := counts[modes[i][j]] / n; math.Abs(got-want) > 0.002+4*math.Sqrt(want*(1-want)/n) {
				t.Errorf("%s: a share of %.4f, want %.4f", modes[i][j], got, want)
			}
		}
	}
}

// TestForms: the demonstrator knows expressions for the operand, of the right kind, without
// repetition.
func TestForms(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for i := range 200 {
			p := problem(t, e, envs.Splits()[i%4], i)
			p.know()
			for side, operand := range [2]int64{p.a, p.b} {
				var known []string
				count := [kinds]int{}
				for _, x := range p.shown[side] {
					text := ""
					for _, token := range x.tokens[:len(x.tokens)-1] {
						text += word(token)
					}
					judged := p.JudgeText(text + "*(" + operandText(p.a+p.b-operand-1) + "+1) = 1")
					if kindNames[x.kind] != partOf(judged.Mode, p, side) || slices.Contains(known, text) {
						t.Fatalf("%s: %s for %d*%d: mode %q, want %s there; known before: %v", v.name, text, p.a, p.b, judged.Mode, kindNames[x.kind], known)
					}
					known = append(known, text)
					count[x.kind]++
				}
				if count[plain] != 1 || count[place] < 1 || count[near] < 1 || count[split] < min(4, e.config.Variants) || slices.Max(count[:]) > e.config.Variants {
					t.Fatalf("%s: %d has the expressions %v", v.name, operand, known)
				}
			}
		}
	}
}

// partOf is the kind of one operand. For equal operands modes do not tell which is
// which, but the other one is x-1+1 there, which is a split or, with x-1 round, in its
// places.
func partOf(m envs.Mode, p *Problem, side int) string {
	for i, row := range modes {
		for j, mode := range row {
			if mode != m {
				continue
			}
			if p.a == p.b {
				other := split
				if (p.a-1)%10 == 0 {
					other = place
				}
				if kind(i) == other {
					return kindNames[j]
				}
				return kindNames[i]
			}
			return kindNames[[2]int{i, j}[side]]
		}
	}
	return ""
}

// TestOffTheList: a lapse that leads nowhere is closed at once, and copied.
func TestOffTheList(t *testing.T) {
	e := build(t, func(c *Config) { c.Lapse, c.Slip = 1e-4, 1e-4 })
	p := e.newProblem(e.usual, "drawn", 34, 67)
	for _, c := range []struct{ reason, before, want string }{
		{"nothing is known after a strange digit", "(99", "(99+"},
		{"an expression of two terms is closed", "(99+1", "(99+1)"},
		{"a number is closed", "9", "9*"},
		{"the second operand may be right all the same", "9*", "9*("},
		{"what has been written is copied", "(99+1)*67 = ", "(99+1)*67 = 9"},
		{"and multiplied", "(99+1)*67 = 99*67+1*67 = ", "(99+1)*67 = 99*67+1*67 = 3"},
		{"the product is that of the question", "(99+1)*67 = 99*67+1*67 = 6633+67 = ", "(99+1)*67 = 99*67+1*67 = 6633+67 = 8"},
		{"after a wrong digit the next one is right", "34*67 = 4", "34*67 = 74"},
	} {
		var tokens []envs.Token
		for _, r := range c.before {
			if r != ' ' {
				tokens = append(tokens, envs.Token(slices.Index([]rune(symbols), r)))
			}
		}
		if c.before[len(c.before)-1] == ' ' && len(c.before) > 30 { // 6633, with its last digit first
			copy(tokens[len(tokens)-8:], []envs.Token{3, 3, 6, 6, plus, 7, 6, equals})
		}
		prior := p.AppendPrior(nil, tokens)
		best := slices.Index(prior, slices.Max(prior))
		next := walked(t, p, tokens).Legal()[best]
		if got := p.AnswerText(append(tokens, next)); got != c.want {
			t.Errorf("%s: %s goes on as %s, want %s", c.reason, c.before, got, c.want)
		}
	}
}

// TestPriorAddsUp: probabilities are that, everywhere.
func TestPriorAddsUp(t *testing.T) {
	some(t, func(p *Problem, answers [][]envs.Token) {
		for _, answer := range answers {
			for i := range answer {
				sum := 0.0
				for _, l := range p.AppendPrior(nil, answer[:i]) {
					sum += exact.Exp(l)
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Fatalf("after %v the chances add up to %v", answer[:i], sum)
				}
			}
		}
	})
	p := drawn(t, 34, 67, 0)
	for _, c := range []struct {
		reason string
		prefix []envs.Token
	}{
		{"after the end there is nothing", parsed(t, p, "34*67 = 2278")},
		{"nor after what is not legal", []envs.Token{3, equals}},
	} {
		if got := p.AppendPrior([]float64{42}, c.prefix); len(got) != 1 || got[0] != 42 {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}
