package plots

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/problem"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "answers", Place: 10, Doc: "the problem with the answers drawn in",
			Fields: answerFields, Answers: true, Check: checkPools(nil),
		},
		note:   poolsNote,
		gather: poolKind{keep: modeAndTokens}.gather,
		draw:   answersFigure,
	})
}

// answersFigure shows a problem with the pool's answers drawn in, a picture for every
// pool. A mode looks the same in all of them.
func answersFigure(d *Data) (*draw.Figure, Values, error) {
	fig := d.Figure
	rows, views, _, err := d.poolRows(2)
	if err != nil {
		return nil, nil, err
	}
	sheet := problem.PoolSheet{Title: fig.Title, Steps: len(fig.Steps), Note: poolNote(fig, views)}
	for _, row := range rows {
		var line []problem.Pool
		for _, v := range row {
			p, answers, err := v.problem(fig.Problem)
			if err != nil {
				return nil, nil, err
			}
			line = append(line, problem.Pool{Variant: v.variant.Label, Head: v.head(fig.Steps), Problem: p, Answers: answers})
		}
		sheet.Rows = append(sheet.Rows, line)
	}
	f, err := problem.DrawPools(sheet)
	return f, answersValues(fig, views), err
}

// problem builds the problem that a pool answers, and reads its answers as tokens. Of a chain
// it has the answers at all places.
func (v poolView) problem(number int) (envs.Problem, [][]envs.Token, error) {
	env, err := envOf(v.variant)
	if err != nil {
		return nil, nil, err
	}
	p, err := env.Problem(envs.Split(v.variant.Pools.Split), number)
	if err != nil {
		return nil, nil, fmt.Errorf("variant %s: %w", v.variant.Label, err)
	}
	if p.ID() != v.pool.ID {
		return nil, nil, fmt.Errorf("variant %s: problem %d is %s, the answers kept are to %s", v.variant.Label, number, p.ID(), v.pool.ID)
	}
	words := map[string]envs.Token{}
	for i, word := range env.Info().Vocabulary {
		words[word] = envs.Token(i)
	}
	answers := make([][]envs.Token, len(v.pool.Answers))
	for i, a := range v.pool.Answers {
		for _, word := range a.Tokens {
			token, known := words[word]
			if !known {
				return nil, nil, fmt.Errorf("variant %s: answers[%d]: the word %q is no word of %s", v.variant.Label, i, word, v.variant.Pools.Env.Name)
			}
			answers[i] = append(answers[i], token)
		}
	}
	return p, answers, nil
}

// answersValues are the answers of each pool by mode, a row for every mode: the correct ones
// first, then by how many answers they have.
func answersValues(fig record.Figure, views []poolView) Values {
	counts, total := map[draw.ModeKey][]int{}, map[draw.ModeKey]int{}
	p := PanelValues{Title: "answers by mode", Axis: "mode"}
	for i, v := range views {
		p.Columns = append(p.Columns, ValueColumn{Label: v.head(fig.Steps)})
		for _, a := range v.pool.Answers {
			key := draw.ModeKey{Name: a.Mode, Correct: a.Correct && a.Mode != ""}
			if counts[key] == nil {
				counts[key] = make([]int, len(views))
			}
			counts[key][i]++
			total[key]++
		}
	}
	keys := slices.SortedFunc(maps.Keys(total), func(a, b draw.ModeKey) int {
		return cmp.Or(draw.TrueFirst(a.Correct, b.Correct), cmp.Compare(total[b], total[a]), draw.Compare(a.Name, b.Name))
	})
	for _, key := range keys[:min(len(keys), maxRows)] {
		row := ValueRow{Name: key.Name}
		switch {
		case key.Name == "":
			row.Name = "degenerate"
		case !key.Correct:
			row.Name += " (incorrect)"
		}
		for i, n := range counts[key] {
			row.Cells = append(row.Cells, exactly(len(views[i].pool.Answers), float64(n)))
		}
		p.Rows = append(p.Rows, row)
	}
	return Values{p}
}
