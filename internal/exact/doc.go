// Package exact has the exponential, the logarithm and the sums that give the
// same bits on every CPU, GOARCH and GOAMD64 level.
//
// Two things make ordinary Go code differ between machines. The compiler may fuse x*y + z into one
// rounding where the target has such an instruction (arm64, ppc64, GOAMD64=v3), across statements
// too; and math.Exp and friends are assembly on some targets, with paths chosen by CPU features. So
// here every product that meets a sum is rounded by an explicit float64 conversion, which the
// language defines as a barrier to fusion, and only functions of package math that are exact by
// definition are called (Sqrt, Abs, the bit casts). Anything that has to reproduce recorded numbers
// takes its Exp and Log from here and writes float64(x*y) + z. A product that a function returns
// needs the conversion too: once inlined, it can be fused with a sum in the caller.
//
// Where a result is NaN, that it is one is the contract; sign and payload are not.
//
// Reductions run in index order with one accumulator; splitting one over
// goroutines changes its bits.
package exact

// expEntry is a row of expTable.
type expEntry struct {
	bits uint64
	tail float64
}

// logEntry is a row of logTable.
type logEntry struct{ inv, hi, lo float64 }
