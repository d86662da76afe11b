package imported

import (
	"errors"
	"fmt"
)

// Limits on a Parquet file. A few of its bytes can represent any number of values, and the
// library takes the memory for them before it looks, so they are counted here first.
const (
	maxFooter     = 16 << 20  // bytes of the description of the content
	maxColumns    = 1 << 12   // and groups of them
	maxPageHeader = 1 << 20   // bytes
	maxOpen       = 512 << 20 // bytes of the pages that are open at a time, one of each column that is read
	valueBytes    = 16        // that a value of a page takes beside its own bytes, at most
	maxRowValues  = 1 << 20   // in the columns that are read
	rowBytes      = 64        // that a row takes beside its own bytes
	minTotal      = 1 << 30   // bytes of all rows that any file may have
	maxGrowth     = 64        // bytes of all rows for one of the file, beyond minTotal
)

// errOpen: the pages of a file are too large together.
var errOpen = fmt.Errorf("its pages ask for more than %d bytes at a time: write it with smaller row groups or pages", maxOpen)

// errDamaged: a file contradicts itself.
var errDamaged = errors.New("it is damaged")
