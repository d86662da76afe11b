package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/policies/internal/device"
)

// The constants of kernels/attention.cu: ATTENTION_ROWS, ATTENTION_THREADS and so on.
const (
	attentionRows    = 16
	attentionThreads = 128
	attentionWarps   = attentionThreads / 32
	attentionRoom    = 128
	cacheBlock       = 32
)

// attentionSegment is a prompt of some rows, the lengths of its rollouts, and further runs that make a tree.
type attentionSegment struct {
	prompt   int
	rollouts []int
	tree     []attentionRun
}

// attentionRun is rows each of which but the first is the child of the one before. The first is the child of the
// latest row above its depth, or a root.
type attentionRun struct{ n, depth int }

// attentionBatch is segments laid out as rows, as attention.cu wants them.
type attentionBatch struct {
	heads, hd, d, rows, width int
	rowTiles, keyTiles, paths []int32
	tiles, keys               int        // tiles of rows and of keys
	sees                      [][]int    // of each row: the rows whose keys it sees, in order
	seen                      [][][2]int // of each row: the rows that see its key, in order, and as which of their keys
	starts                    [][]int    // of each segment: the first rows of the prompt and of each rollout
}

func newAttentionBatch(heads, hd, spare int, segments []attentionSegment) *attentionBatch {
	b := &attentionBatch{heads: heads, hd: hd, d: heads * hd}
	upTo := func(from, n int) (rows []int) {
		for i := range n {
			rows = append(rows, from+i)
		}
		return rows
	}
	for _, g := range segments {
		first, own := b.rows, b.rows+g.prompt
		end := own
		for _, n := range g.rollouts {
			end += n
		}
		for _, r := range g.tree {
			end += r.n
		}
		prompt := upTo(first, g.prompt)
		for i := 0; i < g.prompt; i += attentionRows {
			n := min(attentionRows, g.prompt-i)
			b.rowTiles = append(b.rowTiles, int32(first+i), int32(n), int32(first), int32(g.prompt), -1, 0, 0)
			b.keyTiles = append(b.keyTiles, int32(first+i), int32(n), int32(first), int32(end), int32(i))
			for range n {
				b.sees = append(b.sees, prompt)
			}
		}
		starts := []int{first}
		for _, n := range g.rollouts {
			starts = append(starts, own)
			for i := 0; i < n; i += attentionRows {
				m := min(attentionRows, n-i)
				b.rowTiles = append(b.rowTiles, int32(own+i), int32(m), int32(first), int32(g.prompt), int32(own), 0, 0)
				b.keyTiles = append(b.keyTiles, int32(own+i), int32(m), int32(own+i), int32(own+n), int32(g.prompt+i))
			}
			for i := range n {
				b.sees = append(b.sees, append(upTo(first, g.prompt), upTo(own, i+1)...))
			}
			own += n
		}
		b.addTree(g, first, own)
		b.starts = append(b.starts, starts)
		b.rows = end
	}
	b.tiles, b.keys = len(b.rowTiles)/7, len(b.keyTiles)/5
	b.seen = make([][][2]int, b.rows)
	for r, keys := range b.sees {
		b.width = max(b.width, len(keys))
		for j, key := range keys {
			b.seen[key] = append(b.seen[key], [2]int{r, j})
		}
	}
	b.width = (b.width + spare + 3) / 4 * 4
	return b
}

// addTree adds the rows of the segment's tree, with tiles of one key each.
func (b *attentionBatch) addTree(g attentionSegment, first, row int) {
	var path, columns []int
	start := row
	for _, r := range g.tree {
		path = path[:r.depth]
		at := len(b.paths)
		for _, above := range path {
			b.paths = append(b.paths, int32(above))
		}
		for i := 0; i < r.n; i += attentionRows {
			b.rowTiles = append(b.rowTiles, int32(row+i), int32(min(attentionRows, r.n-i)), int32(first), int32(g.prompt), int32(row), int32(at), int32(r.depth))
		}
		for i := range r.n {
			path, columns = append(path, row+i), append(columns, g.prompt+r.depth+i)
			keys := []int{}
			for j := range g.prompt {
				keys = append(keys, first+j)
			}
			b.sees = append(b.sees, append(keys, path...))
		}
		row += r.n
	}
	for i, column := range columns {
		end := start + i
		for end < row && slices.Contains(b.sees[end], start+i) {
			end++
		}
		b.keyTiles = append(b.keyTiles, int32(start+i), 1, int32(start+i), int32(end), int32(column))
	}
}

