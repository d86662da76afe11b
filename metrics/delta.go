package metrics

// A Delta is the smallest difference in a metric that matters: two methods that are closer
// count as no different, and experiments are planned to see a difference as large.
type Delta struct {
	Size float64 // in the unit of the metric, above 0
	Why  string
}

// Deltas that several metrics share. A delta is about a twentieth of the way from a base policy to
// the best that a policy could reach, in the median over the environments and settings of the
// built-in specs (distances in parentheses), rounded to 1, 2 or 5 times a power of ten, or a
// quarter. So two methods may differ by one delta nineteen times before one of them has won it all.
var (
	shareDelta  = Delta{0.02, "a fiftieth of the range from 0 to 1; a twentieth of the way from base to optimum is .014 (pass@k) to .04 (front_coverage)"}
	countDelta  = Delta{0.25, "one mode more on every fourth problem; a base policy has 3.4 distinct correct ones, of 4 to 24"}
	manyDelta   = Delta{0.5, "one more on every second problem; a base policy has about ten"}
	rewardDelta = Delta{0.02, "a fiftieth of the range of w*.r; a twentieth of the way from base to optimum is .01 to .03"}
	natsDelta   = Delta{0.1, "a tenth of a nat, a factor of 1.1 in the number of equally likely modes; a base policy has 2.1"}
)
