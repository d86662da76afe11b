package tabular

import (
	"slices"

	"modebench/internal/exact"
	"modebench/policies"
)

// Frozen implements policies.Reference.
func (*snapshot) Frozen() {}

// Freeze implements policies.Policy.
func (p *Policy) Freeze() policies.Reference {
	s := &snapshot{maker: p, loads: p.loads, common: p.params.common.frozen(), alone: p.params.alone.frozen()}
	return s
}

// snapshot returns a reference that this policy made, nil of any other.
func (p *Policy) snapshot(r policies.Reference) *snapshot {
	if s, ok := r.(*snapshot); ok && s.maker == p {
		return s
	}
	return nil
}

func (s *section) frozen() map[string][]float64 {
	out := map[string][]float64{}
	for _, q := range s.moved() {
		out[string(s.key(q))] = slices.Clone(q.delta())
	}
	return out
}

// logp returns the reference's log-probabilities for r, a row of the policy that is up to
// date. They are r's own, to the bit, as long as no update has moved it. The row caches
// those of one reference: with two references in turn they are computed each time.
func (s *snapshot) logp(r *row) []float64 {
	if s.loads == s.maker.loads && !r.moved() {
		r.refOwner = nil
		return r.logp()
	}
	if r.refOwner != s || r.refTemperature != r.temperature {
		if r.ref == nil {
			r.ref = s.floats.take(len(r.legal))
		}
		s.logits(r.ref, r, r.temperature)
		s.prob = resize(s.prob, len(r.ref))
		logZ := exact.Softmax(s.prob, r.ref)
		for i := range r.ref {
			r.ref[i] -= logZ
		}
		r.refOwner, r.refTemperature = s, r.temperature
	}
	return r.ref
}

// logits are those of the reference in a row of the policy.
func (s *snapshot) logits(dst []float64, r *row, temperature float64) {
	var common []float64
	if q := r.param.common; q != nil {
		common = s.delta(q)
	}
	logits(dst, r.prior, common, s.delta(r.param), temperature)
}

// delta is the value of q, parameters of the policy, when the policy was frozen; zeros if
// no update had moved them.
func (s *snapshot) delta(q *param) []float64 {
	frozen, current := s.common, &s.maker.params.common
	if q.alone {
		frozen, current = s.alone, &s.maker.params.alone
	}
	if len(frozen) > 0 {
		if delta, ok := frozen[string(current.key(q))]; ok {
			return delta
		}
	}
	s.zeros = resize(s.zeros, q.len())
	return s.zeros
}

// divergence is that of a row from log-probabilities of the same tokens, in nats.
func divergence(kind policies.Divergence, r *row, q []float64) float64 {
	sum := 0.0
	for j, pj := range r.prob() {
		if pj > 0 {
			part, _ := kind.Term(pj, r.dist[j], q[j])
			sum += part
		}
	}
	return max(sum, 0)
}
