package imported

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	packing "github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
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

// errOpen is what is wrong with a file whose pages are too large together.
var errOpen = fmt.Errorf("its pages ask for more than %d bytes at a time: write it with smaller row groups or pages", maxOpen)

// errDamaged is what is wrong with a file that contradicts itself.
var errDamaged = errors.New("it is damaged")

// openTable reads what a file holds. No page is read.
func openTable(f io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	return parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// checkFooter looks at what says what the file holds.
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
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer[:w.at], &meta); err != nil {
		return err
	}
	if len(meta.Schema) > maxColumns {
		return fmt.Errorf("it has %d columns and groups of columns, want at most %d", len(meta.Schema), maxColumns)
	}
	children := int64(1)
	for i := range meta.Schema {
		of := &meta.Schema[i]
		if of.NumChildren.V < 0 || of.TypeLength.V < 0 {
			return errDamaged
		}
		children += int64(of.NumChildren.V)
	}
	if children != int64(len(meta.Schema)) {
		return errDamaged
	}
	return nil
}

// A walker goes through a document of Thrift's compact form. The library makes lists as long as they
// say that they are, and structures as deep.
type walker struct {
	data         []byte
	at           int
	structs, all int // so far: structures, and items of lists
}

const (
	maxThriftDepth = 32
	maxStructs     = 1 << 18
	maxItems       = 1 << 20
)

func (w *walker) byte() (byte, error) {
	if w.at >= len(w.data) {
		return 0, io.ErrUnexpectedEOF
	}
	w.at++
	return w.data[w.at-1], nil
}

func (w *walker) number() (uint64, error) {
	x, n := binary.Uvarint(w.data[w.at:])
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if n < 0 {
		return 0, errDamaged
	}
	w.at += n
	return x, nil
}

func (w *walker) bytes(n uint64) error {
	if n > uint64(len(w.data)-w.at) {
		return io.ErrUnexpectedEOF
	}
	w.at += int(n)
	return nil
}

// skip passes over a value of a type.
func (w *walker) skip(kind thrift.Type, depth int) error {
	if depth > maxThriftDepth {
		return errDamaged
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE: // of a field; in lists they are bytes
		return nil
	case thrift.I8:
		return w.bytes(1)
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := w.number()
		return err
	case thrift.DOUBLE:
		return w.bytes(8)
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
	case thrift.UUID:
		return w.bytes(16)
	}
	return errDamaged
}

