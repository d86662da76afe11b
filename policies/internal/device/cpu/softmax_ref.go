package cpu

import (
	"math"

	"modebench/policies/internal/device"
)

// Softmax works on a row of n = length+r*step entries, scale above zero, as
//
//	e = exp((s - max s) scale);  s = e (1 / sum e)
//
// each operation rounded by itself. The largest entry is taken off first, so that
// the exponential has no argument above zero and close entries lose nothing; entries
// up to 1e30 in magnitude give finite results. An entry that is NaN or +Inf makes the
// row NaN; -Inf beside a finite one gives zero.
func (reference) Softmax(s []float32, ld, rows, length, step, width int, scale float32) {
	if !checkSpans(ld, rows, length, step, width, s) {
		return
	}
	for r := range rows {
		row := s[r*ld : r*ld+width]
		n := length + r*step
		softmaxRow(row[:n], row[:n], nil, scale)
		clear(row[n:])
	}
}

// softmaxRow fills p with the softmax of scale z, and returns the sum of the
// exponentials. x, unless it is nil, gets their arguments.
func softmaxRow(p, z, x []float32, scale float32) float32 {
	top := float32(math.Inf(-1))
	for _, z := range z {
		if z > top {
			top = z
		}
	}
	var sum lanes
	for i, z := range z {
		arg := float32((z - top) * scale)
		if x != nil {
			x[i] = arg
		}
		p[i] = exp(arg)
		sum[i%device.Lanes] += p[i]
	}
	total := sum.fold()
	inverse := 1 / total
	for i := range p {
		p[i] *= inverse
	}
	return total
}

// SoftmaxBackward works on a row of n = length+r*step entries as
//
//	ds = (scale s) (ds - sum s ds)
//
// where products enter the sum by fma, and each other operation is rounded by itself.
func (reference) SoftmaxBackward(ds, s []float32, ld, rows, length, step, width int, scale float32) {
	if !checkSpans(ld, rows, length, step, width, ds, s) {
		return
	}
	for r := range rows {
		row, n := ds[r*ld:r*ld+width], length+r*step
		s := s[r*ld : r*ld+n]
		var products lanes
		for i, s := range s {
			l := i % device.Lanes
			products[l] = fma32(s, row[i], products[l])
		}
		dot := products.fold()
		for i, s := range s {
			row[i] = float32(float32(scale*s) * (row[i] - dot))
		}
		clear(row[n:])
	}
}

// LogSoftmax works on a row, scale above zero, as
//
//	x = (z - max z) scale;  e = exp(x)
//	p = e (1 / sum e);  logp = x - log(sum e)
//
// each operation rounded by itself. The largest entry's exponential is 1, so that
// the logarithm has no argument below 1. For special values see Softmax: where p is
// NaN, so is logp; where z is -Inf, p is zero and logp -Inf.
func (reference) LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32) {
	if !checkSpans(ld, rows, n, 0, n, p, logp, z) {
		return
	}
	for r := range rows {
		from, to := r*ld, r*ld+n
		logp := logp[from:to]
		shift := log(softmaxRow(p[from:to], z[from:to], logp, scale))
		for i := range logp {
			logp[i] -= shift
		}
	}
}
