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

// checkedDraws are the values of env_seed that draws are compared at, the published one first.
var checkedDraws = []int{0, 1, 2}

// Draws checks that a registered environment heeds env_seed (envs.Draw): 0 is the published draw;
// each other number gives other problems in the splits train, test and ood, with IDs of their own,
// and the same ones in the split pretrain; lessons, and the names of base policies, are the same in
// all draws; and no problem of the split train of one draw is in the split test of another.
func Draws(t *testing.T, name string) {
	t.Helper()
	if err := checkDraws(func() envs.Config { return must(envs.Lookup(name)).Default() }); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// checkDraws is Draws of an environment with fresh parameters.
func checkDraws(fresh func() envs.Config) error {
	return catch(func() {
		d := draws{ids: map[string]int{}, contents: map[string]int{}, prompts: map[envs.Split]map[string]int{envs.Train: {}, envs.Test: {}}}
		for _, draw := range checkedDraws {
			config := fresh()
			noError(params.Set(config, "env_seed", int64(draw)), "env_seed %d", draw)
			env := must(config.Build())
			// The published draw is not among the parameters, which name results.
			_, listed := params.Values(config)["env_seed"]
			want(listed == (draw > 0), "env_seed %d: listed among the parameters: %v, which changes the names of published results", draw, listed)
			d.checkPretrain(draw, env)
			d.checkProblems(draw, env)
			d.checkLessons(draw, env, config)
			d.addPrompts(draw, env)
		}
		for prompt, draw := range d.prompts[envs.Train] {
			testDraw, shared := d.prompts[envs.Test][prompt]
			want(!shared, "a problem of the split train with env_seed %d is one of the split test with env_seed %d: %s", draw, testDraw, prompt)
		}
	})
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

// checkedProblems is the number of problems of a split that draws are compared by.
const checkedProblems = 8

// checkPretrain: problems of the split pretrain are the same in all draws.
func (d *draws) checkPretrain(draw int, env envs.Env) {
	var ids []string
	for i := range checkedProblems {
		ids = append(ids, must(env.Problem(envs.Pretrain, i)).ID())
	}
	if draw == 0 {
		d.pretrain = ids
	}
	want(slices.Equal(ids, d.pretrain), "env_seed %d: problems of the split pretrain are %v, and those of the published draw %v", draw, ids, d.pretrain)
}

// checkProblems: every draw has other problems in the other splits, each with its own ID; those
// of the published draw are plain.
func (d *draws) checkProblems(draw int, env envs.Env) {
	for _, split := range []envs.Split{envs.Train, envs.Test, envs.OOD} {
		contents := string(split)
		for i := range checkedProblems {
			p := must(env.Problem(split, i))
			v := p.Judge(p.Demonstrate(rng.New(0).Str("draws").Rand()))
			contents += string(must(json.Marshal([]any{p.Prompt(), p.PromptText(), p.Truth(), p.Fields(), v.Reward, v.Mode, v.Embedding})))
		}
		earlier, taken := d.contents[contents]
		want(!taken, "split %s has the same problems with env_seed %d and %d", split, earlier, draw)
		d.contents[contents] = draw
	}
	for _, split := range []envs.Split{envs.Train, envs.Test, envs.OOD} {
		for i := range checkedProblems {
			id, published := must(env.Problem(split, i)).ID(), fmt.Sprint(split, "/", i)
			earlier, taken := d.ids[id]
			want(!taken, "the id %s is of problems with env_seed %d and %d", id, earlier, draw)
			want(draw > 0 || id == published, "the id of the published problem %s is %s", published, id)
			d.ids[id] = draw
		}
	}
}

// checkLessons: lessons, and the names of base policies, are the same in all draws.
func (d *draws) checkLessons(draw int, env envs.Env, config envs.Config) {
	text, name := "", string(must(json.Marshal(envs.LessonParams(env, config))))
	for _, form := range forms {
		for i := range uint64(10) {
			task, tokens, err := envs.Lesson(env, form, rng.New(1), i)
			noError(err, "lesson %d", i)
			text += fmt.Sprintln(task.ID(), task.Prompt(), tokens)
		}
	}
	if draw == 0 {
		d.lessons, d.name = text, name
	}
	want(text == d.lessons && name == d.name, "env_seed %d changes lessons, or the names of base policies (%s; published: %s)", draw, name, d.name)
}

// addPrompts lists prompts of the splits train and test. The prompts of an environment that
// are all alike (the bandit's) do not identify a problem and are left out.
func (d *draws) addPrompts(draw int, env envs.Env) {
	for split, prompts := range d.prompts {
		var last []envs.Token
		for i := range 50 {
			p := must(env.Problem(split, i))
			if i > 0 && !slices.Equal(p.Prompt(), last) {
				prompts[p.PromptText()] = draw
			}
			last = p.Prompt()
		}
	}
}
