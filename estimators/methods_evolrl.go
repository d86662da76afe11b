package estimators

// labelFree is the protocol of all methods that vote (Evol-RL table 4; TTRL): 64
// rollouts vote, and of these the first are trained on.
var labelFree = Protocol{Votes: 64}

// evolrlObjective is GRPO's objective (Evol-RL eqs. 1-2, tables 4-5) with or without
// the two supporting mechanisms: the higher upper clip, 0.28 for 0.2, and the
// entropy bonus, averaged over the tokens of a sequence first.
func evolrlObjective(clipHigh, entropyCoef float64) Objective {
	return Objective{ClipLow: 0.2, ClipHigh: clipHigh, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", KLCoef: 1e-3, EntropyCoef: entropyCoef}
}

// banded is the novelty reward over either kind of label. The paper writes std(r)
// without a ddof, as in grpo@evol-rl.
func banded(labels string) func() Estimator {
	return func() Estimator {
		return &EvolRL{GRPO: population, Alpha: 0.5, EpsilonNorm: 1e-8, Labels: labels, Fidelity: "paper"}
	}
}

func majorityOnly() Estimator { return &TTRL{GRPO: population} }

var votedLaws = Laws{Shift: true, Scale: Invariant, ZeroSum: true, Ordered: true, Votes: true, Loud: true, Why: "a z-score of what the vote says: no reward is read, and ties go to who came first"}

// evolrlMethods learn without labels: Evol-RL, its ablations (table 2, where a name
// says what is taken away) and what it is held against; and its parts added to
// supervised GRPO (sec. 4.5, where a name says what is added).
var evolrlMethods = []Method{
	{
		Name: "evol-rl", Summary: "majority vote and novelty in bands, clip-higher, entropy bonus: no labels", Trains: true,
		Source:    "Evol-RL sec. 3.2, app. A, tables 4-5",
		estimator: banded("majority"), objective: evolrlObjective(0.28, 0.003), protocol: labelFree,
		Laws: votedLaws,
		Aim:  noLabels,
	},
	{
		Name: "evol-rl-cliphigh", Summary: "Evol-RL without the higher upper clip", Trains: true,
		Source:    "Evol-RL table 2, -ClipHigh",
		estimator: banded("majority"), objective: evolrlObjective(0.2, 0.003), protocol: labelFree,
		Laws: votedLaws,
		Aim:  noLabels,
	},
	{
		Name: "evol-rl-ent", Summary: "Evol-RL without the entropy bonus", Trains: true,
		Source:    "Evol-RL table 2, -Ent",
		estimator: banded("majority"), objective: evolrlObjective(0.28, 0), protocol: labelFree,
		Laws: votedLaws,
		Aim:  noLabels,
	},
	{
		Name: "evol-rl-cliphigh-ent", Summary: "Evol-RL with the novelty alone", Trains: true,
		Source:    "Evol-RL table 2, -ClipHigh-Ent",
		estimator: banded("majority"), objective: evolrlObjective(0.2, 0), protocol: labelFree,
		Laws: votedLaws,
		Aim:  noLabels,
	},
	{
		Name: "evol-rl-novelty", Summary: "Evol-RL without the novelty: TTRL with clip-higher and entropy bonus", Trains: true,
		Source:    "Evol-RL table 2, -Novelty Reward",
		estimator: majorityOnly, objective: evolrlObjective(0.28, 0.003), protocol: labelFree,
		Laws: votedLaws,
		Aim:  noLabels,
	},
	{
		// The published code runs in verl, whose defaults are the sample deviation,
		// the mean over all tokens (of the entropy too) and the dual clip.
		Name: "evol-rl@code", Summary: "Evol-RL as its published code runs", Trains: true,
		Source: "YujunZhou/EVOL-RL, evol_rl.sh and semantic_novelty.py",
		estimator: func() Estimator {
			return &EvolRL{
				GRPO:  GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"},
				Alpha: 0.5, EpsilonNorm: 1e-8, Labels: "majority", Fidelity: "code",
			}
		},
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3, EntropyCoef: 0.003},
		protocol:  labelFree,
		Laws:      votedLaws,
		Aim:       noLabels,
	},
	{
		Name: "ttrl", Summary: "GRPO on agreement with the majority vote: no labels", Trains: true,
		Source:    "Zuo et al. 2025; Evol-RL sec. 4.1, table 4",
		estimator: majorityOnly, objective: evolrlObjective(0.2, 0), protocol: labelFree,
		Laws: votedLaws,
		Aim:  noLabels,
	},
	{
		// Trained under the same label-free setting as the others (app. B.2).
		Name: "self-consistency", Summary: "RLOO on the share of rollouts with the same answer: no labels", Trains: true,
		Source:    "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2",
		estimator: func() Estimator { return &SelfConsistency{RLOO: RLOO{Singleton: "zero"}} },
		objective: evolrlObjective(0.2, 0), protocol: labelFree,
		Laws: Laws{Shift: true, Scale: Invariant, ZeroSum: true, Votes: true, Loud: true, Why: "differences of shares of the vote: no reward is read"},
		Aim:  noLabels,
	},
	{
		Name: "grpo+cliphigh", Summary: "supervised GRPO with Evol-RL's upper clip", Trains: true,
		Source:    "Evol-RL sec. 4.5",
		estimator: zscore(0, 1e-6), objective: evolrlObjective(0.28, 0),
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		Name: "grpo+ent", Summary: "supervised GRPO with Evol-RL's entropy bonus", Trains: true,
		Source:    "Evol-RL sec. 4.5",
		estimator: zscore(0, 1e-6), objective: evolrlObjective(0.2, 0.003),
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		// The full combination less the novelty.
		Name: "grpo+cliphigh+ent", Summary: "supervised GRPO with Evol-RL's upper clip and entropy bonus", Trains: true,
		Source:    "Evol-RL sec. 4.5",
		estimator: zscore(0, 1e-6), objective: evolrlObjective(0.28, 0.003),
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		Name: "grpo+novelty", Summary: "supervised GRPO on Evol-RL's bands, correctness for the majority", Trains: true,
		Source:    "Evol-RL sec. 4.5",
		estimator: banded("correct"), objective: evolrlObjective(0.2, 0),
		Laws: novelLaws,
		Aim:  noBands,
	},
	{
		Name: "grpo+cliphigh+ent+novelty", Summary: "supervised GRPO with all three parts of Evol-RL", Trains: true,
		Source:    "Evol-RL sec. 4.5, GRPO+ClipHigh+Ent+Novelty",
		estimator: banded("correct"), objective: evolrlObjective(0.28, 0.003),
		Laws: novelLaws,
		Aim:  noBands,
	},
}

// novelLaws: the ground truth is no matter of order, and no reward is read.
var novelLaws = Laws{Shift: true, Scale: Invariant, ZeroSum: true, Votes: true, Loud: true, Why: "a z-score of bands that correctness and embeddings make: no reward is read"}
