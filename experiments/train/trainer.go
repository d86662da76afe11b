package train

import (
	"context"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// A trainer runs one cell: it samples, judges, estimates and updates. Its
// buffers live from step to step.
type trainer struct {
	spec.Setup
	policy   policies.Policy
	history  history
	prompts  []prompt
	key      rng.Key
	rollouts rng.Key
	order    []int // of the prompts in the current pass
	pass     int
	chosen   []int       // numbers of the step's prompts
	tasks    []envs.Task // of these prompts, for the policy
	lags     []int       // of these tasks' rollouts, in steps

	// Batches drawn so far: the number of the step, unless groups that teach
	// nothing are replaced.
	generation int

	groups          []policies.Group // of the step, as the policy sampled them
	batch           estimators.Batch // the same, judged
	advantages      [][]float64      // one per rollout
	tokenAdvantages [][][]float64    // one per token; nil: the method gives one per rollout
	update          policies.Batch   // of the rollouts that are trained on
	split           minibatches
	updates         cells.Updates // so far, if they are measured
	drawn           int           // tokens of all rollouts drawn so far

	stored map[string][]policies.Rollout // of the tasks that are solved before training, by ID; nil: not needed

	noise    envs.Noise
	verdicts [][]*envs.Verdict // of a group, by rollout: the input of the noise

	clock        clock
	checkpointer *checkpointer // nil: the cell's state is not saved

	begun   point // where the step under way can be left
	learned bool  // it has updated the policy since
}

// A point is where a step begins, or goes on after its evaluation.
type point struct {
	generation int
	evaluated  bool // the step's evaluation is made, if it has one
	updates    cells.Updates
	drawn      int
	objective  *loss.State
}

// newTrainer returns a trainer of the policy, until the context ends. Nothing else may use
// the policy from then on.
func newTrainer(ctx context.Context, p *spec.Setup, policy policies.Policy, seed int) (*trainer, error) {
	t := &trainer{
		Setup: *p, policy: policy,
		key: rng.New(uint64(seed)), pass: -1,
	}
	t.rollouts = t.key.Str("rollout")
	t.history.lag = p.Train.Lag
	var err error
	if t.prompts, err = prompts(ctx, p, envs.Train, p.Train.Problems); err != nil {
		return nil, err
	}
	info := p.Env.Info()
	t.noise = envs.Noise{Judge: p.Train.JudgeNoise, Reward: p.Train.RewardNoise, Formal: info.Formal}
	t.batch = estimators.Batch{Context: ctx, Seed: uint64(seed), Weights: info.Weights, CandidateFields: info.Provides(), RolloutFields: p.KnownFields()}
	t.update = policies.Batch{
		Context: ctx,
		Want:    p.Method.Loss.Want(), Loss: p.Method.Loss.Learn,
		Temperature: p.Train.Temperature,
	}
	if _, penalises := p.Method.Loss.Penalises(); penalises || t.update.Want.Ref || t.update.Want.KL || t.batch.RolloutFields&estimators.TokenReference != 0 {
		t.update.Reference = t.policy.Freeze()
	}
	if slices.Contains(p.Eval.Measure, metrics.MeasureUpdates) {
		t.update.Loss = counted(t.update.Loss, &t.updates)
	}
	if t.update.Want.Stored {
		if err := t.store(); err != nil {
			return nil, err
		}
	}
	t.clock = newClock(p.Train.Steps)
	return t, nil
}

// describeAnswers fills the record of a step from the true verdicts, before any noise.
func (t *trainer) describeAnswers(rec *record.Train, step int) {
	*rec = record.Train{Step: step}
	rollouts, answers, tokens := 0, 0, 0
	for g := range t.batch.Groups {
		group := &t.batch.Groups[g]
		weights := group.Scalarisation(&t.batch)
		correct := 0
		clusters := map[envs.Mode]bool{}
		for i := range group.Rollouts {
			r := &group.Rollouts[i]
			rec.Entropy += r.Entropy
			tokens += r.Tokens
			answers += len(r.Candidates)
			for _, v := range r.Candidates {
				rec.Reward += v.Scalar(weights)
				if v.Correct {
					correct++
					if v.Mode != envs.Degenerate {
						clusters[v.Mode] = true
					}
				}
			}
		}
		rollouts += len(group.Rollouts)
		rec.Correct += float64(correct)
		rec.Clusters += float64(len(clusters))
		if correct > 0 {
			rec.Solved++
		}
	}
	rec.Reward /= float64(answers)
	rec.Correct /= float64(answers)
	rec.Entropy /= float64(tokens)
	rec.Solved /= float64(len(t.batch.Groups))
	rec.Clusters /= float64(len(t.batch.Groups))
}
