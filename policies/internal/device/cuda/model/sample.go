package model

// SampleOf is what drawing a batch of rollouts asks, of so many cells that go together: the prompts,
// each once for a group of rollouts, and then a token of all rollouts at a time. All rollouts are of
// the longest length.
func SampleOf(s Size, groups, cells, multiprocessors int) *Work {
	w := &Work{size: s, Cells: cells, multiprocessors: multiprocessors}
	w.prompts(cells * groups * s.Prompt)
	for position := range s.Rollout {
		w.token(cells*s.Batch, position)
	}
	w.Rows, w.Answers = cells*(groups*s.Prompt+s.Batch*s.Rollout), cells*s.Batch*s.Rollout
	w.FeaturesOfRows = cells * (groups*s.Prompt*s.PromptFeatures + s.Batch*s.Rollout*s.OfToken)
	w.rows, w.answers = float64(w.Rows), float64(w.Answers)
	return w
}

// prompts runs them through the network, up to the attention of the last block.
func (w *Work) prompts(n int) {
	s := w.size
	d, rows, p := float64(s.Width), float64(n), float64(s.Prompt)
	for _, bytes := range []float64{rows * float64(s.PromptFeatures), rows + 1, 5 * rows / 16, 0, 4 * rows} {
		if bytes > 0 { // no row of a prompt is an answer
			w.upload(4 * bytes)
		}
	}
	w.add("embed_rows", 0, 4*rows*d, float64(s.PromptFeatures))
	for layer := range s.Layers {
		w.norm(rows)
		w.product(rows, d, 3*d, 0)
		w.add("decode_put", 0, 4*4*rows*d, 1)
		if layer+1 < s.Layers {
			w.add("attention", 4*rows*p*d, 4*4*rows*d, p+p/32*d/float64(s.Heads))
			w.afterAttention(rows)
		}
	}
}

// token runs one position of so many rollouts through the network.
func (w *Work) token(n, position int) {
	s := w.size
	d, v, rows := float64(s.Width), float64(s.Vocabulary), float64(n)
	seen := float64(s.Prompt + position + 1)
	for _, numbers := range []float64{rows * float64(s.OfToken), rows + 1, 4 * rows} {
		w.upload(4 * numbers)
	}
	w.add("embed_rows", 0, 4*rows*d*float64(s.OfToken), float64(s.OfToken))
	for range s.Layers {
		w.norm(rows)
		w.product(rows, d, 3*d, 0)
		// A warp takes a row and a head; loads of eight steps are under way together.
		const together = 8
		w.add("decode_attention", 4*rows*seen*d, 4*2*rows*seen*d, (seen/32*d/float64(s.Heads)+seen)/together)
		w.afterAttention(rows)
	}
	w.norm(rows)
	w.product(rows, d, v, 0)
	w.add("log_softmax", 30*rows*v, 4*3*rows*v, v/32)
	w.download(4 * 2 * rows * v)
}

// afterAttention is the rest of a block.
func (w *Work) afterAttention(rows float64) {
	d := float64(w.size.Width)
	w.product(rows, d, d, rows*d)
	w.norm(rows)
	w.product(rows, d, 4*d, 0)
	w.add("gelu", 20*4*rows*d, 4*2*4*rows*d, 1)
	w.product(rows, 4*d, d, rows*d)
}
