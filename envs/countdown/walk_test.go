package countdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// walked returns a cursor that has taken words.
func walked(t testing.TB, p *Problem, text string) *cursor {
	t.Helper()
	c := p.Start().(*cursor)
	for _, token := range tokens(t, p, text) {
		if err := c.Push(token); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestLegal(t *testing.T) {
	exactly := newProblem(build(t, nil).usual, "exactly", [maxSlots]int16{2, 5, 5, 7}, 24)
	often := newProblem(build(t, func(c *Config) { c.AtMostOnce = true }).usual, "often", exactly.numbers, 24)
	for _, c := range []struct {
		reason, after   string
		exactly, atMost string
	}{
		{"each number, equal ones once", "", "2 5 7", "2 5 7"},
		{"one of the equal numbers is left", "5", "2 5 7", "end 2 5 7"},
		{"two values can be joined", "5 5", "+ - * / 2 7", "+ - * / 2 7"},
		{"one value may be the answer", "5 5 -", "2 7", "end 2 7"},
		{"all numbers are used", "5 5 2 7", "+ - * /", "+ - * /"},
		{"nothing is left but to end", "5 5 2 7 + + /", "", "end"},
	} {
		for _, k := range []struct {
			p    *Problem
			want string
		}{{exactly, c.exactly}, {often, c.atMost}} {
			cur := walked(t, k.p, c.after)
			var words []string
			for _, token := range cur.Legal() {
				words = append(words, k.p.shape.env.word(token))
			}
			if got := strings.Join(words, " "); got != k.want || cur.Done() != (k.want == "") {
				t.Errorf("%s: %s, after %q: %q is legal (done %v), want %q", c.reason, k.p.id, c.after, got, cur.Done(), k.want)
			}
		}
	}
	if c := walked(t, often, "5 5 2 7 + + / end"); !c.Done() || c.Legal() != nil {
		t.Errorf("after the end: legal %v, done %v", c.Legal(), c.Done())
	}
}

func TestPushRefuses(t *testing.T) {
	p := newProblem(build(t, nil).usual, "p", [maxSlots]int16{2, 5, 5, 7}, 24)
	for _, c := range []struct {
		reason, after string
		token         envs.Token
		want          string
	}{
		{"nothing to join", "5", plusToken, `token 0, "+", is not legal here`},
		{"no end", "5", endToken, `token 4, "end", is not legal here`},
		{"used up", "5 5", p.token(5), "5 is used more often than it is given; the numbers are 2, 5, 5, 7"},
		{"foreign", "", p.token(8), "8 is not given; the numbers are 2, 5, 5, 7"},
		{"beyond the vocabulary", "", 1000, `token 1000, "?", is not legal here`},
		{"after the end", "5 5 2 7 + + /", plusToken, "token 0 comes after the end of the answer"},
	} {
		cur := walked(t, p, c.after)
		before := *cur
		if err := cur.Push(c.token); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.reason, err, c.want)
		}
		if *cur != before {
			t.Errorf("%s: a refused token changed the cursor", c.reason)
		}
	}
}

// TestKeys: states are equal when their future verdicts are, views when their
// values are.
func TestKeys(t *testing.T) {
	p := newProblem(build(t, nil).usual, "p", [maxSlots]int16{2, 3, 4, 6}, 24)
	for _, c := range []struct {
		reason, a, b        string
		sameState, sameView bool
	}{
		{"the order of numbers that stand apart counts", "2 3", "3 2", false, false},
		{"grouping that text does not show is forgotten", "2 3 + 4 +", "2 3 4 + +", true, true},
		{"operands that trade places are another variant", "2 3 +", "3 2 +", false, true},
		{"what a value is made of is not seen", "2 6 * 4 3 - /", "2 6 4 3 - * *", false, true},
		{"values differ", "2 3 +", "2 3 *", false, false},
		{"numbers left differ", "2 6 *", "3 4 *", false, false},
		{"zero is one value", "6 2 3 * - 4 /", "6 2 3 * - 4 *", false, true},
		{"undefined is one value", "4 6 2 3 * - /", "4 6 3 2 * - /", false, true},
	} {
		x, y := walked(t, p, c.a), walked(t, p, c.b)
		state := string(x.AppendState(nil)) == string(y.AppendState(nil))
		view := string(x.AppendView(nil)) == string(y.AppendView(nil))
		if state != c.sameState || view != c.sameView {
			t.Errorf("%s: %q and %q: same state %v, same view %v; want %v and %v", c.reason, c.a, c.b, state, view, c.sameState, c.sameView)
		}
	}
	if got := string(walked(t, p, "6 2 3 + * 4").AppendState(nil)); got != "6*(2+3) 4 " {
		t.Errorf("state %q", got)
	}
}

