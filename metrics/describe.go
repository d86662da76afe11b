package metrics

// A Description says what a metric is.
type Description struct {
	Name string // "accuracy"; "best" of best@k is "best@k"
	Doc  string // one line
	// Vectors says that the metric is of reward vectors: it takes two components
	// or more.
	Vectors bool
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
)

var described = []Description{
	{"pass", "probability of a correct answer among k", false},
	{"best", "expected highest scalar reward w*.r among k answers", false},
	{"best_first", "highest scalar reward among the first k answers drawn (S_k of VPO sec. 4.3)", false},
	{"ew_best", "best@k averaged over random scalarisations w ~ Dir(1)", true},
	{"regret", "highest scalar reward on the exact Pareto front, less best@k", false},
	{"coverage", "expected distinct correct modes among k answers, over the most there could be", false},
	{"front_coverage", "expected distinct vectors of the exact Pareto front among k answers, over the most there could be", true},

	{"accuracy", "probability of a correct answer", false},
	{"reward", "expected scalar reward w*.r", false},
	{"distinct_correct", "expected distinct correct modes in a pool", false},
	{"distinct_incorrect", "expected distinct incorrect modes in a pool", false},
	{"entropy_mode", "entropy over modes, nats", false},
	{"entropy_sequence", "entropy over rollouts, nats", false},
	{"modes_alive", "modes with more than 2% of the probability", false},
	{"correct_modes_alive", "modes whose correct answers have more than 2% of the probability", false},
	{"reward_l1", "mean L1 distance between the reward vectors of two answers of a pool", true},
	{"reward_l1_correct", "mean L1 distance between the reward vectors of two correct answers of a pool", true},
	{"rho_bar", "mean correlation between two components of the reward, over the answers to all problems", true},
	{"hypervolume", "volume that the reward vectors of a pool dominate, over that of the exact Pareto front", true},
}
