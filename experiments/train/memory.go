package train

import (
	"context"
	"fmt"
	"unsafe"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/spec"
	"modebench/internal/plural"
	"modebench/policies"
	"modebench/policies/tabular"
	"modebench/policies/transformer"
)

// A Need is about the memory that a run takes.
type Need struct {
	Bytes uint64
	text  string // takes it
}

// String describes the need and how sure it is: "a transformer ... takes about".
func (n Need) String() string { return n.text }

// Need estimates the memory that a run of the variant takes, unless the context ends. For a
// transformer it is that of the whole policy. Tables grow with the prompts drawn, so it is only a
// lower bound: a first evaluation of every problem, and the rollouts of a step. It is zero if the
// variant has an error, which the run then finds.
func (b *Bases) Need(ctx context.Context, v *spec.Variant) Need {
	p, err := v.Setup()
	if err != nil {
		return Need{}
	}
	if policy, ok := p.Policy.(*spec.TransformerPolicy); ok {
		encoding, err := envs.NewEncoding(p.Env, p.Form())
		if err != nil {
			return Need{}
		}
		loss := p.Method.Loss
		_, penalises := loss.Penalises()
		work := transformer.Work{Prompts: p.Train.Batch, Rollouts: p.Train.Group, Reference: penalises || loss.Want().Ref || loss.Want().KL, Interpolates: p.Eval.Interpolate < 1, Lag: p.Train.Lag}
		if !p.Method.Method.Trains || p.Steps() == 0 {
			work = transformer.Work{}
		}
		bytes, text := b.device.Bytes(policy.Config, encoding, work)
		return Need{bytes, text + " takes about"}
	}
	return tablesNeed(ctx, p)
}

// lookedMost bounds the answers that are looked at to see what tables one problem takes.
const lookedMost = 4096

func tablesNeed(ctx context.Context, p *spec.Setup) Need {
	config := *tabular.Default()
	if c, ok := p.Policy.(*spec.TabularPolicy); ok {
		config = c.Config
	}
	first, err := prompts(ctx, p, envs.Train, 1)
	if err != nil {
		return Need{}
	}
	policy, task := tabular.New(config, p.Train.Optimizer), first[0].tasks[0]
	opt := policies.SampleOptions{Temperature: p.Eval.Temperature, TopP: p.Eval.TopP, Context: ctx}
	complete := false
	if p.Eval.Enumerate > 0 {
		_, complete, err = policy.Enumerate(task, opt, min(lookedMost, p.Eval.Enumerate))
	}
	if err == nil && !complete {
		_, err = policy.Sample([]envs.Task{task}, min(lookedMost, max(p.Eval.Samples/p.Train.Candidates, 1)), opt)
	}
	if err != nil {
		return Need{}
	}
	met := problemsMet(p)
	tables, trained := policy.Bytes()
	need := tables * uint64(met)
	// A policy frozen for later steps takes a quarter of a trained one: it has no optimiser.
	frozen := trained / 4 * uint64(p.Train.Lag)
	if config.Sharing == "problem" {
		need += trained * uint64(met)
		frozen *= uint64(met)
	}
	need += frozen
	batch := p.Train.Batch * p.Drawn()
	if p.Steps() == 0 {
		batch = 0
	}
	// A rollout is judged: it has an entry in a group, and one for each candidate.
	judged := uint64(unsafe.Sizeof(policies.Rollout{})+unsafe.Sizeof(estimators.Rollout{})) + uint64(p.Train.Candidates)*8
	need += max(uint64(batch)*(tabular.RolloutBytes(p.Train.Candidates)+judged), uint64(p.Eval.Samples)*tabular.RolloutBytes(1))
	return Need{need, fmt.Sprintf("a tabular policy that meets %s, with %d rollouts a step, takes at least", plural.Count(met, "problem"), batch)}
}

// problemsMet is how many problems a run meets: those of the evaluation, and those that are
// trained on before its end, or asked before training.
func problemsMet(p *spec.Setup) int {
	trained := p.Train.Problems
	if !p.Method.Loss.Want().Stored && p.Steps() < trained/p.Train.Batch {
		trained = p.Steps() * p.Train.Batch
	}
	if p.Eval.Split == string(envs.Train) {
		return max(trained, p.Eval.Problems)
	}
	return trained + p.Eval.Problems
}
