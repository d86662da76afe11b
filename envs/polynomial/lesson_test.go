package polynomial

import (
	"fmt"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestLessons: lessons are right answers to the problems of the split pretrain.
func TestLessons(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		r := rng.New(1).Rand()
		for i := range 60 {
			p, answers, err := e.Lesson(i, 2, r)
			if err != nil {
				t.Fatal(err)
			}
			if p.ID() != fmt.Sprint("pretrain/", i) {
				t.Fatalf("%s: lesson %d is about %s", v.name, i, p.ID())
			}
			for _, answer := range answers {
				if !p.Judge(answer).Correct {
					t.Fatalf("%s: lesson %s on %s is wrong", v.name, p.AnswerText(answer), p.ID())
				}
			}
		}
	}
}

// TestLessonDistribution: lessons come as often as the answers that the demonstrator means:
// a careful one draws from the same distribution, but for a slip in a thousand tokens. In
// integers the circle has 7 x and the hyperbola 8, fewer than there are choices.
func TestLessonDistribution(t *testing.T) {
	const n = 20_000
	for _, decimals := range []int{0, 2} {
		e := build(t, func(c *Config) { c.Slip, c.Decimals = 0.001, decimals })
		for _, q := range []relation{paper, round25, product} {
			p := relate(t, e, q)
			r := rng.New(2).Rand()
			counts := map[string]*[2]float64{}
			for range n {
				for i, answer := range [2][]envs.Token{p.teach(r), p.Demonstrate(r)} {
					text := p.AnswerText(answer)
					if counts[text] == nil {
						counts[text] = &[2]float64{}
					}
					counts[text][i]++
				}
			}
			for text, c := range counts {
				if d := c[0] - c[1]; d*d > 25*(c[0]+c[1])+n*n/1e4 {
					t.Errorf("%s: answer %s is %.0f lessons and %.0f demonstrations of %d", &q, text, c[0], c[1], n)
				}
			}
		}
	}
}
