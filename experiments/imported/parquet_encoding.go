package imported

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

func notRead(e format.Encoding) error {
	return fmt.Errorf("encoding %v is not read: write it with the encoding PLAIN", e)
}

func widthOf(limit int) int {
	width := 0
	for ; limit > 0; limit >>= 1 {
		width++
	}
	return width
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
	return data[n:], runs(data[:n], widthOf(limit), values)
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

func uvarint(data []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, nil, errDamaged
	}
	return x, data[n:], nil
}
