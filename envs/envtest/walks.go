package envtest

import (
	"bytes"
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkCursor walks random answers and looks at every state on the way.
func checkCursor(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		for i := range s.walks {
			tokens, err := s.walk(p, key.Str("walk").Int(uint64(i)).Rand())
			if err != nil {
				return err
			}
			c, idle := p.Start(), p.Start()
			before := idle.AppendState(nil)
			for j := range len(tokens) + 1 {
				if err := s.lookAt(c); err != nil {
					return fmt.Errorf("after %v: %w", tokens[:j], err)
				}
				if j == len(tokens) {
					break
				}
				if err := c.Push(tokens[j]); err != nil {
					return fmt.Errorf("after %v: %w", tokens[:j], err)
				}
			}
			if !bytes.Equal(before, idle.AppendState(nil)) {
				return fmt.Errorf("walking %v moved another cursor", tokens)
			}
		}
		return nil
	})
}

// probes bounds the illegal tokens tried in one state.
const probes = 64

// lookAt checks the legal tokens of a state, and that what is not legal is
// refused and changes nothing.
func (s *suite) lookAt(c envs.Cursor) error {
	vocabulary := len(s.info.Vocabulary)
	legal, done := slices.Clone(c.Legal()), c.Done()
	if done != (len(legal) == 0) {
		return fmt.Errorf("%d tokens are legal, and Done is %v", len(legal), done)
	}
	for i, t := range legal {
		if int(t) < 0 || int(t) >= vocabulary || i > 0 && t <= legal[i-1] {
			return fmt.Errorf("legal tokens %v: want ascending tokens below %d", legal, vocabulary)
		}
	}
	state := c.AppendState(nil)
	if got := c.AppendState([]byte("kept")); !bytes.Equal(got, append([]byte("kept"), state...)) {
		return fmt.Errorf("AppendState gives %q, and after a prefix %q", state, got)
	}
	step := max(1, vocabulary/probes)
	for t := envs.Token(-step); int(t) <= vocabulary; t += envs.Token(step) {
		if _, is := slices.BinarySearch(legal, t); is {
			continue
		}
		if err := c.Push(t); err == nil {
			return fmt.Errorf("token %d is not in %v, but is accepted", t, legal)
		}
		if after := c.AppendState(nil); !bytes.Equal(after, state) || c.Done() != done || !slices.Equal(c.Legal(), legal) {
			return fmt.Errorf("refusing token %d changed state %q to %q, Done %v, legal %v", t, state, after, c.Done(), c.Legal())
		}
	}
	return nil
}

// A state holds the facts that its key has determined so far.
type state struct {
	prefix   []envs.Token // at which it was first reached
	legal    []envs.Token
	done     bool
	next     map[envs.Token]string
	expanded int // prefixes from which every next key was taken
}

// checkMarkov: prefixes with the same key have the same legal tokens and the
// same next keys. Along every walk each step is compared; from the first two
// prefixes of a key, all legal tokens are tried.
func checkMarkov(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		states := map[string]*state{}
		for _, tokens := range answers {
			c := p.Start()
			for j := range len(tokens) + 1 {
				key := string(c.AppendState(nil))
				st, err := meet(states, key, c, tokens[:j])
				if err != nil {
					return err
				}
				if st.expanded < 2 && (st.expanded == 0 || !slices.Equal(st.prefix, tokens[:j])) {
					st.expanded++
					if err := st.expand(p, tokens[:j]); err != nil {
						return err
					}
				}
				if j == len(tokens) {
					break
				}
				if err := c.Push(tokens[j]); err != nil {
					return fmt.Errorf("after %v: %w", tokens[:j], err)
				}
				if err := st.follow(tokens[:j+1], string(c.AppendState(nil))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// meet looks a state up by its key, or enters it.
func meet(states map[string]*state, key string, c envs.Cursor, prefix []envs.Token) (*state, error) {
	st := states[key]
	if st == nil {
		st = &state{prefix: prefix, legal: slices.Clone(c.Legal()), done: c.Done(), next: map[envs.Token]string{}}
		states[key] = st
	}
	if st.done != c.Done() || !slices.Equal(st.legal, c.Legal()) {
		return nil, fmt.Errorf("%v and %v have the same key %q, but legal tokens %v and %v (done %v and %v)",
			st.prefix, prefix, key, st.legal, c.Legal(), st.done, c.Done())
	}
	return st, nil
}

func (st *state) expand(p envs.Problem, prefix []envs.Token) error {
	for _, t := range st.legal {
		longer := append(slices.Clone(prefix), t)
		c, err := start(p, longer)
		if err != nil {
			return err
		}
		if err := st.follow(longer, string(c.AppendState(nil))); err != nil {
			return err
		}
	}
	return nil
}

func (st *state) follow(longer []envs.Token, key string) error {
	last := longer[len(longer)-1]
	if old, known := st.next[last]; known && old != key {
		return fmt.Errorf("%v and %v have the same key, but token %d leads to %q and, after %v, to %q",
			st.prefix, longer[:len(longer)-1], last, old, longer, key)
	}
	st.next[last] = key
	return nil
}

// checkDemonstrations: a demonstration is a whole legal answer, and a function
// of the stream it is drawn from.
func checkDemonstrations(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		for i := range s.walks {
			k := key.Str("demonstrate").Int(uint64(i))
			tokens := p.Demonstrate(k.Rand())
			c, err := start(p, tokens)
			if err != nil {
				return err
			}
			if !c.Done() {
				return fmt.Errorf("demonstration %v is not complete", tokens)
			}
			if again := p.Demonstrate(k.Rand()); !slices.Equal(tokens, again) {
				return fmt.Errorf("one stream gives the demonstrations %v and %v", tokens, again)
			}
		}
		return nil
	})
}
