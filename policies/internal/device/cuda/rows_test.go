package cuda

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"modebench/policies/internal/device"
)

// widths are of rows: one column per lane, two, three, and as many as there may be.
var widths = []int{32, 64, 96, 512}

func TestEmbedRows(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, d := range widths {
			for _, rows := range []int{1, 7, 33} {
				const vocabulary = 11
				starts, features := []int32{0}, []int32{}
				for r := range rows {
					for range r % 10 { // none, one, and some of which one may come twice
						features = append(features, int32(b.rand.IntN(vocabulary)))
					}
					starts = append(starts, int32(len(features)))
				}
				fs, ss := b.ints(features), b.ints(starts)
				of := b.deal(rows, 1+rows%3, vocabulary*d+5)
				b.onGrids(fmt.Sprintf("%d rows of %d, cells %v", rows, d, of.bounds), b.draws(rows*d, of.cells*(vocabulary*d+5)), func(p []Pointer, grid, block Dim) error {
					grid.Y = of.cells
					return b.dev.Launch("embed_rows", grid, block, p[0], p[1], fs, ss, of.starts, of.offsets, int32(d))
				}, func(s [][]float32) {
					of.each(func(lo, hi, at int) {
						for r := lo; r < hi; r++ {
							row, own := s[0][r*d:(r+1)*d], features[starts[r]:starts[r+1]]
							clear(row)
							for i, f := range own {
								if vector := s[1][at+int(f)*d : at+int(f+1)*d]; i == 0 {
									copy(row, vector) // not added to zero: a negative zero stays
								} else {
									b.k.Add(row, vector)
								}
							}
						}
					})
				})
			}
		}
	})
}

func TestEmbedGrad(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, d := range widths {
			const rows, pairs, places = 40, 9, 13
			order := b.rand.Perm(places)
			var targets, list []int32
			from := []int32{0}
			for p := range pairs {
				targets = append(targets, int32(order[p]*(d+3))) // not aligned, and not side by side
				for range []int{0, 1, 2, 7, 8, 9, 17, 30, 40}[p] {
					list = append(list, int32(b.rand.IntN(rows)))
				}
				from = append(from, int32(len(list)))
			}
			ts, fs, ls := b.ints(targets), b.ints(from), b.ints(list)
			b.onGrids(fmt.Sprintf("width %d", d), b.draws(places*(d+3), rows*d), func(p []Pointer, grid, block Dim) error {
				return b.dev.Launch("embed_grad", grid, block, p[0], ts, fs, ls, int32(pairs), p[1], int32(d))
			}, func(s [][]float32) {
				for p, target := range targets {
					for _, r := range list[from[p]:from[p+1]] {
						b.k.Add(s[0][target:int(target)+d], s[1][int(r)*d:int(r+1)*d])
					}
				}
			})
		}
	})
}

func TestLayerNorm(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, d := range append(widths, 160) {
			for _, rows := range []int{1, 8, 33} {
				of := b.deal(rows, 1+rows%3, d+3)
				n := of.cells * (d + 3)
				b.onGrids(fmt.Sprintf("%d rows of %d, cells %v", rows, d, of.bounds), b.draws(rows*d, rows, rows, rows*d, n, n), func(p []Pointer, grid, block Dim) error {
					grid.Y = of.cells
					return b.dev.Launch("layer_norm", grid, block, p[0], p[1], p[2], p[3], p[4], p[5], of.starts, of.offsets, int32(d))
				}, func(s [][]float32) {
					of.each(func(lo, hi, at int) {
						b.k.LayerNorm(s[0][lo*d:hi*d], s[1][lo:hi], s[2][lo:hi], s[3][lo*d:hi*d], s[4][at:at+d], s[5][at:at+d], hi-lo, d)
					})
				})
			}
		}
	})
}

