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
}

// Descriptions lists all metrics that a Table can give by itself, those that
// depend on k ("best@k") first. The package comment has the details.
func Descriptions() []Description {
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
)

var described = []Description{
	{Name: "pass", Doc: "probability of a correct answer among k"},
	{Name: "best", Doc: "expected highest scalar reward w*.r among k answers"},
	{Name: "best_first", Doc: "highest scalar reward among the first k answers drawn (S_k of VPO sec. 4.3)"},
	{Name: "ew_best", Doc: "best@k averaged over random scalarisations w ~ Dir(1)", Vectors: true},
	{Name: "regret", Doc: "highest scalar reward on the exact Pareto front, less best@k"},
	{Name: "coverage", Doc: "expected distinct correct modes among k answers, over the most there could be"},
	{Name: "front_coverage", Doc: "expected distinct vectors of the exact Pareto front among k answers, over the most there could be", Vectors: true},

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
}
