package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/nearest"
	"modebench/internal/params"
	"modebench/policies"
	"modebench/policies/tabular"
)

// A policyKind is a kind of policy that a spec can name.
type policyKind struct {
	name    string
	summary string
	// config returns fresh parameters with the defaults for an environment; those of
	// no environment ("") have the same fields.
	config func(env string) Policy
	// train and eval are the defaults of [train] and [eval] that suit the kind.
	train func() Train
	eval  func() Eval
}

// A policyConfig holds the parameters of a kind of policy: a pointer to a struct whose
// fields carry the tags of package internal/params.
type Policy interface {
	// check says what the built parts ask of the policy that it cannot do, and of which
	// part of the spec that is.
	check(p *Setup) (part string, err error)
	// question is the problem as the policy reads it.
	Problem(envs.Problem) (envs.Problem, error)
	// byModes says that the answers of a chain are told apart by what the earlier
	// ones found.
	ByModes() bool
	// version of the policy's program where it has one of its own, else 0: part of a
	// cell's identity.
	version() int
}

// The kinds of policies.
const (
	policyTabular     = "tabular"
	policyTransformer = "transformer"
	policyBaseline    = "baseline"
)

var policyKinds = []policyKind{
	{
		policyTabular, "a table of logits for each problem, on top of the demonstrator's",
		func(string) Policy { return &TabularPolicy{*tabular.Default()} }, DefaultTrain, DefaultEval,
	},
	{
		policyTransformer, "a small transformer, pre-trained on demonstrations; held-out problems",
		transformerConfig, transformerTrain, transformerEval,
	},
	{
		policyBaseline, "a fixed policy of the environment's own that sees less than it could (maze: blind to walls); for methods that do not train",
		func(string) Policy { return &BaselinePolicy{} }, DefaultTrain, DefaultEval,
	},
}

// Policies lists the kinds of policies with a line on each, by name.
func Policies() (names, summaries []string) {
	for _, k := range policyKinds {
		names, summaries = append(names, k.name), append(summaries, k.summary)
	}
	return names, summaries
}

// lookupPolicy returns the kind of that name, or an error that lists the known ones.
func lookupPolicy(name string) (*policyKind, error) {
	for i := range policyKinds {
		if policyKinds[i].name == name {
			return &policyKinds[i], nil
		}
	}
	names, _ := Policies()
	return nil, fmt.Errorf("unknown policy %q; %sknown policies: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// tabularPolicy is a table of logits.
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

// baselinePolicy is the policy of envs.Baselined. It is a table that nothing is ever
// learned in, over problems whose prior is the baseline.
type BaselinePolicy struct{}

func (c *BaselinePolicy) check(p *Setup) (string, error) {
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

// errNoBaseline says that a row of the baseline does not fit an environment.
var errNoBaseline = errors.New("this environment has no baseline policy")

func (c *BaselinePolicy) Problem(p envs.Problem) (envs.Problem, error) {
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

func (c *BaselinePolicy) ByModes() bool { return false }

func (c *BaselinePolicy) version() int { return 0 }

// policyFields are the fields of [train] and [eval] that suit one kind of policy and
// not another: a rate that moves a table as far as it should ruins a network, and
// twenty problems are learned by heart.
func policyFields(part string) []string {
	if part == "eval" {
		return []string{"every", "split", "problems", "enumerate"}
	}
	fields := []string{"steps", "problems", "batch", "schedule", "warmup"}
	return slices.Concat(fields, params.Names(&policies.Optimizer{}))
}