// TestLayerNormBackward runs both kernels that make up LayerNormBackward: on all rows,
// and on those of each chunk.
func TestLayerNormBackward(t *testing.T) {
	forDraws(t, func(b bench) {
		for i, d := range append(widths, 160) {
			for _, rows := range []int{1, 8, 33} {
				chunks := 1 + (rows+i)%4
				starts := cut(b.rand, rows, chunks)
				ss, stride := b.ints(starts), 2*d+5
				of := b.deal(rows, 1+(rows+i)%3, d+3) // the kernels see no chunk that two cells share, nor need they
				// dx, the chunks' gradients, dy, x, mean, rstd, gain
				b.onGrids(fmt.Sprintf("%d rows of %d, chunks %v", rows, d, starts), b.draws(rows*d, chunks*stride, rows*d, rows*d, rows, rows, of.cells*(d+3)), func(p []Pointer, grid, block Dim) error {
					grid.Y = of.cells
					err := b.dev.Launch("layer_norm_backward", grid, block, p[0], p[2], p[3], p[4], p[5], p[6], of.starts, of.offsets, int32(d))
					if err != nil {
						return err
					}
					grid = Dim{X: (d+block.X-1)/block.X + grid.X/5, Y: chunks + grid.X/5} // at times more than are needed
					return b.dev.Launch("layer_norm_sums", grid, block, p[1], p[1]+Pointer(4*(d+1)), int32(stride),
						p[2], p[3], p[4], p[5], ss, int32(chunks), int32(d))
				}, func(s [][]float32) {
					backward := func(dx, grad []float32, lo, hi, at int) {
						b.k.LayerNormBackward(dx[lo*d:hi*d], grad[:d], grad[d+1:2*d+1], s[2][lo*d:hi*d], s[3][lo*d:hi*d], s[4][lo:hi], s[5][lo:hi], s[6][at:at+d], hi-lo, d)
					}
					for c := range chunks {
						backward(make([]float32, rows*d), s[1][c*stride:], int(starts[c]), int(starts[c+1]), 0)
					}
					of.each(func(lo, hi, at int) { backward(s[0], make([]float32, stride), lo, hi, at) })
				})
			}
		}
	})
}

// sizes are numbers of entries at and off the bounds of warps and blocks.
var sizes = []int{1, 31, 32, 33, 255, 256, 257, 1000}

// sweep gives numbers between bounds, every n-th bit pattern, both signs.
func sweep(step uint32) (s []float32) {
	for bits := uint32(0); bits < 0x7f800000-step; bits += step {
		s = append(s, math.Float32frombits(bits), -math.Float32frombits(bits))
	}
	return append(s, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 9, -9, math.Nextafter32(9, 10), math.Nextafter32(-9, -10))
}

func TestGelu(t *testing.T) {
	forDraws(t, func(b bench) {
		check := func(what string, s [][]float32) { // y, x, dx, and an operand that is input and output
			n := int32(len(s[0]))
			b.onGrids(what, s, func(p []Pointer, grid, block Dim) error {
				if err := b.dev.Launch("gelu", grid, block, p[0], p[1], n); err != nil {
					return err
				}
				if err := b.dev.Launch("gelu", grid, block, p[3], p[3], n); err != nil {
					return err
				}
				return b.dev.Launch("gelu_backward", grid, block, p[2], p[1], n)
			}, func(s [][]float32) {
				b.k.Gelu(s[0], s[1])
				b.k.Gelu(s[3], s[3])
				b.k.GeluBackward(s[2], s[1])
			})
		}
		for _, n := range sizes {
			check(fmt.Sprint(n, " entries"), b.draws(n, n, n, n))
		}
		all := sweep(99991)
		check("all magnitudes", [][]float32{make([]float32, len(all)), all, slices.Repeat([]float32{1.5}, len(all)), all})
	})
}

