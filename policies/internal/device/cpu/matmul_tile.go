package cpu

// tile is what a micro-kernel works on: some blocks of rows, one below the other, of
// a few vectors of C each. The assembly reads the fields by name; distances are in
// bytes.
type tile struct {
	c, a, b *float32 // the first element of C and A; of B the first row that is used
	ldc     int      // from a row of C to the next
	rs, ks  int      // from a row of A to the next, and from a column to the next
	panel   int      // from a panel of B to the next
	count   int      // terms of each sum
	blocks  int      // blocks of rows; at least 1
	kernel  int      // rows of a block, times 256, plus vectors of a row
	tail    int      // columns of the last vector that belong to C, 1 to the width of a vector
	add     int      // 1: sums start from C, 0: from zero
}