func (b *attentionBatch) scale() float32 { return float32(1 / math.Sqrt(float64(b.hd))) }

// attentionResult is the output of the kernels.
type attentionResult struct{ weights, mixed, ds, dqkv []float32 }

// plainAttention is attention one row and head, and one key and head, after the other.
// The gradient goes in two steps, so that a wrong weight is not seen twice.
func (b *attentionBatch) plainAttention(k device.Kernels, qkv, dmixed []float32) attentionResult {
	out := attentionResult{
		weights: make([]float32, b.heads*b.rows*b.width), mixed: make([]float32, b.rows*b.d),
		ds: make([]float32, b.heads*b.rows*b.width), dqkv: make([]float32, b.rows*3*b.d),
	}
	// times is dst = sum over i of a[i] rows[i], of hd entries each.
	times := func(dst, a []float32, rows [][]float32) {
		flat := []float32{}
		for _, row := range rows {
			flat = append(flat, row[:b.hd]...)
		}
		packed := k.NewPacked(len(rows), b.hd)
		k.Pack(packed, flat, b.hd, 1)
		k.MatMul(dst, b.hd, a, len(rows), 1, packed, 0, len(rows), 1, b.hd, device.Start{})
	}
	// dots is dst[j] = x times row j.
	dots := func(dst, x []float32, rows [][]float32) {
		flat := []float32{}
		for _, row := range rows {
			flat = append(flat, row[:b.hd]...)
		}
		packed := k.NewPacked(b.hd, len(rows))
		k.Pack(packed, flat, 1, b.hd)
		k.MatMul(dst, len(rows), x, b.hd, 1, packed, 0, b.hd, 1, len(rows), device.Start{})
	}
	for h := range b.heads {
		part := func(m []float32, row, columns, from int) []float32 {
			return m[row*columns+from+h*b.hd:][:b.hd]
		}
		entries := func(m []float32, row int) []float32 { return m[(h*b.rows+row)*b.width:][:b.width] }
		for r, keys := range b.sees {
			var ks, vs [][]float32
			for _, key := range keys {
				ks = append(ks, part(qkv, key, 3*b.d, b.d))
				vs = append(vs, part(qkv, key, 3*b.d, 2*b.d))
			}
			w, ds, n := entries(out.weights, r), entries(out.ds, r), len(keys)
			dots(w, part(qkv, r, 3*b.d, 0), ks)
			k.Softmax(w, b.width, 1, n, 0, b.width, b.scale())
			times(part(out.mixed, r, b.d, 0), w[:n], vs)
			dots(ds, part(dmixed, r, b.d, 0), vs)
			k.SoftmaxBackward(ds, w, b.width, 1, n, 0, b.width, b.scale())
			times(part(out.dqkv, r, 3*b.d, 0), ds[:n], ks)
		}
		for key, by := range b.seen {
			var w, ds []float32
			var queries, grads [][]float32
			for _, r := range by {
				w, ds = append(w, entries(out.weights, r[0])[r[1]]), append(ds, entries(out.ds, r[0])[r[1]])
				queries, grads = append(queries, part(qkv, r[0], 3*b.d, 0)), append(grads, part(dmixed, r[0], b.d, 0))
			}
			times(part(out.dqkv, key, 3*b.d, b.d), ds, queries)
			times(part(out.dqkv, key, 3*b.d, 2*b.d), w, grads)
		}
	}
	return out
}

