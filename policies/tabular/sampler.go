package tabular

import (
	"modebench/policies"
	"modebench/policies/internal/draw"
)

// A sampler draws by other distributions than those of the rows: by the policy as it was when it
// was frozen, or by rounded logits. Rows and nodes are the policy's, so the policy can learn from
// the draws without a walk. The sampler computes a row's distribution once in a call.
type sampler struct {
	policy      *Policy
	from        *snapshot // nil: the policy as it is
	bits        int       // 0: logits are not rounded
	temperature float64
	rows        map[*row]*drawn
	floats      slab[float64]
}

// sampler returns what draws by the options; nil: the rows' own distributions do.
func (p *Policy) sampler(opt *policies.SampleOptions, temperature float64) (*sampler, error) {
	if opt.From == nil && opt.Bits == 0 {
		return nil, nil
	}
	s := &sampler{policy: p, bits: opt.Bits, temperature: temperature, rows: map[*row]*drawn{}}
	if opt.From != nil {
		if s.from = p.snapshot(opt.From); s.from == nil {
			return nil, policies.ErrForeign
		}
	}
	return s, nil
}

// drawnOf is the distribution that a row is drawn by.
func (s *sampler) drawnOf(r *row) *drawn {
	if d, ok := s.rows[r]; ok {
		return d
	}
	d := &drawn{dist: s.floats.take(len(r.dist))}
	if s.from != nil {
		s.from.logits(d.logp(), r, s.temperature)
		d.normalise()
	} else {
		r.refresh(s.temperature, s.policy.updates)
		copy(d.logp(), r.logp())
	}
	if s.bits > 0 {
		draw.Round(d.logp(), s.bits)
		d.normalise()
	}
	s.rows[r] = d
	return d
}
