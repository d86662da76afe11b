package transformer

import (
	"modebench/internal/loss"
	"modebench/policies/internal/device"
)

// Shapes in this file: R rows of a chunk, of prompts and rollouts; A answers, the rows of
// rollouts alone; D the width; NH heads of HD = D/NH numbers; T the longest prompt and rollout
// together; V the vocabulary.

// A space holds what a pass over a chunk writes: layer by layer if a backward pass follows.
type space struct {
	layers  []activations
	x       []float32 // (R, D): the residual stream behind a block that is not kept
	out     []float32 // (A, D): the residual stream behind the last block
	mean    []float32 // (A)
	rstd    []float32 // (A)
	normal  []float32 // (A, D): the last norm
	logits  []float32 // (A, V)
	logp, p []float32 // (A, V): log-probabilities and probabilities
	scratch scratch

	// Gradients of the values that they are named after.
	dlogits, dnormal, dout []float32     // (A, V); (R, D); (A, D)
	dx, dnarrow            []float32     // (R, D): of the residual stream; of mixed
	dwide, dqkv            []float32     // (R, 4D); (R, 3D)
	packed                 device.Packed // (A or R, up to 4D): dy of the linear map under way

	reference []float32 // (A, V): log-probabilities under the reference
	top       []int     // the likeliest tokens of a position
	pushes    []float64 // (V): of pushTop
	slopes    []float64 // (V): of the logits of a row
}

// activations are the values of a block that its backward pass needs. Behind the last block's
// attention only rows of rollouts go on: from mixed on, R is A there.
type activations struct {
	x, norm1     []float32 // (R, D): input; ln1
	qkv          []float32 // (R, 3D): queries, keys and values, each (NH, HD)
	attention    []float32 // (NH, R, T): each row's weights
	mixed        []float32 // (R, D): values mixed by attention, (NH, HD)
	middle       []float32 // (R, D): the residual stream behind attention
	norm2        []float32 // (R, D): ln2
	wide, gelu   []float32 // (R, 4D)
	mean1, rstd1 []float32 // (R)
	mean2, rstd2 []float32 // (R)
}

func (a *activations) grow(rows, d, heads, width int) {
	a.x, a.norm1, a.qkv, a.mixed = grow(a.x, rows*d), grow(a.norm1, rows*d), grow(a.qkv, 3*rows*d), grow(a.mixed, rows*d)
	a.attention = grow(a.attention, heads*rows*width)
	a.middle, a.norm2 = grow(a.middle, rows*d), grow(a.norm2, rows*d)
	a.wide, a.gelu = grow(a.wide, 4*rows*d), grow(a.gelu, 4*rows*d)
	a.mean1, a.rstd1 = grow(a.mean1, rows), grow(a.rstd1, rows)
	a.mean2, a.rstd2 = grow(a.mean2, rows), grow(a.rstd2, rows)
}

func (s *space) layer(l int, keep bool) *activations { return layerOf(&s.layers, l, keep) }

// layerOf gives the room for layer l, which is the first's if nothing is kept.
func layerOf[A any](layers *[]A, l int, keep bool) *A {
	if !keep {
		l = 0
	}
	if missing := l + 1 - len(*layers); missing > 0 {
		*layers = append(*layers, make([]A, missing)...)
	}
	return &(*layers)[l]
}

// scratch is room for the matrices of one head that attention multiplies by, P being the
// rows of a prompt or a span, R those of a segment. It is divided by their shape, since their content
// changes on the way.
type scratch struct {
	across device.Packed // (HD, P): keys on the way forward, values on the way back
	down   device.Packed // (R, HD): values on the way forward; keys and then queries on the way back
	grads  device.Packed // (R, HD): the gradient of mixed
	ds     []float32     // (rows of a segment, T): the gradient of the scores
}

// isLikeliest reports whether a token is the likeliest of a position, of ties the first.
func (s *space) isLikeliest(token int, p, logp []float32) bool {
	s.top = loss.AppendTop(s.top[:0], 1, p, logp)
	return s.top[0] == token
}

// pushTop fills pushes, the gradient by the mean log-probability of the k likeliest tokens.
func (s *space) pushTop(k int, derivative float64, p, logp []float32) {
	s.pushes = grow(s.pushes, len(p))
	clear(s.pushes)
	s.top = loss.AppendTop(s.top[:0], k, p, logp)
	for _, j := range s.top {
		s.pushes[j] = derivative / float64(len(s.top))
	}
}