// attentionBench opens a device for a test. Unwritten memory there is NaN, and
// the ends of blocks are watched.
func attentionBench(t *testing.T, dev *Device, seed uint64) bench {
	return bench{t, dev, reference(t), rand.New(rand.NewPCG(31, seed)), normal}
}

// launch starts a kernel of attention.cu on a row of blocks for each head.
func (b bench) launch(kernel string, blocks, heads int, args ...any) {
	b.Helper()
	b.must(kernel, b.dev.Launch(kernel, Dim{X: blocks, Y: heads}, Dim{X: attentionThreads}, args...))
}

// same holds what lies at p to want.
func (b bench) same(what string, p Pointer, want []float32) {
	b.Helper()
	got := make([]float32, len(want))
	b.must(what, b.dev.Download(got, p))
	sameBits(b, what, got, want)
}

// forward runs attention over the batch and gives the addresses of weights and mixed.
func (b bench) forward(a *attentionBatch, qkv, tiles, paths Pointer) (weights, mixed Pointer) {
	b.Helper()
	weights, mixed = b.room(a.heads*a.rows*a.width), b.room(a.rows*a.d)
	b.launch("attention", a.tiles, a.heads, qkv, weights, mixed, tiles, paths, int32(a.rows), int32(a.hd), int32(a.width), a.scale())
	return weights, mixed
}

// activations draws rows of some columns: most of them ordinary, some so large that
// the softmax of their products is all but one zero, some so small that they are
// subnormal. There are zeros of both signs and subnormals in all of them.
func (b bench) activations(rows, columns int) []float32 {
	x := b.draw(b.rand, rows*columns)
	for i := range x {
		switch i / columns % 13 {
		case 6, 11:
			x[i] *= 16
		case 9:
			x[i] *= 1e-40
		}
		switch b.rand.IntN(12) {
		case 0:
			x[i] *= 0
		case 1:
			x[i] *= 1e-42
		}
	}
	return x
}

// attentionCases are segments of which each has a reason.
var attentionCases = []struct {
	why      string
	spare    int // more width than the longest row has
	segments []attentionSegment
}{
	{"one row sees itself", 0, []attentionSegment{{0, []int{1}, nil}}},
	{"a prompt before anything is drawn", 0, []attentionSegment{{16, nil, nil}, {17, nil, nil}}},
	{"a prompt of one row", 5, []attentionSegment{{1, []int{3, 1}, nil}, {1, nil, nil}}},
	{"no prompt, so that rollouts see their own rows alone", 0, []attentionSegment{{0, []int{5, 1, 16}, nil}, {0, []int{33}, nil}}},
	{"rollouts that end at tiles and beside them", 0, []attentionSegment{{9, []int{1, 15, 16, 17, 32, 31}, nil}}},
	{"prompts that end at tiles and beside them: a row's keys change from shared to own at any lane", 1,
		[]attentionSegment{{15, []int{2}, nil}, {16, []int{16}, nil}, {31, []int{1, 2}, nil}, {32, []int{33}, nil}, {33, []int{1}, nil}}},
	{"rows just as wide as shared memory has room for", 0, []attentionSegment{{90, []int{38, 2}, nil}}},
	{"rows wider than that", 0, []attentionSegment{{90, []int{39}, nil}, {3, []int{2}, nil}}},
	{"trees: runs that leave others at, before and behind tiles, and a second root", 0, []attentionSegment{
		{4, []int{3}, []attentionRun{{20, 0}, {3, 1}, {17, 2}, {1, 16}, {2, 0}, {1, 1}}}, {0, nil, []attentionRun{{1, 0}, {1, 1}, {1, 1}}}}},
	{"a tree whose rows are wider than shared memory has room for", 1, []attentionSegment{{90, nil, []attentionRun{{39, 0}, {2, 38}, {40, 1}}}}},
}

