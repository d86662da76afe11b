// Package model says what a training step of the transformer asks of a card: its launches, their
// operations and bytes, what is copied and what the host does; and, with public figures of a card
// and a few numbers that were measured, how long a step takes. Tests of package transformer hold
// its launches and copies to those of a real step (TestModelCounts).
package model

// A Size is a shape to train, as the benchmarks of package transformer have it.
type Size struct {
	Name                    string
	Layers, Width, Heads    int
	Vocabulary              int
	Prompt, Rollout         int // positions of a prompt; tokens trained on
	PromptFeatures, OfToken int // features of a position of a prompt, and of a rollout
	Features                int // there are
	Batch                   int // demonstrations a step
}

// Sizes are those that are timed: S, M and the one of mazes; and L, which nobody has timed.
var Sizes = []Size{
	{"S", 2, 64, 4, 32, 16, 48, 2, 2, 482, 64},
	{"M", 4, 128, 4, 64, 16, 80, 2, 2, 546, 64},
	{"L", 6, 256, 8, 64, 16, 80, 2, 2, 546, 64},
	{"maze", 2, 32, 2, 4, 9, 25, 10, 13, 431, 64},
}

// A Launch is the start of a kernel. Chain is how many steps a thread of it makes one after the
// other: a step is a load and a multiply-add, or an addition.
type Launch struct {
	Kernel             string
	FLOP, Bytes, Chain int
}

// A Work is what is asked of a card: a step of pre-training, or sampling.
type Work struct {
	Launches                      []Launch
	Uploads, Downloads, Clears    int
	Uploaded, Downloaded, Cleared int // bytes

	size                    Size
	cells, multiprocessors  int
	rows, answers, features int // of all cells; features of all rows
	seen                    int // pairs of a row and one that its attention sees
	chunks                  int // of all cells
	longest, longestAnswers int // rows of the longest chunk
}

// Parameters is how many a policy of the size has.
func (s Size) Parameters() int {
	d := s.Width
	return s.Features*d + s.Layers*(12*d*d+13*d) + 2*d + d*s.Vocabulary
}

// chunksOf is how many chunks a cell's batch is cut into, and how many demonstrations the longest
// has (package transformer, chunk.go).
func (s Size) chunksOf() (chunks, most int) {
	const least, atMost = 256, 16
	each := s.Prompt + s.Rollout
	target := max(least, (s.Batch*each+atMost-1)/atMost)
	most = min(s.Batch, (target+each-1)/each)
	return (s.Batch + most - 1) / most, most
}

// StepOf is a step of so many cells of a size that go together on a card of so many
// multiprocessors: the rows of all cells lie one after the other, and each launch is one for all.
func StepOf(s Size, cells, multiprocessors int) *Work {
	chunks, most := s.chunksOf()
	w := &Work{
		size: s, cells: cells, multiprocessors: multiprocessors,
		rows: cells * s.Batch * (s.Prompt + s.Rollout), answers: cells * s.Batch * s.Rollout,
		features: cells * s.Batch * (s.Prompt*s.PromptFeatures + s.Rollout*s.OfToken),
		seen:     cells * s.Batch * (s.Prompt*(s.Prompt+s.Rollout) + s.Rollout*(s.Rollout+1)/2),
		chunks:   cells * chunks, longest: most * (s.Prompt + s.Rollout), longestAnswers: most * s.Rollout,
	}
	w.place()
	w.forward()
	w.backward()
	w.optimiser()
	return w
}

func (w *Work) add(kernel string, flop, bytes, chain int) {
	w.Launches = append(w.Launches, Launch{kernel, flop, bytes, chain})
}

func (w *Work) upload(bytes int) {
	w.Uploads, w.Uploaded = w.Uploads+1, w.Uploaded+bytes
}

func (w *Work) download(bytes int) {
	w.Downloads, w.Downloaded = w.Downloads+1, w.Downloaded+bytes
}

func (w *Work) clear(bytes int) {
	w.Clears, w.Cleared = w.Clears+1, w.Cleared+bytes
}

// tiles are those of attention, of 16 rows or keys.
func (w *Work) tiles() int {
	const edge = 16
	return w.cells * w.size.Batch * ((w.size.Prompt+edge-1)/edge + (w.size.Rollout+edge-1)/edge)
}

// place is what all kernels read of the layout, in one copy: features, where each row's end, tiles,
// which rows are answers; and for the way back the answer of each row, tiles, and which rows have a
// feature.
func (w *Work) place() {
	bounds := w.cells + 1 // where each cell's rows, answers or chunks begin
	w.tables(w.features, w.rows+1, bounds, 5*w.tiles(), w.answers, bounds,
		w.chunks+1, w.chunks+1, bounds, w.rows, 5*w.tiles(), w.pairs(), w.pairs()+1, w.features, 2*w.cells)
}

// tables are whole numbers that one copy brings, each table from an address of four on.
func (w *Work) tables(numbers ...int) {
	sum := 0
	for _, n := range numbers {
		sum = (sum+3)/4*4 + n
	}
	w.upload(4 * sum)
}

