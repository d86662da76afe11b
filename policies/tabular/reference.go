package tabular

import "modebench/policies"

// A snapshot implements policies.Reference: what the policy had trained when it
// was frozen. It needs neither nodes nor priors of its own: its row of what the
// policy sees is made from the policy's row, which remembers it.
type snapshot struct {
	maker  *Policy
	loads  int // of the maker, when it was frozen
	params store
}

// Frozen implements policies.Reference.
func (*snapshot) Frozen() {}

// Freeze implements policies.Policy.
func (p *Policy) Freeze() policies.Reference {
	s := &snapshot{maker: p, loads: p.loads, params: newStore()}
	for _, section := range []map[string]*param{p.params.common, p.params.alone} {
		for _, q := range section {
			s.params.copy(q)
		}
	}
	return s
}

// row returns the reference's row of what the policy sees where r is its row: r
// itself as long as no update has moved it, for then the reference would say the same
// to the bit. A policy that compares with two references by turns makes their rows anew
// each time.
func (s *snapshot) row(r *row) *row {
	if s.loads == s.maker.loads && !r.moved() {
		if r.ref != r {
			r.ref, r.refOwner = r, nil
		}
		return r
	}
	if r.refOwner != s {
		r.ref, r.refOwner = &row{
			legal: r.legal, prior: r.prior, param: s.params.frozen(r.param), dist: make([]float64, 3*len(r.legal)),
		}, s
	}
	return r.ref
}
