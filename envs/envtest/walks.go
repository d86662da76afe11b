package envtest

import (
	"bytes"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkCursor walks random answers and looks at every state on the way.
func checkCursor(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		for i := range s.walks {
			tokens := s.walk(p, key.Str("walk").Int(uint64(i)).Rand())
			c, idle := p.Start(), p.Start()
			before := idle.AppendState(nil)
			for j := range len(tokens) + 1 {
				noError(catch(func() { s.lookAt(c) }), "after %v", tokens[:j])
				if j < len(tokens) {
					noError(c.Push(tokens[j]), "after %v", tokens[:j])
				}
			}
			want(bytes.Equal(before, idle.AppendState(nil)), "walking %v moved another cursor", tokens)
		}
	})
}

// probes bounds the illegal tokens tried in one state.
const probes = 64

// lookAt checks the legal tokens of a state, and that what is not legal is
// refused and changes nothing.
func (s *suite) lookAt(c envs.Cursor) {
	vocabulary := len(s.info.Vocabulary)
	legal, done := slices.Clone(c.Legal()), c.Done()
	want(done == (len(legal) == 0), "%d tokens are legal, and Done is %v", len(legal), done)
	for i, t := range legal {
		want(t >= 0 && int(t) < vocabulary && (i == 0 || t > legal[i-1]), "legal tokens %v: want ascending tokens below %d", legal, vocabulary)
	}
	state := c.AppendState(nil)
	got := c.AppendState([]byte("kept"))
	want(bytes.Equal(got, append([]byte("kept"), state...)), "AppendState gives %q, and after a prefix %q", state, got)
	step := max(1, vocabulary/probes)
	for t := envs.Token(-step); int(t) <= vocabulary; t += envs.Token(step) {
		if _, is := slices.BinarySearch(legal, t); is {
			continue
		}
		want(c.Push(t) != nil, "token %d is not in %v, but is accepted", t, legal)
		after := c.AppendState(nil)
		want(bytes.Equal(after, state) && c.Done() == done && slices.Equal(c.Legal(), legal),
			"refusing token %d changed state %q to %q, Done %v, legal %v", t, state, after, c.Done(), c.Legal())
	}
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
func checkMarkov(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		states := map[string]*state{}
		for _, tokens := range s.answers(p, key) {
			c := p.Start()
			for j := range len(tokens) + 1 {
				st := enter(states, c, tokens[:j])
				if st.expanded < 2 && (st.expanded == 0 || !slices.Equal(st.prefix, tokens[:j])) {
					st.expanded++
					for _, t := range st.legal {
						longer := append(slices.Clone(tokens[:j]), t)
						st.follow(longer, start(p, longer))
					}
				}
				if j < len(tokens) {
					noError(c.Push(tokens[j]), "after %v", tokens[:j])
					st.follow(tokens[:j+1], c)
				}
			}
		}
	})
}

// enter looks a cursor's state up by its key, or makes it.
func enter(states map[string]*state, c envs.Cursor, prefix []envs.Token) *state {
	key := string(c.AppendState(nil))
	st := states[key]
	if st == nil {
		st = &state{prefix: prefix, legal: slices.Clone(c.Legal()), done: c.Done(), next: map[envs.Token]string{}}
		states[key] = st
	}
	want(st.done == c.Done() && slices.Equal(st.legal, c.Legal()), "%v and %v have the same key %q, but legal tokens %v and %v (done %v and %v)",
		st.prefix, prefix, key, st.legal, c.Legal(), st.done, c.Done())
	return st
}

// follow compares the key of the state after one token more.
func (st *state) follow(longer []envs.Token, c envs.Cursor) {
	last, key := longer[len(longer)-1], string(c.AppendState(nil))
	earlier, known := st.next[last]
	want(!known || earlier == key, "%v and %v have the same key, but token %d leads to %q and, after %v, to %q",
		st.prefix, longer[:len(longer)-1], last, earlier, longer, key)
	st.next[last] = key
}

// checkDemonstrations: a demonstration is a whole legal answer, and a function
// of the stream it is drawn from.
func checkDemonstrations(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		for i := range s.walks {
			k := key.Str("demonstrate").Int(uint64(i))
			tokens := p.Demonstrate(k.Rand())
			want(start(p, tokens).Done(), "demonstration %v is not complete", tokens)
			again := p.Demonstrate(k.Rand())
			want(slices.Equal(tokens, again), "one stream gives the demonstrations %v and %v", tokens, again)
		}
	})
}
