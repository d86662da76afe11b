package model

// SampleOf is what drawing a batch of rollouts asks, of so many cells that go together: the prompts,
// each once for a group of rollouts, and then a token of all rollouts at a time. All rollouts are of
// the longest length.
func SampleOf(s Size, groups, cells, multiprocessors int) *Work {
	w := &Work{
		size: s, cells: cells, multiprocessors: multiprocessors,
		rows: cells * (groups*s.Prompt + s.Batch*s.Rollout), answers: cells * s.Batch * s.Rollout,
		features: cells * (groups*s.Prompt*s.PromptFeatures + s.Batch*s.Rollout*s.OfToken),
	}
	w.prompts(cells * groups * s.Prompt)
	for position := range s.Rollout {
		w.token(cells*s.Batch, position)
	}
	return w
}

// prompts runs them through the network, up to the attention of the last block.
func (w *Work) prompts(n int) {
	s := w.size
	d, rows, p := s.Width, n, s.Prompt
	bounds := w.cells + 1
	w.tables(rows*s.PromptFeatures, rows+1, bounds, 5*(rows/p)*((p+15)/16), 0, bounds, 4*rows, 2*w.cells)
	w.add("embed_rows", 0, 4*rows*d, s.PromptFeatures)
	for layer := range s.Layers {
		w.norm(rows)
		w.product(rows, d, 3*d, 0)
		w.add("decode_put", 0, 4*4*rows*d, 1)
		if layer+1 < s.Layers {
			w.add("attention", 4*rows*p*d, 4*4*rows*d, p+p/32*d/s.Heads)
			w.afterAttention(rows)
		}
	}
}

// token runs one position of so many rollouts through the network.
func (w *Work) token(n, position int) {
	s := w.size
	d, v, rows := s.Width, s.Vocabulary, n
	seen := s.Prompt + position + 1
	w.tables(rows*s.OfToken, rows+1, w.cells+1, 4*rows, 2*w.cells)
	w.add("embed_rows", 0, 4*rows*d*s.OfToken, s.OfToken)
	for range s.Layers {
		w.norm(rows)
		w.product(rows, d, 3*d, 0)
		// A warp takes a row and a head; loads of eight steps are under way together.
		const together = 8
		w.add("decode_attention", 4*rows*seen*d, 4*2*rows*seen*d, (seen/32*d/s.Heads+seen)/together)
		w.afterAttention(rows)
	}
	w.norm(rows)
	w.product(rows, d, v, 0)
	w.add("log_softmax", 30*rows*v, 4*3*rows*v, v/32)
	w.download(4 * 2 * rows * v)
}

// afterAttention is the rest of a block.
func (w *Work) afterAttention(rows int) {
	d := w.size.Width
	w.product(rows, d, d, rows*d)
	w.norm(rows)
	w.product(rows, d, 4*d, 0)
	w.add("gelu", 20*4*rows*d, 4*2*4*rows*d, 1)
	w.product(rows, 4*d, d, rows*d)
}
