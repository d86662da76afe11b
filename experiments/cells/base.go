package cells

import (
	"fmt"
	"sync"

	"modebench/experiments/record"
)

// Bases knows which base policies cells began from. A file name represents the same bytes
// on every machine, so where two differ one of them was altered. It may be used by several
// goroutines at once.
type Bases struct {
	mu       sync.Mutex
	first    map[string]beginning // by the name of the file
	reported map[string]bool
}

type beginning struct{ sum, name string }

// Began notes the base policy that a cell, or a folder by that name, began from. The first that
// differs is described in a line; "": no difference.
func (b *Bases) Began(name string, from record.Base) (line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first == nil {
		b.first, b.reported = map[string]beginning{}, map[string]bool{}
	}
	first, known := b.first[from.File]
	if !known {
		b.first[from.File] = beginning{from.SHA256, name}
	}
	if !known || first.sum == from.SHA256 || b.reported[from.File] {
		return ""
	}
	b.reported[from.File] = true
	return fmt.Sprintf("base policy %s: %s began from one of SHA-256 %s, and %s from one of %s: one of them was altered", from.File, first.name, first.sum, name, from.SHA256)
}
