package derivation

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// TestBase: the demonstrator is competent and diverse. Its pass@1 lies between 0.2 and 0.5,
// 64 of its answers nearly always hold a correct one, and they find most modes. The split
// ood is harder, and who writes every needed step is right more often.
func TestBase(t *testing.T) {
	const problems, answers = 100, 64
	e := build(t, nil)
	before := 1.0
	for _, split := range []envs.Split{envs.Train, envs.OOD} {
		pass1, pass64, coverage := 0.0, 0.0, 0.0
		var none, all share // of the answers that write no step, and every one
		for i := range problems {
			p := envtest.Problem[*Problem](t, e, split, i)
			r, hits, found := rng.New(1).Int(uint64(i)).Rand(), 0, map[envs.Mode]bool{}
			for range answers {
				v := p.Judge(p.Demonstrate(r))
				switch v.Mode {
				case p.mode(0):
					none.add(v.Correct)
				case p.mode(p.needed):
					all.add(v.Correct)
				}
				if v.Correct {
					hits++
					found[v.Mode] = true
				}
			}
			pass1 += float64(hits) / answers / problems
			pass64 += float64(min(hits, 1)) / problems
			coverage += float64(len(found)) / float64(len(p.Truth().Modes)) / problems
		}
		if pass1 < 0.2 || pass1 > 0.5 || pass1 >= before || pass64 < 0.95 || coverage < 0.3 || coverage > 0.95 {
			t.Errorf("%s: pass@1 %.3f, pass@64 %.3f, modes found %.3f", split, pass1, pass64, coverage)
		}
		if all.of() < none.of()+0.2 {
			t.Errorf("%s: right are %.3f of the answers without a step, and %.3f of those with all", split, none.of(), all.of())
		}
		before = pass1
	}
}

// A share is how many of some answers are right.
type share struct{ right, all float64 }

func (s *share) add(right bool) {
	s.all++
	if right {
		s.right++
	}
}

func (s share) of() float64 { return s.right / s.all }

// chances are the demonstrator's probabilities of the tokens after a text.
func chances(p *Problem, text string) []float64 {
	prior := p.AppendPrior(nil, tokens(p, text))
	out := make([]float64, len(prior))
	exact.Softmax(out, prior)
	return out
}

// tokens reads "c0e" as tokens.
func tokens(p *Problem, text string) (out []envs.Token) {
	for _, word := range []byte(text) {
		token := envs.Token(word - '0')
		if word >= 'a' {
			token = p.rules.variable(int(word - 'a'))
		}
		out = append(out, token)
	}
	return out
}

// TestPrior: the next token's probabilities by hand, with q = 0.8, written = 0.5, digress =
// 0.3 and slip = 0.4.
func TestPrior(t *testing.T) {
	p := made(t, func(c *Config) { c.Q, c.Written, c.Digress, c.Slip, c.Sigma = 0.8, 0.5, 0.3, 0.4, 0 })
	digit := func(d int, chance float64) []float64 {
		out := slices.Repeat([]float64{(1 - chance) / 10}, 10)
		out[d] += chance
		return out
	}
	for _, c := range []struct {
		text   string
		want   []float64 // P, before the uniform share
		reason string
	}{
		{"", []float64{0.5, 0.25, 0.25 * 0.7, 0.25 * 0.3}, "c, d, and then f before e"},
		{"d1", []float64{0, 0.7, 0.3}, "c has been passed over"},
		{"f4", []float64{0, 0, 1}, "nothing but the end lies behind"},
		{"c", digit(0, 1), "from what is given"},
		{"e", digit(9, 0.36), "c and d in the head"},
		{"d1e", digit(9, 0.6), "c in the head"},
		{"c0d1e", digit(9, 1), "nothing in the head"},
		{"c5d1e", digit(4, 1), "an error is carried on"},
		{"f", digit(4, 0.216), "e, and for it c and d"},
	} {
		got := chances(p, c.text)
		for i, want := range c.want {
			if want = 0.2/float64(len(c.want)) + 0.8*want; len(got) != len(c.want) || math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("%s: after %q: %v, want of each 0.2/n and 0.8 times %v", c.reason, c.text, got, c.want)
				break
			}
		}
	}
}

// TestPriorOfNoPrefix: there is no prior after illegal tokens, nor at the end.
func TestPriorOfNoPrefix(t *testing.T) {
	p := made(t, nil)
	for _, text := range []string{"7", "a", "cc", "e9", "e9c"} {
		if got := p.AppendPrior([]float64{7}, tokens(p, text)); !slices.Equal(got, []float64{7}) {
			t.Errorf("the prior after %q appends %v", text, got[1:])
		}
	}
}

// TestLessons: a lesson is right in every digit, and writes what the demonstrator would.
func TestLessons(t *testing.T) {
	e := build(t, func(c *Config) { c.Verify, c.Written, c.Digress = "all", 0.75, 0.25 })
	const lessons = 4000
	written, digressed := 0, 0
	for i := range lessons {
		problem, answers, err := e.Lesson(i, 1, rng.New(2).Int(uint64(i)).Rand())
		if err != nil {
			t.Fatal(err)
		}
		p := problem.(*Problem)
		v := p.Judge(answers[0])
		if !v.Correct {
			t.Fatalf("a lesson is %+v", v)
		}
		for _, token := range answers[0] {
			switch at := p.rules.variableOf(token); {
			case at < 0 || at == p.asked:
			case p.needed.has(at):
				written++
			default:
				digressed++
			}
		}
	}
	if w, d := float64(written)/(3*lessons), float64(digressed)/(2*lessons); math.Abs(w-0.75) > 0.02 || math.Abs(d-0.25) > 0.02 {
		t.Errorf("needed variables are written with the frequency %.3f, and others with %.3f", w, d)
	}
	if _, _, err := e.Lesson(-1, 1, rng.New(2).Rand()); err == nil {
		t.Error("a lesson about no problem is no error")
	}
}
