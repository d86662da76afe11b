package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ID names a cell: method and seed for people, and a hash of the resolved
// cell (results version included), so that equal cells have equal names
// wherever they come from.
func (c Cell) ID() (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return nameCell(&c, data), nil
}

func nameCell(c *Cell, data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s-s%d-%s", c.Method, c.Seed, hex.EncodeToString(sum[:6]))
}

// SeedIDs give the names of cells that differ in their seed alone, which comes last in the hashed
// bytes: the rest is written once for all of them.
type SeedIDs struct {
	cell Cell
	text []byte // of the cell, up to its seed
}

// NewSeedIDs returns the names of the cells that differ from this one in their seed.
func NewSeedIDs(c Cell) (*SeedIDs, error) {
	c.Seed = 0
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	text, ok := bytes.CutSuffix(data, []byte("0}"))
	if !ok {
		return nil, errors.New("the seed is not the last field of a cell")
	}
	return &SeedIDs{c, text}, nil
}

// At is the name of the cell with that seed.
func (s *SeedIDs) At(seed int) string {
	s.cell.Seed = seed
	return nameCell(&s.cell, append(strconv.AppendInt(slices.Clip(s.text), int64(seed), 10), '}'))
}
