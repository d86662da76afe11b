package imported

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	packing "github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

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

func (c *chunkCheck) look(ctx context.Context, size int64) error {
	offset := c.chunk.DataPageOffset
	if c.chunk.DictionaryPageOffset != 0 {
		offset = c.chunk.DictionaryPageOffset
	}
	end := offset + c.chunk.TotalCompressedSize
	if offset < 4 || c.chunk.TotalCompressedSize < 0 || end < offset || end > size {
		return errDamaged
	}
	dictionary, largest := int64(0), int64(0)
	for offset < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		header, n, err := c.header(offset, end)
		if err != nil {
			return err
		}
		offset += n
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
		if _, err := c.file.ReadAt(c.body, offset); err != nil {
			return err
		}
		offset += int64(header.CompressedPageSize)
		if err := c.page(header, int(values)); err != nil {
			return err
		}
	}
	return nil
}

// header reads the header of a page, and returns its size in bytes.
func (c *chunkCheck) header(offset, end int64) (*format.PageHeader, int64, error) {
	for size := min(end-offset, 1<<10); ; size = min(end-offset, maxPageHeader) {
		c.body = resized(c.body, int(size))
		if _, err := c.file.ReadAt(c.body, offset); err != nil {
			return nil, 0, err
		}
		var h format.PageHeader
		read, err := decode(c.body, &h)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if size < min(end-offset, maxPageHeader) {
				continue
			}
			if err = errDamaged; size == maxPageHeader {
				err = fmt.Errorf("the header of a page has more than %d bytes: write it without statistics", maxPageHeader)
			}
		}
		if err == nil && (h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || int64(h.CompressedPageSize) > end-offset-int64(read)) {
			err = errDamaged
		}
		return &h, int64(read), err
	}
}

// valuesOf is how many values a page has. Its header has to be of its type alone: the library reads
// the first page of a column as a dictionary if there is a header for one.
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

func resized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// plainDictionary is the encoding of dictionaries in files of version 1, whose name in the library is deprecated.
const plainDictionary format.Encoding = 2

// page checks the content of the page in body. values is the number of values in its header.
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
		limit int
	}{{head.RepetitionLevelsByteLength, c.leaf.MaxRepetitionLevel}, {head.DefinitionLevelsByteLength, c.leaf.MaxDefinitionLevel}} {
		if l.bytes < 0 || int(l.bytes) > len(data) {
			return errDamaged
		}
		if err := runs(data[:l.bytes], bits.Len(uint(l.limit)), values); err != nil {
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

// prefixed looks at texts that state how much of the one before they repeat.
func (c *chunkCheck) prefixed(data []byte, values int) error {
	rest, err := differences(data, values)
	if err != nil {
		return err
	}
	if _, err := differences(rest, values); err != nil { // the lengths of the others, which follow
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

// expand expands a page, which has size bytes then, or fewer. The library keeps doubling its memory
// for a page that has more, and without end for a damaged page of LZ4.
func (c *chunkCheck) expand(data []byte, size int) ([]byte, error) {
	if len(data) == 0 {
		return data, nil
	}
	c.plain = resized(c.plain, size+1) // one more: does it hold more?
	switch c.chunk.Codec {
	case format.Uncompressed:
		return data, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n > size {
			return nil, longer(size, err)
		}
		return snappy.Decode(c.plain, data)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(data, c.plain[:size])
		if err != nil {
			return nil, longer(size, err)
		}
		return c.plain[:n], nil
	}
	in, err := c.expander(data)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	n, err := io.ReadFull(in, c.plain)
	if err == nil {
		return nil, longer(size, nil)
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return c.plain[:n], nil
}

// expander reads a page that is compressed as a stream.
func (c *chunkCheck) expander(data []byte) (io.ReadCloser, error) {
	from := bytes.NewReader(data)
	switch c.chunk.Codec {
	case format.Gzip:
		return gzip.NewReader(from)
	case format.Brotli:
		return io.NopCloser(brotli.NewReader(from)), nil
	case format.Zstd:
		r, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return r.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("compression %v is not read: write it with snappy or zstd", c.chunk.Codec)
}

// maxWindow is how far back a page of zstd may refer, as the strongest level of its program does.
const maxWindow = 128 << 20

func longer(size int, err error) error {
	if err != nil {
		return fmt.Errorf("a page is damaged, or holds more than the %d bytes that its header gives: %w", size, err)
	}
	return fmt.Errorf("a page holds more than the %d bytes that its header gives", size)
}

func notRead(e format.Encoding) error {
	return fmt.Errorf("encoding %v is not read: write it with the encoding PLAIN", e)
}

func levels(data []byte, limit int, encoding format.Encoding, values int) ([]byte, error) {
	if limit == 0 {
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
	return data[n:], runs(data[:n], bits.Len(uint(limit)), values)
}

// packedRun is how many values a run of packed ones may have beyond the last value.
const packedRun = 504

// runs looks at runs of values, which state how long they are: they have to be as many as the page
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
