package exact

import "math"

// Sum returns the sum of xs by Neumaier's compensated summation in index
// order. The result's error is at most 2^-53 |sum| + n^2 2^-105 sum|x|: to the
// last place unless the terms cancel massively. The sum of no terms is 0.
//
// The sum is NaN if a term is NaN or if infinities of both signs appear, and
// infinite if infinities of one sign appear or if a partial sum overflows.
func Sum(xs []float64) float64 {
	var s, c float64
	for _, x := range xs {
		t := s + x
		// The exact rounding error of t without Neumaier's comparison of
		// magnitudes (Knuth's TwoSum): the same number, and no branch to miss.
		v := t - s
		c += (s - (t - v)) + (x - v)
		s = t
	}
	if r := s + c; !math.IsNaN(r) {
		return r
	}
	return s // once a partial sum is infinite, c means nothing
}

// Dot returns the sum of x[i]*y[i] in index order, each product and each partial sum rounded (no
// fusion, no compensation). Its error is at most n*2^-53*sum|x[i]*y[i]|, roughly. It takes len(x)
// terms and panics if y is shorter; further elements of y are ignored. NaN and infinities propagate
// by the rules of IEEE arithmetic.
func Dot(x, y []float64) float64 {
	if len(y) < len(x) {
		panic("exact: Dot: y is shorter than x")
	}
	y = y[:len(x)]
	var s float64
	for i, v := range x {
		s += float64(v * y[i])
	}
	return s
}

// LogSumExp returns log(sum of exp(x)) over xs without overflow, as max + Log(sum of Exp(x-max)),
// summed in index order. The absolute error is at most about (n/2+2)*2^-53 plus half an ulp of the
// result. The value is Softmax's, bit for bit.
//
// A NaN gives NaN; otherwise +Inf gives +Inf. Entries of -Inf count as zero
// terms; none but those, or no entries at all, give -Inf.
func LogSumExp(xs []float64) float64 {
	m := largest(xs)
	if math.IsInf(m, 0) {
		return logSumExpInfinite(xs, m)
	}
	var sum float64
	for _, x := range xs {
		sum += Exp(x - m)
	}
	return m + Log(sum)
}

// Softmax sets dst[i] = exp(logits[i]) / sum of exp(logits) and returns
// logZ = log(sum of exp(logits)), the same bits as LogSumExp. The formula is
//
//	e[i] = Exp(logits[i] - max)
//	sum = e[0] + e[1] + ...      in index order
//	dst[i] = e[i] * (1/sum)      one division, one product per entry
//	logZ = max + Log(sum)
//
// so the entries of dst add up to 1 within n*1e-15, and each is within
// (n+4)*2^-53, relatively, of the softmax of the rounded differences. Exp of
// (logits[i] - logZ) is close to dst[i] but not the same bits.
//
// dst must have at least the length of logits (Softmax panics otherwise; more
// is left alone) and may be the same slice. Nothing is allocated.
//
// Logits of -Inf get probability 0. Where no distribution exists, the entries of dst are all NaN,
// so that the failure is not silent: for a NaN (logZ is NaN), else for +Inf (logZ is +Inf), else if
// all logits are -Inf (logZ is -Inf). No logits at all give -Inf.
func Softmax(dst, logits []float64) (logZ float64) {
	if len(dst) < len(logits) {
		panic("exact: Softmax: dst is shorter than logits")
	}
	dst = dst[:len(logits)]
	m := largest(logits)
	if math.IsInf(m, 0) {
		logZ = logSumExpInfinite(logits, m)
		for i := range dst {
			dst[i] = math.NaN()
		}
		return logZ
	}
	var sum float64
	for i, l := range logits {
		e := Exp(l - m)
		dst[i] = e
		sum += e
	}
	inv := 1 / sum
	for i, e := range dst {
		dst[i] = float64(e * inv)
	}
	return m + Log(sum)
}

// largest returns the maximum of the entries that are not NaN, or -Inf.
func largest(xs []float64) float64 {
	m := math.Inf(-1)
	for _, x := range xs {
		if x > m {
			m = x
		}
	}
	return m
}

// logSumExpInfinite is LogSumExp where the maximum m is infinite.
func logSumExpInfinite(xs []float64, m float64) float64 {
	for _, x := range xs {
		if math.IsNaN(x) {
			return x
		}
	}
	return m
}
