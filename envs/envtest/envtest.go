// Package envtest is the conformance suite of environments: what package envs
// promises, checked against any implementation. Only tests import it.
//
//	func TestConformance(t *testing.T) { envtest.Run(t, env) }
//
// Every draw comes from a keyed stream, so a suite that passes once passes
// always.
package envtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// An Option changes how thorough or how strict the suite is.
type Option func(*suite)

// Problems sets how many problems of each split are examined (4).
func Problems(n int) Option { return func(s *suite) { s.problems = n } }

// Walks sets how many random legal answers are examined per problem (100), and
// as many demonstrations; frequencies are estimated from ten times as many.
func Walks(n int) Option { return func(s *suite) { s.walks = n } }

// Modeless says that an answer may parse and still have no strategy (a product
// written without a decomposition, say). Without it every valid answer needs a
// mode.
func Modeless() Option { return func(s *suite) { s.modeless = true } }

// FreeWeights says that w* need not add up to 1.
func FreeWeights() Option { return func(s *suite) { s.freeWeights = true } }

// Pinned says what Hash gives. Without it nothing is pinned: a later version may
// hand out other problems unnoticed.
func Pinned(hash string) Option { return func(s *suite) { s.pinned = hash } }

// Run puts an environment through the suite, one subtest per promise.
func Run(t *testing.T, env envs.Env, opts ...Option) {
	t.Helper()
	s := newSuite(env, opts...)
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if err := s.run(c); err != nil {
				t.Error(err)
			}
		})
	}
}

// Build makes an environment of type E from parameters, changed where change is
// not nil.
func Build[E envs.Env, C envs.Config](t testing.TB, config C, change func(C)) E {
	t.Helper()
	if change != nil {
		change(config)
	}
	env, err := config.Build()
	if err != nil {
		t.Fatal(err)
	}
	return env.(E)
}

// Problem returns a problem of type P.
func Problem[P envs.Problem](t testing.TB, env envs.Env, split envs.Split, index int) P {
	t.Helper()
	p, err := env.Problem(split, index)
	if err != nil {
		t.Fatal(err)
	}
	return p.(P)
}

// Registered checks that the registry hands out these parameters, another copy
// each time.
func Registered(t *testing.T, name string, defaults envs.Config) {
	t.Helper()
	d, err := envs.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if d.Default() == d.Default() || !reflect.DeepEqual(d.Default(), defaults) {
		t.Errorf("the registry hands out %+v, want %+v, and another copy each time", d.Default(), defaults)
	}
}

// Copies checks that what is built does not follow later changes of its
// parameters.
func Copies[C envs.Config](t *testing.T, config C, change func(C)) {
	t.Helper()
	env := Build[envs.Env](t, config, nil)
	text := func(split envs.Split) string { return Problem[envs.Problem](t, env, split, 1).PromptText() }
	want := text(envs.Train)
	change(config)
	if again, other := text(envs.Train), text(envs.Test); again != want || other == want {
		t.Error("changing the parameters after Build changed the environment")
	}
}

// A check returns the first breach it finds. It reports errors instead of
// failing a test so that the suite's own tests can see it reject a bad
// environment.
type check struct {
	name string
	find func(*suite) error
}

var checks = []check{
	{"info", checkInfo},
	{"requests", checkRequests},
	{"repeatable", checkRepeatable},
	{"splits", checkSplits},
	{"concurrent", checkConcurrent},
	{"document", checkDocument},
	{"cursor", checkCursor},
	{"markov", checkMarkov},
	{"demonstrations", checkDemonstrations},
	{"prior", checkPrior},
	{"verdicts", checkVerdicts},
	{"text", checkText},
	{"variants", checkVariants},
	{"garbage", checkGarbage},
	{"chain", checkChain},
	{"encoding", checkEncoding},
	{"lessons", checkLessons},
	{"truth", checkTruth},
	{"front", checkFront},
	{"enumeration", checkEnumeration},
	{"drawing", checkDrawing},
	{"pinned", checkPinned},
}

