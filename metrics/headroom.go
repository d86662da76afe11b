package metrics

import "slices"

// HeadroomMetric is the gain of a search over the largest pool against a single answer.
const HeadroomMetric = "headroom"

func init() {
	register(Metric{rank: 360, Name: HeadroomMetric, Doc: "best@K - best@1 at the largest K; where k lists 1", Detail: "reward units, >= 0",
		Label: "headroom", Unit: "best@K − best@1", Axis: AxisFromZero, Delta: rewardDelta, Setting: "k", whole: (*Table).headroom})
}

// headroom is best@K - best@1 at the largest K. The optimum has one best reward, whatever the k,
// and no headroom.
func (t *Table) headroom() (value float64, problems int) {
	if t.optimum || !slices.Contains(t.opt.K, 1) {
		return 0, 0
	}
	single, largest := &t.rows[t.row["best@1"]], &t.rows[t.row[atK("best", slices.Max(t.opt.K))]]
	return largest.sum/float64(largest.problems) - single.sum/float64(single.problems), single.problems
}
