package tabular_test

import (
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
)

// TestPrefix: the tokens behind a prefix are drawn as the answers that begin with it are,
// and the prefix's own tokens have the probabilities that drawing them has.
func TestPrefix(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, m := grown(t, "problem", g)
	opt := policies.SampleOptions{Temperature: 0.7, TopP: 1, Key: rng.New(11)}
	all := m.answers(g, opt)
	tried := map[int]bool{}
	for _, parent := range all {
		for length := 1; length <= len(parent.Tokens); length++ {
			prefix := parent.Tokens[:length]
			var begin []policies.Answer
			mass := 0.0
			for _, a := range all {
				if len(a.Tokens) >= length && slices.Equal(a.Tokens[:length], prefix) {
					begin, mass = append(begin, a), mass+a.P
				}
			}
			if tried[10*length+len(begin)] { // one of each kind is enough
				continue
			}
			tried[10*length+len(begin)] = true
			for i := range begin {
				begin[i].P /= mass
			}
			opt.Prefix = prefix
			groups := sample(t, p, []envs.Task{g}, 4000, opt)
			if got := chiSquare(groups, begin); got < 1e-3 {
				t.Errorf("prefix %v: the answers fit their probabilities with a p-value of %g", prefix, got)
			}
			m.temperature = opt.Temperature
			for _, r := range groups[0].Rollouts[:20] {
				for k, state := range g.states(r.Tokens) {
					near(t, "log-probability", r.Logp[k], m.logp(g, state)[g.index(state, r.Tokens[k])], 1e-13)
				}
			}
		}
	}
	if len(tried) < 4 {
		t.Errorf("%d kinds of prefixes, want more to tell anything", len(tried))
	}
	opt.Prefix = []envs.Token{1 << 20}
	if _, err := p.Sample([]envs.Task{g}, 1, opt); err == nil || !strings.Contains(err.Error(), "prefix: token 0 of 1 is not legal there") {
		t.Errorf("an illegal prefix: %v", err)
	}
}
