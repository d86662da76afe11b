package multiplication

import (
	"fmt"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestLessons: an answer is right in every component; kinds come as often as the
// demonstrator means them, so that a careful one draws from the same distribution.
func TestLessons(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		r := rng.New(1).Rand()
		for i := range 100 {
			p, answers, err := e.Lesson(i, 2, r)
			if err != nil {
				t.Fatal(err)
			}
			if p.ID() != fmt.Sprint("pretrain/", i) {
				t.Fatalf("%s: lesson %d is about %s", v.name, i, p.ID())
			}
			for _, answer := range answers {
				if got := p.Judge(answer); !slices.Equal(got.Reward, []float64{1, 1, 1}) {
					t.Fatalf("%s: lesson %s has the reward %v", v.name, p.AnswerText(answer), got.Reward)
				}
			}
		}
	}
	e := build(t, func(c *Config) { c.Slip, c.Lapse = 0.0001, 0.0001 })
	p := problem(t, e, envs.Pretrain, 0)
	const n = 20_000
	counts := map[envs.Mode][2]float64{}
	r := rng.New(2).Rand()
	for range n {
		for i, answer := range [2][]envs.Token{p.teach(r), p.Demonstrate(r)} {
			mode := p.Judge(answer).Mode
			pair := counts[mode]
			pair[i]++
			counts[mode] = pair
		}
	}
	if len(counts) < 8 {
		t.Errorf("lessons have %d modes, want at least 8", len(counts))
	}
	for mode, pair := range counts {
		// Two binomial counts; the demonstrator's slips move a mode by n/200 at most.
		if d := pair[0] - pair[1]; d*d > 25*(pair[0]+pair[1])+n*n/200/200 {
			t.Errorf("mode %q: %.0f lessons and %.0f demonstrations of %d", mode, pair[0], pair[1], n)
		}
	}
}
