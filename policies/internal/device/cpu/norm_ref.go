package cpu

import "modebench/policies/internal/device"

// LayerNorm normalises each of the rows of x. d is a multiple of device.Lanes. With
// each operation that is not an fma rounded by itself, and c = x - mean:
//
//	mean = (sum x) (1/d)
//	rstd = 1 / sqrt((sum c^2) (1/d) + 1e-5)
//	y    = fma(c rstd, gain, bias)
func (reference) LayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int) {
	checkLayerNorm(y, mean, rstd, x, gain, bias, rows, d)
	inverse := 1 / float32(d)
	for r := range rows {
		x, y := x[r*d:(r+1)*d], y[r*d:(r+1)*d]
		var sum, squares lanes
		for i, x := range x {
			sum[i%device.Lanes] += x
		}
		mu := float32(sum.fold() * inverse)
		for i, x := range x {
			c, l := x-mu, i%device.Lanes
			squares[l] = fma32(c, c, squares[l])
		}
		variance := float32(squares.fold() * inverse)
		rs := 1 / sqrt(variance+layerNormEps)
		for i, x := range x {
			y[i] = fma32(float32((x-mu)*rs), gain[i], bias[i])
		}
		mean[r], rstd[r] = mu, rs
	}
}

// LayerNormBackward adds the gradients of the rows, one row after the other. d is a
// multiple of device.Lanes. With h = (x - mean) rstd and t = dy gain, each operation
// that is not an fma rounded by itself:
//
//	dgain = fma(dy, h, dgain);  dbias = dbias + dy
//	a = (sum t) (1/d);  b = (sum t h) (1/d), where products enter by fma
//	dx = fma(t - fma(h, b, a), rstd, dx)
func (reference) LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int) {
	checkLayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d)
	inverse := 1 / float32(d)
	for r := range rows {
		dx, dy, x := dx[r*d:(r+1)*d], dy[r*d:(r+1)*d], x[r*d:(r+1)*d]
		mu, rs := mean[r], rstd[r]
		var sumT, sumTH lanes
		for i, dy := range dy {
			h, t, l := float32((x[i]-mu)*rs), float32(dy*gain[i]), i%device.Lanes
			dgain[i] = fma32(dy, h, dgain[i])
			dbias[i] += dy
			sumT[l] += t
			sumTH[l] = fma32(t, h, sumTH[l])
		}
		a, b := float32(sumT.fold()*inverse), float32(sumTH.fold()*inverse)
		for i, dy := range dy {
			h, t := float32((x[i]-mu)*rs), float32(dy*gain[i])
			dx[i] = fma32(t-fma32(h, b, a), rs, dx[i])
		}
	}
}
