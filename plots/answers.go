package plots

import (
	"cmp"
	"fmt"
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
		values: answersValues,
	})
}

// answersFigure shows a problem with the pool's answers drawn in, a picture for every
// pool. A mode looks the same in all of them.
func answersFigure(d *Data) (*draw.Figure, error) {
	fig := d.Figure
	shown, err := d.answering()
	if err != nil {
		return nil, err
	}
	rows, err := viewRows(shown, fig.Steps, draw.EvenColumns(len(shown), 2))
	if err != nil {
		return nil, err
	}
	sheet := problem.PoolSheet{Title: fig.Title, Steps: len(fig.Steps), Note: poolNote(fig, slices.Concat(rows...))}
	for _, row := range rows {
		var line []problem.Pool
		for _, v := range row {
			p, answers, err := v.problem(fig.Problem)
			if err != nil {
				return nil, err
			}
			line = append(line, problem.Pool{Variant: v.of.Label, Head: v.head(fig.Steps), Problem: p, Answers: answers})
		}
		sheet.Rows = append(sheet.Rows, line)
	}
	return problem.DrawPools(sheet)
}

// problem builds the problem that a pool answers, and reads its answers as tokens. Of a chain
// it has the answers at all places.
func (v poolView) problem(number int) (envs.Problem, [][]envs.Token, error) {
	env, err := envOf(v.of)
	if err != nil {
		return nil, nil, err
	}
	p, err := env.Problem(envs.Split(v.of.Pools.Split), number)
	if err != nil {
		return nil, nil, fmt.Errorf("variant %s: %w", v.of.Label, err)
	}
	if p.ID() != v.pool.ID {
		return nil, nil, fmt.Errorf("variant %s: problem %d is %s, the answers kept are to %s", v.of.Label, number, p.ID(), v.pool.ID)
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
				return nil, nil, fmt.Errorf("variant %s: answers[%d]: the word %q is none of %s", v.of.Label, i, word, v.of.Pools.Env.Name)
			}
			answers[i] = append(answers[i], token)
		}
	}
	return p, answers, nil
}

// answersValues are the answers of each pool by mode: a row for every mode, the correct
// ones first.
func answersValues(d *Data) (Values, error) {
	fig := d.Figure
	shown, err := d.answering()
	if err != nil {
		return nil, err
	}
	views, err := poolViews(fig, shown)
	if err != nil {
		return nil, err
	}
	counts := map[draw.ModeKey][]int{}
	total := map[draw.ModeKey]int{}
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
	for _, key := range orderedModes(total) {
		name := key.Name
		switch {
		case name == "":
			name = "degenerate"
		case !key.Correct:
			name += " (incorrect)"
		}
		row := ValueRow{Name: name}
		for i, n := range counts[key] {
			row.Cells = append(row.Cells, exactly(len(views[i].pool.Answers), float64(n)))
		}
		p.Rows = append(p.Rows, row)
	}
	p.Rows = p.Rows[:min(len(p.Rows), maxRows)]
	return Values{p}, nil
}

// orderedModes are modes with the correct ones first, then by how many answers they have.
func orderedModes(total map[draw.ModeKey]int) []draw.ModeKey {
	keys := make([]draw.ModeKey, 0, len(total))
	for key := range total {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b draw.ModeKey) int {
		switch {
		case a.Correct != b.Correct:
			if a.Correct {
				return -1
			}
			return 1
		case total[a] != total[b]:
			return cmp.Compare(total[b], total[a])
		case a.Name == b.Name:
			return 0
		case draw.Before(a.Name, b.Name):
			return -1
		}
		return 1
	})
	return keys
}
