package train

import (
	"slices"
	"testing"

	"modebench/envs"
	"modebench/envs/countdown"
	"modebench/envs/maze"
	"modebench/envs/multiplication"
	"modebench/internal/rng"
)

// TestExposure: demonstrations on the split ood are legal rollouts on problems outside its first
// ones, the same for the same key, and as long a chain as the form asks for.
func TestExposure(t *testing.T) {
	for name, config := range map[string]envs.Config{
		"countdown": countdown.Default(), "maze": maze.Default(), "multiplication": multiplication.Default(),
	} {
		if testing.Short() && name != "maze" {
			continue
		}
		env, err := config.Build()
		if err != nil {
			t.Fatal(err)
		}
		x, err := envs.NewExposure(env)
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]bool{}
		for i := range envs.HeldOut {
			p, err := env.Problem(envs.OOD, i)
			if err != nil {
				t.Fatal(err)
			}
			held[p.PromptText()] = true
		}
		prompts := map[string]bool{}
		for _, form := range []envs.Form{{Answers: 1}, {Answers: 3}} {
			for i := range uint64(200) {
				task, tokens, err := x.Lesson(form, rng.New(1), i)
				if err != nil {
					t.Fatal(err)
				}
				again, same, err := x.Lesson(form, rng.New(1), i)
				if err != nil || again.ID() != task.ID() || !slices.Equal(tokens, same) {
					t.Fatalf("%s: lesson %d is another one the second time: %v", name, i, err)
				}
				problem := envs.ProblemOf(task)
				if held[problem.PromptText()] {
					t.Errorf("%s: lesson %d shows problem %s, which is held out", name, i, problem.ID())
				}
				prompts[problem.PromptText()] = true
				cursor := task.Start()
				for _, token := range tokens {
					if err := cursor.Push(token); err != nil {
						t.Fatalf("%s: lesson %d: %v", name, i, err)
					}
				}
				if !cursor.Done() {
					t.Errorf("%s: lesson %d does not end", name, i)
				}
			}
		}
		if len(prompts) < 100 {
			t.Errorf("%s: %d problems in 400 lessons", name, len(prompts))
		}
	}
}