// items passes over those of a list, or over the pairs of a map.
func (w *walker) items(n uint64, depth int, kinds ...thrift.Type) error {
	if n > maxItems || w.all+int(n) > maxItems {
		return fmt.Errorf("what says what it holds has more than %d items", maxItems)
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
		return fmt.Errorf("what says what it holds has more than %d parts", maxStructs)
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

func notRead(e format.Encoding) error {
	return fmt.Errorf("encoding %v is not read: write it with the encoding PLAIN", e)
}

// widthOf is how many bits a level takes.
func widthOf(most int) int {
	width := 0
	for ; most > 0; most >>= 1 {
		width++
	}
	return width
}

// levels looks at the levels at the beginning of a page, and returns what follows them.
func levels(data []byte, most int, encoding format.Encoding, values int) ([]byte, error) {
	if most == 0 {
		return data, nil
	}
	if encoding != format.RLE {
		return nil, notRead(encoding)
	}
	if len(data) < 4 {
		return nil, errDamaged
	}
	n := binary.LittleEndian.Uint32(data)
	if data = data[4:]; uint64(n) > uint64(len(data)) {
		return nil, errDamaged
	}
	return data[n:], runs(data[:n], widthOf(most), values)
}

// packedRun is how many values a run of packed ones may have beyond the last value.
const packedRun = 504

// runs looks at runs of values, which say how long they are: they have to be as many as the page
// has, at most.
func runs(data []byte, width, values int) error {
	for n := uint64(0); len(data) > 0; {
		head, rest, err := uvarint(data)
		if err != nil {
			return err
		}
		data = rest
		count, bytes := head>>1, uint64(width+7)/8
		if head&1 == 1 {
			if count > uint64(values) {
				return errDamaged
			}
			count, bytes = 8*count, count*uint64(width)
		}
		if n += count; count > uint64(values)+packedRun || n > uint64(values)+packedRun {
			return fmt.Errorf("a page of %d values holds more: %w", values, errDamaged)
		}
		data = data[min(bytes, uint64(len(data))):]
	}
	return nil
}

// encoded looks at the values of a page.
func (c *chunkCheck) encoded(data []byte, encoding format.Encoding, values int) error {
	if len(data) == 0 {
		return nil
	}
	switch encoding {
	case format.Plain, format.ByteStreamSplit:
		return nil
	case plainDictionary, format.RLEDictionary:
		return runs(data[1:], int(data[0]), values)
	case format.RLE:
		if len(data) < 4 {
			return errDamaged
		}
		return runs(data[4:], 1, values)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, err := differences(data, values)
		return err
	case format.DeltaByteArray:
		return c.prefixed(data, values)
	}
	return notRead(encoding)
}

// prefixed looks at texts that say how much of the one before they repeat.
func (c *chunkCheck) prefixed(data []byte, values int) error {
	rest, err := differences(data, values)
	if err != nil {
		return err
	}
	if _, err := differences(rest, values); err != nil { // of how long the others are, which stand behind
		return err
	}
	repeated, err := new(packing.BinaryPackedEncoding).DecodeInt32(nil, data)
	if err != nil {
		return err
	}
	need := c.taken
	for _, n := range repeated {
		if n < 0 {
			return errDamaged
		}
		need += int64(n)
	}
	if need > c.room {
		return errOpen
	}
	return nil
}

// differences looks at whole numbers that are written as differences, of which there may be as many
// as the page has values, and returns what follows them.
func differences(data []byte, values int) ([]byte, error) {
	var x [4]uint64 // numbers in a block, its parts, numbers in all, the first one
	var err error
	for i := range x {
		if x[i], data, err = uvarint(data); err != nil {
			return nil, err
		}
	}
	if x[2] > uint64(values) {
		return nil, fmt.Errorf("a page of %d values holds more: %w", values, errDamaged)
	}
	if x[0] > math.MaxInt32 || x[1] == 0 || x[1] > x[0] {
		return nil, errDamaged
	}
	each := int(x[0] / x[1])
	for left := int(x[2]) - 1; left > 0; {
		if _, data, err = uvarint(data); err != nil {
			return nil, err
		}
		if x[1] > uint64(len(data)) {
			return nil, errDamaged
		}
		widths := data[:x[1]]
		data = data[x[1]:]
		for _, width := range widths {
			if left <= 0 {
				break
			}
			data = data[min(each*int(width)/8, len(data)):]
			left -= each
		}
	}
	return data, nil
}

// uvarint reads a whole number, and returns what follows it.
func uvarint(data []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, nil, errDamaged
	}
	return x, data[n:], nil
}

// expand expands a page, which has size bytes then, or fewer. The library goes on doubling its memory
// for one that has more, and without end for one of LZ4 that is damaged.
func (c *chunkCheck) expand(data []byte, size int) ([]byte, error) {
	if len(data) == 0 {
		return data, nil
	}
	c.plain = resized(c.plain, size)
	var in io.Reader
	switch c.chunk.Codec {
	case format.Uncompressed:
		return data, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n > size {
			return nil, longer(size, err)
		}
		return snappy.Decode(c.plain, data)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(data, c.plain)
		if err != nil {
			return nil, longer(size, err)
		}
		return c.plain[:n], nil
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		in = r
	case format.Brotli:
		in = brotli.NewReader(bytes.NewReader(data))
	case format.Zstd:
		r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		in = r
	default:
		return nil, fmt.Errorf("compression %v is not read: write it with snappy or zstd", c.chunk.Codec)
	}
	n, err := io.ReadFull(in, c.plain)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return c.plain[:n], nil
	}
	if err != nil {
		return nil, err
	}
	var more [1]byte
	if k, err := io.ReadFull(in, more[:]); k > 0 || err != io.EOF {
		return nil, longer(size, nil)
	}
	return c.plain, nil
}

// maxWindow is how far back a page of zstd may refer, as the strongest level of its program does.
const maxWindow = 128 << 20

func longer(size int, err error) error {
	if err != nil {
		return fmt.Errorf("a page is damaged, or holds more than the %d bytes that it says: %w", size, err)
	}
	return fmt.Errorf("a page holds more than the %d bytes that it says", size)
}
