package transformer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
)

// TestPrefix: a rollout begins with the prefix, whose tokens have the probabilities
// that drawing them has, to the bit; a card agrees with the processor.
func TestPrefix(t *testing.T) {
	w := mazes(t)
	tasks := w.tasks(t, 2)
	var before [][]policies.Rollout
	for _, level := range []string{"", onCard} {
		t.Run("level "+level, func(t *testing.T) {
			p := w.small(t, level)
			opt := policies.SampleOptions{Temperature: 0.9, TopP: 1, Key: rng.New(3)}
			parent := sample(t, p, tasks[:1], 1, opt)[0].Rollouts[0]
			tokens, logp := slices.Clone(parent.Tokens), slices.Clone(parent.Logp)
			if len(tokens) < 4 {
				t.Fatalf("a parent of %d tokens", len(tokens))
			}
			opt.Prefix, opt.Key = tokens[:3], rng.New(4)
			var got [][]policies.Rollout
			differ := false
			for _, r := range sample(t, p, tasks[:1], 5, opt)[0].Rollouts {
				if !slices.Equal(r.Tokens[:3], tokens[:3]) || !slices.Equal(r.Logp[:3], logp[:3]) {
					t.Errorf("begins with %v (%v), want %v (%v)", r.Tokens[:3], r.Logp[:3], tokens[:3], logp[:3])
				}
				differ = differ || !slices.Equal(r.Tokens, tokens)
				got = append(got, []policies.Rollout{{Number: r.Number, Tokens: slices.Clone(r.Tokens), Logp: slices.Clone(r.Logp), Entropy: slices.Clone(r.Entropy)}})
			}
			if !differ {
				t.Error("all children are their parent")
			}
			if before != nil {
				if d := cmp.Diff(before, got); d != "" {
					t.Errorf("the card differs from the processor:\n%.500s", d)
				}
			}
			before = got
			opt.Prefix = []envs.Token{1 << 20}
			if _, err := p.Sample(tasks[:1], 1, opt); err == nil || !strings.Contains(err.Error(), "prefix: token 0 is number 1048576") {
				t.Errorf("a token that is none: %v", err)
			}
		})
	}
}
