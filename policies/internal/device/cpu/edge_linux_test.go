package cpu

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"modebench/policies/internal/device"
)

// atEnd makes a slice that ends where the process may read no further, so that a
// load past its end is a fault.
func atEnd(t *testing.T, n int) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n+page-1)/page*page + page
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no memory to protect: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	if err := syscall.Mprotect(memory[size-page:], syscall.PROT_NONE); err != nil {
		t.Skipf("no protection of memory: %v", err)
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&memory[size-page-4*n])), n)
}

// TestMatMulReadsNothingBeyond runs products and packs whose operands end with the
// memory.
func TestMatMulReadsNothingBeyond(t *testing.T) {
	const most = 16
	forLevels(t, func(t *testing.T, k device.Kernels) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if fault := recover(); fault != nil {
				t.Fatal(fault)
			}
		}()
		a, b, c := atEnd(t, most*most), atEnd(t, most*most*40), atEnd(t, most*40)
		dense := atEnd(t, most*40)
		r := rand.New(rand.NewPCG(9, 9))
		fillNormal(a, r)
		fillNormal(dense, r)
		end := func(s []float32, n int) []float32 { return s[len(s)-n:] }
		for m := 1; m <= most; m++ {
			for n := 1; n <= 40; n++ {
				count := 1 + (m+n)%most
				p := k.NewPacked(count, n)
				p.Data = end(b, len(p.Data))
				k.Pack(p, end(dense, count*n), n, 1)
				k.Pack(p, end(dense, count*n), 1, count)
				k.MatMul(end(c, m*n), n, end(a, m*count), count, 1, p, 0, count, m, n, device.From(end(c, m*n), n))
				k.MatMul(end(c, m*n), n, end(a, m*count), 1, m, p, 0, count, m, n, device.Start{Rows: end(dense, m*n), LD: n, Bias: end(dense, n)})
				k.MulRows(end(c, m*n), n, end(a, m*count), count, end(b, m*count*n), n, m*n, m, count, n, n%2 == 0)
				k.MulRows(end(c, m*n), n, end(a, m*count), count, end(b, m*count*n), count*n, n, m, count, n, n%2 == 1)
				k.Add(end(c, m*n), end(dense, m*n))
				k.Axpy(end(c, m*n), 1, end(dense, m*n))
				k.SumRows(end(c, n), end(dense, m*n), m, n)
			}
		}
	})
}
