package envtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// checkedDraws are the values of env_seed that draws are compared at, the published one
// first.
var checkedDraws = []int{0, 1, 2}

// Draws checks that a registered environment heeds env_seed (envs.Draw): 0 is the
// published draw; each other number gives other problems in the splits train, test and ood,
// with IDs of their own, and the same ones in the split pretrain; lessons, and what a base
// policy is named by, are the same in all draws; and no problem of the split train of one
// draw is in the split test of another.
func Draws(t *testing.T, name string) {
	t.Helper()
	if err := checkDraws(func(draw int) (envs.Env, envs.Config, error) {
		d, err := envs.Lookup(name)
		if err != nil {
			return nil, nil, err
		}
		config := d.Default()
		if err := params.Set(config, "env_seed", int64(draw)); err != nil {
			return nil, nil, err
		}
		env, err := config.Build()
		return env, config, err
	}); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// checkDraws is Draws of an environment that build makes.
func checkDraws(build func(draw int) (envs.Env, envs.Config, error)) error {
	ids := map[string]int{}                    // draw that a problem is of
	content := map[string]int{}                // likewise, by what is in the problems of a split
	prompts := map[envs.Split]map[string]int{} // draw of a prompt
	var lessons, named string                  // of the first draw
	var pretrain []string                      // likewise
	for _, draw := range checkedDraws {
		env, config, err := build(draw)
		if err != nil {
			return err
		}
		if _, listed := params.Values(config)["env_seed"]; listed != (draw > 0) {
			return fmt.Errorf("env_seed %d: listed among the parameters: %v, which changes the names of published results", draw, listed)
		}
		for _, split := range envs.Splits() {
			text, some, err := drawnProblems(env, split)
			if err != nil {
				return err
			}
			if split == envs.Pretrain {
				if draw == 0 {
					pretrain = some
				}
				if !slices.Equal(some, pretrain) {
					return fmt.Errorf("env_seed %d: problems of the split pretrain are %v, and those of the published draw %v", draw, some, pretrain)
				}
				continue
			}
			if other, taken := content[string(split)+text]; taken {
				return fmt.Errorf("split %s has the same problems with env_seed %d and %d", split, other, draw)
			}
			content[string(split)+text] = draw
			for i, id := range some {
				if other, taken := ids[id]; taken {
					return fmt.Errorf("the id %s is of problems with env_seed %d and %d", id, other, draw)
				}
				if published := fmt.Sprint(split, "/", i); draw == 0 && id != published {
					return fmt.Errorf("the id of the published problem %s is %s", published, id)
				}
				ids[id] = draw
			}
		}
		if err := addPrompts(prompts, env, draw); err != nil {
			return err
		}
		text, err := lessonsText(env)
		if err != nil {
			return err
		}
		name, err := json.Marshal(envs.LessonParams(env, config))
		if err != nil {
			return err
		}
		if draw == 0 {
			lessons, named = text, string(name)
		}
		if text != lessons || string(name) != named {
			return fmt.Errorf("env_seed %d changes lessons, or what base policies are named by (%s; published: %s)", draw, name, named)
		}
	}
	for prompt, draw := range prompts[envs.Train] {
		if other, both := prompts[envs.Test][prompt]; both {
			return fmt.Errorf("a problem of the split train with env_seed %d is one of the split test with env_seed %d: %s", draw, other, prompt)
		}
	}
	return nil
}

// drawnProblems is what is in the first problems of a split, without their IDs, and these.
func drawnProblems(env envs.Env, split envs.Split) (text string, ids []string, err error) {
	var docs []any
	for i := range 8 {
		p, err := env.Problem(split, i)
		if err != nil {
			return "", nil, err
		}
		shown := p.Demonstrate(rng.New(0).Str("draws").Rand())
		v := p.Judge(shown)
		ids = append(ids, p.ID())
		docs = append(docs, []any{p.Prompt(), p.PromptText(), p.Truth(), p.Fields(), v.Reward, v.Mode, v.Embedding})
	}
	data, err := json.Marshal(docs)
	return string(data), ids, err
}

// addPrompts lists prompts of the splits train and test. An environment whose prompts are
// all alike (the bandit) has none that tell a problem.
func addPrompts(prompts map[envs.Split]map[string]int, env envs.Env, draw int) error {
	for _, split := range []envs.Split{envs.Train, envs.Test} {
		if prompts[split] == nil {
			prompts[split] = map[string]int{}
		}
		var last []envs.Token
		for i := range 50 {
			p, err := env.Problem(split, i)
			if err != nil {
				return err
			}
			if i > 0 && !slices.Equal(p.Prompt(), last) {
				prompts[split][p.PromptText()] = draw
			}
			last = p.Prompt()
		}
	}
	return nil
}

// lessonsText writes the first lessons of each form.
func lessonsText(env envs.Env) (string, error) {
	text := ""
	for _, form := range forms {
		for i := range uint64(10) {
			task, tokens, err := envs.Lesson(env, form, rng.New(1), i)
			if err != nil {
				return "", err
			}
			text += fmt.Sprintln(task.ID(), task.Prompt(), tokens)
		}
	}
	return text, nil
}
