package envtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// pinnedProblems is how many problems of each split problemsHash reads.
const pinnedProblems = 25

// problemsHash is a SHA-256 of the environment's first 100 problems, 25 of each split, with
// everything that is known of them: prompts, truth, fields, pictures, and a
// demonstration with its verdict. Results are comparable only while it stays the
// same, so a test pins it (Pinned), and whoever changes it changes results.
func problemsHash(env envs.Env) string {
	hash := sha256.New()
	// encoding/json writes the shortest text that gives the same bits back,
	// so equal text is equal numbers.
	write := func(doc ...any) { hash.Write(must(json.Marshal(doc))) }
	info := env.Info()
	write(info.Components, info.Weights, info.Vocabulary)
	for _, split := range envs.Splits() {
		for i := range pinnedProblems {
			p := must(env.Problem(split, i))
			shown := p.Demonstrate(rng.New(0).Str("pinned").Rand())
			v, truth := p.Judge(shown), p.Truth()
			// Fields one by one: a later version may add some to these types, and
			// that alone changes no problem.
			write(p.ID(), p.Prompt(), p.PromptText(), p.Fields(), p.Picture(shown),
				truth.Modes, truth.Solutions, truth.Front, shown, p.AnswerText(shown),
				v.Reward, v.Correct, v.Answer, v.Mode, v.Variant, v.Embedding, v.Err == nil)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// checkPinned: the problems are the ones they have always been.
func checkPinned(s *suite) {
	if s.pinned != "" {
		hash := problemsHash(s.env)
		want(hash == s.pinned, "the first problems hash to %s, pinned is %s: results are not comparable with earlier ones", hash, s.pinned)
	}
}

// Lessons holds the first 50 lessons of each form, and their encodings, to a SHA-256 hash. A
// pre-trained policy is a function of both: whoever changes one of them changes every base policy
// of the environment, and the transformer's version has to go up with the hash.
func Lessons(t *testing.T, env envs.Env, pinned string) {
	t.Helper()
	hash := sha256.New()
	if err := catch(func() {
		for _, form := range forms {
			x := must(envs.NewEncoding(env, form))
			fmt.Fprintln(hash, x.Features, x.Vocabulary, x.Prompt, x.Rollout, x.Width)
			for i := range uint64(50) {
				task, tokens, err := envs.Lesson(env, form, rng.New(1), i)
				noError(err, "lesson %d", i)
				fmt.Fprintln(hash, task.ID(), tokens, x.AppendPrompt(nil, task))
				walk, last := task.Start(), envs.Token(-1)
				for j, token := range tokens {
					fmt.Fprintln(hash, x.AppendState(nil, walk, last, j))
					noError(walk.Push(token), "lesson %d", i)
					last = token
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != pinned {
		t.Errorf("lessons and encodings hash to %s, pinned is %s", sum, pinned)
	}
}
