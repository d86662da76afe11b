package transformer

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"modebench/policies"
	"modebench/policies/internal/sealed"
)

// A checkpoint is a header line, the SHA-256 of the payload, and the payload: the
// settings as text, the number of updates and the decays to their power, then the
// parameters and both moments. A base policy is an identity, then the same without the
// optimiser's state; a frozen one has no identity. All numbers are little-endian.
const (
	checkpointHeader = "modebench transformer checkpoint 1\n"
	baseHeader       = "modebench transformer base 1\n"
	frozenHeader     = "modebench transformer frozen 1\n"
)

// Save implements policies.Policy.
func (p *Policy) Save(w io.Writer) error {
	p.fetch(p.weights)
	if p.gpu != nil {
		p.gpu.download(p.first, p.gpu.first())
		p.gpu.download(p.second, p.gpu.second())
	}
	if err := p.Failure(); err != nil {
		return err
	}
	settings := p.allSettings()
	payload := appendText(make([]byte, 0, len(settings)+32+12*p.shape.size), settings)
	payload = binary.LittleEndian.AppendUint64(payload, p.updates)
	payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(p.power1))
	payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(p.power2))
	for _, xs := range [][]float32{p.weights.flat, p.first, p.second} {
		payload = appendFloats(payload, xs)
	}
	return sealed.Write(w, checkpointHeader, payload)
}

// SaveBase writes the parameters alone, so that policies with another optimiser can begin from
// them. identity describes the origin of the base policy, which the policy itself does not know:
// the environment, and how it was pre-trained.
func (p *Policy) SaveBase(w io.Writer, identity string) error {
	p.fetch(p.weights)
	if err := p.Failure(); err != nil {
		return err
	}
	settings := p.settings()
	payload := make([]byte, 0, len(identity)+len(settings)+8+4*p.shape.size)
	return sealed.Write(w, baseHeader, appendFloats(appendText(appendText(payload, identity), settings), p.weights.flat))
}

// settings are the fields that a base policy and the policy that loads it must share: the network,
// and its inputs.
func (p *Policy) settings() string {
	e := p.encoding
	return fmt.Sprintf("{Version:%d Layers:%d Width:%d Heads:%d Features:%d Vocabulary:%d Prompt:%d Rollout:%d}",
		Version, p.config.Layers, p.config.Width, p.config.Heads, e.Features, e.Vocabulary, e.Prompt, e.Rollout)
}

// allSettings are also how the policy draws and learns.
func (p *Policy) allSettings() string {
	all := p.settings() + fmt.Sprintf(" {Mask:%v} %+v", p.config.Mask, p.opt)
	if p.config.Tree { // checkpoints are older than the field
		all += " {Tree:true}"
	}
	return all
}

func unseal(r io.Reader, header, kind string) (decoder, error) {
	_, d, err := sealed.Read(r, kind+" of a transformer", header)
	return decoder{d}, err
}

// Load implements policies.Policy.
func (p *Policy) Load(r io.Reader) error {
	d, err := unseal(r, checkpointHeader, "a checkpoint")
	if err == nil {
		err = d.Settings(d.length(), p.allSettings())
	}
	if err != nil {
		return err
	}
	updates, power1, power2 := d.Word(), d.Float(), d.Float()
	size := p.shape.size
	all, err := d.floats(3 * size)
	if err != nil {
		return err
	}
	p.updates, p.power1, p.power2 = updates, power1, power2
	copy(p.weights.flat, all)
	copy(p.first, all[size:])
	copy(p.second, all[2*size:])
	if p.gpu != nil {
		p.gpu.upload(p.gpu.first(), p.first)
		p.gpu.upload(p.gpu.second(), p.second)
	}
	p.publish(p.weights)
	return p.Failure()
}

// LoadBase reads the output of SaveBase under the same identity. The optimiser
// begins anew. It refuses a damaged file, one of another identity or of another
// shape, and leaves the policy as it was.
func (p *Policy) LoadBase(r io.Reader, identity string) error {
	d, err := unseal(r, baseHeader, "a base policy")
	if err != nil {
		return err
	}
	if is := string(d.Take(d.length())); d.Short(0) == nil && is != identity {
		return fmt.Errorf("it is the base policy of something else: of %q, want %q", is, identity)
	}
	flat, err := d.parameters(p)
	if err != nil {
		return err
	}
	copy(p.weights.flat, flat)
	p.resetOptimizer()
	p.publish(p.weights)
	return p.Failure()
}

// SaveFrozen implements policies.Policy.
func (p *Policy) SaveFrozen(to io.Writer, r policies.Reference) error {
	w := p.frozen(r)
	if w == nil {
		return policies.ErrForeign
	}
	flat := w.flat
	if p.gpu != nil {
		flat = make([]float32, p.shape.size)
		p.gpu.download(flat, w.card)
		if err := p.Failure(); err != nil {
			return err
		}
	}
	return sealed.Write(to, frozenHeader, appendFloats(appendText(nil, p.settings()), flat))
}

// LoadFrozen implements policies.Policy.
func (p *Policy) LoadFrozen(r io.Reader) (policies.Reference, error) {
	d, err := unseal(r, frozenHeader, "a frozen policy")
	if err != nil {
		return nil, err
	}
	flat, err := d.parameters(p)
	if err != nil {
		return nil, err
	}
	w := p.newWeights(false)
	if p.gpu != nil {
		p.gpu.upload(w.card, flat)
	} else {
		copy(w.flat, flat)
		p.publish(w)
	}
	return &snapshot{p, w}, p.Failure()
}

func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

func appendFloats(dst []byte, xs []float32) []byte {
	for _, x := range xs {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

type decoder struct{ *sealed.Decoder }

func (d decoder) length() int {
	if b := d.Take(4); b != nil {
		return int(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// parameters reads settings and the parameters that end a payload.
func (d decoder) parameters(p *Policy) ([]float32, error) {
	if err := d.Settings(d.length(), p.settings()); err != nil {
		return nil, err
	}
	return d.floats(p.shape.size)
}

// floats reads n numbers, which end a payload.
func (d decoder) floats(n int) ([]float32, error) {
	b := d.Take(4 * n)
	if err := d.End(); err != nil {
		return nil, err
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out, nil
}
