package transformer

import (
	"slices"

	"modebench/envs"
)

// A tree has a node for each distinct prefix from which rollouts of a segment draw a token: for rollouts that
// begin alike their common beginning is there once. Its rows are the nodes in depth-first order, siblings in
// the order of the rollouts, so that the rows that attend to a node, itself and those below it, lie one after
// the other.
type tree struct {
	nodes []node
	last  int     // the latest root; -1: the tree is empty
	rowOf []int32 // of each node: its row
	// Of each row: its node, the number of rows above it, and the row behind those that attend to it.
	nodeOf, depth, end []int32
	open               []int32 // rows whose end is not known yet
}

type node struct {
	token                    envs.Token // the last one of the prefix
	parent                   int32      // -1: it is a root
	child, youngest, sibling int32      // its first and its last child, and the next child of its parent; 0: it has no such node
}

func (t *tree) reset() { t.nodes, t.last = t.nodes[:0], -1 }

// add adds a rollout of a token or more and appends the node that each token is drawn from. A separate one has
// nodes of its own.
func (t *tree) add(dst []int32, tokens []envs.Token, separate bool) []int32 {
	if separate || t.last < 0 {
		root := len(t.nodes)
		if t.last >= 0 {
			t.nodes[t.last].sibling = int32(root)
		}
		t.nodes = append(t.nodes, node{parent: -1})
		t.last = root
	}
	last := int32(t.last)
	dst = append(dst, last)
	for _, token := range tokens[:len(tokens)-1] {
		last = t.below(last, token)
		dst = append(dst, last)
	}
	return dst
}

// below gives the child of a node by a token, and makes it if it is missing.
func (t *tree) below(parent int32, token envs.Token) int32 {
	for child := t.nodes[parent].child; child != 0; child = t.nodes[child].sibling {
		if t.nodes[child].token == token {
			return child
		}
	}
	made := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{token: token, parent: parent})
	p := &t.nodes[parent]
	if p.child == 0 {
		p.child = made
	} else {
		t.nodes[p.youngest].sibling = made
	}
	p.youngest = made
	return made
}

// arrange numbers the rows.
func (t *tree) arrange() {
	n := len(t.nodes)
	t.rowOf, t.nodeOf, t.depth, t.end, t.open = grow(t.rowOf, n), t.nodeOf[:0], t.depth[:0], grow(t.end, n), t.open[:0]
	for i := int32(0); n > 0; {
		t.rowOf[i] = int32(len(t.nodeOf))
		t.nodeOf, t.depth = append(t.nodeOf, i), append(t.depth, int32(len(t.open)))
		t.open = append(t.open, t.rowOf[i])
		if t.nodes[i].child != 0 {
			i = t.nodes[i].child
			continue
		}
		for i >= 0 { // up to a node with a further sibling
			last := len(t.open) - 1
			t.end[t.open[last]] = int32(len(t.nodeOf))
			t.open = t.open[:last]
			if t.nodes[i].sibling != 0 {
				i = t.nodes[i].sibling
				break
			}
			i = t.nodes[i].parent
		}
		if i < 0 {
			return
		}
	}
}

// A run is consecutive rows each of which but the first is the child of the row before.
type run struct{ row, n, depth int }

// A span is consecutive rows of a run with the same descendants behind them, up to row end, which attend to
// all of them.
type span struct{ row, n, depth, end int }

// cut appends the runs and spans of arranged rows, the first of which is row first.
func (t *tree) cut(first int, runs []run, spans []span) ([]run, []span) {
	for i, depth := range t.depth {
		child := i > 0 && depth == t.depth[i-1]+1
		if child {
			runs[len(runs)-1].n++
		} else {
			runs = append(runs, run{first + i, 1, int(depth)})
		}
		if last := len(spans) - 1; child && t.end[i] == t.end[i-1] && spans[last].n < causalBlock {
			spans[last].n++
		} else {
			spans = append(spans, span{first + i, 1, int(depth), first + int(t.end[i])})
		}
	}
	return runs, spans
}

// path appends the tokens that lead from a root to a node.
func (t *tree) path(dst []envs.Token, i int32) []envs.Token {
	first := len(dst)
	for ; t.nodes[i].parent >= 0; i = t.nodes[i].parent {
		dst = append(dst, t.nodes[i].token)
	}
	slices.Reverse(dst[first:])
	return dst
}
