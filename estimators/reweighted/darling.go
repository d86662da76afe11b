package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// Darling multiplies rewards by how unlike the others a rollout is (DARLING, 2509.02534;
// facebookresearch/darling, partition_reward_vllm_serve.py and ray_trainer.py):
//
//	r'_i = r_i max(floor, d_i),  d_i = (N - f_i) / (N - 1)
//	A_i = r'_i - mean r'
//
// without a deviation. f_i is the number of the group's N rollouts in the cluster of rollout
// i, itself counted, so that d_i is the share of the others that differ. Clusters are
// modes here; there they are the transitive closure of a learned classifier's verdicts on
// pairs. A rollout without a mode is a cluster of its own. Under partition "all", which the
// published runs use, clusters are over all rollouts, and a wrong one makes a correct one of
// its mode less worth. Under "correct", which the code has too, they are over the n_c correct
// ones: d_i = (n_c - f_i) / (n_c - 1), and 0 for all others, and for all where n_c is 1 or 0.
//
// The floor 0.1 keeps a part of the reward, so a group that is all right and of one mode
// still gets zeros, and one of several modes does not. A group of one, for which the code
// divides by 0, has the advantage 0, or under singleton "raw" its reward. The code can also
// add d to the reward, and shift rewards that are negative; the published runs do neither.
type Darling struct {
	estimators.GRPO
	Partition string  `param:"partition" doc:"the rollouts among which clusters are counted" choices:"all,correct" when:"train.group>1"`
	Floor     float64 `param:"floor" doc:"the least that a reward is multiplied by" min:"0" max:"1" when:"train.group>1"`
	clusters  estimators.Clusters
	correct   []*estimators.Rollout
	shaped    []float64
}

func (e *Darling) Requirements() estimators.Requirements {
	fields := envs.HasReward | envs.HasMode
	if e.Partition == "correct" {
		fields |= envs.HasCorrect
	}
	return estimators.Requirements{CandidateFields: fields, MinGroup: 1}
}

func (e *Darling) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		if len(rewards) == 1 {
			e.Relative(dst, rewards)
			return nil
		}
		counted := rollouts
		if e.Partition == "correct" {
			e.correct = e.correct[:0]
			for _, r := range rollouts {
				if r.Candidates[0].Correct {
					e.correct = append(e.correct, r)
				}
			}
			counted = e.correct
		}
		e.clusters.Assign(counted)
		e.shaped = e.shaped[:0]
		next := 0 // of the counted rollouts
		for i, r := range rewards {
			rarity := 0.0
			if next < len(counted) && counted[next] == rollouts[i] {
				rarity = e.rarity(len(counted), e.clusters.SizeOf(next))
				next++
			}
			e.shaped = append(e.shaped, r*max(e.Floor, rarity))
		}
		e.Relative(dst, e.shaped)
		return nil
	})
}

// rarity is the share of n-1 others that are not among the `same` of one cluster.
func (*Darling) rarity(n, same int) float64 {
	if n < 2 {
		return 0
	}
	return float64(n-same) / float64(n-1)
}

// darlingTarget is the mean of the shaped rewards over the group. Its gradient has what a
// rollout changes in the others' rewards, which the advantages leave out.
func darlingTarget(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
	scores, err := i.Scores(s, s.Weights)
	method := i.Estimator.(*Darling)
	if err != nil || s.Group < 2 {
		return estimators.Target{Why: "a group of one has no others to differ from"}, err
	}
	counted := func(a int) bool { return method.Partition == "all" || s.Answers[a].Correct }
	worth := func(counts []int) (float64, error) {
		n := 0
		for a, c := range counts {
			if counted(a) {
				n += c
			}
		}
		total := 0.0
		for a, c := range counts {
			rarity := 0.0
			if c > 0 && counted(a) {
				rarity = method.rarity(n, sameMode(s.Answers, counts, a, counted))
			}
			total += float64(float64(c) * scores[a] * max(method.Floor, rarity))
		}
		return total / float64(s.Group), nil
	}
	return estimators.Target{Name: "reward x rarity", Terms: []estimators.TargetTerm{{Weight: 1, Draws: s.Group, Worth: worth}}}, nil
}

// sameMode is how many of the counted answers drawn have the mode of answer at, itself
// among them. An answer without a mode is alone.
func sameMode(answers []*envs.Verdict, counts []int, index int, counted func(int) bool) int {
	mode := answers[index].Mode
	if mode == envs.Degenerate {
		return 1
	}
	same := 0
	for a, c := range counts {
		if counted(a) && answers[a].Mode == mode {
			same += c
		}
	}
	return same
}

func init() {
	estimators.Register(estimators.Reweighted, 80, estimators.Method{
		Name: "darling", Summary: "rewards times the share of the group's other rollouts of another mode, mean only", Trains: true,
		Source:     "DARLING 2025 (2509.02534); facebookresearch/darling",
		Estimator:  estimators.From(Darling{GRPO: estimators.Centred, Partition: "all", Floor: 0.1}),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{Scale: estimators.Linear, ZeroSum: true, MovesEqualRewards: true, Why: "centred products of rewards and rarities: a constant is worth its rarity"},
		Target:     darlingTarget,
	})
}
