package spec

import (
	"errors"
	"fmt"

	"modebench/envs"
)

// baselinePolicy is the policy of envs.Baselined: a table that never learns, over problems
// whose prior is the baseline.
type baselinePolicy struct{}

func (c *baselinePolicy) check(p *Setup) (string, error) {
	if p.Method.Method.Trains {
		return "method", fmt.Errorf("policy baseline does not learn, and method %s trains; want base", p.Method.Method.Name)
	}
	problem, err := p.Env.Problem(envs.Train, 0)
	if err == nil {
		_, err = c.Problem(problem)
	}
	if errors.Is(err, errNoBaseline) {
		err = fmt.Errorf("policy baseline on %s: %w", p.EnvName, err)
	}
	return "method", err
}

// errNoBaseline is of a row of the baseline in an environment without one.
var errNoBaseline = errors.New("this environment has no baseline policy")

func (c *baselinePolicy) Problem(p envs.Problem) (envs.Problem, error) {
	if b, ok := p.(envs.Baselined); ok {
		return &baselined{p, b}, nil
	}
	return nil, errNoBaseline
}

// baselined is a problem whose prior is its baseline.
type baselined struct {
	envs.Problem
	baseline envs.Baselined
}

// AppendPrior implements envs.Priored.
func (b *baselined) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	return b.baseline.AppendBaseline(dst, prefix)
}

func (c *baselinePolicy) ByModes() bool { return false }

func (c *baselinePolicy) readers(envs.Env) []string { return nil }

func (c *baselinePolicy) idle(*Setup, string) string { return "" }

func (c *baselinePolicy) version() int { return 0 }
