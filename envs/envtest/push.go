package envtest

import (
	"bytes"
	"slices"
	"testing"

	"modebench/envs"
)

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
