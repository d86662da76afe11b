package imported

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// What a Parquet file may ask for. A few bytes of one can stand for any number of values, and the
// library takes the memory for them before it looks, so they are counted here first.
const (
	maxFooter     = 16 << 20  // bytes that say what the file holds
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

// A chunkCheck looks at the pages of a column in a row group, before the library does.
type chunkCheck struct {
	file  io.ReaderAt
	leaf  parquet.LeafColumn
	chunk *format.ColumnMetaData
	width int64  // of a value, beside valueBytes
	room  int64  // bytes that its open pages may take
	taken int64  // bytes that they take
	body  []byte // of a page; reused, as is plain
	plain []byte
}

// look reads all pages.
func (c *chunkCheck) look(ctx context.Context, size int64) error {
	at := c.chunk.DataPageOffset
	if c.chunk.DictionaryPageOffset != 0 {
		at = c.chunk.DictionaryPageOffset
	}
	end := at + c.chunk.TotalCompressedSize
	if at < 4 || c.chunk.TotalCompressedSize < 0 || end < at || end > size {
		return errDamaged
	}
	dictionary, largest := int64(0), int64(0)
	for at < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		header, n, err := c.header(at, end)
		if err != nil {
			return err
		}
		at += n
		if header.CompressedPageSize < 0 || header.UncompressedPageSize < 0 || int64(header.CompressedPageSize) > end-at {
			return errDamaged
		}
		values, err := valuesOf(header)
		if err != nil {
			return err
		}
		need := int64(header.UncompressedPageSize) + values*(valueBytes+c.width)
		if header.Type == format.DictionaryPage {
			dictionary = max(dictionary, need+int64(header.UncompressedPageSize)) // which is copied
		} else {
			largest = max(largest, need)
		}
		if c.taken = dictionary + largest; c.taken > c.room {
			return errOpen
		}
		c.body = resized(c.body, int(header.CompressedPageSize))
		if _, err := c.file.ReadAt(c.body, at); err != nil {
			return err
		}
		at += int64(header.CompressedPageSize)
		if err := c.page(header, int(values)); err != nil {
			return err
		}
	}
	return nil
}

// header reads the header of a page, and says how many bytes it has.
func (c *chunkCheck) header(at, end int64) (*format.PageHeader, int64, error) {
	for size := min(end-at, 1<<10); ; size = min(end-at, maxPageHeader) {
		c.body = resized(c.body, int(size))
		if _, err := c.file.ReadAt(c.body, at); err != nil {
			return nil, 0, err
		}
		w := walker{data: c.body}
		err := w.skip(thrift.STRUCT, 0)
		if errors.Is(err, io.ErrUnexpectedEOF) && size < min(end-at, maxPageHeader) {
			continue
		}
		if errors.Is(err, io.ErrUnexpectedEOF) && size == maxPageHeader {
			return nil, 0, fmt.Errorf("the header of a page has more than %d bytes: write it without statistics", maxPageHeader)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, 0, errDamaged
		}
		if err != nil {
			return nil, 0, err
		}
		var h format.PageHeader
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), c.body[:w.at], &h); err != nil {
			return nil, 0, err
		}
		return &h, int64(w.at), nil
	}
}

// valuesOf is how many values a page has. Its header has to be of its type alone: the library reads
// the first page of a column as a dictionary where there is a header for that.
func valuesOf(h *format.PageHeader) (int64, error) {
	n := int32(-1)
	v1, v2, dictionary := h.DataPageHeader, h.DataPageHeaderV2, h.DictionaryPageHeader
	switch {
	case h.Type == format.DataPage && v1.Valid && !v2.Valid && !dictionary.Valid:
		n = v1.V.NumValues
	case h.Type == format.DataPageV2 && v2.Valid && !v1.Valid && !dictionary.Valid:
		n = v2.V.NumValues
	case h.Type == format.DictionaryPage && dictionary.Valid && !v1.Valid && !v2.Valid:
		n = dictionary.V.NumValues
	}
	if n < 0 {
		return 0, errDamaged
	}
	return int64(n), nil
}

func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// plainDictionary is the encoding of dictionaries in files of version 1, whose name in the library is deprecated.
const plainDictionary format.Encoding = 2

// page looks at what the page in body stands for. values are as many as its header says.
func (c *chunkCheck) page(h *format.PageHeader, values int) error {
	size := int(h.UncompressedPageSize)
	switch h.Type {
	case format.DictionaryPage:
		if e := h.DictionaryPageHeader.V.Encoding; e != format.Plain && e != plainDictionary {
			return notRead(e)
		}
		_, err := c.expand(c.body, size)
		return err
	case format.DataPage:
		data, err := c.expand(c.body, size)
		if err != nil {
			return err
		}
		head := h.DataPageHeader.V
		if data, err = levels(data, c.leaf.MaxRepetitionLevel, head.RepetitionLevelEncoding, values); err != nil {
			return err
		}
		if data, err = levels(data, c.leaf.MaxDefinitionLevel, head.DefinitionLevelEncoding, values); err != nil {
			return err
		}
		return c.encoded(data, head.Encoding, values)
	}
	head, data := h.DataPageHeaderV2.V, c.body
	for _, l := range []struct {
		bytes int32
		most  int
	}{{head.RepetitionLevelsByteLength, c.leaf.MaxRepetitionLevel}, {head.DefinitionLevelsByteLength, c.leaf.MaxDefinitionLevel}} {
		if l.bytes < 0 || int(l.bytes) > len(data) {
			return errDamaged
		}
		if err := runs(data[:l.bytes], widthOf(l.most), values); err != nil {
			return err
		}
		data = data[l.bytes:]
	}
	if !head.IsCompressed.Valid || head.IsCompressed.V {
		var err error
		if data, err = c.expand(data, size); err != nil {
			return err
		}
	}
	return c.encoded(data, head.Encoding, values)
}
