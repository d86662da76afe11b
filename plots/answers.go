package plots

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/problem"
)

// answersFigure shows a problem with the pool's answers drawn in, a picture for every
// pool. On a maze a mode looks the same in all of them, and one table names the modes.
func answersFigure(fig record.Figure, shown []*pooled) (*draw.Figure, error) {
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
			line = append(line, problem.Pool{Variant: v.of.variant.Label, Head: v.head(fig.Steps), Problem: p, Answers: answers})
		}
		sheet.Rows = append(sheet.Rows, line)
	}
	return problem.DrawPools(shown[0].cell.Env.Name, sheet)
}

// problem is the problem of a pool, with its answers as tokens; of a chain, the answers
// of all its places.
func (v poolView) problem(number int) (envs.Problem, [][]envs.Token, error) {
	env, err := v.of.env()
	if err != nil {
		return nil, nil, err
	}
	split, _ := v.of.cell.Eval["split"].(string)
	p, err := env.Problem(envs.Split(split), number)
	if err != nil {
		return nil, nil, fmt.Errorf("variant %s: %w", v.of.variant.Label, err)
	}
	if p.ID() != v.pool.ID {
		return nil, nil, fmt.Errorf("variant %s: problem %d is %s, the answers kept are to %s", v.of.variant.Label, number, p.ID(), v.pool.ID)
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
				return nil, nil, fmt.Errorf("variant %s: answers[%d]: the word %q is none of %s", v.of.variant.Label, i, word, v.of.cell.Env.Name)
			}
			answers[i] = append(answers[i], token)
		}
	}
	return p, answers, nil
}
