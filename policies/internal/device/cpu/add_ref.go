package cpu

// Add adds src to dst, element by element.
func (reference) Add(dst, src []float32) {
	checkLength("src", src, len(dst))
	for i := range dst {
		dst[i] += src[i]
	}
}

// Axpy is dst = fma(a, x, dst), element by element.
func (reference) Axpy(dst []float32, a float32, x []float32) {
	checkLength("x", x, len(dst))
	for i := range dst {
		dst[i] = fma32(a, x[i], dst[i])
	}
}

// SumRows adds the rows of an x of that many columns to dst, in order.
func (reference) SumRows(dst, x []float32, rows, columns int) {
	checkSumRows(dst, x, rows, columns)
	for r := range rows {
		for j, v := range x[r*columns : (r+1)*columns] {
			dst[j] += v
		}
	}
}

// checkSumRows panics if an operand of SumRows is too short.
func checkSumRows(dst, x []float32, rows, columns int) {
	checkLength("dst", dst, columns)
	checkLength("x", x, rows*columns)
}
