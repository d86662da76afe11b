package metrics

import "strings"

// A Delta is the smallest difference in a metric that matters: two methods that are closer
// count as no different, and experiments are planned to see one that is as large.
type Delta struct {
	Size float64 // in the unit of the metric, above 0
	Why  string
}

// The deltas are about a twentieth of the way from a base policy to the best that a policy
// could reach, in the median over the environments and settings of the built-in specs
// (distances in parentheses), rounded to 1, 2 or 5 times a power of ten, or a quarter. So
// two methods may differ by one delta nineteen times before one of them has won it all.
var (
	shareDelta    = Delta{0.02, "a fiftieth of the range from 0 to 1; a twentieth of the way from base to optimum is .014 (pass@k) to .04 (front_coverage)"}
	countDelta    = Delta{0.25, "one mode more on every fourth problem; a base policy has 3.4 distinct correct ones, of 4 to 24"}
	manyDelta     = Delta{0.5, "one more on every second problem; a base policy has about ten"}
	rewardDelta   = Delta{0.02, "a fiftieth of the range of w*.r; a twentieth of the way from base to optimum is .01 to .03"}
	crossingDelta = Delta{0.5, "half a doubling: a factor of 1.4 in k"}
	natsDelta     = Delta{0.1, "a tenth of a nat, a factor of 1.1 in the number of equally likely modes; a base policy has 2.1"}
)

// deltas are by family, without "@k".
var deltas = map[string]Delta{
	"pass": shareDelta, "coverage": shareDelta, "front_coverage": shareDelta, "maj": shareDelta, "majority_share": shareDelta,
	"accuracy": shareDelta, "diversity_width": shareDelta, "final_accuracy": shareDelta, "strategy_accuracy": shareDelta,
	"hypervolume": shareDelta, "div": shareDelta, "redundancy": shareDelta, "chain_div": shareDelta, "chain_redundancy": shareDelta,
	"setpo_diversity": shareDelta, "search_pass": shareDelta,
	"best": rewardDelta, "best_first": rewardDelta, "ew_best": rewardDelta, "regret": rewardDelta, "reward": rewardDelta,
	HeadroomMetric: rewardDelta, "search": rewardDelta,
	"distinct_correct": countDelta, "modes_alive": countDelta, "correct_modes_alive": countDelta, BranchFamily: countDelta,
	"vendi": countDelta, "uniq": countDelta,
	"distinct_incorrect": manyDelta, "distinct_variants": manyDelta, "average_mode": manyDelta,
	"strategies":   {0.1, "one strategy more in every tenth rollout; a base policy has 1.4"},
	"chain_uniq":   {0.1, "one answer more in every tenth rollout; a base policy has 1.4"},
	"entropy_mode": natsDelta, "entropy_sequence": natsDelta,
	"kl":            natsDelta,
	"entropy_token": {0.01, "a hundredth of a nat a token, a tenth of one over an answer of ten tokens"},
	"reward_l1":     {0.05, "a twentieth of the range of one component; a base policy has .7"}, "reward_l1_correct": {0.05, "a twentieth of the range of one component; a base policy has .4"},
	"rho_bar": {0.05, "a fortieth of the range from -1 to 1"},
	"tokens":  {1, "one token a rollout"}, TokensRightMetric: {1, "one token a rollout"}, TokensWrongMetric: {1, "one token a rollout"},
	"clipped": shareDelta, "corrected": shareDelta,
	"log_ratio": {0.02, "a fiftieth of a nat, a tenth of the usual clip"},
	LostMetric:  shareDelta, GainedMetric: shareDelta, PassAreaMetric: shareDelta, "cover_10": shareDelta, "cover_50": shareDelta, "cover_90": shareDelta,
	LostMetric + NullSuffix: shareDelta, GainedMetric + NullSuffix: shareDelta, CrossingMetric + NullSuffix: crossingDelta,
	LawAMetric: {0.01, "a tenth of the slope of GRPO on Countdown"}, LawBMetric: shareDelta, LawR2Metric: {0.05, "a twentieth of the range from 0 to 1"}, LawErrorMetric: shareDelta,
	CrossingMetric: crossingDelta, UnsolvedMetric: manyDelta,
	DrawnMetric:    {1000, "a thousand tokens; the bandit's default training draws 24,000"},
	CollapseMetric: {10, "ten steps; specs train for 100 to 1000"},
}

// DeltaOf is the delta of a metric by its name: "pass@16" has that of "pass". It is false
// for a name that is no metric's.
func DeltaOf(metric string) (Delta, bool) {
	family, _, _ := strings.Cut(metric, "@")
	d, ok := deltas[family]
	return d, ok
}
