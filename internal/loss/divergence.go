package loss

import "modebench/internal/exact"

// A Divergence is one between the distribution p that a token is drawn from and the
// reference's, q, over all tokens that are legal there, in nats.
type Divergence int

// The divergences. All are 0 where p = q and above elsewhere.
const (
	Reverse       Divergence = iota // KL(p || q): p keeps away from tokens that q does not choose
	Forward                         // KL(q || p): p keeps doing what q does
	JensenShannon                   // (KL(p || m) + KL(q || m)) / 2 with m = (p + q) / 2, at most log 2
)

// Term is one token's part in the divergence, from its probability p and the logarithms
// of p and q, and push, p times the derivative of that part with respect to p. The
// derivative of the divergence with respect to the logit of token j of a softmax is
// push_j - p_j sum(push), for any constant left out of the derivatives: a constant for all
// tokens cancels.
func (d Divergence) Term(p, logp, logq float64) (part, push float64) {
	switch d {
	case Forward:
		if q := exact.Exp(logq); q > 0 {
			return float64(q * (logq - logp)), -q
		}
		return 0, 0
	case JensenShannon:
		q := exact.Exp(logq)
		logm := exact.Log((p + q) / 2)
		if p > 0 {
			push = float64(p * (logp - logm) / 2)
		}
		part = push
		if q > 0 {
			part += float64(q * (logq - logm) / 2)
		}
		return part, push
	}
	push = float64(p * (logp - logq))
	return push, push
}
