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
	ahead   int      // how far ahead of its use B is prefetched
	count   int      // terms of each sum
	blocks  int      // blocks of rows; at least 1
	kernel  int      // rows of a block, times 256, plus vectors of a row
	tail    int      // columns of the last vector that belong to C, 1 to the width of a vector
}
