package tabular

import "modebench/envs"

// A table holds the nodes of one task. A node is a piece of one long slice of
// words, and its number is the index of its first word: first the number of its row, then, for each
// legal token, the node that follows. A node of four tokens takes 20 bytes, and its entry in the
// index as much or a little more; where slices have room to grow counts too, a maze's nodes take 50
// bytes each.
type table struct {
	task   envs.Task
	id     string // of the task
	book   *book
	states index // nodes by state
	words  []uint32
	root   uint32
}

// No node begins at these places: the end of a token whose successor is unknown yet, and the end of
// a finished rollout.
const (
	unknown = 0
	done    = 1
)

// rowOf is the row of a node.
func (t *table) rowOf(node uint32) *row { return t.book.rows.get(t.words[node]) }
