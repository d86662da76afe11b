package envtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"modebench/envs"
	"modebench/internal/rng"
)

// pinnedProblems is how many problems of each split problemsHash reads.
const pinnedProblems = 25

// problemsHash is a SHA-256 of the environment's first 100 problems, 25 of each split, with
// everything that is known of them: prompts, truth, fields, pictures, and a
// demonstration with its verdict. Results are comparable only while it stays the
// same, so a test pins it (Pinned), and whoever changes it changes results.
func problemsHash(env envs.Env) (string, error) {
	hash := sha256.New()
	write := func(doc any) error {
		// encoding/json writes the shortest text that gives the same bits back,
		// so equal text is equal numbers.
		text, err := json.Marshal(doc)
		hash.Write(text)
		return err
	}
	info := env.Info()
	if err := write([]any{info.Components, info.Weights, info.Vocabulary}); err != nil {
		return "", err
	}
	for _, split := range envs.Splits() {
		for i := range pinnedProblems {
			p, err := env.Problem(split, i)
			if err != nil {
				return "", fmt.Errorf("%s problem %d: %w", split, i, err)
			}
			shown := p.Demonstrate(rng.New(0).Str("pinned").Rand())
			v, truth := p.Judge(shown), p.Truth()
			// Fields one by one: a later version may add some to these types, and
			// that alone changes no problem.
			if err := write([]any{
				p.ID(), p.Prompt(), p.PromptText(), p.Fields(), p.Picture(shown),
				truth.Modes, truth.Solutions, truth.Front,
				shown, p.AnswerText(shown),
				v.Reward, v.Correct, v.Answer, v.Mode, v.Variant, v.Embedding, v.Err == nil,
			}); err != nil {
				return "", fmt.Errorf("%s problem %d: %w", split, i, err)
			}
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// checkPinned: the problems are the ones they have always been.
func checkPinned(s *suite) error {
	if s.pinned == "" {
		return nil
	}
	got, err := problemsHash(s.env)
	if err != nil {
		return err
	}
	if got != s.pinned {
		return fmt.Errorf("the first problems hash to %s, pinned is %s: results are not comparable with earlier ones", got, s.pinned)
	}
	return nil
}