func TestAddAndAxpy(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, n := range sizes {
			b.onGrids(fmt.Sprint(n, " entries"), b.draws(n, n, n, n), func(p []Pointer, grid, block Dim) error {
				if err := b.dev.Launch("add", grid, block, p[0], p[1], int32(n)); err != nil {
					return err
				}
				if err := b.dev.Launch("axpy", grid, block, p[2], float32(-0.37), p[1], int32(n)); err != nil {
					return err
				}
				return b.dev.Launch("axpy", grid, block, p[3], float32(-0.37), p[3], int32(n))
			}, func(s [][]float32) {
				b.k.Add(s[0], s[1])
				b.k.Axpy(s[2], -0.37, s[1])
				b.k.Axpy(s[3], -0.37, s[3])
			})
		}
	})
}

func TestPickAndSpreadRows(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, d := range widths {
			const rows = 21
			var picked []int32
			inverse := make([]int32, rows)
			for r := range inverse {
				inverse[r] = -1
				if b.rand.IntN(3) > 0 {
					inverse[r] = int32(len(picked))
					picked = append(picked, int32(r))
				}
			}
			n := len(picked)
			ps, is := b.ints(picked), b.ints(inverse)
			b.onGrids(fmt.Sprint("width ", d), b.draws(n*d, rows*d, rows*d), func(p []Pointer, grid, block Dim) error {
				if err := b.dev.Launch("pick_rows", grid, block, p[0], p[1], ps, int32(n), int32(d)); err != nil {
					return err
				}
				return b.dev.Launch("spread_rows", grid, block, p[2], p[0], is, int32(rows), int32(d))
			}, func(s [][]float32) {
				clear(s[2])
				for i, r := range picked {
					copy(s[0][i*d:(i+1)*d], s[1][int(r)*d:])
					copy(s[2][int(r)*d:int(r+1)*d], s[1][int(r)*d:])
				}
			})
		}
	})
}

func TestLogSoftmax(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, n := range []int{1, 2, 31, 32, 33, 64, 100} {
			for i, scale := range []float32{1, 0.7, 1e6} {
				rows, ld := 1+4*i, n+i
				s := b.draws(rows*ld, rows*ld, rows*ld)
				for r := range rows {
					if r%2 == 0 { // illegal tokens, all or all but some
						for j := range n {
							if r == 4 || b.rand.IntN(3) > 0 {
								s[2][r*ld+j] = -1e30
							}
						}
					}
				}
				b.onGrids(fmt.Sprintf("%d rows of %d, scale %g", rows, n, scale), s, func(p []Pointer, grid, block Dim) error {
					return b.dev.Launch("log_softmax", grid, block, p[0], p[1], p[2], int32(ld), int32(rows), int32(n), scale)
				}, func(s [][]float32) { b.k.LogSoftmax(s[0], s[1], s[2], ld, rows, n, scale) })
			}
		}
	})
}

// TestLogSoftmaxTails has rows of two entries, whose difference runs from zero to beyond
// where the exponential is zero: so all that exp and log can be asked for, but for
// positive arguments. In some rows there is no number, or an infinite one.
func TestLogSoftmaxTails(t *testing.T) {
	forDraws(t, func(b bench) {
		var z []float32
		for i := range 2500 {
			z = append(z, 3, 3-float32(i)*0x1.5p-5)
		}
		for i := range 700 { // where results are subnormal
			z = append(z, -86.5-float32(i)*0x1.ap-6, 0)
		}
		nan, inf := float32(math.NaN()), float32(math.Inf(1))
		z = append(z, nan, 1, 2, nan, nan, nan, inf, 1, inf, inf, -inf, 1, 2, -inf, -inf, -inf, nan, -inf, inf, -inf)
		rows := len(z) / 2
		b.compare("two entries a row", [][]float32{make([]float32, len(z)), make([]float32, len(z)), z}, func(p []Pointer) error {
			return b.dev.Launch("log_softmax", Dim{X: 3}, Dim{X: 256}, p[0], p[1], p[2], int32(2), int32(rows), int32(2), float32(1))
		}, func(s [][]float32) { b.k.LogSoftmax(s[0], s[1], s[2], 2, rows, 2, 1) })
	})
}

