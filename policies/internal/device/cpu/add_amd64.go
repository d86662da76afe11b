package cpu

// Add adds src to dst, element by element.
func (avx2) Add(dst, src []float32) {
	checkLength("src", src, len(dst))
	if len(dst) > 0 {
		addAVX2(&dst[0], &src[0], len(dst))
	}
}

// Add adds src to dst, element by element.
func (avx512) Add(dst, src []float32) {
	checkLength("src", src, len(dst))
	if len(dst) > 0 {
		addAVX512(&dst[0], &src[0], len(dst))
	}
}

// Axpy is dst = fma(a, x, dst), element by element.
func (avx2) Axpy(dst []float32, a float32, x []float32) {
	checkLength("x", x, len(dst))
	if len(dst) > 0 {
		axpyAVX2(&dst[0], &x[0], len(dst), a)
	}
}

// Axpy is dst = fma(a, x, dst), element by element.
func (avx512) Axpy(dst []float32, a float32, x []float32) {
	checkLength("x", x, len(dst))
	if len(dst) > 0 {
		axpyAVX512(&dst[0], &x[0], len(dst), a)
	}
}

// SumRows adds the rows of an x of that many columns to dst, in order.
func (avx2) SumRows(dst, x []float32, rows, columns int) {
	checkSumRows(dst, x, rows, columns)
	if rows > 0 && columns > 0 {
		sumRowsAVX2(&dst[0], &x[0], rows, columns)
	}
}

// SumRows adds the rows of an x of that many columns to dst, in order.
func (avx512) SumRows(dst, x []float32, rows, columns int) {
	checkSumRows(dst, x, rows, columns)
	if rows > 0 && columns > 0 {
		sumRowsAVX512(&dst[0], &x[0], rows, columns)
	}
}
