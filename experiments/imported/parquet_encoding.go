package imported

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	packing "github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

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
