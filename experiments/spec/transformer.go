package spec

import (
	"modebench/envs"
	"modebench/internal/params"
	"modebench/policies/transformer"
)

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
func transformerTrain() Train {
	t := tabularTrain()
	t.Steps, t.Problems, t.Batch, t.Group = 300, 4096, 16, 8
	t.LR, t.Beta2, t.ClipNorm = 2e-4, 0.98, 1
	return t
}

// transformerEval measures on problems that the policy has not seen.
func transformerEval() Eval {
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

func (c *TransformerPolicy) ByModes() bool { return false }

func (c *TransformerPolicy) readers(e envs.Env) []string {
	if c.Steps == 0 {
		return nil // it begins at random
	}
	return envs.LessonReaders(e)
}

func (c *TransformerPolicy) idle(*Setup, string) string { return "" }

func (c *TransformerPolicy) version() int { return transformer.Version }
