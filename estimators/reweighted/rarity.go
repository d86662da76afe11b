package reweighted

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/internal/each"
	"modebench/internal/exact"
)

// FGRPO scales the advantages of a group by how much of it is not solved yet (F-GRPO; Plyusov et al.,
// 2602.06717, eqs. 12-13):
//
//	A_i = (1 - n_c / N)^gamma base_i
//
// with n_c of the group's N rollouts correct. The paper's base is GRPO, DAPO or CISPO; here it is GRPO's
// z-score. The paper tries gamma 0.5 and 1; the default is 0.5. AnamikaLochab/UCPO, core_algos.py, which
// has the method as a baseline, uses ddof 1 and epsilon 1e-8, and takes a reward above 0 for correct;
// here correctness is the judge's. Advantages sum to 0. A group of one is left as GRPO has it.
type FGRPO struct {
	estimators.GRPO
	Gamma float64 `param:"gamma" doc:"exponent of the share of rollouts that are not correct; 0: GRPO" min:"0" when:"train.group>1"`
}

func (*FGRPO) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward | envs.HasCorrect)
}

func (e *FGRPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		if len(rollouts) == 1 {
			return nil
		}
		wrong := float64(len(rollouts) - countCorrect(rollouts))
		focus := power(wrong/float64(len(rollouts)), e.Gamma)
		for i := range dst {
			dst[i] *= focus
		}
		return nil
	})
}

func countCorrect(rollouts []*estimators.Rollout) int {
	return each.Count(rollouts, func(r *estimators.Rollout) bool { return r.Candidates[0].Correct })
}

// power is x^by for x of 0 or more; 0^0 is 1.
func power(x, exponent float64) float64 {
	if exponent == 0 {
		return 1
	}
	return exact.Exp(exponent * exact.Log(x))
}

func init() {
	estimators.Register(estimators.Reweighted, 60, estimators.Method{
		Name: "f-grpo", Summary: "GRPO scaled by a power of the share of rollouts that are not correct", Trains: true,
		Source:     "Plyusov et al. 2026 (2602.06717), eqs. 12-13",
		Estimator:  estimators.From(FGRPO{GRPO: estimators.ZScore, Gamma: 0.5}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "a z-score times a factor of the group"},
	})
}

// UniquenessAware divides a group-relative advantage by how common its strategy is in the
// group (2601.08763, eqs. 1-5):
//
//	A_i = base_i / f_i^alpha
//
// f_i is the number of rollouts of the group in the cluster of rollout i, itself counted.
// Clusters are modes here, and a language model's judgement in the paper, which sees
// problems and rollouts and not which are correct. A rollout without a mode is a cluster of
// its own. The paper has alpha in [0, 1] and does not give the value of its runs; the
// default here is 1. The authors' repository holds no code.
//
// Both signs are divided: a wrong rollout in a big cluster is punished less than a lone one.
// Weights are not normalised, so that advantages do not sum to 0. Groups of equal rewards
// get zeros, and a group of one GRPO's.
type UniquenessAware struct {
	estimators.GRPO
	Alpha    float64 `param:"alpha" doc:"exponent of the number of rollouts of the same mode; 0: GRPO" min:"0" when:"train.group>1"`
	clusters estimators.Clusters
}

func (*UniquenessAware) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward | envs.HasMode)
}

func (e *UniquenessAware) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		e.clusters.Assign(rollouts)
		for i := range dst {
			dst[i] *= power(float64(e.clusters.SizeOf(i)), -e.Alpha)
		}
		return nil
	})
}

func init() {
	weakKL := estimators.PlainLoss
	weakKL.KLCoef = 1e-3
	estimators.Register(estimators.Reweighted, 70, estimators.Method{
		Name: "uniqueness-aware", Summary: "GRPO over the number of rollouts of the same mode", Trains: true,
		Source:     "Hu et al. 2026 (2601.08763), eq. 5",
		Estimator:  estimators.From(UniquenessAware{GRPO: estimators.ZScore, Alpha: 1}),
		Loss:       weakKL,
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, Why: "a z-score times weights that do not depend on rewards and do not cancel"},
		Target:     estimators.NoTarget("its weights depend on who else is in the group"),
	})
}

// Darling multiplies rewards by how unlike the others a rollout is (DARLING, 2509.02534;
// facebookresearch/darling, partition_reward_vllm_serve.py and ray_trainer.py):
//
//	r'_i = r_i max(floor, d_i),  d_i = (N - f_i) / (N - 1)
//	A_i = r'_i - mean r'
//
// without a deviation. f_i is the number of the group's N rollouts in the cluster of rollout i, itself
// counted. Clusters are modes here; there they are the transitive closure of a learned classifier's
// verdicts on pairs. A rollout without a mode is a cluster of its own. Under partition "all", which the
// published runs use, clusters are over all rollouts, so a wrong rollout lowers a correct one of its
// mode. Under "correct" they are over the n_c correct rollouts: d_i = (n_c - f_i) / (n_c - 1), and 0
// for all others, and for all if n_c is 1 or 0.
//
// The floor 0.1 keeps a part of the reward, so a group that is all right and of one mode still gets
// zeros, unlike one of several modes. A group of one, for which the code divides by 0, has the advantage
// 0, or under singleton "raw" its reward. The code's other forms, d added and shifted rewards, are not
// those of its published runs.
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
