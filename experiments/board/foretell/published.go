package foretell

import (
	"fmt"
	"math"

	"modebench/experiments/board"
	"modebench/experiments/board/ledger"
	"modebench/internal/table"
)

// Published holds a board against what papers published of language models.
type Published struct {
	Board  string // as Comparison.Names calls it
	Scored *ledger.Scored
	// Separations are how well columns separate the methods that are published as keeping diversity.
	Separations []Separation
}

// A Separation is that of a column.
type Separation struct {
	Column string
	ledger.Separation
}

// separating are the columns whose separation is shown.
var separating = []string{"gain", "diversity", "solved@64", "best@64", scoreColumn, "accuracy"}

// Hold holds both boards against a ledger.
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

// agreement has how many signs the boards agree with.
func (c *Comparison) agreement() passage {
	if c.Published == nil {
		return passage{}
	}
	p := passage{
		text: fmt.Sprintf(`What papers published of language models (results/foretell/ledger.toml). A sign agrees if the board's difference has
it, and up to %v where the sign is "no difference". Right, wrong and undecided are by the interval of the difference.`, board.Margin),
		head: []string{"board", "signs", "published", "answered", "share that agrees", "right", "wrong", "undecided"},
	}
	for _, board := range c.Published {
		for _, n := range board.Scored.Counts {
			p.rows = append(p.rows, []string{board.Board, n.Part, fmt.Sprint(n.Rows), fmt.Sprint(n.Answered), tau(n.Share), fmt.Sprint(n.Right), fmt.Sprint(n.Wrong), fmt.Sprint(n.Undecided)})
		}
	}
	return p
}

// separation has the areas under the ROC curve.
func (c *Comparison) separation() passage {
	if c.Published == nil {
		return passage{}
	}
	p := passage{
		text: `The area under the curve of "published as keeping diversity" by a column: the chance that a method published as
keeping it has more than one published as losing it; 0.5 is no relation:`,
		head: []string{"column"},
	}
	for _, board := range c.Published {
		p.head = append(p.head, fmt.Sprintf("%s: keep, lose", board.Board), board.Board)
	}
	for i, column := range separating {
		row := []string{column}
		for _, board := range c.Published {
			s := board.Separations[i]
			row = append(row, fmt.Sprintf("%d, %d", s.Keeps, s.Loses), tau(s.AUC))
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// publishedJSON is what boards say of the ledger.
func (c *Comparison) publishedJSON() (out []table.Object) {
	for _, p := range c.Published {
		var counts, separations []table.Object
		for _, n := range p.Scored.Counts {
			counts = append(counts, table.Object{{"signs", n.Part}, {"published", n.Rows}, {"answered", n.Answered}, {"agree", n.Agree}, {"share", four(n.Share)}, {"right", n.Right}, {"wrong", n.Wrong}, {"undecided", n.Undecided}})
		}
		for _, s := range p.Separations {
			separations = append(separations, table.Object{{"column", s.Column}, {"keep", s.Keeps}, {"lose", s.Loses}, {"auc", four(s.AUC)}})
		}
		out = append(out, table.Object{{"board", p.Board}, {"agreement", counts}, {"keeps_diversity", separations}})
	}
	return out
}