// TestViewsAgree: along random walks, states of one view have the same legal
// tokens, are done together, and have the same prior.
func TestViewsAgree(t *testing.T) {
	for _, often := range []bool{false, true} {
		e := build(t, func(c *Config) { c.AtMostOnce, c.MinNumber, c.MaxNumber = often, 1, 6 })
		p := problem(t, e, envs.Train, 0)
		type seen struct {
			Legal []envs.Token
			Done  bool
			Prior []float64
		}
		known, states := map[string]seen{}, map[string]bool{}
		for i := range 300 {
			r := rng.New(8).Int(uint64(i)).Rand()
			c := p.Start().(*cursor)
			for prefix := []envs.Token(nil); ; {
				// A problem of its own, without rows.
				now := seen{c.Legal(), c.Done(), again(p).AppendPrior(nil, prefix)}
				view := string(c.AppendView(nil))
				if old, met := known[view]; met {
					if d := cmp.Diff(old, now); d != "" {
						t.Fatalf("%v: view %q was another:\n%s", prefix, view, d)
					}
				}
				known[view], states[string(c.AppendState(nil))] = now, true
				if c.Done() {
					break
				}
				token := c.Legal()[r.IntN(len(c.Legal()))]
				prefix = append(prefix, token)
				if err := c.Push(token); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(known)*3 > len(states)*2 {
			t.Errorf("at most once %v: %d views of %d states: views hardly forget anything", often, len(known), len(states))
		}
	}
}

// TestCompletions holds V, the number of correct completions, against a walk
// through all of them.
func TestCompletions(t *testing.T) {
	for _, often := range []bool{false, true} {
		e := build(t, func(c *Config) { c.AtMostOnce, c.Numbers, c.MaxNumber, c.MinModes = often, 3, 9, 2 })
		var problems []*Problem
		for i := range 6 {
			problems = append(problems, problem(t, e, envs.Train, i))
		}
		if !often { // some answers divide by zero in modes that have a value
			problems = append(problems, newProblem(build(t, func(c *Config) { c.Numbers = 5 }).usual, "five", [maxSlots]int16{2, 2, 2, 2, 2}, 2))
		}
		for _, p := range problems {
			var walk func(prefix []envs.Token) int64
			walk = func(prefix []envs.Token) int64 {
				c := p.Start().(*cursor)
				for _, token := range prefix {
					if err := c.Push(token); err != nil {
						t.Fatal(err)
					}
				}
				if c.Done() {
					if p.Judge(prefix).Correct {
						return 1
					}
					return 0
				}
				total := int64(0)
				for _, token := range c.Legal() {
					count := walk(append(slices.Clone(prefix), token))
					if got := p.completions(c, token); got != count {
						t.Fatalf("%s %v, after %v: token %d has %d correct completions, want %d", p.id, p.given(), prefix, token, got, count)
					}
					total += count
				}
				return total
			}
			if walk(nil) == 0 {
				t.Errorf("%s: no solution", p.id)
			}
		}
	}
}

func ExampleProblem_Picture() {
	e, _ := Default().Build()
	p := newProblem(e.(*Env).usual, "setpo", [maxSlots]int16{3, 21, 24, 54}, 63)
	right, _ := p.AnswerTokens("54-3*(21-24)")
	wrong, _ := p.AnswerTokens("54/(24-(21+3))")
	fmt.Print(p.Picture(right, wrong, right[:3], right))
	// Output:
	// countdown setpo: make 63 from 3, 21, 24, 54; 2 modes, 12 expressions
	//   54/3+24+21       6
	//   54+(24-21)*3     6  hit by 1, 4
	//   1: 54-3*(21-24) = 63: right; mode 54+(24-21)*3
	//   2: 54/(24-(21+3)) = undefined: wrong; mode 54/(24-21-3)
	//   3: 54 3 21 ...: degenerate: 3 values are left, want 1
	//   4: 54-3*(21-24) = 63: right; mode 54+(24-21)*3
}
