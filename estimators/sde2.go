package estimators

import (
	"modebench/envs"
	"modebench/estimators/loss"
)

// SDE2 rewards chains of strategies that are semantically different from one another, until one of them
// is right (SD-E2 sec. 3.3, app. B). Its components are
//
//	R_oc = lambda_oc [final answer right]                          (eq. 16)
//	R_re = lambda_re chi                                           (eq. 19; eq. 39 drops chi)
//	R_sd = bonus chi + (1 - chi) min(beta, rho Uniq(H; delta) Div(H))  (eq. 17)
//	R_fa = min(1, gamma_s n) + gamma_a final + gamma_c [n > 0] final   (eq. 22)
//
// with the number n of valid strategies of the chain, chi = 1 if one of its outcomes is correct,
// final = 1 if it has a final answer, and H, Div and Uniq of type reasonings. A final answer is right if
// some candidate of the group that gives it is correct. An exact copy of an earlier candidate of the
// chain is dropped first, unless duplicates is keep.
//
// Each component is z-scored over all trained rollouts of the batch before it is weighted and added
// (eqs. 27-30). The advantage is GRPO's of the sums (eqs. 31-32).
//
// The paper sets alpha = bonus to 1, names the betas and rhos it tried but not those it took, and gives
// no lambdas or gammas. At rho 0.1 it takes 5 orthogonal strategies to reach the cap 0.5.
type SDE2 struct {
	scheme
	outcome
	exploitation
	exploration
	adherence
	Delta    float64 `param:"delta" doc:"Uniq counts a reasoning whose cosine with those counted before is at most this" min:"-1" max:"1" when:"w_sd>0,beta>0,rho>0,train.candidates>1"`
	WeightSD float64 `param:"w_sd" doc:"weight of semantic exploration R_sd" min:"0" when:"bonus>0|beta>0,bonus>0|rho>0"`

	reasonings reasonings
}

func (e *SDE2) Requirements() Requirements {
	n := e.scheme.Requirements()
	n.CandidateFields |= envs.HasEmbedding
	return n
}

func (e *SDE2) Advantages(dst [][]float64, b *Batch) error {
	return e.advantages(dst, b, func(strategies []*envs.Verdict, c *chain) error {
		if err := e.reasonings.gather(strategies); err != nil {
			return err
		}
		c.novelty = float64(e.reasonings.unique(e.Delta)) * e.reasonings.diversity()
		return nil
	}, []component{
		{e.WeightOC, e.outcome.reward},
		{e.WeightRE, e.exploitation.reward},
		{e.WeightSD, func(c *chain) float64 { return e.exploration.reward(c, c.novelty) }},
		{e.WeightFA, e.adherence.reward},
	})
}

// CFEE is GRPO-CFEE, the baseline of SD-E2 that explores by counting strategies
// instead of comparing them (SD-E2 app. C): SDE2 with, in place of R_sd,
//
//	R_rd = bonus chi + (1 - chi) min(beta, rho n)  (eq. 48)
//
// As under SD-E2, each component is z-scored over the batch before it is weighted, and
// exact copies are dropped.
type CFEE struct {
	scheme
	outcome
	exploitation
	exploration
	adherence
	WeightRD float64 `param:"w_rd" doc:"weight of exploration by count R_rd" min:"0" when:"bonus>0|beta>0,bonus>0|rho>0"`
}

func (e *CFEE) Advantages(dst [][]float64, b *Batch) error {
	return e.advantages(dst, b, nil, []component{
		{e.WeightOC, e.outcome.reward},
		{e.WeightRE, e.exploitation.reward},
		{e.WeightRD, func(c *chain) float64 { return e.exploration.reward(c, float64(c.strategies)) }},
		{e.WeightFA, e.adherence.reward},
	})
}

// CFL is GRPO-CFL, the baseline of SD-E2 that rewards outcomes: correctness, format
// and length (SD-E2 eq. 24), "with the same batchwise z-score normalization",
//
//	w_oc R_oc + w_fa R_fa + w_l R_L,  R_L = -min(1, max(0, tokens - length) / length)
//
// R_oc and R_fa are those of SDE2. Each component is z-scored over the batch before it
// is weighted, and exact copies are dropped.
//
// For R_L the paper refers to its app. F, which does not have it; this one is the
// simplest mild penalty that is 0 up to a length and bounded like the others.
type CFL struct {
	scheme
	outcome
	adherence
	Length  float64 `param:"length" doc:"tokens of a whole chain up to which R_L is 0; at twice as many it is -1. Three answers of the multiplication environment have about 130" min:"1" when:"w_l>0"`
	WeightL float64 `param:"w_l" doc:"weight of the length penalty R_L" min:"0"`
}

func (e *CFL) Requirements() Requirements {
	n := e.scheme.Requirements()
	n.RolloutFields |= RolloutTokens
	return n
}

func (e *CFL) Advantages(dst [][]float64, b *Batch) error {
	return e.advantages(dst, b, nil, []component{
		{e.WeightOC, e.outcome.reward},
		{e.WeightFA, e.adherence.reward},
		{e.WeightL, func(c *chain) float64 {
			return -min(max(float64(c.tokens)-e.Length, 0)/e.Length, 1)
		}},
	})
}

// outcome is R_oc, outcome correctness.
type outcome struct {
	LambdaOC float64 `param:"lambda_oc" doc:"R_oc of a right final answer" min:"0" when:"w_oc>0"`
	WeightOC float64 `param:"w_oc" doc:"weight of outcome correctness R_oc" min:"0" when:"lambda_oc>0"`
}

func (o *outcome) reward(c *chain) float64 { return float64(o.LambdaOC * Indicator(c.right)) }

