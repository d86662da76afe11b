package transformer

import "modebench/policies/internal/device/cuda"

// Tables are whole numbers that kernels read, brought to the card in one copy. The parts of several
// policies in a table follow each other, and numbers of rows and the like count on.
type tables struct {
	host   hostBuffer
	card   buffer
	n      int
	list   []table
	pieces []piece
}

type table struct {
	to   *cuda.Pointer
	from int // its first word
}

// A piece is a policy's part of a table, or a table of its own.
type piece struct {
	from  int // the first word that it is written to
	words []int32
	shift shift
}

// A shift is added to the numbers of a piece: to each, or to some of its columns; minus one, which
// numbers nothing, stays.
type shift struct {
	amount  int32
	columns []int32 // in place of amount: by column
}

// begin forgets the tables of the last time.
func (t *tables) begin() { t.n, t.list, t.pieces = 0, t.list[:0], t.pieces[:0] }

// open begins a table; to will hold its place on the card.
func (t *tables) open(to *cuda.Pointer) {
	const aligned = 4 // words that kernels read in one piece
	t.n = roundUp(t.n, aligned)
	t.list = append(t.list, table{to, t.n})
}

// put adds a piece to the table that was opened last.
func (t *tables) put(words []int32, amount shift) {
	t.pieces = append(t.pieces, piece{t.n, words, amount})
	t.n += len(words)
}

// add adds a table of one piece.
func (t *tables) add(to *cuda.Pointer, words []int32) {
	t.open(to)
	t.put(words, shift{})
}

// send brings the tables to the card.
func (g *gpu) send(t *tables) {
	card, host := g.room(&t.card, max(t.n, 1)), g.roomOnHost(&t.host, t.n).Ints
	parallel(len(t.pieces), func(i int) { t.pieces[i].write(host) })
	g.uploadHost(card, &t.host)
	for _, table := range t.list {
		*table.to = card.At(table.from)
	}
}

func (p *piece) write(to []int32) {
	to = to[p.from : p.from+len(p.words)]
	if n := len(p.shift.columns); n > 0 {
		for i, x := range p.words {
			if x >= 0 {
				x += p.shift.columns[i%n]
			}
			to[i] = x
		}
		return
	}
	if p.shift.amount == 0 {
		copy(to, p.words)
		return
	}
	for i, x := range p.words {
		if x >= 0 {
			x += p.shift.amount
		}
		to[i] = x
	}
}
