package tabular

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// A checkpoint is a header line, the SHA-256 of the payload, and the payload:
// the configuration as text, then every row of parameters that some update has
// moved (others are as they are made), in key order, first
// those that no context is told apart in, then those of a context. All numbers
// are little-endian. Where there are none of a context, the second list is left
// out and the header says version 1: such are the checkpoints of policies that
// saw problems only. One that only looked at contexts has an empty second list.
const (
	checkpointHeader = "modebench tabular checkpoint 1\n"
	contextHeader    = "modebench tabular checkpoint 2\n"
)

// maxRow bounds what a checkpoint may claim to hold, so that a damaged length
// is an error and not an allocation.
const maxRow = 1 << 24

// Save implements policies.Policy.
func (p *Policy) Save(w io.Writer) error {
	header, payload := checkpointHeader, appendParams(appendText(nil, p.settings()), p.params.common)
	if len(p.params.alone) > 0 || p.params.contexts {
		header, payload = contextHeader, appendParams(payload, p.params.alone)
	}
	sum := sha256.Sum256(payload)
	for _, part := range [][]byte{[]byte(header), sum[:], payload} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func appendParams(out []byte, params map[string]*param) []byte {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(params)), func(key string) bool { return params[key].fresh() })
	out = binary.LittleEndian.AppendUint64(out, uint64(len(keys)))
	for _, key := range keys {
		q := params[key]
		out = appendText(out, key)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(q.delta)))
		out = appendFloats(out, q.power1, q.power2)
		out = appendFloats(out, q.delta...)
		out = appendFloats(out, q.first...)
		out = appendFloats(out, q.second...)
	}
	return out
}

// settings is what a checkpoint must agree on with the policy that loads it.
// The default context is not spelled out, so that checkpoints of policies that
// saw problems only stay what they were before there were contexts; nor are the
// optimiser's later fields where they are off.
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

func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(len(s))), s...)
}

func appendFloats(dst []byte, xs ...float64) []byte {
	for _, x := range xs {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// Load implements policies.Policy.
func (p *Policy) Load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	rest, ok := bytes.CutPrefix(data, []byte(checkpointHeader))
	contexts := false
	if !ok {
		rest, contexts = bytes.CutPrefix(data, []byte(contextHeader))
	}
	if !ok && !contexts {
		return errors.New("not a checkpoint of a tabular policy of this version")
	}
	if len(rest) < sha256.Size {
		return errDamaged
	}
	payload := rest[sha256.Size:]
	if sum := sha256.Sum256(payload); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return errDamaged
	}
	params, err := p.decode(payload, contexts)
	if err != nil {
		return err
	}
	p.params = params
	p.forget()
	return nil
}

var errDamaged = errors.New("the checkpoint is damaged: its checksum does not match")

func (p *Policy) decode(payload []byte, contexts bool) (store, error) {
	d := decoder{rest: payload}
	if settings := d.text(); settings != p.settings() {
		return store{}, fmt.Errorf("the checkpoint is of a policy with other settings: %s, want %s", settings, p.settings())
	}
	s := newStore()
	ok := d.params(&s, false) && (!contexts || d.params(&s, true))
	if !ok || d.short || len(d.rest) > 0 {
		return store{}, errDamaged
	}
	s.contexts = contexts
	return s, nil
}

// params reads one list of parameters. Save writes it in order, none twice and
// none empty; and what a row claims to hold must be there before room is made
// for it.
func (d *decoder) params(s *store, alone bool) bool {
	last := ""
	for i := range d.count() {
		key, n := d.text(), d.count()
		if d.short || n == 0 || len(d.rest) < 8*(2+3*n) || i > 0 && key <= last {
			return false
		}
		last = key
		q := s.add(alone, key, n)
		q.power1, q.power2 = d.float(), d.float()
		for _, xs := range [][]float64{q.delta, q.first, q.second} {
			for j := range xs {
				xs[j] = d.float()
			}
		}
	}
	return true
}

// A decoder reads a payload; once it has run short it gives zeros.
type decoder struct {
	rest  []byte
	short bool
}

func (d *decoder) take(n int) []byte {
	if d.short || n > len(d.rest) {
		d.short = true
		return nil
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

func (d *decoder) word() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) count() int {
	n := d.word()
	if n > maxRow {
		d.short = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string   { return string(d.take(d.count())) }
func (d *decoder) float() float64 { return math.Float64frombits(d.word()) }
