package envtest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"modebench/envs"
	"modebench/internal/rng"
)

// A check returns the first breach it finds. It reports errors instead of
// failing a test so that the suite's own tests can see it reject a bad
// environment.
type check struct {
	name string
	find func(*suite) error
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
