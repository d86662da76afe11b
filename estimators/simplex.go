package estimators

import (
	"math/rand/v2"

	"modebench/internal/rng"
)

// A simplex draws weights from Dir(alpha, ..., alpha), uniform on the simplex at
// alpha = 1. The stream is named by the batch's seed and step, the purpose and
// the problem, so that a group's weights do not depend on what stands beside it.
type simplex struct {
	source *rand.PCG
	rand   *rand.Rand
}

// begin goes to the start of a group's stream. Groups of a document that do not
// name their problem differ by their place in the batch.
func (s *simplex) begin(b *Batch, purpose string, g *Group) {
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
}

// draw fills w with the next weights, alpha > 0.
func (s *simplex) draw(w []float64, alpha float64) { rng.Dirichlet(s.rand, alpha, w) }
