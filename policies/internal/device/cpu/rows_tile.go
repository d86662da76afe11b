package cpu

// rowTile is the work of a micro-kernel of MulRows: some rows of a few vectors each. The assembly
// reads the fields by name; distances are in bytes.
type rowTile struct {
	c, a, b  *float32 // the first element of C and A; of B that of the first row's matrix
	ldc, lda int      // from a row of C and of A to the next
	hs, ks   int      // from a matrix of B to the next, and from one of its rows to the next
	count    int      // terms of each sum
	kernel   int      // rows, times 256, plus whole vectors of a row; none: part of one
	tail     int      // columns of the part of a vector, below the width of a vector
	add      int      // 1: sums start from C, 0: from zero
}
