// Package sealed is the outside of a checkpoint, the same for all policies: a header line with its
// kind and version, the SHA-256 of the payload, and the payload, whose numbers are little-endian.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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

// Read reads to the end and returns the header, which must be among the headers, and the payload. A
// payload that does not agree with its checksum is ErrDamaged. kind describes the file, for an error.
func Read(r io.Reader, kind string, headers ...string) (header string, d *Decoder, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", nil, err
	}
	for _, header := range headers {
		rest, ok := bytes.CutPrefix(data, []byte(header))
		if !ok {
			continue
		}
		d := &Decoder{rest: rest}
		sum := d.Take(sha256.Size)
		if want := sha256.Sum256(d.rest); !bytes.Equal(sum, want[:]) {
			return "", nil, ErrDamaged
		}
		return header, d, nil
	}
	return "", nil, fmt.Errorf("not %s of this version", kind)
}

// A Decoder reads a payload; once it has run short it gives zeros.
type Decoder struct {
	rest  []byte
	short bool
}

// Take reads n bytes, nil if there are fewer.
func (d *Decoder) Take(n int) []byte {
	if d.short || n < 0 || n > len(d.rest) {
		d.short = true
		return nil
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

// Word reads eight bytes.
func (d *Decoder) Word() uint64 {
	if b := d.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Float reads a float64.
func (d *Decoder) Float() float64 { return math.Float64frombits(d.Word()) }

// Settings compares settings, a text of n bytes, with the policy's.
func (d *Decoder) Settings(n int, want string) error {
	got := string(d.Take(n))
	if err := d.Short(0); err != nil || got == want {
		return err
	}
	return fmt.Errorf("it is of a policy with other settings: %s, want %s", got, want)
}

// Short is ErrDamaged if the payload has run short, or has not n bytes left.
func (d *Decoder) Short(n int) error {
	if d.short || len(d.rest) < n {
		return ErrDamaged
	}
	return nil
}

// End is ErrDamaged unless the payload has been read to its end.
func (d *Decoder) End() error {
	if d.short || len(d.rest) > 0 {
		return ErrDamaged
	}
	return nil
}