// pairs is at most how many distinct features chunks have: as many as they have features, and as
// there are.
func (w *Work) pairs() int { return min(w.features, w.chunks*w.size.Features) }

// product is a matrix product, with the kernel that package transformer takes for it.
func (w *Work) product(rows, in, out, base int) {
	kernel := "matmul"
	edges := func(n int) int { return (n + 63) / 64 }
	if w.cells*edges(rows/w.cells)*edges(out) < 4*w.multiprocessors {
		kernel = "matmul_small"
	}
	w.add(kernel, 2*rows*in*out, 4*(rows*in+w.cells*in*out+rows*out+base), in)
}

func (w *Work) norm(rows int) {
	d := w.size.Width
	w.add("layer_norm", 8*rows*d, 4*2*rows*d, d/32)
}

// attention are the operations and bytes of one of its kernels, and its chain: products of so many
// pairs of rows, and matrices of so many numbers a row.
func (w *Work) attention(kernel string, products, numbers int) {
	s := w.size
	d, heads, width := s.Width, s.Heads, (s.Prompt + s.Rollout)
	hd := d / heads
	w.add(kernel, products*2*w.seen*d, 4*(numbers*w.rows*d+w.rows*heads*width), width+width/32*hd)
}

func (w *Work) forward() {
	d, rows := w.size.Width, w.rows
	w.add("embed_rows", w.features*d, 4*(w.features+rows)*d, max(w.size.PromptFeatures, w.size.OfToken))
	for layer := range w.size.Layers {
		w.norm(rows)
		w.product(rows, d, 3*d, 0)
		w.attention("attention", 2, 4)
		if layer+1 == w.size.Layers { // from here on the answers' rows alone
			rows = w.answers
			w.add("pick_rows", 0, 4*2*rows*d, d/32)
			w.add("pick_rows", 0, 4*2*rows*d, d/32)
		}
		w.afterAttention(rows)
	}
	v := w.size.Vocabulary
	w.norm(rows)
	w.product(rows, d, v, 0)
	w.add("log_softmax", 30*rows*v, 4*3*rows*v, v/32)
	w.download(4 * 2 * rows * v)
}

// linearBackward is the backward pass of a linear map: of its input, its weight and its bias.
func (w *Work) linearBackward(rows, chain, in, out int, bias bool) {
	w.product(rows, out, in, 0)
	sums := 0
	if bias {
		sums = out
	}
	w.add("matmul_chunks", rows*(2*in*out+sums), 4*(rows*(in+out)+2*w.chunks*(in*out+sums)), chain)
}

func (w *Work) normBackward(rows, chain int) {
	d := w.size.Width
	w.add("layer_norm_backward", 14*rows*d, 4*4*rows*d, d/32)
	w.add("layer_norm_sums", 5*rows*d, 4*2*rows*d, chain)
}

func (w *Work) backward() {
	d, v, rows, chain := w.size.Width, w.size.Vocabulary, w.answers, w.longestAnswers
	w.upload(4 * rows * v)
	w.clear(4 * w.chunks * w.size.Parameters())
	w.linearBackward(rows, chain, d, v, false)
	w.clear(4 * rows * d)
	w.normBackward(rows, chain)
	for layer := w.size.Layers - 1; layer >= 0; layer-- {
		w.linearBackward(rows, chain, 4*d, d, true)
		w.add("gelu_backward", 30*4*rows*d, 4*3*4*rows*d, 1)
		w.linearBackward(rows, chain, d, 4*d, true)
		w.normBackward(rows, chain)
		w.linearBackward(rows, chain, d, d, true)
		if layer+1 == w.size.Layers {
			w.add("spread_rows", 0, 4*2*w.rows*d, d/32)
			w.add("spread_rows", 0, 4*2*w.rows*d, d/32)
			rows, chain = w.rows, w.longest
		}
		w.attention("attention_backward_scores", 1, 3)
		w.attention("attention_backward_queries", 1, 2)
		w.attention("attention_backward_keys", 2, 5)
		w.linearBackward(rows, chain, d, 3*d, true)
		w.normBackward(rows, chain)
	}
	w.add("embed_grad", w.features*d, 4*(w.features+2*w.pairs())*d, w.longestAnswers/v)
	w.add("reduce_chunks", w.chunks*w.size.Parameters(), 4*(w.chunks+w.cells)*w.size.Parameters(), w.chunks/w.cells)
}

// optimiser is the norm of the gradient, which the host waits for, and the step, by scalars that
// each cell has.
func (w *Work) optimiser() {
	all := w.cells * w.size.Parameters()
	w.add("sum_squares", 2*all, 4*all, 32)
	w.download(4 * int(w.cells*((w.size.Parameters()+1023)/1024)))
	w.tables(2*w.cells, 9*w.cells)
	w.add("adamw", 12*all, 4*8*all, 1)
}

// Kernels counts the launches by kernel.
func (w *Work) Kernels() map[string]int {
	out := map[string]int{}
	for _, l := range w.Launches {
		out[l.Kernel]++
	}
	return out
}
