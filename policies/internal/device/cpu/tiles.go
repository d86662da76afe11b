package cpu

// tile is the work of a micro-kernel: some blocks of rows, one below the other, of a few vectors of
// C each. The assembly reads the fields by name, and counts up passed (it moves no pointer: the
// garbage collector may look at them). Distances are in bytes.
type tile struct {
	c, a, b *float32 // the first element of C and A; of B the first row that is used
	from    *float32 // the start of the first row's sums; nil: zero
	passed  int      // from there to where those of the next block start
	bias    *float32 // added to that in every row; nil: nothing
	ldc     int      // from a row of C to the next
	ldf     int      // from a row that sums start from to the next
	rs, ks  int      // from a row of A to the next, and from a column to the next
	panel   int      // from a panel of B to the next
	ahead   int      // how far ahead of its use B is prefetched, by AVX2 and AVX-512
	count   int      // terms of each sum
	blocks  int      // blocks of rows; at least 1
	kernel  int      // rows of a block, times 256, plus vectors of a row
	tail    int      // columns of the last vector that belong to C, 1 to the width of a vector
}

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
