// Package problem draws the problems of environments: their solutions, and the answers
// given marked in them, one at a time or pools of them beside each other.
//
// A problem describes its drawing (envs.Pictured). This package knows no environment: looks.go
// has the colours of the roles that shapes can have, shapes.go and table.go draw what a drawing
// consists of, page.go puts drawings on pages, and layers.go makes a layer of every answer.
package problem

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/plots/draw"
)

// CanDraw reports whether a problem can be drawn.
func CanDraw(p envs.Problem) bool {
	_, pictured := p.(envs.Pictured)
	return pictured
}

// Draw draws a problem of the environment of that name, with the answers marked in it. Answers
// that do not parse are counted below the picture. A problem that cannot be drawn is an error.
func Draw(env string, p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	sections, err := sectionsOf(PoolSheet{Rows: [][]Pool{{{Problem: p, Answers: answers}}}})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", env, p.ID(), err)
	}
	made := page(sections[0].drawing.Title, sections, "")
	return made.Told(env+" "+p.ID(), altText(env, p, answers)), nil
}

func altText(env string, p envs.Problem, answers [][]envs.Token) string {
	right := each.Count(answers, func(answer []envs.Token) bool { return p.Judge(answer).Correct })
	const limit = 60 // words of the problem
	words := strings.Fields(p.PromptText())
	if len(words) > limit {
		words = append(words[:limit], "...")
	}
	text := fmt.Sprintf("A drawing of a problem of the environment %s, with what there is to find. The problem: %s", env, strings.Join(words, " "))
	if len(answers) > 0 {
		text += fmt.Sprintf(" Marked in it: %s, %d of them right.", plural.Count(len(answers), "answer"), right)
	}
	return text
}

// DrawPools draws a picture of the problem for every pool, with the pool's answers marked in it.
// Pools of a problem share its legend and its table.
func DrawPools(s PoolSheet) (*draw.Figure, error) {
	sections, err := sectionsOf(s)
	if err != nil {
		return nil, err
	}
	return page(s.Title, sections, s.Note), nil
}
