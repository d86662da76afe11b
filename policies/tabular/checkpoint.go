package tabular

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"modebench/policies/internal/sealed"
)

// A checkpoint is a header line, the SHA-256 of the payload, and the payload:
// the configuration as text, then every row of parameters that some update has
// moved (others are as they are made), in key order: first a list of the rows for
// all contexts, then a list of those of one context. All numbers are little-endian.
// A policy that has met problems only has no second list, and its header has version 1. A policy
// that has met contexts but moved no row of theirs has an empty list.
const (
	checkpointHeader = "modebench tabular checkpoint 1\n"
	contextHeader    = "modebench tabular checkpoint 2\n"
)

// maxRow bounds what a checkpoint may claim to hold, so that a damaged length
// is an error and not an allocation.
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
	header, payload, err := sealed.Read(r, checkpointHeader, contextHeader)
	if err != nil {
		return err
	}
	if header == "" {
		return errors.New("not a checkpoint of a tabular policy of this version")
	}
	params, err := p.decode(payload, header == contextHeader)
	if err != nil {
		return err
	}
	p.params = params
	p.loads++
	p.forget()
	return nil
}

func (p *Policy) decode(payload []byte, contexts bool) (store, error) {
	d := decoder{sealed.Decoder{Rest: payload}}
	if err := d.agree(p); err != nil {
		return store{}, err
	}
	s := newStore()
	ok := d.params(&s.common) && (!contexts || d.params(&s.alone))
	if !ok || d.Short || len(d.Rest) > 0 {
		return store{}, sealed.ErrDamaged
	}
	s.contexts = contexts
	return s, nil
}

// agree reads settings and holds them against the policy's.
func (d *decoder) agree(p *Policy) error {
	if settings := d.text(); settings != p.settings() {
		return fmt.Errorf("the checkpoint is of a policy with other settings: %s, want %s", settings, p.settings())
	}
	return nil
}

// params reads one list of parameters. Save writes it in order, without duplicates or empty rows;
// and the numbers that a row claims to hold must be there before room is made for them.
func (d *decoder) params(s *section) bool {
	var last []byte
	for i := range d.count() {
		key := d.Take(d.count())
		n := d.count()
		if d.Short || n == 0 || len(d.Rest) < 8*(2+3*n) || i > 0 && bytes.Compare(key, last) <= 0 {
			return false
		}
		last = key
		q, err := s.get(key, n)
		if err != nil {
			return false
		}
		q.power1, q.power2 = d.float(), d.float()
		for j := range 3 * n {
			q.floats[j] = d.float()
		}
	}
	return true
}

// A decoder reads a payload.
type decoder struct{ sealed.Decoder }

func (d *decoder) count() int {
	n := d.Word()
	if n > maxRow {
		d.Short = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string   { return string(d.Take(d.count())) }
func (d *decoder) float() float64 { return math.Float64frombits(d.Word()) }
