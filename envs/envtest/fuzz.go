package envtest

import (
	"bytes"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// FuzzEncoding walks through tasks of an environment in every form, one byte a token: an
// encoding keeps to its bounds wherever one goes.
func FuzzEncoding(f *testing.F, env envs.Env) {
	var encodings []*envs.Encoding
	for i, form := range forms {
		x, err := envs.NewEncoding(env, form)
		if err != nil {
			f.Fatal(err)
		}
		encodings = append(encodings, x)
		f.Add(byte(i), uint16(i), []byte{3, 1, 4, 1, 5, 9, 2, 6})
		f.Add(byte(i), uint16(999), []byte{0, 0, 0, 255, 255, 255, 1})
	}
	f.Fuzz(func(t *testing.T, shape byte, index uint16, choices []byte) {
		form, x := forms[int(shape)%len(forms)], encodings[int(shape)%len(forms)]
		if err := catch(func() {
			p := must(env.Problem(envs.Splits()[index%4], int(index/4)))
			tasks, _ := newSuite(env).tasks(form, p, 1+int(index)%form.Answers, rng.New(0))
			task := tasks[len(tasks)-1]
			checkPrompt(x, x.AppendPrompt(nil, task))
			// Choices that are missing repeat the given ones from the beginning.
			choices = append(choices, 0)
			var tokens []envs.Token
			for c := task.Start(); !c.Done() && len(tokens) <= x.Rollout; {
				legal := c.Legal()
				token := legal[int(choices[len(tokens)%len(choices)])%len(legal)]
				noError(c.Push(token), "after %v", tokens)
				tokens = append(tokens, token)
			}
			checkStates(x, task, tokens)
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// Push pushes tokens, a byte each, legal or not, and returns them all and those that were
// taken. It fails where a token that is not legal is taken or changes something, a legal
// one is refused, or the cursor is done while a token is legal.
func Push(t *testing.T, c envs.Viewer, raw []byte) (all, taken []envs.Token) {
	t.Helper()
	for _, b := range raw {
		token := envs.Token(int8(b))
		all = append(all, token)
		state, view, done := c.AppendState(nil), c.AppendView(nil), c.Done()
		want := slices.Contains(c.Legal(), token)
		if err := c.Push(token); (err == nil) != want {
			t.Fatalf("after %v: token %d: error %v, legal %v", taken, token, err, want)
		}
		if !want {
			if !bytes.Equal(state, c.AppendState(nil)) || !bytes.Equal(view, c.AppendView(nil)) || done != c.Done() {
				t.Fatalf("after %v: the refused token %d changed the state", taken, token)
			}
			continue
		}
		taken = append(taken, token)
		if c.Done() != (len(c.Legal()) == 0) {
			t.Fatalf("after %v: done %v with %v legal", taken, c.Done(), c.Legal())
		}
	}
	return all, taken
}
