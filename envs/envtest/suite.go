package envtest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/rng"
)

// A check ends at the first breach that it finds, by a panic that catch turns into an error. It
// does not fail a test, so that the suite's own tests can see it reject a bad environment.
type check struct {
	name string
	find func(*suite)
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

func (s *suite) run(c check) error { return catch(func() { c.find(s) }) }

type breach struct{ error }

// want ends a check with an error unless ok is true.
func want(ok bool, format string, args ...any) {
	if !ok {
		panic(breach{fmt.Errorf(format, args...)})
	}
}

// noError ends a check with an error, if there is one, behind its place.
func noError(err error, place string, args ...any) {
	if err != nil {
		panic(breach{fmt.Errorf("%s: %w", fmt.Sprintf(place, args...), err)})
	}
}

// must returns a result, or ends a check with its error.
func must[T any](result T, err error) T {
	if err != nil {
		panic(breach{err})
	}
	return result
}

// catch returns the breach that ends a part of a check, or another panic, as an error.
func catch(part func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case breach:
			err = r.error
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	part()
	return nil
}

// each calls f for the problems of every split; errors get the problem's name.
func (s *suite) each(f func(p envs.Problem, key rng.Key)) {
	for _, split := range envs.Splits() {
		for i := range s.problems {
			noError(catch(func() {
				f(must(s.env.Problem(split, i)), rng.New(0).Str("envtest").Str(string(split)).Int(uint64(i)))
			}), "%s problem %d", split, i)
		}
	}
}

// eachAnswer calls f for answers to the problems of every split.
func (s *suite) eachAnswer(f func(p envs.Problem, tokens []envs.Token)) {
	s.each(func(p envs.Problem, key rng.Key) {
		for _, tokens := range s.answers(p, key) {
			f(p, tokens)
		}
	})
}

// walk takes uniformly random legal tokens until the answer is done.
func (s *suite) walk(p envs.Problem, r *rand.Rand) []envs.Token {
	var tokens []envs.Token
	for c := p.Start(); !c.Done(); {
		legal := c.Legal()
		want(len(legal) > 0, "after %v: no token is legal, but the answer is not done", tokens)
		want(len(tokens) < s.info.MaxAnswer, "after %v: not done, but MaxAnswer is %d", tokens, s.info.MaxAnswer)
		next := legal[r.IntN(len(legal))]
		noError(c.Push(next), "after %v: token %d is listed as legal", tokens, next)
		tokens = append(tokens, next)
	}
	return tokens
}

// randomTokens takes random legal tokens until the rollout is done or has limit tokens. It passes
// over the faults that walk finds.
func randomTokens(task envs.Task, limit int, r *rand.Rand) (tokens []envs.Token) {
	for c := task.Start(); !c.Done() && len(tokens) < limit; {
		legal := c.Legal()
		t := legal[r.IntN(len(legal))]
		if c.Push(t) != nil {
			break
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// answers returns whole answers of both kinds: random walks, which are mostly
// wrong in a large environment, and demonstrations, which are often right.
func (s *suite) answers(p envs.Problem, key rng.Key) [][]envs.Token {
	var out [][]envs.Token
	for i := range uint64(s.walks) {
		out = append(out, s.walk(p, key.Str("walk").Int(i).Rand()), p.Demonstrate(key.Str("demonstrate").Int(i).Rand()))
	}
	return out
}

// start returns a cursor that has taken the prefix.
func start(p envs.Problem, prefix []envs.Token) envs.Cursor {
	c := p.Start()
	for i, t := range prefix {
		noError(c.Push(t), "%v: token %d of a legal answer is refused", prefix, i)
	}
	return c
}

// enumerationLimit bounds the states that enumerate visits.
const enumerationLimit = 4096

// enumerate lists all answers of a problem, in lexicographic order; ok is false
// when there are too many.
func enumerate(p envs.Problem) (answers [][]envs.Token, ok bool) {
	stack, visited := [][]envs.Token{nil}, 0
	for len(stack) > 0 {
		prefix := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visited++; visited > enumerationLimit {
			return nil, false
		}
		c := start(p, prefix)
		if c.Done() {
			answers = append(answers, prefix)
			continue
		}
		if len(stack)+len(c.Legal()) > enumerationLimit {
			return nil, false
		}
		for _, t := range slices.Backward(c.Legal()) {
			stack = append(stack, append(prefix[:len(prefix):len(prefix)], t))
		}
	}
	return answers, true
}

// quote shortens a text for an error message.
func quote(text string) string {
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}
