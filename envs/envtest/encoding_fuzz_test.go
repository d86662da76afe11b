package envtest

import (
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/envs/multiplication"
	"modebench/envs/polynomial"
	"modebench/internal/rng"
)

// FuzzEncoding walks through tasks of every environment and form, one byte a token:
// an encoding keeps to its bounds wherever one goes.
func FuzzEncoding(f *testing.F) {
	for i := range byte(5) {
		f.Add(i, i, uint16(i), []byte{3, 1, 4, 1, 5, 9, 2, 6})
		f.Add(i, 3-i%4, uint16(999), []byte{0, 0, 0, 255, 255, 255, 1})
	}
	configs := []envs.Config{bandit.Default(), countdown.Default(), maze.Default(), multiplication.Default(), polynomial.Default()}
	var all []envs.Env
	encodings := make([][]*envs.Encoding, len(configs))
	for i, c := range configs {
		e, err := c.Build()
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, e)
		for _, form := range forms {
			x, err := envs.NewEncoding(e, form)
			if err != nil {
				f.Fatal(err)
			}
			encodings[i] = append(encodings[i], x)
		}
	}
	f.Fuzz(func(t *testing.T, which, shape byte, index uint16, choices []byte) {
		e, form := all[int(which)%len(all)], forms[int(shape)%len(forms)]
		x := encodings[int(which)%len(all)][int(shape)%len(forms)]
		p, err := e.Problem(envs.Splits()[index%4], int(index/4))
		if err != nil {
			t.Fatal(err)
		}
		s := newSuite(e)
		tasks, _, err := s.tasks(form, p, 1+int(index)%form.Answers, rng.New(0))
		if err != nil {
			t.Fatal(err)
		}
		task := tasks[len(tasks)-1]
		if err := checkPrompt(x, x.AppendPrompt(nil, task)); err != nil {
			t.Fatalf("task %s: %v", task.ID(), err)
		}
		// What the choices leave open is chosen as they began.
		choices = append(choices, 0)
		var tokens []envs.Token
		for c := task.Start(); !c.Done() && len(tokens) <= x.Rollout; {
			legal := c.Legal()
			token := legal[int(choices[len(tokens)%len(choices)])%len(legal)]
			if err := c.Push(token); err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, token)
		}
		if err := checkStates(x, task, tokens); err != nil {
			t.Fatalf("task %s: %v", task.ID(), err)
		}
	})
}
