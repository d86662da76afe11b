package transformer

import "modebench/policies/internal/device/cuda"

// A gpuSpace is a space on the card, with the layout's arrays beside it.
type gpuSpace struct {
	layers []gpuActivations
	x, out buffer

	mean, rstd, normal, logits, both buffer

	dlogits, dnormal, dout         buffer
	dx, dmiddle, dmixed, dwide, ds buffer
	dqkv                           buffer

	features, starts, chunkRows, chunkAnswers buffer
	picked, spread, rowTiles, keyTiles        buffer
	targets, from, occurring                  buffer

	host []float32
}

// gpuActivations are activations on the card. What the last block has picked of mixed
// and of its input has buffers of its own.
type gpuActivations struct {
	x, norm1, qkv, mixed, attention buffer
	base, picked                    buffer
	middle, norm2, wide, gelu       buffer
	mean1, rstd1, mean2, rstd2      buffer
}

// layer gives the room for layer l, which is the first's if nothing is kept.
func (s *gpuSpace) layer(l int, keep bool) *gpuActivations {
	if !keep {
		l = 0
	}
	for len(s.layers) <= l {
		s.layers = append(s.layers, gpuActivations{})
	}
	return &s.layers[l]
}

// A buffer is memory of the card that grows as needed.
type buffer struct {
	at   cuda.Pointer
	size int // in float32s
}

// gpuLanes is what sampling has on the card: keys and values of the prompts and of the
// lanes, layer by layer (see kernels/attention.cu), and the rows of a step.
type gpuLanes struct {
	prompts, lanes []gpuCache // by layer
	batch          layout     // of the prompts, then of steps
	pass           gpuSpace
	places         buffer
	scratch        buffer
	rows           []int32

	promptCapacity, capacity int
}

type gpuCache struct{ keys, values buffer }
