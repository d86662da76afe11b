package tabular

import (
	"maps"
	"slices"

	"modebench/policies"
)

// Interpolate implements policies.Policy. Logits are linear in the parameters, so they are interpolated too.
func (p *Policy) Interpolate(base policies.Reference, share float64) (undo func(), err error) {
	s := p.snapshot(base)
	if s == nil {
		return nil, policies.ErrForeign
	}
	var changed []*param
	var trained [][]float64
	for _, part := range []struct {
		current *section
		frozen  map[string][]float64
	}{{&p.params.common, s.common}, {&p.params.alone, s.alone}} {
		for _, key := range slices.Sorted(maps.Keys(part.frozen)) { // after a load some may be missing
			if _, err := part.current.get([]byte(key), len(part.frozen[key])); err != nil {
				return nil, err
			}
		}
		for i := range part.current.params.n {
			if q := part.current.params.get(i); !slices.Equal(q.delta(), s.delta(q)) {
				changed, trained = append(changed, q), append(trained, slices.Clone(q.delta()))
			}
		}
	}
	for i, q := range changed {
		policies.Interpolate(q.delta(), s.delta(q), trained[i], share)
	}
	p.renew(changed)
	return func() {
		for i, q := range changed {
			copy(q.delta(), trained[i])
		}
		p.renew(changed)
	}, nil
}

// renew makes rows compute their distributions anew from parameters that were changed outside an update.
func (p *Policy) renew(changed []*param) {
	p.updates++
	for _, q := range changed {
		q.version++
	}
}
