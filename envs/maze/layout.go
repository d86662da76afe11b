package maze

// A layout numbers the features of mazes up to a side.
type layout struct {
	side int // of the larger mazes

	// Of prompts, which have a position for every row.
	cell   int32 // column by kind
	row    int32
	budget int32

	// Of states.
	standRow, standColumn int32
	stand                 int32 // kind of the cell, and whether the last move was the first to step on it
	around                int32 // direction by kind, and whether it has been stepped on
	bumped                int32
	left                  int32 // steps
	counts                [3]int32
	features              int32
}

const kinds = len(kindNames)

var kindNumber = func() (numbers [256]int32) {
	for i, kind := range []byte(kindNames) {
		numbers[kind] = int32(i)
	}
	return numbers
}()

func newLayout(side, limit int) layout {
	l := layout{side: side}
	take := func(n int) int32 {
		from := l.features
		l.features += int32(n)
		return from
	}
	l.cell, l.row, l.budget = take(side*kinds), take(side), take(limit+1)
	l.standRow, l.standColumn = take(side), take(side)
	l.stand, l.around = take(2*kinds), take(4*2*kinds)
	l.bumped, l.left = take(1), take(limit+1)
	l.counts = [3]int32{take(maxItems + 1), take(maxItems + 1), take(maxLava + 1)}
	return l
}
