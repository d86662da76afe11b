package transformer

import (
	"context"
	"fmt"
	"math"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cuda"
)

// A tensor is a part of the flat vector of parameters: a matrix by rows, or a vector (rows = 1).
type tensor struct {
	name          string
	offset        int
	rows, columns int
	decays        bool    // weight decay applies: the matrices of linear maps
	scale         float64 // standard deviation of its initial entries; 0: all are fill
	fill          float32
}

func (t *tensor) slice(flat []float32) []float32 { return flat[t.offset : t.offset+t.rows*t.columns] }

// linear is y = x W + b, W in x out.
type linear struct{ weight, bias *tensor }

// A block is one layer: x += proj(attention(norm1(x))), x += out(gelu(fc(norm2(x)))).
type block struct {
	gain1, bias1, gain2, bias2 *tensor
	qkv, proj, fc, out         linear
}

type dimensions struct{ layers, d, heads, features, vocabulary int }

type shape struct {
	dimensions
	hd         int // numbers of a head
	tensors    []*tensor
	embed      *tensor
	blocks     []block
	gain, bias *tensor // of the last norm
	head       linear  // without a bias
	size       int
	part       int // partEntries, but for tests
	mostKept   int // the constant, likewise
}

func newShape(c *Config, e *envs.Encoding) shape {
	s := shape{part: partEntries, mostKept: mostKept, dimensions: dimensions{c.Layers, c.Width, c.Heads, e.Features, e.Vocabulary}, hd: c.Width / c.Heads}
	s.embed = s.add(tensor{name: "embed", rows: s.features, columns: s.d, scale: embedScale})
	deep := 1 / math.Sqrt(float64(2*s.layers))
	for l := range s.layers {
		name := func(part string) string { return fmt.Sprintf("%d.%s", l, part) }
		var b block
		b.gain1, b.bias1 = s.norm(name("ln1"))
		b.qkv = s.linear(name("qkv"), s.d, 3*s.d, 1)
		b.proj = s.linear(name("proj"), s.d, s.d, deep)
		b.gain2, b.bias2 = s.norm(name("ln2"))
		b.fc = s.linear(name("fc"), s.d, 4*s.d, 1)
		b.out = s.linear(name("out"), 4*s.d, s.d, deep)
		s.blocks = append(s.blocks, b)
	}
	s.gain, s.bias = s.norm("ln")
	s.head.weight = s.add(tensor{name: "head.weight", rows: s.d, columns: s.vocabulary, decays: true, scale: headScale / math.Sqrt(float64(s.d))})
	return s
}

// Scales of the head and of the initial vectors of features, of which a position adds up several:
// positions start with a norm near that of a block's output, and all tokens are nearly as likely.
const (
	embedScale = 0.3
	headScale  = 0.2
)

func (s *shape) add(t tensor) *tensor {
	t.offset = s.size
	s.size += t.rows * t.columns
	s.tensors = append(s.tensors, &t)
	return &t
}

func (s *shape) norm(name string) (gain, bias *tensor) {
	gain = s.add(tensor{name: name + ".gain", rows: 1, columns: s.d, fill: 1})
	return gain, s.add(tensor{name: name + ".bias", rows: 1, columns: s.d})
}

func (s *shape) linear(name string, in, out int, scale float64) linear {
	w := s.add(tensor{name: name + ".weight", rows: in, columns: out, decays: true, scale: scale / math.Sqrt(float64(in))})
	return linear{w, s.add(tensor{name: name + ".bias", rows: 1, columns: out})}
}

// initialiseBlock is the number of draws, some milliseconds, between looks at the context.
const initialiseBlock = 1 << 16

// initialise draws the parameters, each tensor from its own stream.
func (s *shape) initialise(ctx context.Context, flat []float32, key rng.Key) error {
	for _, t := range s.tensors {
		xs := t.slice(flat)
		r := key.Str(t.name).Rand()
		for i := range xs {
			if i%initialiseBlock == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			xs[i] = t.fill
			if t.scale != 0 {
				xs[i] = float32(t.scale * rng.Normal(r))
			}
		}
	}
	return nil
}

type weights struct {
	flat    []float32
	version int // counts the changes of flat
	learns  bool
	blocks  []packedBlock
	head    packedLinear

	card  cuda.Pointer // the same on the card, if the policy is on one
	stale bool         // flat is not what the card has
}

// A packedLinear holds W for y = x W, and its transpose for dx = dy W'.
type packedLinear struct{ forward, backward device.Packed }

type packedBlock struct{ qkv, proj, fc, out packedLinear }

// newWeights makes room; parameters of a reference do not learn, and have no transposes.
func newWeights(k device.Kernels, s *shape, learns bool) *weights {
	w := &weights{flat: make([]float32, s.size), learns: learns, blocks: make([]packedBlock, s.layers)}
	room := func(l linear) (out packedLinear) {
		out.forward = k.NewPacked(l.weight.rows, l.weight.columns)
		if learns {
			out.backward = k.NewPacked(l.weight.columns, l.weight.rows)
		}
		return out
	}
	for l := range s.blocks {
		b := &s.blocks[l]
		w.blocks[l] = packedBlock{room(b.qkv), room(b.proj), room(b.fc), room(b.out)}
	}
	w.head = room(s.head)
	return w
}

func (w *weights) pack(k device.Kernels, s *shape) {
	pack := func(to *packedLinear, l linear) {
		b := l.weight.slice(w.flat)
		k.Pack(to.forward, b, l.weight.columns, 1)
		if w.learns {
			k.Pack(to.backward, b, 1, l.weight.columns)
		}
	}
	parallel(s.layers+1, func(i int) {
		if i == s.layers {
			pack(&w.head, s.head)
			return
		}
		b, to := &s.blocks[i], &w.blocks[i]
		pack(&to.qkv, b.qkv)
		pack(&to.proj, b.proj)
		pack(&to.fc, b.fc)
		pack(&to.out, b.out)
	})
}

// A network runs passes until the context ends; nil never does.
type network struct {
	*shape
	*weights
	device.Kernels
	ctx context.Context
}

func (s *shape) scale() float32 { return float32(1 / math.Sqrt(float64(s.hd))) }

// partEntries is about how many entries of the wide layer a part of the rows has. Parts go through
// all steps of a half of a block one after the other, so that what a step writes is mostly still in
// a near cache when the next reads it; smaller ones would fetch the weights too often.
const partEntries = 1 << 16
