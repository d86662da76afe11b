package train

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
)

// TestProblemsAreShared: runs of one environment get the same problems, runs of different ones do
// not, and the least recently used problems give way.
func TestProblemsAreShared(t *testing.T) {
	setup := func(envSeed int) *spec.Setup {
		text := fmt.Sprintf("[env]\nname = \"maze\"\nenv_seed = %d\n[train]\nproblems = 3\n[[method]]\nname = \"grpo\"\n", envSeed)
		p, err := exptest.Load(t, "shared.toml", text).Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	var s Problems
	of := func(envSeed int, split envs.Split, n int) []prompt {
		p := setup(envSeed)
		if err := s.share(p); err != nil {
			t.Fatal(err)
		}
		out, err := prompts(context.Background(), p, split, n)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := of(1, envs.Train, 3)
	for _, c := range []struct {
		why     string
		envSeed int
		split   envs.Split
		n       int
		same    bool
	}{
		{"the same environment", 1, envs.Train, 3, true},
		{"more problems of it begin with the same ones", 1, envs.Train, 5, true},
		{"fewer", 1, envs.Train, 2, true},
		{"another split", 1, envs.Test, 3, false},
		{"another draw", 2, envs.Train, 3, false},
	} {
		for i, q := range of(c.envSeed, c.split, c.n)[:2] {
			if got := q.problem == first[i].problem; got != c.same {
				t.Errorf("%s: problem %d is shared: %v, want %v", c.why, i, got, c.same)
			}
			own, err := setup(c.envSeed).Env.Problem(c.split, i)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := q.problem.PromptText(), own.PromptText(); got != want {
				t.Errorf("%s: problem %d is\n%s\nwant\n%s", c.why, i, got, want)
			}
		}
	}

	for other := range keptDraws - 1 { // as many as there is room for beside the first
		of(100+other, envs.Train, 1)
		of(1, envs.Train, 1)
	}
	if len(s.kept) != keptDraws || of(1, envs.Train, 1)[0].problem != first[0].problem {
		t.Errorf("%d draws are kept, want %d with the one that was asked for in between", len(s.kept), keptDraws)
	}
	for other := range keptDraws {
		of(200+other, envs.Train, 1)
	}
	if of(1, envs.Train, 1)[0].problem == first[0].problem {
		t.Errorf("a draw is kept that %d others were asked for after", keptDraws)
	}

	p := setup(1)
	if err := s.share(p); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Problem(envs.Train, -1); err == nil {
		t.Error("problem -1: no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := prompts(ctx, p, envs.Train, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v", err)
	}
}
