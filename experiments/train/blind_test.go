package train

import (
	"testing"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/policies"
)

// TestBlindPolicy: the baseline of the maze walks into walls.
func TestBlindPolicy(t *testing.T) {
	spec := exptest.Load(t, "my.toml", `
[[env]]
name = "maze"
[[env]]
name = "countdown"
[policy]
name = "transformer"
width = [32, 64]
[[method]]
name = "base"
[[method]]
name = "base"
label = "blind"
policy = "baseline"
[[method]]
name = "base"
label = "table"
policy = "tabular"
`)
	for _, v := range spec.Variants {
		if v.Name != "blind" {
			continue
		}
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		tr, err := newTrainer(t.Context(), p, policyOf(t, p), 0)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := tr.policy.Sample(tr.prompts[0].tasks, 50, policies.SampleOptions{Temperature: 1, TopP: 1})
		if err != nil {
			t.Fatal(err)
		}
		moves := map[envs.Token]int{}
		for _, r := range groups[0].Rollouts {
			for _, token := range r.Tokens {
				moves[token]++
			}
		}
		if len(moves) != 2 {
			t.Errorf("from one corner to the other the blind policy moves %v, want in two directions", moves)
		}
	}
}
