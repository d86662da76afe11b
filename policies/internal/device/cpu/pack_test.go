package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

// unpack reads a packed matrix back, by products with rows of the unit matrix.
func unpack(k device.Kernels, p device.Packed) []float32 {
	unit, dense := []float32{1}, make([]float32, p.K*p.N)
	for row := range p.K {
		if p.N > 0 {
			k.MatMul(dense[row*p.N:], p.N, unit, 1, 1, p, row, 1, 1, p.N, device.Start{})
		}
	}
	return dense
}

// TestPack packs matrices of each kind of strides, and reads them back.
func TestPack(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			for rows := range 35 {
				for columns := range 260 {
					if columns >= 70 && rows%8 > 1 {
						continue // beyond, it is the mix of four panels, two, one and less that counts
					}
					extra := r.IntN(3)
					for _, b := range []struct {
						kind         string
						ks, js, more int // more: elements behind the matrix
					}{
						{"row-major", columns + extra, 1, 0},
						{"transposed", 1, rows + extra, 0},
						{"transposed, as a part of a larger matrix", 1, rows + extra, 4 * (rows + extra)},
						{"strided", 2*columns + extra, 2, 0},
					} {
						source := newGuard(max(0, (rows-1)*b.ks) + max(0, (columns-1)*b.js) + 1 + b.more)
						fillNormal(source.data, r)
						what := fmt.Sprintf("%d x %d, %s", rows, columns, b.kind)
						p := k.NewPacked(rows, columns)
						data := newGuard(len(p.Data))
						p.Data = data.data
						k.Pack(p, source.data, b.ks, b.js)
						data.check(t, what)
						for i, got := range unpack(k, p) {
							if want := source.data[i/columns*b.ks+i%columns*b.js]; got != want {
								t.Fatalf("%s: B(%d,%d) = %g, want %g", what, i/columns, i%columns, got, want)
							}
						}
					}
				}
			}
		})
	}
}

// TestPackRefuses packs what is too short.
func TestPackRefuses(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		p := k.NewPacked(3, 5)
		panics(t, name+": source too short", func() { k.Pack(p, make([]float32, 14), 5, 1) })
		panics(t, name+": transposed source too short", func() { k.Pack(p, make([]float32, 14), 1, 3) })
	}
}
