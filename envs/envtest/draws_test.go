package envtest

import (
	"strings"
	"testing"

	"modebench/envs"
)

// A drawn is an environment whose parameters are the draw alone.
type drawn struct {
	envs.Draw
	fault string
}

func (c *drawn) Build() (envs.Env, error) { return &drawnToy{toy: toy{}, config: *c}, nil }

// A drawnToy is a toy whose prompts name their draw, as its fault has it.
type drawnToy struct {
	toy
	config drawn
}

func (e *drawnToy) Problem(split envs.Split, index int) (envs.Problem, error) {
	p, err := e.toy.Problem(split, index)
	if err != nil {
		return nil, err
	}
	q, named := p.(*toyProblem), e.config.Draw
	switch e.config.fault {
	case "one draw":
		named.EnvSeed = 0
	case "other lessons":
		if split == envs.Pretrain {
			q.id = "draw" + string(rune('0'+e.config.EnvSeed)) + "/" + q.id
			return q, nil
		}
	case "one prompt":
		q.id = named.ID(split, index)
		return q, nil
	}
	q.id = named.ID(split, index)
	q.text = "Which side of " + q.id + "?"
	if e.config.fault == "one id" {
		q.id = envs.Draw{}.ID(split, index)
	}
	return q, nil
}

// TestDrawsFindsFaults: an environment that does not heed env_seed as it should is found.
func TestDrawsFindsFaults(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{"", ""},
		{"one draw", "split train has the same problems with env_seed 0 and 1"},
		{"one prompt", "split train has the same problems with env_seed 0 and 1"},
		{"one id", "the id train/0 is of problems with env_seed 0 and 1"},
		{"other lessons", "problems of the split pretrain are"},
	} {
		err := checkDraws(func() envs.Config { return &drawn{fault: c.fault} })
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("fault %q: %v, want %q", c.fault, err, c.want)
		}
	}
}
