// Package envtest is the conformance suite of environments: it checks the promises of package envs
// against any implementation. Only tests import it.
//
//	func TestConformance(t *testing.T) { envtest.Run(t, env) }
//
// Every draw comes from a keyed stream, so a suite that passes once passes always.
package envtest

import (
	"reflect"
	"testing"

	"modebench/envs"
)

// An Option changes how thorough or how strict the suite is.
type Option func(*suite)

// Problems sets how many problems of each split are examined (4).
func Problems(n int) Option { return func(s *suite) { s.problems = n } }

// Walks sets how many random legal answers are examined per problem (100), and
// as many demonstrations; frequencies are estimated from ten times as many.
func Walks(n int) Option { return func(s *suite) { s.walks = n } }

// Modeless allows answers that parse and still have no strategy (for example, a product
// written without a decomposition). Without it every valid answer needs a mode.
func Modeless() Option { return func(s *suite) { s.modeless = true } }

// FreeWeights allows a w* that does not add up to 1.
func FreeWeights() Option { return func(s *suite) { s.freeWeights = true } }

// Pinned sets the expected hash of the problems. Without it nothing is pinned: a later
// version may hand out other problems unnoticed.
func Pinned(hash string) Option { return func(s *suite) { s.pinned = hash } }

// Run puts an environment through the suite, one subtest per promise. A short test looks at half of
// the problems and a third of the answers.
func Run(t *testing.T, env envs.Env, opts ...Option) {
	t.Helper()
	s := newSuite(env, opts...)
	if testing.Short() {
		s.problems, s.walks = (s.problems+1)/2, (s.walks+2)/3
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if err := s.run(c); err != nil {
				t.Error(err)
			}
		})
	}
}

// Build makes an environment of type E from parameters, changed where change is not nil.
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
// each time, and that the environment heeds env_seed (Draws).
func Registered(t *testing.T, name string, defaults envs.Config) {
	t.Helper()
	d, err := envs.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if d.Default() == d.Default() || !reflect.DeepEqual(d.Default(), defaults) {
		t.Errorf("the registry hands out %+v, want %+v, and another copy each time", d.Default(), defaults)
	}
	Draws(t, name)
}

// Copies checks that what is built does not follow later changes of its parameters.
func Copies[C envs.Config](t *testing.T, config C, change func(C)) {
	t.Helper()
	env := Build[envs.Env](t, config, nil)
	text := func(split envs.Split) string { return Problem[envs.Problem](t, env, split, 1).PromptText() }
	want := text(envs.Train)
	change(config)
	if again, testText := text(envs.Train), text(envs.Test); again != want || testText == want {
		t.Error("changing the parameters after Build changed the environment")
	}
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

func newSuite(env envs.Env, opts ...Option) *suite {
	s := &suite{env: env, info: env.Info(), problems: 4, walks: 100}
	for _, o := range opts {
		o(s)
	}
	return s
}
