package cpu

import (
	"fmt"
	"math"

	"modebench/policies/internal/device"
)

// checkLength panics if a slice is too short, as all checks here do.
func checkLength(name string, s []float32, n int) {
	if len(s) < n {
		panic(fmt.Sprintf("cpu: %s has %d elements, not the %d it needs", name, len(s), n))
	}
}

func checkNorm(rows, d int) {
	if rows < 0 || d <= 0 || d%device.Lanes != 0 {
		panic(fmt.Sprintf("cpu: layer norm of %d rows of %d columns, which must be a multiple of %d", rows, d, device.Lanes))
	}
}

func checkLayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int) {
	checkNorm(rows, d)
	checkLength("y", y, rows*d)
	checkLength("mean", mean, rows)
	checkLength("rstd", rstd, rows)
	checkLength("x", x, rows*d)
	checkLength("gain", gain, d)
	checkLength("bias", bias, d)
}

func checkLayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int) {
	checkNorm(rows, d)
	checkLength("dx", dx, rows*d)
	checkLength("dgain", dgain, d)
	checkLength("dbias", dbias, d)
	checkLength("dy", dy, rows*d)
	checkLength("x", x, rows*d)
	checkLength("mean", mean, rows)
	checkLength("rstd", rstd, rows)
	checkLength("gain", gain, d)
}

// checkSpans reports whether there is anything to do, and panics if rows of length, length+step,
// ... entries do not fit into a matrix of that width, or the matrix not into each of the operands.
func checkSpans(ld, rows, length, step, width int, operands ...[]float32) bool {
	last := length + (rows-1)*step
	switch {
	case rows <= 0:
		return false
	case min(length, last) < 0 || max(length, last) > width:
		panic(fmt.Sprintf("cpu: softmax of rows of %d to %d entries in %d columns", length, last, width))
	case rows > 1 && ld < width:
		panic(fmt.Sprintf("cpu: rows of a softmax have %d columns and are %d apart", width, ld))
	}
	for _, s := range operands {
		checkLength("an operand of softmax", s, (rows-1)*ld+width)
	}
	return width > 0
}

func checkAdamW(p, g, m, v []float32) {
	checkLength("g", g, len(p))
	checkLength("m", m, len(p))
	checkLength("v", v, len(p))
}

func checkSumRows(dst, x []float32, rows, columns int) {
	checkLength("dst", dst, columns)
	checkLength("x", x, rows*columns)
}

// lanes are the accumulators of a sum over a row: element i belongs to lane i mod device.Lanes.
type lanes [device.Lanes]float32

// fold adds the lanes up: lane l and lane l+16, then lane l and lane l+8, and so on.
func (a *lanes) fold() float32 {
	for half := device.Lanes / 2; half > 0; half /= 2 {
		for l := range half {
			a[l] += a[l+half]
		}
	}
	return a[0]
}

func (reference) Add(dst, src []float32) {
	checkLength("src", src, len(dst))
	for i := range dst {
		dst[i] += src[i]
	}
}

func (reference) Axpy(dst []float32, a float32, x []float32) {
	checkLength("x", x, len(dst))
	for i := range dst {
		dst[i] = fma32(a, x[i], dst[i])
	}
}

func (reference) SumRows(dst, x []float32, rows, columns int) {
	checkSumRows(dst, x, rows, columns)
	for r := range rows {
		for j, v := range x[r*columns : (r+1)*columns] {
			dst[j] += v
		}
	}
}

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

// Gelu is, with a = max(x, -9) and b = min(a, 9),
//
//	y = a / (1 + exp(b fma(b b, geluCubic, geluLinear)))
//
// where exp's last product and the sum with 1 are each rounded. So y is x above 9,
// and -9 / (1 + exp(66.2)), about -1e-28, below -9. NaN stays NaN.
func (reference) Gelu(y, x []float32) {
	checkLength("x", x, len(y))
	for i := range y {
		a, b := geluClamp(x[i])
		y[i] = a / (1 + geluExp(b))
	}
}

// GeluBackward multiplies dx by the derivative, with b as in Gelu,
//
//	e = exp(b fma(b b, geluCubic, geluLinear));  s = 1 / (1 + e)
//	s fma(b fma(b b, geluSlope3, geluSlope), e s, 1)
//
// e s being 1-s without the cancellation. The derivative is worked out first, and
// then multiplied with dx.
func (reference) GeluBackward(dx, x []float32) {
	checkLength("x", x, len(dx))
	for i := range dx {
		_, b := geluClamp(x[i])
		e := geluExp(b)
		s := 1 / (1 + e)
		slope := float32(b * fma32(float32(b*b), geluSlope3, geluSlope))
		dx[i] *= float32(s * fma32(slope, float32(e*s), 1))
	}
}

// geluClamp returns a and b of Gelu. NaN is let through.
func geluClamp(x float32) (a, b float32) {
	if x < geluLow {
		x = geluLow
	}
	a, b = x, x
	if b > geluHigh {
		b = geluHigh
	}
	return a, b
}

// geluExp returns exp(-u) of Gelu, for an argument within the bounds.
func geluExp(b float32) float32 {
	return exp(float32(b * fma32(float32(b*b), geluCubic, geluLinear)))
}

func (reference) AdamW(p, g, m, v []float32, settings device.AdamW) {
	checkAdamW(p, g, m, v)
	for i := range p {
		grad := float32(settings.Scale * g[i])
		m[i] = fma32(settings.Beta1, m[i], float32(settings.Rest1*grad))
		v[i] = fma32(settings.Beta2, v[i], float32(float32(settings.Rest2*grad)*grad))
		step := float32(settings.Rate * (m[i] / fma32(sqrt(v[i]), settings.Root, settings.Eps)))
		p[i] -= fma32(settings.Decay, p[i], step)
	}
}

func (reference) SumSquares(x []float32) float64 {
	var sum float64
	for len(x) > 0 {
		block := x[:min(sumBlock, len(x))]
		var squares lanes
		for i, x := range block {
			l := i % device.Lanes
			squares[l] = fma32(x, x, squares[l])
		}
		sum += float64(squares.fold())
		x = x[len(block):]
	}
	return sum
}

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
