package tabular

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"

	"modebench/policies"
	"modebench/policies/internal/sealed"
)

// A frozen policy is saved like a checkpoint: a header line, the SHA-256 of the payload, and
// the payload: the configuration as text and both lists of rows in key order, of each row
// its key and its parameters. A frozen policy never learns, so there is no optimiser's state.
const frozenHeader = "modebench tabular frozen 1\n"

// SaveFrozen implements policies.Policy.
func (p *Policy) SaveFrozen(w io.Writer, r policies.Reference) error {
	s := p.snapshot(r)
	if s == nil {
		return policies.ErrForeign
	}
	payload := appendText(nil, p.settings())
	for _, rows := range []map[string][]float64{s.common, s.alone} {
		payload = binary.LittleEndian.AppendUint64(payload, uint64(len(rows)))
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			payload = binary.LittleEndian.AppendUint64(appendText(payload, key), uint64(len(rows[key])))
			payload = appendFloats(payload, rows[key]...)
		}
	}
	return sealed.Write(w, frozenHeader, payload)
}

// LoadFrozen implements policies.Policy.
func (p *Policy) LoadFrozen(r io.Reader) (policies.Reference, error) {
	header, payload, err := sealed.Read(r, frozenHeader)
	if err != nil {
		return nil, err
	}
	if header == "" {
		return nil, errors.New("not a frozen tabular policy of this version")
	}
	d := decoder{sealed.Decoder{Rest: payload}}
	if err := d.agree(p); err != nil {
		return nil, err
	}
	// A count of loads that the policy never has: its rows have moved since, for all that is known.
	s := &snapshot{maker: p, loads: -1, common: map[string][]float64{}, alone: map[string][]float64{}}
	if !d.frozen(s.common) || !d.frozen(s.alone) || d.Short || len(d.Rest) > 0 {
		return nil, sealed.ErrDamaged
	}
	return s, nil
}

// frozen reads one list of rows, as params does.
func (d *decoder) frozen(into map[string][]float64) bool {
	var last []byte
	for i := range d.count() {
		key := d.Take(d.count())
		n := d.count()
		if d.Short || n == 0 || len(d.Rest) < 8*n || i > 0 && bytes.Compare(key, last) <= 0 {
			return false
		}
		last = key
		delta := make([]float64, n)
		for j := range delta {
			delta[j] = d.float()
		}
		into[string(key)] = delta
	}
	return true
}
