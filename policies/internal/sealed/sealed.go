// Package sealed is the outside of a checkpoint, the same for all policies: a header line with its
// kind and version, the SHA-256 of the payload, and the payload, whose numbers are little-endian.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
)

// ErrDamaged reports that a payload has changed since it was written.
var ErrDamaged = errors.New("the checkpoint is damaged: its checksum does not match")

// Write writes a payload behind a header.
func Write(w io.Writer, header string, payload []byte) error {
	sum := sha256.Sum256(payload)
	for _, part := range [][]byte{[]byte(header), sum[:], payload} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Read reads to the end and returns the payload and the header before it, which is "" if it is not
// among the headers. A payload that does not agree with its checksum is ErrDamaged.
func Read(r io.Reader, headers ...string) (header string, payload []byte, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", nil, err
	}
	for _, header := range headers {
		rest, ok := bytes.CutPrefix(data, []byte(header))
		if !ok {
			continue
		}
		if len(rest) < sha256.Size {
			return header, nil, ErrDamaged
		}
		payload := rest[sha256.Size:]
		if sum := sha256.Sum256(payload); !bytes.Equal(sum[:], rest[:sha256.Size]) {
			return header, nil, ErrDamaged
		}
		return header, payload, nil
	}
	return "", nil, nil
}

// A Decoder reads a payload; once it has run short it gives zeros.
type Decoder struct {
	Rest  []byte
	Short bool
}

// Take reads n bytes, nil if there are fewer.
func (d *Decoder) Take(n int) []byte {
	if d.Short || n < 0 || n > len(d.Rest) {
		d.Short = true
		return nil
	}
	out := d.Rest[:n]
	d.Rest = d.Rest[n:]
	return out
}

// Word reads eight bytes.
func (d *Decoder) Word() uint64 {
	if b := d.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
