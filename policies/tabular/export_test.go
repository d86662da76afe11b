package tabular

// Size is the number of nodes and of rows there are.
func (p *Policy) Size() (nodes, rows int) {
	for _, t := range p.tables {
		nodes += t.states.n
	}
	for _, b := range p.books {
		rows += int(b.rows.n)
	}
	return nodes, rows
}

// NodeBytes is the memory of the nodes of all tables.
func (p *Policy) NodeBytes() int {
	n := 0
	for _, t := range p.tables {
		n += 4*cap(t.words) + 12*len(t.states.slots) + cap(t.states.keys)
	}
	return n
}
