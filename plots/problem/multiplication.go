package problem

import (
	"fmt"

	"modebench/envs"
	"modebench/plots/draw"
)

// multiplicationFigure draws the families as a table, a row for each kind of the first
// operand and a column for each of the second. Every cell is an area model: the
// rectangle whose sides are the operands, cut as an example of the family cuts
// it. One example stands above the table, large, with all its numbers.
func multiplicationFigure(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	t, err := readProduct(p)
	if err != nil {
		return nil, err
	}
	unparsed, degenerate, err := t.count(p, answers)
	if err != nil {
		return nil, err
	}
	table := t.table(len(answers) > 0)
	example := t.example()
	width := max(draw.ColumnWidth, table.width(), example.width())
	title := fmt.Sprintf("multiplication %s: %d × %d, %s", p.ID(), t.operands[0], t.operands[1],
		countedAs(len(t.families), "family", "families"))
	blocks := append(draw.Heading(title, width), example.block(width), table.block(width))
	if entries := t.marks(); len(entries) > 0 {
		blocks = append(blocks, draw.Legend(entries, width))
	}
	note := draw.Sentences(t.note(), degenerateNote(degenerate, len(answers)), unparsedNote(unparsed, len(answers)))
	return draw.NotedPage(width, note, blocks...), nil
}
