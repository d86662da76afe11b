package metrics

// A Description says what a metric is.
type Description struct {
	Name string // "accuracy"; "best" of best@k is "best@k"
	Doc  string // one line
	// Vectors says that the metric is of reward vectors: it takes two components
	// or more.
	Vectors bool
	// Variants says that the metric is of variants, which not every environment
	// has.
	Variants bool
	// Pools says that the metric is of pools alone: exact distributions have none.
	Pools bool
	// Group is what Options.Groups has to hold for it; 0: nothing.
	Group Groups
}

// descriptions lists all metrics that a Table can give by itself, those that
// depend on k ("best@k") first. The package comment has the details.
func descriptions() []Description {
	var out []Description
	for i, d := range described {
		if i < int(families) {
			d.Name += "@k"
		}
		out = append(out, d)
	}
	return out
}

// A family is a metric that depends on k.
type family int

// The families in the order of described.
const (
	passAt family = iota
	bestAt
	bestFirstAt
	ewBestAt
	regretAt
	coverageAt
	frontCoverageAt
	majorityAt
	majorityShareAt
	families // how many there are
)

// A plainMetric does not depend on k.
type plainMetric int

// The metrics without k in the order of described, after the families.
const (
	accuracy plainMetric = iota
	meanReward
	distinctCorrect
	distinctIncorrect
	entropyMode
	entropySequence
	modesAlive
	correctModesAlive
	rewardL1
	rewardL1Correct
	rhoBar
	hypervolume
	distinctVariants
	diversityWidth
	averageMode
	finalAccuracy
	strategyAccuracy
	strategies
	div
	uniq
	redundancy
	setpoDiversity
	vendi
	chainDiv
	chainUniq
	chainRedundancy
)

var described = []Description{
	{Name: "pass", Doc: "probability of a correct answer among k"},
	{Name: "best", Doc: "expected highest scalar reward w*.r among k answers"},
	{Name: "best_first", Doc: "highest scalar reward among the first k answers drawn (S_k of VPO sec. 4.3)"},
	{Name: "ew_best", Doc: "best@k averaged over random scalarisations w ~ Dir(1)", Vectors: true},
	{Name: "regret", Doc: "highest scalar reward on the exact Pareto front, less best@k"},
	{Name: "coverage", Doc: "expected distinct correct modes among k answers, over the most there could be"},
	{Name: "front_coverage", Doc: "expected distinct vectors of the exact Pareto front among k answers, over the most there could be", Vectors: true},
	{Name: "maj", Doc: "probability that the majority's answer among k rollouts is correct, ties split equally", Group: Votes},
	{Name: "majority_share", Doc: "expected share of k rollouts that give the majority's answer", Group: Votes},

	{Name: "accuracy", Doc: "probability of a correct answer"},
	{Name: "reward", Doc: "expected scalar reward w*.r"},
	{Name: "distinct_correct", Doc: "expected distinct correct modes in a pool"},
	{Name: "distinct_incorrect", Doc: "expected distinct incorrect modes in a pool"},
	{Name: "entropy_mode", Doc: "entropy over modes, nats"},
	{Name: "entropy_sequence", Doc: "entropy over rollouts, nats"},
	{Name: "modes_alive", Doc: "modes with more than 2% of the probability"},
	{Name: "correct_modes_alive", Doc: "modes whose correct answers have more than 2% of the probability"},
	{Name: "reward_l1", Doc: "mean L1 distance between the reward vectors of two answers of a pool", Vectors: true},
	{Name: "reward_l1_correct", Doc: "mean L1 distance between the reward vectors of two correct answers of a pool", Vectors: true},
	{Name: "rho_bar", Doc: "mean correlation between two components of the reward, over the answers to all problems", Vectors: true},
	{Name: "hypervolume", Doc: "volume that the reward vectors of a pool dominate, over that of the exact Pareto front", Vectors: true, Pools: true},
	{Name: "distinct_variants", Doc: "expected distinct variants of correct answers in a pool", Variants: true},
	{Name: "diversity_width", Doc: "share of problems with two distinct variants of correct answers or more in a pool", Variants: true, Pools: true},
	{Name: "average_mode", Doc: "distinct variants of correct answers in a pool, over the problems that have two or more", Variants: true, Pools: true},
	{Name: "final_accuracy", Doc: "probability that a rollout's final answer is correct (SD-E2's ACC)", Group: Rollouts},
	{Name: "strategy_accuracy", Doc: "probability that some answer of a rollout is correct (SD-E2's S-ACC)", Group: Rollouts},
	{Name: "strategies", Doc: "expected valid strategies of a rollout, copies counted once (SD-E2's #STR)", Group: Rollouts},
	{Name: "div", Doc: "1 less the mean cosine of two answers of a pool (Div of SD-E2)", Group: Embeddings},
	{Name: "uniq", Doc: "answers of a pool that repeat no earlier one (Uniq of SD-E2)", Group: Embeddings, Pools: true},
	{Name: "redundancy", Doc: "share of pairs of answers of a pool that repeat each other (RR of SD-E2)", Group: Embeddings},
	{Name: "setpo_diversity", Doc: "SetPO's diversity of a set, D", Group: Embeddings},
	{Name: "vendi", Doc: "Vendi score: effective number of different answers", Group: Embeddings},
	{Name: "chain_div", Doc: "div within a rollout", Group: Embeddings},
	{Name: "chain_uniq", Doc: "uniq within a rollout", Group: Embeddings},
	{Name: "chain_redundancy", Doc: "redundancy within a rollout", Group: Embeddings},
}