func TestReduceChunks(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, n := range sizes {
			for _, chunks := range []int{0, 1, 2, 5, 16} {
				stride := n + chunks%2
				of := b.deal(chunks, 1+chunks%3, n+3)
				b.onGrids(fmt.Sprintf("%d entries, cells' chunks %v", n, of.bounds), b.draws(of.cells*(n+3), chunks*stride), func(p []Pointer, grid, block Dim) error {
					grid.Y = of.cells
					return b.dev.Launch("reduce_chunks", grid, block, p[0], p[1], int32(stride), of.starts, of.offsets, int32(n))
				}, func(s [][]float32) {
					of.each(func(lo, hi, at int) {
						sum := s[0][at : at+n]
						clear(sum)
						for c := lo; c < hi; c++ {
							if part := s[1][c*stride : c*stride+n]; c == lo {
								copy(sum, part)
							} else {
								b.k.Add(sum, part)
							}
						}
					})
				})
			}
		}
	})
}

func TestSumSquares(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, n := range []int{1, 31, 33, 1023, 1024, 1025, 5000, 10240} {
			blocks := (n + 1023) / 1024
			of := b.deal(0, 1+n%3, n+3)
			b.onGrids(fmt.Sprintf("%d entries of %d cells", n, of.cells), b.draws(of.cells*blocks, of.cells*(n+3)), func(p []Pointer, grid, block Dim) error {
				grid.Y = of.cells
				return b.dev.Launch("sum_squares", grid, block, p[0], p[1], of.offsets, int32(n))
			}, func(s [][]float32) {
				for c, at := range of.at {
					for i := range blocks { // a block's sum in float64 is its sum in float32
						s[0][c*blocks+i] = float32(b.k.SumSquares(s[1][at+1024*i : at+min(n, 1024*(i+1))]))
					}
				}
			})
		}
	})
}

func TestAdamW(t *testing.T) {
	forDraws(t, func(b bench) {
		for _, n := range sizes {
			of := b.deal(0, 1+n%3, n+3)
			size := of.cells * (n + 3)
			var scalars []float32
			var steps []device.AdamW
			for c := range of.cells {
				x := float32(c)
				by := device.AdamW{Scale: 0.83 - x/9, Beta1: 0.9 - x/9, Rest1: 0.1 + x/9, Beta2: 0.999, Rest2: 0.001, Rate: 3e-3 * (x + 1), Root: 1.7, Eps: 1e-8, Decay: 1e-4 * x}
				steps = append(steps, by)
				scalars = append(scalars, by.Scale, by.Beta1, by.Rest1, by.Beta2, by.Rest2, by.Rate, by.Root, by.Eps, by.Decay)
			}
			s := append(b.draws(size, size, size, size, n), scalars)
			for i := range s[4] { // a stretch with decay, and a stretch without
				s[4][i] = float32(i / 9 % 2)
			}
			for i, v := range s[3] {
				if i%17 > 0 { // else now and then the root of a negative number
					s[3][i] = float32(math.Abs(float64(v)))
				}
			}
			b.onGrids(fmt.Sprintf("%d entries of %d cells", n, of.cells), s, func(p []Pointer, grid, block Dim) error {
				grid.Y = of.cells
				return b.dev.Launch("adamw", grid, block, p[0], p[1], p[2], p[3], p[4], p[5], of.offsets, int32(n))
			}, func(s [][]float32) {
				for c, at := range of.at {
					for i := 0; i < n; i += 9 {
						lo, hi, own := at+i, at+min(i+9, n), steps[c]
						own.Decay *= s[4][i]
						b.k.AdamW(s[0][lo:hi], s[1][lo:hi], s[2][lo:hi], s[3][lo:hi], own)
					}
				}
			})
		}
	})
}
