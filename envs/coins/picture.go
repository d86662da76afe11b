package coins

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/plural"
)

// mostRows is how many modes a picture shows.
const mostRows = 40

// Picture implements envs.Problem: the task, the modes of correct payments with their
// number of orders and the answers that hit them, and then a line for each answer.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	truth := p.Truth()
	head := fmt.Sprintf("%s; %d modes, %d orders", p.title(), len(truth.Modes), truth.Solutions)
	return envs.PictureModes(p, head, mostRows, func(i int) int64 { return p.orders[i] }, answers, p.caption)
}

func (p *Problem) title() string {
	return fmt.Sprintf("coins %s: pay %d with at most %d coins of %s", p.id, p.amount, p.limit, p.offered())
}

func (p *Problem) caption(answer []envs.Token) string {
	v := p.Judge(answer)
	switch {
	case v.Err != nil:
		return fmt.Sprintf("%s: degenerate: %v", p.AnswerText(answer), v.Err)
	case v.Correct:
		return fmt.Sprintf("%s: right; mode %s", v.Variant, v.Mode)
	}
	return fmt.Sprintf("%s = %d: wrong; mode %s", v.Variant, total(v.Mode), v.Mode)
}

// A row of a drawing is a mode.
type row struct {
	mode    envs.Mode
	text    string // beside the coins
	role    envs.Role
	answers []int
}

// Drawing implements envs.Pictured: a row of coins for each correct mode, and one for
// each other mode among the answers.
func (p *Problem) Drawing(answers ...envs.Attempt) envs.Drawing {
	truth := p.Truth()
	rows := make([]row, len(truth.Modes))
	for i, mode := range truth.Modes {
		rows[i] = row{mode: mode, text: plural.Count(int(p.orders[i]), "order"), role: envs.Right}
	}
	for i, a := range answers {
		place := slices.IndexFunc(rows, func(r row) bool { return r.mode == a.Mode })
		if place < 0 {
			place = len(rows)
			rows = append(rows, row{mode: a.Mode, text: fmt.Sprintf("= %d", total(a.Mode)), role: envs.Wrong})
		}
		rows[place].answers = append(rows[place].answers, i)
	}
	note := "A row for each mode. Payments that differ in the order of their coins alone are one mode."
	if len(answers) > 0 {
		note += " Beside it: how many of the answers are of that mode."
	}
	if len(rows) > mostRows {
		// Rows with answers come first, so that no row with answers is left out for a row without.
		slices.SortStableFunc(rows, func(a, b row) int { return min(len(b.answers), 1) - min(len(a.answers), 1) })
		note += fmt.Sprintf(" Not drawn: %s.", plural.Count(len(rows)-mostRows, "row"))
		rows = rows[:mostRows]
	}
	return p.draw(envs.Drawing{Title: p.title(), Note: note}, rows)
}

// total is the amount that the coins of a mode come to.
func total(mode envs.Mode) int {
	sum := 0
	for coin := range strings.SplitSeq(string(mode), "+") {
		value, _ := strconv.Atoi(coin) // a mode names coins alone
		sum += value
	}
	return sum
}

// Lengths of a drawing, in points.
const (
	radius  = 9.0
	step    = 22.0 // from coin to coin and from row to row
	letters = 8.0
	texts   = 80.0 // room for a row's text
)

func (p *Problem) draw(d envs.Drawing, rows []row) envs.Drawing {
	beside := float64(float64(p.limit) * step)
	d.Width, d.Height = beside+texts+step, step*float64(len(rows))
	for i, r := range rows {
		y := step * (float64(i) + 0.5)
		for j, coin := range strings.Split(string(r.mode), "+") {
			middle := [][2]float64{{step * (float64(j) + 0.5), y}}
			d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Points: middle, Size: radius},
				envs.Shape{Kind: envs.Label, Points: middle, Size: letters, Text: coin, Align: 0.5})
		}
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Label, Role: envs.Faint, Points: [][2]float64{{beside + 4, y}}, Size: letters, Text: r.text})
		if len(r.answers) > 0 {
			middle := [][2]float64{{beside + texts + step/2, y}}
			d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Role: r.role, Points: middle, Size: radius, Answers: r.answers},
				envs.Shape{Kind: envs.Count, Role: envs.Right, Points: middle, Size: letters, Align: 0.5, Answers: r.answers})
		}
	}
	return d
}
