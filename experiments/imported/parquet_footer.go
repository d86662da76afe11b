package imported

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

func openTable(f io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	return parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

func checkFooter(f io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return errors.New("it is too short")
	}
	if _, err := f.ReadAt(end[:], size-8); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	switch {
	case string(end[4:]) != "PAR1" || n > size-12:
		return errors.New("it does not end as one does")
	case n > maxFooter:
		return fmt.Errorf("its footer has %d bytes, want at most %d: write it with larger row groups or fewer columns", n, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	w := walker{data: footer}
	if err := w.skip(thrift.STRUCT, 0); err != nil {
		return err
	}
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer[:w.offset], &meta); err != nil {
		return err
	}
	if len(meta.Schema) > maxColumns {
		return fmt.Errorf("it has %d columns and groups of columns, want at most %d", len(meta.Schema), maxColumns)
	}
	children := int64(1)
	for i := range meta.Schema {
		element := &meta.Schema[i]
		if element.NumChildren.V < 0 || element.TypeLength.V < 0 {
			return errDamaged
		}
		children += int64(element.NumChildren.V)
	}
	if children != int64(len(meta.Schema)) {
		return errDamaged
	}
	return nil
}

// A walker goes through a document of Thrift's compact form. The library makes lists as long as
// they claim to be, and structures as deep.
type walker struct {
	data         []byte
	offset       int
	structs, all int // so far: structures, and items of lists
}

const (
	maxThriftDepth = 32
	maxStructs     = 1 << 18
	maxItems       = 1 << 20
)

func (w *walker) byte() (byte, error) {
	if w.offset >= len(w.data) {
		return 0, io.ErrUnexpectedEOF
	}
	w.offset++
	return w.data[w.offset-1], nil
}

func (w *walker) number() (uint64, error) {
	x, n := binary.Uvarint(w.data[w.offset:])
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if n < 0 {
		return 0, errDamaged
	}
	w.offset += n
	return x, nil
}

func (w *walker) bytes(n uint64) error {
	if n > uint64(len(w.data)-w.offset) {
		return io.ErrUnexpectedEOF
	}
	w.offset += int(n)
	return nil
}

// fixedBytes are the sizes of values whose type gives it. Truth values are those of a field; in
// lists they are bytes.
var fixedBytes = map[thrift.Type]uint64{thrift.TRUE: 0, thrift.FALSE: 0, thrift.I8: 1, thrift.DOUBLE: 8, thrift.UUID: 16}

// skip passes over a value of a type.
func (w *walker) skip(kind thrift.Type, depth int) error {
	if depth > maxThriftDepth {
		return errDamaged
	}
	if n, fixed := fixedBytes[kind]; fixed {
		return w.bytes(n)
	}
	switch kind {
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := w.number()
		return err
	case thrift.BINARY:
		n, err := w.number()
		if err != nil {
			return err
		}
		return w.bytes(n)
	case thrift.LIST, thrift.SET:
		head, err := w.byte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = w.number(); err != nil {
				return err
			}
		}
		return w.items(n, depth, thrift.Type(head&15))
	case thrift.MAP:
		n, err := w.number()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := w.byte()
		if err != nil {
			return err
		}
		return w.items(n, depth, thrift.Type(kinds>>4), thrift.Type(kinds&15))
	case thrift.STRUCT:
		return w.structure(depth)
	}
	return errDamaged
}

func (w *walker) items(n uint64, depth int, kinds ...thrift.Type) error {
	if n > maxItems || w.all+int(n) > maxItems {
		return fmt.Errorf("the footer has more than %d items", maxItems)
	}
	w.all += int(n)
	for range n {
		for _, kind := range kinds {
			if kind == thrift.TRUE || kind == thrift.FALSE {
				kind = thrift.I8
			}
			if err := w.skip(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) structure(depth int) error {
	if w.structs++; w.structs > maxStructs {
		return fmt.Errorf("the footer has more than %d parts", maxStructs)
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 {
			if _, err := w.number(); err != nil {
				return err
			}
		}
		if err := w.skip(thrift.Type(head&15), depth+1); err != nil {
			return err
		}
	}
}

var errOpen = fmt.Errorf("its pages ask for more than %d bytes at a time: write it with smaller row groups or pages", maxOpen)

var errDamaged = errors.New("it is damaged")

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
