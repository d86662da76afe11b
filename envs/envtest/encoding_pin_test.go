package envtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/envs/multiplication"
	"modebench/envs/polynomial"
	"modebench/internal/rng"
)

// TestLessonsArePinned: a pre-trained policy is a function of lessons and encodings.
// Whoever changes one of them changes every base policy of the environment: the
// transformer's version then has to go up with the hash here.
func TestLessonsArePinned(t *testing.T) {
	for _, c := range []struct {
		name   string
		config envs.Config
		want   string
	}{
		{"bandit", bandit.Default(), "f0125e94c93c42be89130418c8a9c93a21bb5fa208e1b0a349dc1405e566bc52"},
		{"countdown", countdown.Default(), "d16f9ccaaab17489b5d3f1be4157601b3c3d13c896dd2205f6f295a731b04e61"},
		{"maze", maze.Default(), "01a4df297add825316a892a8444c6c4ddfa0e3ee0a538854972b7bbb57f963c2"},
		{"multiplication", multiplication.Default(), "cd8aae36d403a42db6d298e597d4c26772305b20d38f1de001b4ecd56c801cf6"},
		{"polynomial", polynomial.Default(), "db7d1ba3ce7f615df940e5660591de644141eb780c510f8affe758504d235042"},
	} {
		e, err := c.config.Build()
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		for _, form := range forms {
			x, err := envs.NewEncoding(e, form)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(hash, x.Features, x.Vocabulary, x.Prompt, x.Rollout, x.Width)
			for i := range uint64(50) {
				task, tokens, err := envs.Lesson(e, form, rng.New(1), i)
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
		if got := hex.EncodeToString(hash.Sum(nil)); got != c.want {
			t.Errorf("%s: lessons and encodings hash to %s, pinned is %s", c.name, got, c.want)
		}
	}
}
