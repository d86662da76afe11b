package cells

import (
	"fmt"
	"sync"

	"modebench/experiments/record"
)

// Bases knows which base policies cells began from. A file name stands for the same bytes
// on every machine, so where two differ one of them was altered. It may be used by several
// goroutines at once.
type Bases struct {
	mu    sync.Mutex
	first map[string]beginning // by the name of the file
	told  map[string]bool
}

type beginning struct{ sum, by string }

// Began takes up what a cell, or another one by that name, began from. The first other one
// is told in a line; "": there is nothing to tell.
func (b *Bases) Began(by string, from record.Base) (line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first == nil {
		b.first, b.told = map[string]beginning{}, map[string]bool{}
	}
	first, known := b.first[from.File]
	if !known {
		b.first[from.File] = beginning{from.SHA256, by}
	}
	if !known || first.sum == from.SHA256 || b.told[from.File] {
		return ""
	}
	b.told[from.File] = true
	return fmt.Sprintf("base policy %s: %s began from one of SHA-256 %s, and %s from one of %s: one of them was altered", from.File, first.by, first.sum, by, from.SHA256)
}