type suite struct {
	env         envs.Env
	info        envs.Info
	problems    int
	walks       int
	modeless    bool
	freeWeights bool
	pinned      string
}

func newSuite(env envs.Env, opts ...Option) *suite {
	s := &suite{env: env, info: env.Info(), problems: 4, walks: 100}
	for _, o := range opts {
		o(s)
	}
	return s
}

// run turns a panic into an error, so that it names the promise it broke.
func (s *suite) run(c check) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.find(s)
}

// each calls f for the problems of every split; errors get the problem's name.
func (s *suite) each(f func(p envs.Problem, key rng.Key) error) error {
	for _, split := range envs.Splits() {
		for i := range s.problems {
			p, err := s.env.Problem(split, i)
			if err == nil {
				err = f(p, rng.New(0).Str("envtest").Str(string(split)).Int(uint64(i)))
			}
			if err != nil {
				return fmt.Errorf("%s problem %d: %w", split, i, err)
			}
		}
	}
	return nil
}

// walk takes uniformly random legal tokens until the answer is done.
func (s *suite) walk(p envs.Problem, r *rand.Rand) ([]envs.Token, error) {
	var tokens []envs.Token
	for c := p.Start(); !c.Done(); {
		legal := c.Legal()
		if len(legal) == 0 {
			return nil, fmt.Errorf("after %v: no token is legal, but the answer is not done", tokens)
		}
		if len(tokens) == s.info.MaxAnswer {
			return nil, fmt.Errorf("after %v: not done, but MaxAnswer is %d", tokens, s.info.MaxAnswer)
		}
		next := legal[r.IntN(len(legal))]
		if err := c.Push(next); err != nil {
			return nil, fmt.Errorf("after %v: token %d is listed as legal: %w", tokens, next, err)
		}
		tokens = append(tokens, next)
	}
	return tokens, nil
}

// answers returns whole answers of both kinds: random walks, which are mostly
// wrong in a large environment, and demonstrations, which are often right.
func (s *suite) answers(p envs.Problem, key rng.Key) ([][]envs.Token, error) {
	var out [][]envs.Token
	for i := range s.walks {
		tokens, err := s.walk(p, key.Str("walk").Int(uint64(i)).Rand())
		if err != nil {
			return nil, err
		}
		out = append(out, tokens, p.Demonstrate(key.Str("demonstrate").Int(uint64(i)).Rand()))
	}
	return out, nil
}

// start returns a cursor that has taken the prefix.
func start(p envs.Problem, prefix []envs.Token) (envs.Cursor, error) {
	c := p.Start()
	for i, t := range prefix {
		if err := c.Push(t); err != nil {
			return nil, fmt.Errorf("%v: token %d of a legal answer is refused: %w", prefix, i, err)
		}
	}
	return c, nil
}

// enumerationLimit bounds the states that enumerate visits.
const enumerationLimit = 4096

// enumerate lists all answers of a problem, in lexicographic order; ok is false
// when there are too many.
func enumerate(p envs.Problem) (answers [][]envs.Token, ok bool, err error) {
	stack, visited := [][]envs.Token{nil}, 0
	for len(stack) > 0 {
		prefix := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visited++; visited > enumerationLimit {
			return nil, false, nil
		}
		c, err := start(p, prefix)
		if err != nil {
			return nil, false, err
		}
		if c.Done() {
			answers = append(answers, prefix)
			continue
		}
		legal := c.Legal()
		if len(stack)+len(legal) > enumerationLimit {
			return nil, false, nil
		}
		for i := len(legal) - 1; i >= 0; i-- {
			stack = append(stack, append(prefix[:len(prefix):len(prefix)], legal[i]))
		}
	}
	return answers, true, nil
}

// quote shortens a text for an error message.
func quote(text string) string {
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}
