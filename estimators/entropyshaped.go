package estimators

import (
	"cmp"
	"fmt"
	"math"

	"modebench/envs"
)

// EntropyShaped adds to each token of a rollout a share of the entropy of the distribution
// that it was drawn from (Cheng et al., 2506.14758):
//
//	A_it = A_i + min(alpha H_it, |A_i| / kappa)
//
// A_i is the group-relative advantage. H_it, in nats, is a constant to the gradient; here it
// is the entropy at sampling time, for all updates from the batch. With kappa > 1 no token's
// advantage changes its sign, and one of 0 stays 0, so that groups of equal rewards teach
// nothing. Of a correct rollout uncertain tokens gain more, and of a wrong one they lose less.
//
// The formula and its alpha of 0.4 and kappa of 2 were read in code that names the paper
// (lucidrains/PaLM-rlhf-pytorch, grpo.py), and not in the paper. A group of one follows singleton.
type EntropyShaped struct {
	GRPO
	Alpha float64 `param:"alpha" doc:"weight of a token's entropy" min:"0"`
	Kappa float64 `param:"kappa" doc:"what the entropy adds is at most the size of the rollout's advantage over kappa" min:"1" when:"alpha>0"`

	base   [][]float64
	tokens [][][]float64
}

func (*EntropyShaped) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, RolloutFields: RolloutTokens | TokenEntropy, MinGroup: 1, PerToken: true}
}

// Advantages implements Estimator: the means over tokens.
func (e *EntropyShaped) Advantages(dst [][]float64, b *Batch) error {
	return meansOfTokens(e, &e.tokens, dst, b)
}

func (e *EntropyShaped) TokenAdvantages(dst [][][]float64, b *Batch) error {
	if err := cmp.Or(checkTokenShape(dst, b), checkLists(b, TokenEntropy)); err != nil {
		return err
	}
	e.base = shapeRollouts(e.base, b)
	if err := e.GRPO.Advantages(e.base, b); err != nil {
		return err
	}
	for g := range dst {
		for i, own := range dst[g] {
			a := e.base[g][i]
			limit := math.Abs(a) / e.Kappa
			for t, h := range b.Groups[g].Rollouts[i].perToken().Entropy {
				if !finite(h, 0) {
					return b.InGroup(g, fmt.Errorf("rollout %d: token %d has the entropy %v, want 0 or more", i, t, h))
				}
				own[t] = a + min(float64(e.Alpha*h), limit)
			}
		}
		if err := checkTokens(b, g, dst[g]); err != nil {
			return err
		}
	}
	return nil
}

func init() {
	Register(EntropyControl, 45, Method{
		Name: "entropy-shaped", Summary: "GRPO whose tokens gain by the entropy they were drawn with", Trains: true,
		Source:    "Cheng et al. 2025 (2506.14758)",
		Estimator: From(EntropyShaped{GRPO: ZScore, Alpha: 0.4, Kappa: 2}),
		Properties: Properties{
			ShiftInvariant: true, Scale: Invariant,
			Why: "a z-score, and of each token a share of its entropy that is at most half of it",
		},
		Target: NoTarget("its advantages depend on the policy's own entropies"),
	})
}
