package estimators

// sde2 is SD-E2's objective (eqs. 33-37): one ratio for a whole completion and the
// exact divergence, summed over its tokens. Its coefficient is tuned over 0.01,
// 0.02, 0.05, 0.1 and the choice not given; the clip range is not given either.
var sde2 = Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "sequence", Aggregation: "seq-mean-token-sum", KL: "exact", KLCoef: 0.02}

// What SD-E2 and its baselines share: all weights 1 (sec. 4.2), alpha 1, and the
// middle ones of the betas and rhos tried (table 4). The lambdas and gammas are not
// given: 1, so that every outcome counts alike, and a format reward of at most 2,
// half of it for four valid strategies.
var (
	sde2Scheme       = scheme{GRPO: population, Duplicates: "drop"}
	sde2Outcome      = outcome{LambdaOC: 1, WeightOC: 1}
	sde2Exploitation = exploitation{LambdaRE: 1, WeightRE: 1}
	sde2Exploration  = exploration{Bonus: 1, Beta: 0.5, Rho: 0.1}
	sde2Adherence    = adherence{GammaS: 0.25, GammaA: 0.5, GammaC: 0.5, WeightFA: 1}
)

// schemeLaws: nothing is read of rewards, and groups end as z-scores.
var schemeLaws = Laws{
	Shift: true, Scale: Invariant, ZeroSum: true, Coupled: true, Votes: true, Loud: true,
	Why: "a z-score of rewards of their own, normalised over the batch; a rollout that only votes can show which final answer is right",
}

// sde2Methods are SD-E2 and its two baselines. A rollout may stop after any of its
// strategies.
var sde2Methods = []Method{
	{
		Name: "sd-e2", Summary: "correct outcomes, format, and semantic diversity of a chain's strategies until one is right", Trains: true, Candidates: 3, Stops: true,
		Source: "SD-E2 secs. 3.2-3.3, eqs. 13-23, 27-32",
		estimator: func() Estimator {
			return &SDE2{
				scheme: sde2Scheme, outcome: sde2Outcome, exploitation: sde2Exploitation, exploration: sde2Exploration, adherence: sde2Adherence,
				Delta: 0.8, WeightSD: 1,
			}
		},
		objective: sde2,
		Laws:      schemeLaws,
		Aim:       noScheme,
	},
	{
		Name: "grpo-cfl", Summary: "SD-E2's outcome-driven baseline: correctness, format, length", Trains: true, Candidates: 3, Stops: true,
		Source: "SD-E2 sec. 4.3, eq. 24",
		estimator: func() Estimator {
			return &CFL{scheme: sde2Scheme, outcome: sde2Outcome, adherence: sde2Adherence, Length: 128, WeightL: 1}
		},
		objective: sde2,
		Laws:      schemeLaws,
		Aim:       noScheme,
	},
	{
		Name: "grpo-cfee", Summary: "SD-E2's explore-exploit baseline: strategies are counted, not compared", Trains: true, Candidates: 3, Stops: true,
		Source: "SD-E2 app. C, eqs. 46-48",
		estimator: func() Estimator {
			return &CFEE{scheme: sde2Scheme, outcome: sde2Outcome, exploitation: sde2Exploitation, exploration: sde2Exploration, adherence: sde2Adherence, WeightRD: 1}
		},
		objective: sde2,
		Laws:      schemeLaws,
		Aim:       noScheme,
	},
}
