package envtest

import (
	"reflect"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkDrawing: where a problem describes its picture, shapes and rows are well formed, and
// a function of the problem and the answers, whatever the answers are.
func checkDrawing(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		pictured, ok := p.(envs.Pictured)
		if !ok {
			return
		}
		attempts := Attempts(p, s.answers(p, key)...)
		for _, mode := range p.Truth().Modes[:min(50, len(p.Truth().Modes))] { // no answer of theirs is known
			attempts = append(attempts, envs.Attempt{Verdict: &envs.Verdict{Mode: mode, Correct: true}})
		}
		for _, n := range []int{0, 1, 2, len(attempts)} {
			some := attempts[:min(n, len(attempts))]
			d := pictured.Drawing(some...)
			noError(d.Check(len(some)), "with %d answers", n)
			want(reflect.DeepEqual(d, pictured.Drawing(some...)), "with %d answers: drawn twice, it differs", n)
		}
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
