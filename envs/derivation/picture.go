package derivation

import (
	"fmt"
	"math"
	"strings"

	"modebench/envs"
	"modebench/internal/plural"
)

// Picture implements envs.Problem: a line for each variable, with the answers that write it,
// and then a line for each answer.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	truth := p.Truth()
	var b strings.Builder
	fmt.Fprintf(&b, "derivation %s: what is %c? %s, %s\n", p.id, letter(p.asked), plural.Count(len(truth.Modes), "mode"), plural.Count(int(truth.Solutions), "solution"))
	answersOf := p.writers(answers)
	for i, f := range p.facts {
		line := "  " + p.definition(i)
		if f.op != 0 {
			line += fmt.Sprintf(" = %d  %s", f.value, p.part(i))
		}
		if len(answersOf[i]) > 0 {
			line += "  written by " + strings.Trim(fmt.Sprint(answersOf[i]), "[]")
		}
		b.WriteString(line + "\n")
	}
	for i, answer := range answers {
		fmt.Fprintf(&b, "%3d: %s\n", i+1, p.caption(answer))
	}
	return b.String()
}

func (p *Problem) part(i int) string {
	switch {
	case i == p.asked:
		return "asked"
	case p.needed.has(i):
		return "needed"
	}
	return "distractor"
}

// writers lists for each variable the answers, from 1, that parse and write it.
func (p *Problem) writers(answers [][]envs.Token) [maxVariables][]int {
	var lists [maxVariables][]int
	for n, answer := range answers {
		if p.Judge(answer).Err != nil {
			continue
		}
		for _, t := range answer {
			if i := p.rules.variableOf(t); i >= 0 {
				lists[i] = append(lists[i], n+1)
			}
		}
	}
	return lists
}

func (p *Problem) caption(answer []envs.Token) string {
	v := p.Judge(answer)
	switch {
	case v.Err != nil:
		return fmt.Sprintf("%s: degenerate: %v", p.AnswerText(answer), v.Err)
	case v.Correct:
		return fmt.Sprintf("%s: right; mode %s", v.Variant, v.Mode)
	}
	return fmt.Sprintf("%s: wrong; mode %s", v.Variant, v.Mode)
}

// Lengths of a drawing, in points.
const (
	radius  = 9.0
	step    = 66.0 // from one variable to the next
	below   = 26.0 // the line of the variables
	letters = 8.0
	flat    = 0.4 // height of an arc over half its width
)

// Drawing implements envs.Pictured: the variables in their order, with arcs to each from
// those that it is derived from. Distractors are faint, and so are their arcs.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	d := envs.Drawing{
		Title: fmt.Sprintf("derivation %s: what is %c?", p.id, letter(p.asked)),
		Width: step * float64(len(p.facts)),
		Note:  "Arcs lead to a variable from those that it is derived from. Faint ones are of no use for the one asked for, which is green.",
	}
	line := radius + 2 + float64(flat*step/2*float64(len(p.facts)-1))
	d.Height = line + below
	useful := p.needed.with(p.asked)
	for i, f := range p.facts {
		if f.op == 0 {
			continue
		}
		role := envs.Path
		if !useful.has(i) {
			role = envs.Faint
		}
		for _, operand := range []int{f.left, f.right} {
			d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Line, Role: role, Points: arc(place(operand), place(i), line)})
		}
	}
	tokens := make([][]envs.Token, len(answers))
	for i, a := range answers {
		tokens[i], _ = p.AnswerTokens(a.Text) // one without tokens marks nothing
	}
	answersOf := p.writers(tokens)
	for i, f := range p.facts {
		role := envs.Plain
		switch {
		case i == p.asked:
			role = envs.Right
		case f.op != 0 && !useful.has(i):
			role = envs.Faint
		}
		middle := [][2]float64{{place(i), line}}
		d.Shapes = append(d.Shapes,
			envs.Shape{Kind: envs.Circle, Role: role, Points: middle, Size: radius},
			envs.Shape{Kind: envs.Label, Points: middle, Size: letters, Text: string(letter(i)), Align: 0.5},
			envs.Shape{Kind: envs.Label, Points: [][2]float64{{place(i), line + 16}}, Size: letters, Text: p.definition(i), Align: 0.5})
		if len(answersOf[i]) > 0 {
			for j := range answersOf[i] {
				answersOf[i][j]-- // positions
			}
			d.Shapes = append(d.Shapes,
				envs.Shape{Kind: envs.Ring, Points: middle, Size: radius + 2, Answers: answersOf[i]},
				envs.Shape{Kind: envs.Count, Points: [][2]float64{{place(i), line + 26}}, Size: letters, Align: 0.5, Answers: answersOf[i]})
		}
	}
	if len(answers) > 0 {
		d.Height += 10
		d.Note += " Rings and numbers: how many of the answers write a variable."
	}
	return d
}

func place(i int) float64 { return float64(step * (float64(i) + 0.5)) }

// arc is half an ellipse over a line, as short lines.
func arc(from, to, line float64) [][2]float64 {
	const parts = 24
	points := make([][2]float64, parts+1)
	middle, half := float64((from+to)/2), (to-from)/2
	for i := range points {
		t := float64(i)/(parts/2) - 1
		t *= (3 - float64(t*t)) / 2 // more of them near the ends, where it is steep
		points[i] = [2]float64{middle + float64(half*t), line - float64(flat*half*math.Sqrt(1-float64(t*t)))}
	}
	return points
}
