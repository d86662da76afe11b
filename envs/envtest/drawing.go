package envtest

import (
	"fmt"
	"reflect"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkDrawing: where a problem describes its picture, shapes and rows are well formed, and
// a function of the problem and the answers, whatever the answers are.
func checkDrawing(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		pictured, ok := p.(envs.Pictured)
		if !ok {
			return nil
		}
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		attempts := Attempts(p, answers...)
		for _, mode := range p.Truth().Modes[:min(50, len(p.Truth().Modes))] { // no answer of theirs is known
			attempts = append(attempts, envs.Attempt{Verdict: &envs.Verdict{Mode: mode, Correct: true}})
		}
		for _, n := range []int{0, 1, 2, len(attempts)} {
			some := attempts[:min(n, len(attempts))]
			d := pictured.Drawing(some...)
			if err := d.Check(len(some)); err != nil {
				return fmt.Errorf("with %d answers: %w", n, err)
			}
			if !reflect.DeepEqual(d, pictured.Drawing(some...)) {
				return fmt.Errorf("with %d answers: drawn twice, it differs", n)
			}
		}
		return nil
	})
}

// Attempts are the different ones of some answers that have a mode, for a drawing.
func Attempts(p envs.Problem, answers ...[]envs.Token) []envs.Attempt {
	var out []envs.Attempt
	known := map[string]bool{}
	for _, answer := range answers {
		text, v := p.AnswerText(answer), p.Judge(answer)
		if v.Err == nil && v.Mode != envs.Degenerate && !known[text] {
			known[text] = true
			out = append(out, envs.Attempt{Text: text, Verdict: v})
		}
	}
	return out
}
