package estimators

import (
	"fmt"

	"modebench/envs"
)

// MultiRLVR is the best candidate of a chain under the fixed scalarisation
//
//	score_i = max over the candidates c of rollout i of w*.r_c
//
// and the group-relative advantage of the scores (Puri et al., 2603.24844, as
// VPO sec. 4.2 uses it). With one candidate it is GRPO.
type MultiRLVR struct{ GRPO }

func (*MultiRLVR) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, MinGroup: 1, Chains: true}
}

func (e *MultiRLVR) Advantages(dst [][]float64, b *Batch) error {
	return e.EachBy(dst, b, func(g *Group) error {
		weights := g.Scalarisation(b)
		return e.gatherChains(g, len(weights), func(candidates []*envs.Verdict) float64 {
			best := candidates[0].Scalar(weights)
			for _, c := range candidates[1:] {
				best = max(best, c.Scalar(weights))
			}
			return best
		})
	}, e.core)
}

// chainTarget is the largest w*.r of a chain's answers (Multi-RLVR).
func chainTarget(i *Instance, s TargetSetting) (Target, error) {
	return i.Best(fmt.Sprintf("best of %d", s.Candidates), s.Candidates, s)
}

func init() {
	Register(VectorRewards, 20, Method{
		Name: "multi-rlvr", Summary: "best of a chain's answers under the fixed weights", Trains: true, Candidates: 3,
		Source:     "Puri et al. 2026; VPO sec. 4.2",
		Estimator:  From(MultiRLVR{GRPO: ZScore}),
		Loss:       VPOLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of the largest reward"},
		Target:     chainTarget,
	})
}
