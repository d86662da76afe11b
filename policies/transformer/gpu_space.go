package transformer

import "modebench/policies/internal/device/cuda"

// A gpuSpace is a space on the card, with the layout's arrays beside it. Buffers have the
// shapes of space and of activations, with the rows of all chunks of all policies for R.
type gpuSpace struct {
	layers []gpuActivations
	x, out buffer

	mean, rstd, normal, logits, pair buffer

	dlogits, dnormal, dout         buffer
	dx, dmiddle, dmixed, dwide, ds buffer
	dqkv                           buffer

	// Among the tables.
	features, starts, chunkRows, chunkAnswers cuda.Pointer
	picked, spread, rowTiles, keyTiles        cuda.Pointer
	targets, from, occurring                  cuda.Pointer

	host      hostBuffer
	p, logp   []float32 // written by distribute
	reference []float32 // logp by the parameters that the policies are compared with
}

// gpuActivations are activations on the card. The rows that the last block has picked of mixed and
// of its input have separate buffers.
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

// gpuLanes is the memory of sampling on the card: keys and values of the prompts and of the
// lanes, layer by layer (see kernels/attention.cu), and the rows of a step.
type gpuLanes struct {
	prompts, lanes []gpuCache // by layer
	batch          stack      // of the prompts, then of steps
	pass           gpuSpace
	places         cuda.Pointer
	scratch        buffer

	promptCapacity, capacity int
}

type gpuCache struct{ keys, values buffer }
