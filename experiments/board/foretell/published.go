package foretell

import (
	"math"

	"modebench/experiments/board"
	"modebench/experiments/board/ledger"
)

// separating are the columns whose separation is shown.
var separating = []string{"gain", "diversity", "solved@64", "best@64", scoreColumn, "accuracy"}

// Hold compares both boards with a ledger.
func (c *Comparison) Hold(l *ledger.Ledger) {
	c.Published = nil
	for i, t := range []*board.Table{c.Short, c.Long} {
		p := Published{Board: c.Names()[i], Scored: ledger.Score(l, board.Margin, t.Difference)}
		lines := map[string]board.Line{}
		for _, line := range t.Rows {
			for _, name := range line.Methods() {
				lines[name] = line
			}
		}
		for _, column := range separating {
			p.Separations = append(p.Separations, Separation{column, l.KeepsDiversity(func(method string) (float64, bool) {
				line, ok := lines[method]
				if !ok {
					return math.NaN(), false
				}
				return over(line, column), true
			})})
		}
		c.Published = append(c.Published, p)
	}
}