func TestAttentionSameBits(t *testing.T) {
	dev := openShim(t)
	for i, c := range attentionCases {
		// Heads of every width that there may be; short tests pair each width with a quarter of the cases.
		for j, shape := range []struct{ heads, hd int }{{3, 8}, {2, 16}, {1, 24}, {2, 32}, {1, 40}, {1, 48}, {1, 56}, {1, 64}} {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d heads of %d", c.why, shape.heads, shape.hd), func(t *testing.T) {
				b := attentionBench(t, dev, uint64(shape.hd))
				a := newAttentionBatch(shape.heads, shape.hd, c.spare, c.segments)
				qkv, dmixed := b.activations(a.rows, 3*a.d), b.activations(a.rows, a.d)
				clear(dmixed[:a.d]) // as a prompt's row has behind the last block
				want := a.plainAttention(b.k, qkv, dmixed)

				onQKV, tiles, paths := b.floats(qkv), b.ints(a.rowTiles), b.ints(append(a.paths, -1))
				weights, mixed := b.forward(a, onQKV, tiles, paths)
				b.same("weights", weights, want.weights)
				b.same("mixed", mixed, want.mixed)

				rows, hd, width := int32(a.rows), int32(a.hd), int32(a.width)
				onDMixed, ds, dqkv := b.floats(dmixed), b.room(len(want.ds)), b.room(len(want.dqkv))
				b.launch("attention_backward_scores", a.tiles, a.heads, ds, onDMixed, onQKV, weights, tiles, paths, rows, hd, width, a.scale())
				b.launch("attention_backward_queries", a.tiles, a.heads, dqkv, ds, onQKV, tiles, paths, rows, hd, width)
				b.launch("attention_backward_keys", a.keys, a.heads, dqkv, ds, weights, onDMixed, onQKV, b.ints(a.keyTiles), rows, hd, width)
				b.same("ds", ds, want.ds)
				b.same("dqkv", dqkv, want.dqkv)
			})
		}
	}
}

// decodeCases are prompts with lanes, of which each has a reason.
var decodeCases = []struct {
	why       string
	heads, hd int
	segments  []attentionSegment
}{
	{"no prompt", 2, 16, []attentionSegment{{0, []int{3, 1, 5}, nil}}},
	{"a prompt of one row, and more lanes than a block has warps", 3, 8, []attentionSegment{{1, []int{2, 4, 1, 3, 4}, nil}}},
	{"several prompts, of which one has no rows, and lanes that end early", 2, 32,
		[]attentionSegment{{16, []int{9, 1, 4}, nil}, {0, []int{2, 6}, nil}, {33, []int{3}, nil}}},
	{"prompt and own positions pass 32, in a cache and in a row", 1, 64, []attentionSegment{{31, []int{34}, nil}, {2, []int{30, 33}, nil}}},
	{"heads that are no power of two wide", 2, 40, []attentionSegment{{5, []int{3, 2}, nil}}},
	{"rows as wide as shared memory has room for, then wider", 2, 16, []attentionSegment{{126, []int{5, 4}, nil}}},
}

