package tabular

import (
	"maps"
	"slices"

	"modebench/policies"
)

// Interpolate implements policies.Policy. Logits are sums of the base logits and of parameters, so those
// of a state are interpolated too.
func (p *Policy) Interpolate(base policies.Reference, share float64) (undo func(), err error) {
	s := p.snapshot(base)
	if s == nil {
		return nil, policies.ErrForeign
	}
	var changed []*param
	var own [][]float64
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
				changed, own = append(changed, q), append(own, slices.Clone(q.delta()))
			}
		}
	}
	for i, q := range changed {
		policies.Interpolate(q.delta(), s.delta(q), own[i], share)
	}
	p.moved(changed)
	return func() {
		for i, q := range changed {
			copy(q.delta(), own[i])
		}
		p.moved(changed)
	}, nil
}

// moved has the rows of parameters that were changed from outside an update notice it.
func (p *Policy) moved(changed []*param) {
	p.updates++
	for _, q := range changed {
		q.version++
	}
}
