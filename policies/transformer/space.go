package transformer

import "modebench/policies/internal/device"

// A space holds what a pass over a chunk writes. Activations of a pass that is to
// be followed by a backward one are kept layer by layer; else all layers use the
// first's.
type space struct {
	layers  []activations
	x       []float32 // rows x d: the residual stream behind a block that is not kept
	out     []float32 // answers x d: that of the rows of rollouts behind the last block
	mean    []float32
	rstd    []float32
	normal  []float32 // answers x d: the last norm
	logits  []float32 // answers x vocabulary
	logp, p []float32 // likewise: log-probabilities and probabilities
	scratch scratch

	// Of the backward pass; gradients of what they are named after.
	dlogits, dnormal, dout   []float32
	dx, dnarrow, dwide, dqkv []float32
	packed                   device.Packed

	reference []float32 // answers x vocabulary: log-probabilities under the reference
	top       []int     // the likeliest tokens of a position
	pushes    []float64 // vocabulary: of pushTop
}

// activations are what the backward pass needs of a block. Behind the last block's
// attention only rows of rollouts go on, so there mixed, middle and what follows have
// answers rows.
type activations struct {
	x, norm1, qkv, mixed []float32 // input, ln1, q k v, and what attention makes of them; rows x d, qkv x 3d
	attention            []float32 // heads x rows x width: each row's weights
	middle, norm2        []float32 // the residual stream behind attention, ln2; rows x d
	wide, gelu           []float32 // rows x 4d
	mean1, rstd1         []float32
	mean2, rstd2         []float32
}

func (a *activations) grow(rows, d, heads, width int) {
	a.x, a.norm1, a.qkv, a.mixed = grow(a.x, rows*d), grow(a.norm1, rows*d), grow(a.qkv, 3*rows*d), grow(a.mixed, rows*d)
	a.attention = grow(a.attention, heads*rows*width)
	a.middle, a.norm2 = grow(a.middle, rows*d), grow(a.norm2, rows*d)
	a.wide, a.gelu = grow(a.wide, 4*rows*d), grow(a.gelu, 4*rows*d)
	a.mean1, a.rstd1 = grow(a.mean1, rows), grow(a.rstd1, rows)
	a.mean2, a.rstd2 = grow(a.mean2, rows), grow(a.rstd2, rows)
}

// layer gives the room for layer l.
func (s *space) layer(l int, keep bool) *activations {
	if !keep {
		l = 0
	}
	for len(s.layers) <= l {
		s.layers = append(s.layers, activations{})
	}
	return &s.layers[l]
}

// scratch is room for the matrices of one head that attention multiplies by. It is
// divided by their shape, since their content changes on the way.
type scratch struct {
	across device.Packed // hd x positions: keys on the way forward, values on the way back
	down   device.Packed // positions x hd: values on the way forward; keys and then queries on the way back
	grads  device.Packed // positions x hd: the gradient of mixed
	ds     []float32     // rows x width: the gradient of the scores
}
