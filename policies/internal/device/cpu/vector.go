package cpu

import (
	"fmt"

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
