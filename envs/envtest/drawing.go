package envtest

import (
	"fmt"
	"reflect"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkDrawing: where a problem gives its picture as shapes, they are well formed, and
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
		answers = append(answers, nil, []envs.Token{-1})
		for _, n := range []int{0, 1, 2, len(answers)} {
			some := answers[len(answers)-n:]
			d := pictured.Drawing(some...)
			if err := d.Check(); err != nil {
				return fmt.Errorf("with %d answers: %w", n, err)
			}
			if !reflect.DeepEqual(d, pictured.Drawing(some...)) {
				return fmt.Errorf("with %d answers: drawn twice, it differs", n)
			}
		}
		return nil
	})
}
