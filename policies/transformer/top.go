package transformer

import "modebench/internal/loss"

// isLikeliest reports whether a token is the likeliest of a position, of ties the first.
func (s *space) isLikeliest(token int, p, logp []float32) bool {
	s.top = loss.AppendTop(s.top[:0], 1, p, logp)
	return s.top[0] == token
}

// pushTop fills pushes, the extra part of the derivative by the mean log-probability of a
// position's k likeliest tokens that their logits get.
func (s *space) pushTop(k int, derivative float64, p, logp []float32) {
	s.pushes = grow(s.pushes, len(p))
	clear(s.pushes)
	s.top = loss.AppendTop(s.top[:0], k, p, logp)
	for _, j := range s.top {
		s.pushes[j] = derivative / float64(len(s.top))
	}
}
