package estimators

import (
	"math/rand/v2"

	"modebench/internal/rng"
)

// A Stream is a source of random numbers that starts anew with every group.
type Stream struct {
	source *rand.PCG
	rand   *rand.Rand
}

// Of returns the stream of a group at its start. The stream is named by the batch's seed and step,
// the purpose and the problem, so that a group's draws do not depend on the groups beside it.
// Groups of a document that do not name their problem differ by their place in the batch.
func (s *Stream) Of(b *Batch, purpose string, g *Group) *rand.Rand {
	if s.rand == nil {
		s.source = new(rand.PCG)
		s.rand = rand.New(s.source)
	}
	key := rng.New(b.Seed).Str(purpose).Int(uint64(b.Step)).Str(g.Problem)
	if g.Problem == "" {
		for i := range b.Groups {
			if g == &b.Groups[i] {
				key = key.Int(uint64(i))
			}
		}
	}
	key.Seed(s.source)
	return s.rand
}
