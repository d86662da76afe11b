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
	"modebench/policies/transformer"
)

type policyKind struct {
	name    string
	summary string
	// config returns fresh parameters with the defaults for an environment; those of
	// no environment ("") have the same fields.
	config func(env string) Policy
	// train and eval are the defaults of [train] and [eval] that suit the kind.
	train func() *Train
	eval  func() *Eval
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
		func(string) Policy { return &TabularPolicy{*tabular.Default()} }, tabularTrain, tabularEval,
	},
	{
		policyTransformer, "a small transformer, pre-trained on demonstrations; held-out problems",
		transformerConfig, transformerTrain, transformerEval,
	},
	{
		policyBaseline, "a fixed policy of the environment's own that sees less than it could (maze: blind to walls); for methods that do not train",
		func(string) Policy { return &baselinePolicy{} }, tabularTrain, tabularEval,
	},
}

// Policies lists the kinds of policies with a line on each, by name.
func Policies() (names, summaries []string) {
	for _, k := range policyKinds {
		names, summaries = append(names, k.name), append(summaries, k.summary)
	}
	return names, summaries
}

func lookupPolicy(name string) (*policyKind, error) {
	for i := range policyKinds {
		if policyKinds[i].name == name {
			return &policyKinds[i], nil
		}
	}
	names, _ := Policies()
	return nil, fmt.Errorf("unknown policy %q; %sknown policies: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// policyFields are the fields of [train] and [eval] that suit one kind of policy and not another: a
// learning rate for a table ruins a network.
func policyFields(part string) []string {
	if part == "eval" {
		return []string{"every", "split", "problems", "enumerate"}
	}
	fields := []string{"steps", "problems", "batch", "schedule", "warmup"}
	return slices.Concat(fields, params.Names(&policies.Optimizer{}))
}

func overlayNames() []string {
	var out []string
	for _, k := range policyKinds {
		if k.name != policyBaseline { // for rows of a spec alone
			out = append(out, k.name)
		}
	}
	return out
}

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

func (c *baselinePolicy) ByModes() bool             { return false }
func (c *baselinePolicy) readers(envs.Env) []string { return nil }

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
func (c *TabularPolicy) ByModes() bool                                { return c.Context == tabular.ContextFound }
func (c *TabularPolicy) readers(envs.Env) []string                    { return []string{envs.ReadByDemonstrator} }

// idle explains why a field of the policy is idle in a setup; "": it may not be.
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

// TransformerPolicy is a small transformer that starts from a base policy.
type TransformerPolicy struct{ transformer.Config }

// transformerConfig has the size that an environment asks for, or else the defaults of
// package transformer.
func transformerConfig(env string) Policy {
	c := &TransformerPolicy{*transformer.Default()}
	if d, err := envs.Lookup(env); err == nil && d.Transformer.Width > 0 {
		size := d.Transformer
		c.Width, c.Heads = size.Width, size.Heads
		c.Steps, c.Batch, c.LR = size.Steps, size.Batch, size.LR
	}
	return c
}

// transformerTrain are settings under which a prototype showed the papers' collapse, in
// seconds to minutes: a few hundred small steps on problems that hardly ever repeat.
func transformerTrain() *Train {
	t := tabularTrain()
	t.Steps, t.Problems, t.Batch, t.Group = 300, 4096, 16, 8
	t.LR, t.Beta2, t.ClipNorm = 2e-4, 0.98, 1
	return t
}

func transformerEval() *Eval {
	e := tabularEval()
	e.Every, e.Split, e.Problems, e.Enumerate = 50, string(envs.Test), 100, 0
	return e
}

func (c *TransformerPolicy) check(p *Setup) (string, error) {
	if p.Train.Optimizer.Name == "natural" {
		return "train", params.Errorf("optimizer", "got natural, which is for a tabular policy; want adam or sgd for a transformer")
	}
	if p.Eval.Enumerate > 0 {
		return "eval", params.Errorf("enumerate", "got %d, but the answers of a transformer are sampled and cannot be listed; want 0 in [eval]", p.Eval.Enumerate)
	}
	if c.OOD > 0 && p.Eval.Split == string(envs.OOD) && p.Eval.Problems > envs.HeldOut {
		return "eval", params.Errorf("problems", "got %d of split ood, of which pretrain_ood holds the first %d out; want at most that", p.Eval.Problems, envs.HeldOut)
	}
	if err := c.Check(p.Train.Optimizer); err != nil {
		return "policy", err
	}
	if _, err := envs.NewEncoding(p.Env, p.Form()); err != nil {
		return "train", err
	}
	return "", nil
}

func (c *TransformerPolicy) Problem(p envs.Problem) (envs.Problem, error) { return p, nil }
func (c *TransformerPolicy) ByModes() bool                                { return false }

func (c *TransformerPolicy) readers(e envs.Env) []string {
	if c.Steps == 0 {
		return nil // it begins at random
	}
	return envs.LessonReaders(e)
}

// PolicyExceptions lists, a line an environment, the defaults of a kind of policy
// that are others there.
func PolicyExceptions(policy string) ([]string, error) {
	kind, err := lookupPolicy(policy)
	if err != nil {
		return nil, err
	}
	var out []string
	usual := params.Fields(kind.config(""))
	for _, env := range envs.Names() {
		var defaults []string
		for i, f := range params.Fields(kind.config(env)) {
			if value := fmt.Sprint(f.Value); value != fmt.Sprint(usual[i].Value) {
				defaults = append(defaults, f.Name+" = "+value)
			}
		}
		if len(defaults) > 0 {
			out = append(out, env+": "+strings.Join(defaults, ", "))
		}
	}
	return out, nil
}

// PolicyFields lists the fields of the table "policy", "train" or "eval" of a spec, with the
// defaults under a kind of policy.
func PolicyFields(table, policy string) ([]params.Field, error) {
	kind, err := lookupPolicy(policy)
	if err != nil {
		return nil, err
	}
	switch table {
	case "train":
		return params.Fields(kind.train()), nil
	case "eval":
		return params.Fields(kind.eval()), nil
	}
	return params.Fields(kind.config("")), nil
}
