package batchjson

import (
	"os"
	"strings"
	"testing"

	"modebench/estimators"
	"modebench/internal/testkit"
)

// FuzzRead: no text makes the reader panic, its errors are one line, and a batch that it accepts
// either fails a method's needs or gives finite advantages of the batch's shape, or a clear error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"seed": 0, "step": 0, "weights": [1], "groups": [{"problem": "p0", "greedy": 0.0, "weights": null, "rollouts": [{"tokens": 12, "logprob": -3.5, "entropy": 8.1, "train": true, "final": "42", "candidates": [{"reward": [1], "correct": true, "valid": true, "answer": "42", "mode": "A", "embedding": [0.1]}]}]}]}`,
		`{"groups": [{"rollouts": [{"candidates": [{"reward": []}]}]}]}`,
		`{"groups": [{"rollouts": [{"token_logprobs": [-1, -2], "token_entropies": [0, 1e308], "token_ref_logprobs": [0, 0], "token_squares": [0.5, 1e308], "token_distributions": [[0.5, 0.5], [1]], "candidates": [{"reward": [1]}]}, {"tokens": 1, "token_logprobs": [1e308], "token_entropies": [0], "token_squares": [-1], "candidates": [{"reward": [0]}]}]}]}`,
		`{"groups": [{"rollouts": [{"tokens": 9223372036854775807, "token_squares": [], "candidates": [{}]}]}]}`,
		`{"groups": [{"rollouts": [{"token_distributions": [[]], "candidates": [{"reward": []}]}]}]}`,
		// Sums and squares of these overflow.
		`{"groups": [{"rollouts": [{"candidates": [{"reward": [1e308], "mode": "A", "embedding": [1e38]}]}, {"candidates": [{"reward": [1e308], "mode": null, "embedding": [-1e-45]}]}, {"candidates": [{"reward": [-1e308], "mode": "B", "embedding": []}]}, {"candidates": [{"reward": [0], "mode": "B", "embedding": [1]}]}]}]}`,
		`{"groups": [{"rollouts": [{"candidates": [{"reward": [1], "mode": "A", "embedding": [1e39]}]}]}]}`,
		`{"weights": [1e308, 1e308], "groups": [{"weights": [], "rollouts": [{"train": false, "candidates": [{"reward": [2, 2]}]}, {"candidates": [{}]}]}]}`,
		`{"weights": [0.5, 0.25, 0.25], "groups": [{"rollouts": [{"candidates": [{"reward": [1, 0, 1e308]}, {"reward": [0, -1, 0]}]}, {"candidates": [{"reward": [1, 1, 1]}]}]}]}`,
		`{"groups": [{"rollouts": [{"candidates": [{"reward": [1e308, -1e308]}, {"reward": [-1e308, 1e308]}, {"reward": [5e-324, 0]}]}, {"candidates": [{"reward": [1, 1]}]}]}]}`,
		`[{]}`, `null`, `{"groups":[null]}`, "{\"groups\":\xff}",
	} {
		f.Add(seed)
	}
	if text, err := os.ReadFile("../testdata/setpo.json"); err == nil {
		for i, part := range strings.Split(string(text), `"batch": `) {
			if end := strings.Index(part, `]}]}]}]}`); i > 0 && end >= 0 {
				f.Add(part[:end+len(`]}]}]}]}`)])
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := read(text)
		if err != nil {
			testkit.OneLine(t, err)
			return
		}
		if len(b.Groups) == 0 {
			t.Fatal("a batch without groups is accepted")
		}
		for _, m := range estimators.Methods() {
			e := m.New().Estimator
			if err := e.Requirements().Check(b); err != nil {
				testkit.OneLine(t, err)
				continue
			}
			dst := estimators.NewAdvantages(b)
			if err := e.Advantages(dst, b); err != nil {
				testkit.OneLine(t, err)
				continue
			}
			if byToken, ok := e.(estimators.TokenEstimator); ok {
				tokens := estimators.NewTokenAdvantages(b)
				if err := byToken.TokenAdvantages(tokens, b); err != nil {
					t.Fatalf("%s: %v, and none for rollouts", m.Name, err)
				}
				for _, group := range tokens {
					dst = append(dst, group...)
				}
			}
			for g := range dst {
				for i, a := range dst[g] {
					if a-a != 0 {
						t.Fatalf("%s: advantage %d of group %d is %v", m.Name, i, g, a)
					}
				}
			}
		}
	})
}
