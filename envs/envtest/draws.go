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

// Draws checks that a registered environment heeds env_seed (envs.Draw): 0 is the published
// draw; each other number gives other problems in the splits train, test and ood, with IDs
// of their own, and the same ones in the split pretrain; lessons, and the names of base
// policies, are the same in all draws; and no problem of the split train of one draw is in
// the split test of another.
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
	d := draws{ids: map[string]int{}, contents: map[string]int{}, prompts: map[envs.Split]map[string]int{}}
	for _, draw := range checkedDraws {
		env, config, err := build(draw)
		if err != nil {
			return err
		}
		for _, check := range []func(int, envs.Env, envs.Config) error{checkListed, d.checkPretrain, d.checkContents, d.checkIDs, d.checkLessons, d.addPrompts} {
			if err := check(draw, env, config); err != nil {
				return err
			}
		}
	}
	return d.checkPrompts()
}

// draws remembers the draws of an environment that were checked.
type draws struct {
	ids      map[string]int                // draw of a problem
	contents map[string]int                // draw of the contents of the problems of a split
	prompts  map[envs.Split]map[string]int // draw of a prompt
	pretrain []string                      // of the first draw, as are the others
	lessons  string
	name     string // of base policies
}

// checkListed: the published draw is not among the parameters, which name results.
func checkListed(draw int, _ envs.Env, config envs.Config) error {
	if _, listed := params.Values(config)["env_seed"]; listed != (draw > 0) {
		return fmt.Errorf("env_seed %d: listed among the parameters: %v, which changes the names of published results", draw, listed)
	}
	return nil
}

// checkPretrain: problems of the split pretrain are the same in all draws.
func (d *draws) checkPretrain(draw int, env envs.Env, _ envs.Config) error {
	ids, err := firstIDs(env, envs.Pretrain)
	if draw == 0 {
		d.pretrain = ids
	}
	if err == nil && !slices.Equal(ids, d.pretrain) {
		err = fmt.Errorf("env_seed %d: problems of the split pretrain are %v, and those of the published draw %v", draw, ids, d.pretrain)
	}
	return err
}

// splitsOfDraws are the splits whose problems depend on the draw.
var splitsOfDraws = []envs.Split{envs.Train, envs.Test, envs.OOD}

// checkContents: every draw has other problems.
func (d *draws) checkContents(draw int, env envs.Env, _ envs.Config) error {
	for _, split := range splitsOfDraws {
		text, err := firstContents(env, split)
		if err != nil {
			return err
		}
		if earlier, taken := d.contents[string(split)+text]; taken {
			return fmt.Errorf("split %s has the same problems with env_seed %d and %d", split, earlier, draw)
		}
		d.contents[string(split)+text] = draw
	}
	return nil
}

// checkIDs: every problem has its own ID, and those of the published draw are plain.
func (d *draws) checkIDs(draw int, env envs.Env, _ envs.Config) error {
	for _, split := range splitsOfDraws {
		ids, err := firstIDs(env, split)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if earlier, taken := d.ids[id]; taken {
				return fmt.Errorf("the id %s is of problems with env_seed %d and %d", id, earlier, draw)
			}
			if published := fmt.Sprint(split, "/", i); draw == 0 && id != published {
				return fmt.Errorf("the id of the published problem %s is %s", published, id)
			}
			d.ids[id] = draw
		}
	}
	return nil
}

// checkLessons: lessons, and the names of base policies, are the same in all draws.
func (d *draws) checkLessons(draw int, env envs.Env, config envs.Config) error {
	text, err := lessonsText(env)
	if err != nil {
		return err
	}
	name, err := json.Marshal(envs.LessonParams(env, config))
	if err != nil {
		return err
	}
	if draw == 0 {
		d.lessons, d.name = text, string(name)
	}
	if text != d.lessons || string(name) != d.name {
		return fmt.Errorf("env_seed %d changes lessons, or the names of base policies (%s; published: %s)", draw, name, d.name)
	}
	return nil
}

// checkPrompts: no problem of the split train of a draw is in the split test of any.
func (d *draws) checkPrompts() error {
	for prompt, draw := range d.prompts[envs.Train] {
		if testDraw, shared := d.prompts[envs.Test][prompt]; shared {
			return fmt.Errorf("a problem of the split train with env_seed %d is one of the split test with env_seed %d: %s", draw, testDraw, prompt)
		}
	}
	return nil
}

// checkedProblems is the number of problems of a split that draws are compared by.
const checkedProblems = 8

// firstIDs lists the IDs of the first problems of a split.
func firstIDs(env envs.Env, split envs.Split) (ids []string, err error) {
	for i := range checkedProblems {
		p, err := env.Problem(split, i)
		if err != nil {
			return nil, err
		}
		ids = append(ids, p.ID())
	}
	return ids, nil
}

// firstContents writes the first problems of a split, without their IDs.
func firstContents(env envs.Env, split envs.Split) (string, error) {
	var docs []any
	for i := range checkedProblems {
		p, err := env.Problem(split, i)
		if err != nil {
			return "", err
		}
		v := p.Judge(p.Demonstrate(rng.New(0).Str("draws").Rand()))
		docs = append(docs, []any{p.Prompt(), p.PromptText(), p.Truth(), p.Fields(), v.Reward, v.Mode, v.Embedding})
	}
	data, err := json.Marshal(docs)
	return string(data), err
}

// addPrompts lists prompts of the splits train and test. The prompts of an environment that
// are all alike (the bandit's) do not identify a problem and are left out.
func (d *draws) addPrompts(draw int, env envs.Env, _ envs.Config) error {
	for _, split := range []envs.Split{envs.Train, envs.Test} {
		if d.prompts[split] == nil {
			d.prompts[split] = map[string]int{}
		}
		var last []envs.Token
		for i := range 50 {
			p, err := env.Problem(split, i)
			if err != nil {
				return err
			}
			if i > 0 && !slices.Equal(p.Prompt(), last) {
				d.prompts[split][p.PromptText()] = draw
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
