package tabular

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"modebench/policies"
)

// A checkpoint is the line below, the SHA-256 of the payload, and the payload:
// the configuration as text, then every row of parameters in key order. All
// numbers are little-endian.
const checkpointHeader = "modebench tabular checkpoint 1\n"

// maxRow bounds what a checkpoint may claim to hold, so that a damaged length
// is an error and not an allocation.
const maxRow = 1 << 24

// Save implements policies.Policy.
func (p *Policy) Save(w io.Writer) error {
	payload := p.encode()
	sum := sha256.Sum256(payload)
	for _, part := range [][]byte{[]byte(checkpointHeader), sum[:], payload} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (p *Policy) encode() []byte {
	keys := make([]string, 0, len(p.params))
	for key := range p.params {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	out := appendText(nil, p.settings())
	out = binary.LittleEndian.AppendUint64(out, uint64(len(keys)))
	for _, key := range keys {
		q := p.params[key]
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
func (p *Policy) settings() string {
	return fmt.Sprintf("%+v %+v", p.config, p.opt)
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
	if !ok {
		return errors.New("not a checkpoint of a tabular policy of this version")
	}
	if len(rest) < sha256.Size {
		return errDamaged
	}
	payload := rest[sha256.Size:]
	if sum := sha256.Sum256(payload); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return errDamaged
	}
	params, err := p.decode(payload)
	if err != nil {
		return err
	}
	p.params, p.tables = params, map[string]*table{}
	p.groups = nil // the rows of what was sampled last are gone
	return nil
}

var errDamaged = errors.New("the checkpoint is damaged: its checksum does not match")

func (p *Policy) decode(payload []byte) (map[string]*param, error) {
	d := decoder{rest: payload}
	if settings := d.text(); settings != p.settings() {
		return nil, fmt.Errorf("the checkpoint is of a policy with other settings: %s, want %s", settings, p.settings())
	}
	params := map[string]*param{}
	last := ""
	for range d.count() {
		key, n := d.text(), d.count()
		// Save writes rows in order, none twice and none empty; and what a row
		// claims to hold must be there before room is made for it.
		if d.short || n == 0 || len(d.rest) < 8*(2+3*n) || len(params) > 0 && key <= last {
			return nil, errDamaged
		}
		last = key
		q := newParam(key, n)
		q.power1, q.power2 = d.float(), d.float()
		for _, xs := range [][]float64{q.delta, q.first, q.second} {
			for j := range xs {
				xs[j] = d.float()
			}
		}
		params[key] = q
	}
	if d.short || len(d.rest) > 0 {
		return nil, errDamaged
	}
	return params, nil
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

// The compiler checks that the policy is what it says it is.
var (
	_ policies.Policy     = (*Policy)(nil)
	_ policies.Enumerator = (*Policy)(nil)
)
