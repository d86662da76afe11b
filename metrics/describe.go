package metrics

// A Description says what a metric is.
type Description struct {
	Name string // "accuracy"; "best" of best@k is "best@k"
	Doc  string // one line
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
	{"pass", "probability of a correct answer among k"},
	{"best", "expected highest scalar reward w*.r among k answers"},
	{"best_first", "highest scalar reward among the first k answers drawn (S_k of VPO sec. 4.3)"},
	{"ew_best", "best@k averaged over random scalarisations w ~ Dir(1)"},
	{"regret", "highest scalar reward on the exact Pareto front, less best@k"},
	{"coverage", "expected distinct correct modes among k answers, over the most there could be"},
	{"front_coverage", "expected distinct vectors of the exact Pareto front among k answers, over the most there could be"},

	{"accuracy", "probability of a correct answer"},
	{"reward", "expected scalar reward w*.r"},
	{"distinct_correct", "expected distinct correct modes in a pool"},
	{"distinct_incorrect", "expected distinct incorrect modes in a pool"},
	{"entropy_mode", "entropy over modes, nats"},
	{"entropy_sequence", "entropy over rollouts, nats"},
	{"modes_alive", "modes with more than 2% of the probability"},
	{"correct_modes_alive", "modes whose correct answers have more than 2% of the probability"},
	{"reward_l1", "mean L1 distance between the reward vectors of two answers of a pool"},
	{"reward_l1_correct", "mean L1 distance between the reward vectors of two correct answers of a pool"},
	{"rho_bar", "mean correlation between two components of the reward, over the answers to all problems"},
	{"hypervolume", "volume that the reward vectors of a pool dominate, over that of the exact Pareto front"},
}
