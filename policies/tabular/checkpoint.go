package tabular

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"modebench/policies"
	"modebench/policies/internal/sealed"
)

// A checkpoint is a header line, the SHA-256 of the payload, and the payload: the configuration as
// text, then every row of parameters that some update has moved (others are as they are made), in
// key order: first a list of the rows for all contexts, then a list of those of one context. All
// numbers are little-endian. A policy that has met problems only has no second list, and its header
// has version 1. A policy that has met contexts but moved no row of theirs has an empty list.
const (
	checkpointHeader = "modebench tabular checkpoint 1\n"
	contextHeader    = "modebench tabular checkpoint 2\n"
)

// maxRow bounds the counts of a checkpoint, so that a damaged length is an error.
const maxRow = 1 << 24

// Save implements policies.Policy.
func (p *Policy) Save(w io.Writer) error {
	header, payload := checkpointHeader, appendParams(appendText(nil, p.settings()), &p.params.common)
	if p.params.alone.params.n > 0 || p.params.contexts {
		header, payload = contextHeader, appendParams(payload, &p.params.alone)
	}
	return sealed.Write(w, header, payload)
}

func appendParams(out []byte, s *section) []byte {
	moved, size := s.moved(), 8
	for _, q := range moved {
		size += 8 + len(s.key(q)) + 8*(3+3*q.len())
	}
	slices.SortFunc(moved, func(a, b *param) int { return bytes.Compare(s.key(a), s.key(b)) })
	out = slices.Grow(out, size) // some have megabytes
	out = binary.LittleEndian.AppendUint64(out, uint64(len(moved)))
	for _, q := range moved {
		out = appendText(out, s.key(q))
		out = binary.LittleEndian.AppendUint64(out, uint64(q.len()))
		out = appendFloats(out, q.power1, q.power2)
		out = appendFloats(out, q.floats[:3*q.len()]...)
	}
	return out
}

// settings are the fields that a checkpoint and the policy that loads it must share. The default
// context is not spelled out, so that checkpoints of policies that met problems only stay as they
// were before there were contexts; nor are the optimiser's later fields if they are off.
func (p *Policy) settings() string {
	c, o := p.config, p.opt
	out := fmt.Sprintf("{Sharing:%v Demonstrations:%v Smoothing:%v} {Name:%v LR:%v Beta1:%v Beta2:%v AdamEps:%v}",
		c.Sharing, c.Demonstrations, c.Smoothing, o.Name, o.LR, o.Beta1, o.Beta2, o.AdamEps)
	if o.WeightDecay != 0 {
		out += fmt.Sprintf(" WeightDecay:%v", o.WeightDecay)
	}
	if o.ClipNorm != 0 {
		out += fmt.Sprintf(" ClipNorm:%v", o.ClipNorm)
	}
	if c.Context != ContextAdd && c.Context != "" {
		out += " Context:" + c.Context
	}
	return out
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(len(s))), s...)
}

func appendFloats(dst []byte, xs ...float64) []byte {
	start := len(dst)
	dst = slices.Grow(dst, 8*len(xs))[:start+8*len(xs)]
	for i, x := range xs {
		binary.LittleEndian.PutUint64(dst[start+8*i:], math.Float64bits(x))
	}
	return dst
}

// Load implements policies.Policy.
func (p *Policy) Load(r io.Reader) error {
	header, rest, err := sealed.Read(r, "a checkpoint of a tabular policy", checkpointHeader, contextHeader)
	if err != nil {
		return err
	}
	d, s := decoder{rest}, newStore()
	s.contexts = header == contextHeader
	err = d.Settings(d.count(), p.settings())
	if err == nil {
		err = d.params(&s.common)
	}
	if err == nil && s.contexts {
		err = d.params(&s.alone)
	}
	if err == nil {
		err = d.End()
	}
	if err != nil {
		return err
	}
	p.params = s
	p.loads++
	p.forget()
	return nil
}

func (d decoder) params(s *section) error {
	return d.rows(2, 3, func(key []byte, n int) error {
		q, err := s.get(key, n)
		if err != nil {
			return sealed.ErrDamaged
		}
		q.power1, q.power2 = d.Float(), d.Float()
		d.floats(q.floats[:3*n])
		return nil
	})
}

// rows reads one list of rows, of each the key and its length, and then by read fixed and, for each
// parameter, each numbers. Keys are in order, without duplicates or empty rows; and the numbers that a
// row claims to hold must be there before room is made for them.
func (d decoder) rows(fixed, each int, read func(key []byte, n int) error) error {
	var last []byte
	for i := range d.count() {
		key := d.Take(d.count())
		n := d.count()
		if err := d.Short(8 * (fixed + each*n)); err != nil {
			return err
		}
		if n == 0 || i > 0 && bytes.Compare(key, last) <= 0 {
			return sealed.ErrDamaged
		}
		last = key
		if err := read(key, n); err != nil {
			return err
		}
	}
	return d.Short(0)
}

type decoder struct{ *sealed.Decoder }

// count reads a number of things; too large a number makes the payload run short.
func (d decoder) count() int {
	n := d.Word()
	if n > maxRow {
		d.Take(-1)
		return 0
	}
	return int(n)
}

func (d decoder) floats(to []float64) {
	for i := range to {
		to[i] = d.Float()
	}
}

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
	_, rest, err := sealed.Read(r, "a frozen tabular policy", frozenHeader)
	if err != nil {
		return nil, err
	}
	d := decoder{rest}
	if err := d.Settings(d.count(), p.settings()); err != nil {
		return nil, err
	}
	// A count of loads that the policy never has: its rows have moved since, for all that is known.
	s := &snapshot{maker: p, loads: -1, common: map[string][]float64{}, alone: map[string][]float64{}}
	for _, rows := range []map[string][]float64{s.common, s.alone} {
		err := d.rows(0, 1, func(key []byte, n int) error {
			rows[string(key)] = make([]float64, n)
			d.floats(rows[string(key)])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, d.End()
}
