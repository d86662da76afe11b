package envtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// Lessons holds the first 50 lessons of each form, and their encodings, to a SHA-256 hash.
// A pre-trained policy is a function of both: whoever changes one of them changes every
// base policy of the environment, and the transformer's version has to go up with the
// hash.
func Lessons(t *testing.T, env envs.Env, pinned string) {
	t.Helper()
	hash := sha256.New()
	for _, form := range forms {
		x, err := envs.NewEncoding(env, form)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(hash, x.Features, x.Vocabulary, x.Prompt, x.Rollout, x.Width)
		for i := range uint64(50) {
			task, tokens, err := envs.Lesson(env, form, rng.New(1), i)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(hash, task.ID(), tokens, x.AppendPrompt(nil, task))
			walk, last := task.Start(), envs.Token(-1)
			for j, token := range tokens {
				fmt.Fprintln(hash, x.AppendState(nil, walk, last, j))
				if err := walk.Push(token); err != nil {
					t.Fatal(err)
				}
				last = token
			}
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != pinned {
		t.Errorf("lessons and encodings hash to %s, pinned is %s", got, pinned)
	}
}
