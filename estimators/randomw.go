package estimators

import (
	"modebench/envs"
	"modebench/internal/rng"
)

// RandomW is random-weighting GRPO (VPO sec. 4.2): group and step have weights w ~ Dir(alpha, ...,
// alpha) of their own, and the advantage is the group-relative one of w.r. Rollouts have one
// candidate. The weights of the batch or group play no part.
//
// Without the division by the deviation its expectation is the centred reward
// under the uniform weights; with it, it is not.
type RandomW struct {
	GRPO
	Alpha   float64 `param:"alpha" doc:"concentration of the Dirichlet distribution; 1: uniform on the simplex" min:"0.05" max:"1e12" when:"reward.components>1"`
	stream  Stream
	weights []float64
}

func (*RandomW) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, MinGroup: 1, Vectors: true}
}

func (e *RandomW) Advantages(dst [][]float64, b *Batch) error {
	return e.EachBy(dst, b, func(g *Group) error {
		e.weights = Resize(e.weights, len(g.Scalarisation(b)))
		rng.Dirichlet(e.stream.Of(b, "random-w", g), e.Alpha, e.weights)
		_, _, err := e.Gather(g, e.weights)
		return err
	}, e.core)
}

// randomWeightsTarget is E[w.r] over w ~ Dir(alpha, ..., alpha), whose mean is uniform.
func randomWeightsTarget(i *Instance, s TargetSetting) (Target, error) {
	scores, err := i.Scores(s, envs.UniformWeights(len(s.Weights)))
	return Target{Name: "E_w reward", Terms: []TargetTerm{{Weight: 1, Draws: 1, Scores: scores}}}, err
}

func init() {
	Register(VectorRewards, 30, Method{
		Name: "random-w", Summary: "GRPO under weights drawn anew for each group and step", Trains: true,
		Source:     "VPO sec. 4.2",
		Estimator:  From(RandomW{GRPO: ZScore, Alpha: 1}),
		Loss:       VPOLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score under weights that sum to 1"},
		Target:     randomWeightsTarget,
	})
}
