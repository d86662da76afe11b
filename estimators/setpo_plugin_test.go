package estimators

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func init() {
	defaultRows = append(defaultRows, []defaultRow{
		{"setpo+gspo", set{"lambda": .1, "ratio": "sequence-norm", "clip_low": 3e-4, "clip_high": 4e-4, "kl": "exact", "kl_coef": 1e-4}, "table 5: lambda 0.1, GSPO's clip, KL 1e-4"},
		{"setpo+dapo", set{"lambda": .2, "clip_high": .28, "aggregation": "token-mean", "generations": 10, "kl": "exact", "kl_coef": 1e-4}, "table 6: lambda 0.2, clip-higher, KL 1e-4, which DAPO itself has not"},
		{"r1-zero-div", set{"div_coef": .01, "kl": "exact", "kl_coef": 1e-4}, "Yao et al.: bonus 0.01; the rest as table 4"},
	}...)
	credit := creditByDefinition(cosines(degenerateVectors))
	weighted := func(lambda float64) []float64 {
		out := slices.Clone(credit)
		for i := range out {
			out[i] *= lambda
		}
		return out
	}
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"setpo+gspo", nil, weighted(.1), weighted(.1), "the credit alone, right or wrong"},
		{"setpo+dapo", nil, weighted(.2), weighted(.2), "the credit alone, where such a group is not filtered out"},
		{"r1-zero-div", nil, nil, nil, "no spread: the bonus is the objective's"},
	}...)
	singletonRows = append(singletonRows, singletonRow{"r1-zero-div", nil, 0, "no spread"})
}

// TestSetPOIsAPlugIn: over each base it is that base's advantage plus lambda times one and the same
// credit; the objective and the protocol are the base's, but for the divergence of SetPO's eq. 1.
func TestSetPOIsAPlugIn(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	for base, method := range map[string]string{"grpo": "setpo+grpo", "gspo": "setpo+gspo", "dapo": "setpo+dapo"} {
		plug, plain := build(t, method), build(t, base)
		for range 20 {
			vectors := randomVectors(r, 6, 5) // table 4's group
			rewards := make([]float64, 6)
			for i := range rewards {
				rewards[i] = float64(r.IntN(2))
			}
			g := embed(groupOf(rewards, ""), vectors)
			want := ofGroup(t, plain.Estimator, g)
			lambda, _ := plug.Field("lambda")
			for i, s := range creditByDefinition(cosines(vectors)) {
				want[i] += lambda.Value.(float64) * s
			}
			near(t, method, ofGroup(t, plug.Estimator, g), want, 1e-12)
		}
		objective := plug.Loss
		objective.KL, objective.KLCoef = plain.Loss.KL, plain.Loss.KLCoef
		if objective != plain.Loss || plug.Protocol != plain.Protocol {
			t.Errorf("%s: %+v and %+v over %s: %+v and %+v", method, plug.Loss, plug.Protocol, base, plain.Loss, plain.Protocol)
		}
		if plug.Loss.KL != setpoLoss.KL || plug.Loss.KLCoef != setpoLoss.KLCoef {
			t.Errorf("%s: the divergence is %g times %s", method, plug.Loss.KLCoef, plug.Loss.KL)
		}
	}
}
