package spec

import (
	"fmt"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/policies/tabular"
)

// TabularPolicy is a table of logits.
type TabularPolicy struct{ tabular.Config }

func (c *TabularPolicy) check(p *Setup) (string, error) {
	method := p.Method.Method
	if err := c.Check(p.Train.Optimizer, p.contexts()); err != nil {
		return "train", err
	}
	if method.Trains && c.Sharing == "problem" && p.Eval.Split != string(envs.Train) {
		return "eval", params.Errorf("split", "got %q, but each problem trains a table of its own, so other problems show the untrained policy; want train, or sharing = \"shared\" in [policy]", p.Eval.Split)
	}
	return "", nil
}

func (c *TabularPolicy) Problem(p envs.Problem) (envs.Problem, error) { return p, nil }

func (c *TabularPolicy) ByModes() bool { return c.Context == tabular.ContextFound }

func (c *TabularPolicy) readers(envs.Env) []string { return []string{envs.ReadByDemonstrator} }

func (c *TabularPolicy) idle(p *Setup, field string) string {
	switch field {
	case "smoothing":
		if problem, err := p.Env.Problem(envs.Train, 0); err == nil && c.Demonstrations == 0 {
			if _, exact := problem.(envs.Priored); exact {
				return fmt.Sprintf("the demonstrator of %s is known exactly, and demonstrations = 0 uses it", p.EnvName)
			}
		}
	case "context":
		if !p.contexts() {
			return "neither chains nor goals give rollouts a context"
		}
	}
	if !p.Method.Method.Trains && (field == "sharing" || field == "context") {
		return fmt.Sprintf("method %s does not train", p.Method.Method.Name)
	}
	return ""
}

func (c *TabularPolicy) version() int { return 0 }
