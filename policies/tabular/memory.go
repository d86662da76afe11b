package tabular

import "unsafe"

// Bytes is a lower bound on the policy's present memory, without the spare room of slices: tables,
// which are a problem's own, and the parameters that are trained.
func (p *Policy) Bytes() (tables, trained uint64) {
	for _, t := range p.tables {
		tables += 4*uint64(len(t.words)) + t.states.bytes()
	}
	for _, b := range p.books {
		tables += b.places.bytes() + b.views.bytes()
		for i := range b.rows.n {
			tables += uint64(unsafe.Sizeof(row{})) + 8*uint64(len(b.rows.get(i).dist))
		}
	}
	for _, s := range []*section{&p.params.common, &p.params.alone} {
		trained += s.places.bytes()
		for i := range s.params.n {
			trained += uint64(unsafe.Sizeof(param{})) + 8*uint64(len(s.params.get(i).floats))
		}
	}
	return tables, trained
}

func (x *index) bytes() uint64 {
	return uint64(len(x.slots))*uint64(unsafe.Sizeof(slot{})) + uint64(len(x.keys))
}

// RolloutBytes is a lower bound on the memory of a rollout with this many tokens while its batch is
// worked on.
func RolloutBytes(tokens int) uint64 {
	const ofToken = 4 + 8 + 8 + uint64(unsafe.Sizeof(place{})) // the token, its log-probability and entropy
	return uint64(tokens)*ofToken + 2*8                        // its beginning, twice
}
