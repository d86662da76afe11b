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
	var meta format.FileMetaData
	if _, err := decode(footer, &meta); err != nil {
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

// decode reads the document of Thrift's compact form at the beginning of data, and returns its size.
func decode(data []byte, into any) (size int, err error) {
	r := &counted{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(data), size: len(data), open: []int{1}}
	if err = thrift.NewDecoder(r).Decode(into); errors.Unwrap(err) != nil {
		err = errors.Unwrap(err) // without the path through the document
	}
	return r.BytesRead(), err
}

// counted reads a document of Thrift for the library, which makes lists as long as they claim to be,
// and structures as deep. Parquet has no sets, no maps and no lists of lists.
type counted struct {
	thrift.BytesReader
	size         int   // of the data, in bytes
	structs, all int   // so far, in lists: structures, and items
	open         []int // structures to end, by their depth
}

const (
	maxThriftDepth = 32
	maxStructs     = 1 << 18
	maxItems       = 1 << 20
)

func (c *counted) ReadSet() (thrift.Set, error) { return thrift.Set{}, errDamaged }

func (c *counted) ReadMap() (thrift.Map, error) { return thrift.Map{}, errDamaged }

// Discard is looked for by the library, which reads on at the wrong place without it.
func (c *counted) Discard(n int) (int, error) {
	return c.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}

func (c *counted) ReadList() (thrift.List, error) {
	l, err := c.BytesReader.ReadList()
	n := int(l.Size)
	switch {
	case err != nil || n == 0:
		return l, err
	case l.Type == thrift.LIST || l.Type == thrift.SET || l.Type == thrift.MAP:
		return l, errDamaged
	case c.all+n > maxItems:
		return l, fmt.Errorf("the footer has more than %d items", maxItems)
	case n > c.size-c.BytesRead():
		return l, io.ErrUnexpectedEOF
	}
	c.all += n
	if l.Type == thrift.STRUCT {
		if c.structs += n; c.structs > maxStructs {
			return l, fmt.Errorf("the footer has more than %d parts", maxStructs)
		}
		err = c.enter(n)
	}
	return l, err
}

func (c *counted) enter(structs int) error {
	if len(c.open) == maxThriftDepth {
		return errDamaged
	}
	c.open = append(c.open, structs)
	return nil
}

func (c *counted) ReadField() (thrift.Field, error) {
	f, err := c.BytesReader.ReadField()
	if last := len(c.open) - 1; err == nil && f.Type == thrift.STOP && last >= 0 {
		if c.open[last]--; c.open[last] == 0 {
			c.open = c.open[:last]
		}
	} else if err == nil && f.Type == thrift.STRUCT {
		err = c.enter(1)
	}
	return f, err
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