// TestDecodeSameBits draws the rollouts of some prompts step by step, and holds each
// step to attention over the whole of them. Every third step begins with a copy of each
// lane's cache, in which it goes on.
func TestDecodeSameBits(t *testing.T) {
	dev := openShim(t)
	for i, c := range decodeCases {
		t.Run(c.why, func(t *testing.T) {
			b := attentionBench(t, dev, uint64(100+i))
			a := newAttentionBatch(c.heads, c.hd, 0, c.segments)
			qkv := b.activations(a.rows, 3*a.d)
			onWeights, onMixed := b.forward(a, b.floats(qkv), b.ints(a.rowTiles), b.ints([]int32{-1}))
			weights, mixed := make([]float32, a.heads*a.rows*a.width), make([]float32, a.rows*a.d)
			b.must("download", b.dev.Download(weights, onWeights))
			b.must("download", b.dev.Download(mixed, onMixed))

			lanes := a.lanes(c.segments)
			prompts := b.putPrompts(a, c.segments, qkv)
			steps := 0
			for _, l := range lanes {
				steps = max(steps, l.n)
			}
			own := b.caches(2*len(lanes), steps+cacheBlock, a.d) // more room than is needed
			bank := 0                                            // of the two that a lane goes on in
			for step := range steps {
				var rows []int
				var places, copies []int32
				width, moves := 0, step%3 == 2
				from := bank
				if moves {
					bank = 1 - bank
				}
				for i, l := range lanes {
					if step < l.n {
						rows = append(rows, l.row+step)
						place := len(lanes) - 1 - i
						places = append(places, int32(place+bank*len(lanes)), int32(step), int32(l.prompt), int32(l.p))
						if moves {
							copies = append(copies, int32(place+bank*len(lanes)), int32(place+from*len(lanes)), int32(step))
						}
						width = max(width, l.p+step+1)
					}
				}
				var scratch Pointer
				if width > attentionRoom {
					scratch = b.room(len(rows) * a.heads * width)
				}
				if moves {
					b.launch("decode_copy", len(rows), 1, own.keys, own.values, b.ints(copies), int32(a.d), own.capacity)
				}
				got := b.room(len(rows) * a.d)
				b.launch("decode_attention", (len(rows)+attentionWarps-1)/attentionWarps, a.heads,
					got, b.floats(pickRows(qkv, rows, 3*a.d)), b.ints(places), prompts.keys, prompts.values, prompts.capacity,
					own.keys, own.values, own.capacity, scratch, int32(len(rows)), int32(a.hd), int32(width), a.scale())
				b.same(fmt.Sprintf("step %d", step), got, pickRows(mixed, rows, a.d))
				for i := 0; scratch != 0 && i < len(rows)*a.heads; i++ { // where the weights end up
					row, h := rows[i/a.heads], i%a.heads
					own := weights[(h*a.rows+row)*a.width:]
					b.same(fmt.Sprintf("step %d, weights", step), scratch.At(i*width), own[:len(a.sees[row])])
				}
			}
		})
	}
}

// A testLane is a rollout: its rows in the batch, its prompt's cache and rows.
type testLane struct{ row, n, prompt, p int }

// lanes lists the rollouts. Caches are handed out backwards.
func (a *attentionBatch) lanes(segments []attentionSegment) (lanes []testLane) {
	for g, s := range segments {
		for i, n := range s.rollouts {
			lanes = append(lanes, testLane{a.starts[g][1+i], n, len(segments) - 1 - g, s.prompt})
		}
	}
	return lanes
}

type testCaches struct {
	keys, values Pointer
	capacity     int32
}

// caches makes n empty caches for some positions, rounded up.
func (b bench) caches(n, capacity, d int) testCaches {
	b.Helper()
	capacity = (capacity + cacheBlock - 1) / cacheBlock * cacheBlock
	return testCaches{b.room(n * capacity * d), b.room(n * capacity * d), int32(capacity)}
}

// putPrompts fills a cache for each prompt.
func (b bench) putPrompts(a *attentionBatch, segments []attentionSegment, qkv []float32) testCaches {
	b.Helper()
	var rows []int
	var places []int32
	most := 0
	for g, s := range segments {
		most = max(most, s.prompt)
		for i := range s.prompt {
			rows = append(rows, a.starts[g][0]+i)
			places = append(places, int32(len(segments)-1-g), int32(i), -1, -1)
		}
	}
	caches := b.caches(len(segments), most, a.d)
	if len(rows) > 0 {
		b.launch("decode_put", 2, 1, caches.keys, caches.values, b.floats(pickRows(qkv, rows, 3*a.d)), b.ints(places),
			int32(len(rows)), int32(a.d), caches.capacity)
	}
	return caches
}

// pickRows copies rows of d columns.
func pickRows(x []float32, rows []int, columns int) (picked []float32) {
	for _, row := range rows {
		picked = append(picked, x[row*columns:(row+1)*columns]...)
	}
	return picked
}