// exploitation is R_re, reasoning exploitation.
type exploitation struct {
	LambdaRE float64 `param:"lambda_re" doc:"R_re of a chain with a correct outcome" min:"0" when:"w_re>0"`
	WeightRE float64 `param:"w_re" doc:"weight of reasoning exploitation R_re" min:"0" when:"lambda_re>0"`
}

func (x *exploitation) reward(c *chain) float64 { return float64(x.LambdaRE * Indicator(c.solved)) }

// exploration is the common part of R_sd and R_rd: it grows with an extent up to a cap until
// an outcome is correct, and is a bonus from then on.
type exploration struct {
	Bonus float64 `param:"bonus" doc:"alpha, the exploration reward of a chain with a correct outcome" min:"0"`
	Beta  float64 `param:"beta" doc:"the most that exploring earns where no outcome is correct" min:"0"`
	Rho   float64 `param:"rho" doc:"what it earns for each unit explored: Uniq * Div, or a valid strategy" min:"0"`
}

func (x *exploration) reward(c *chain, extent float64) float64 {
	if c.solved {
		return x.Bonus
	}
	return min(x.Beta, float64(x.Rho*extent))
}

// adherence is R_fa, format adherence.
type adherence struct {
	GammaS   float64 `param:"gamma_s" doc:"R_fa of each valid strategy, together at most 1" min:"0" when:"w_fa>0"`
	GammaA   float64 `param:"gamma_a" doc:"R_fa of a final answer" min:"0" when:"w_fa>0"`
	GammaC   float64 `param:"gamma_c" doc:"R_fa of a final answer after a valid strategy" min:"0" when:"w_fa>0"`
	WeightFA float64 `param:"w_fa" doc:"weight of format adherence R_fa" min:"0" when:"gamma_s>0|gamma_a>0|gamma_c>0"`
}

func (a *adherence) reward(c *chain) float64 {
	final, complete := Indicator(c.final), Indicator(c.final && c.strategies > 0)
	return min(1, float64(a.GammaS*float64(c.strategies))) + float64(a.GammaA*final) + float64(a.GammaC*complete)
}

// exploring are the conditions of the fields of an exploration whose weight is this field, with those
// of scheme. No tag of exploration can state them: the weight is a field of the embedding type.
func exploring(weight string) map[string]string {
	return map[string]string{
		"ddof": "", "epsilon": "", "bonus": weight + ">0", "beta": weight + ">0,rho>0", "rho": weight + ">0,beta>0",
	}
}

func (*SDE2) when() map[string]string { return exploring("w_sd") }
func (*CFEE) when() map[string]string { return exploring("w_rd") }

// sde2Loss is SD-E2's loss (eqs. 33-37): one ratio for a whole completion and the
// exact divergence, summed over its tokens. Its coefficient is tuned over 0.01,
// 0.02, 0.05, 0.1 and the choice not given; the clip range is not given either.
var sde2Loss = loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "sequence", Aggregation: "seq-mean-token-sum", KL: "exact", KLCoef: 0.02}

// The common settings of SD-E2 and its baselines: all weights 1 (sec. 4.2), alpha 1, and the
// middle ones of the betas and rhos tried (table 4). The lambdas and gammas are not
// given: 1, so that every outcome counts alike, and a format reward of at most 2,
// half of it for four valid strategies.
var (
	sde2Scheme       = scheme{GRPO: ZScore, Duplicates: "drop"}
	sde2Outcome      = outcome{LambdaOC: 1, WeightOC: 1}
	sde2Exploitation = exploitation{LambdaRE: 1, WeightRE: 1}
	sde2Exploration  = exploration{Bonus: 1, Beta: 0.5, Rho: 0.1}
	sde2Adherence    = adherence{GammaS: 0.25, GammaA: 0.5, GammaC: 0.5, WeightFA: 1}
)

var schemeProperties = Properties{
	ShiftInvariant: true, Scale: Invariant, ZeroSum: true, AcrossGroups: true, VotersMatter: true, MovesEqualRewards: true,
	Why: "a z-score of rewards of their own, normalised over the batch; a rollout that only votes can show which final answer is right",
}

// SD-E2 and its two baselines. A chain may stop after any of its strategies.
func init() {
	for i, m := range []Method{{
		Name: "sd-e2", Source: "SD-E2 secs. 3.2-3.3, eqs. 13-23, 27-32",
		Summary: "correct outcomes, format, and semantic diversity of a chain's strategies until one is right",
		Estimator: From(SDE2{
			scheme: sde2Scheme, outcome: sde2Outcome, exploitation: sde2Exploitation, exploration: sde2Exploration,
			adherence: sde2Adherence, Delta: 0.8, WeightSD: 1,
		}),
	}, {
		Name: "grpo-cfl", Source: "SD-E2 sec. 4.3, eq. 24",
		Summary:   "SD-E2's outcome-driven baseline: correctness, format, length",
		Estimator: From(CFL{scheme: sde2Scheme, outcome: sde2Outcome, adherence: sde2Adherence, Length: 128, WeightL: 1}),
	}, {
		Name: "grpo-cfee", Source: "SD-E2 app. C, eqs. 46-48",
		Summary: "SD-E2's explore-exploit baseline: strategies are counted, not compared",
		Estimator: From(CFEE{
			scheme: sde2Scheme, outcome: sde2Outcome, exploitation: sde2Exploitation, exploration: sde2Exploration,
			adherence: sde2Adherence, WeightRD: 1,
		}),
	}} {
		m.Trains, m.Candidates, m.Stops, m.Loss = true, 3, true, sde2Loss
		m.Properties, m.Target = schemeProperties, NoTarget("its rewards are normalised over the batch before they are added")
		Register(StrategyChains, 10*(i+1), m)
	}
}
