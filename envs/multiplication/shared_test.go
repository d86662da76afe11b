package multiplication

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestReadersAreReused judges one problem's answers from several goroutines at once,
// which share the readers of texts and the solutions of the problem: verdicts are
// those of a problem that is judged alone.
func TestReadersAreReused(t *testing.T) {
	strides := []int{1, 3, 7, 9} // without a factor of 200, so that each goes through all
	e := build(t, func(c *Config) { c.DigitsA, c.Lapse = 3, 0.1 })
	p, alone := problem(t, e, envs.Train, 3), problem(t, e, envs.Train, 3)
	var answers [][]envs.Token
	var texts []string
	var want []*envs.Verdict
	for j := range 200 {
		answer := p.Demonstrate(rng.New(9).Int(uint64(j)).Rand())
		text := p.AnswerText(answer)
		if j%5 == 4 {
			text = text[:len(text)/2] // many of which do not parse
		}
		answers, texts = append(answers, answer), append(texts, text)
		want = append(want, alone.Judge(answer), alone.JudgeText(text))
	}
	var group sync.WaitGroup
	for _, stride := range strides {
		group.Go(func() {
			for i := range answers {
				j := i * stride % len(answers)
				if got := p.JudgeText(texts[j]); !reflect.DeepEqual(got, want[2*j+1]) {
					t.Errorf("%q: %+v, want %+v", texts[j], got, want[2*j+1])
				}
				if got := p.Judge(answers[j]); !reflect.DeepEqual(got, want[2*j]) {
					t.Errorf("%v: %+v, want %+v", answers[j], got, want[2*j])
				}
			}
		})
	}
	group.Wait()
}

// TestSolutionsAreBounded: a problem remembers a bounded number of variants, and judges
// others as well.
func TestSolutionsAreBounded(t *testing.T) {
	p := drawn(t, 343, 67, 0)
	variants := map[string]bool{}
	for x := 1; x < 100; x++ {
		for y := 1; y < 34; y++ {
			text := fmt.Sprintf("(%d+%d)*(%d+%d) = 22981", 343-x, x, 67-y, y)
			v, again := p.JudgeText(text), p.JudgeText(text)
			if want := fmt.Sprintf("(%d+%d)*(%d+%d)", 343-x, x, 67-y, y); v.Variant != want || !reflect.DeepEqual(v, again) {
				t.Fatalf("%s: %+v and then %+v", text, v, again)
			}
			variants[v.Variant] = true
		}
	}
	kept := 0
	for v := range variants {
		if _, ok := p.solutions.Get(v); ok {
			kept++
		}
	}
	if kept != maxSolutions || len(variants) < 3*maxSolutions {
		t.Errorf("of %d variants %d are remembered, want %d", len(variants), kept, maxSolutions)
	}
	v, w := p.JudgeText("(340+3)*67 = 22981"), drawn(t, 343, 67, 0).JudgeText("(340+3)*67 = 22981")
	if !reflect.DeepEqual(v, w) {
		t.Errorf("%+v where no more is remembered, %+v elsewhere", v, w)
	}
}
