package spec

import (
	"modebench/envs"
	"modebench/internal/params"
	"modebench/policies/tabular"
)

// TabularPolicy is a table of logits.
type TabularPolicy struct{ tabular.Config }

func (c *TabularPolicy) check(p *Setup) (string, error) {
	method := p.Method.Method
	if err := c.Check(p.Train.Optimizer, p.Train.Candidates > 1 || p.Train.Stops || method.Goals); err != nil {
		return "train", err
	}
	if method.Trains && c.Sharing == "problem" && p.Eval.Split != string(envs.Train) {
		return "eval", params.Errorf("split", "got %q, but each problem trains a table of its own, so other problems show the untrained policy; want train, or sharing = \"shared\" in [policy]", p.Eval.Split)
	}
	return "", nil
}

func (c *TabularPolicy) Problem(p envs.Problem) (envs.Problem, error) { return p, nil }

func (c *TabularPolicy) ByModes() bool { return c.Context == tabular.ContextFound }

func (c *TabularPolicy) version() int { return 0 }
