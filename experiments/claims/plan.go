package claims

import (
	"cmp"
	"fmt"
	"math"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// Bounds of a plan: MinPlanned seeds are taken at least, since from fewer an effect of delta is
// called no difference too often where few seeds carry the mean (package stats measures it), and
// each kind of policy has the most that its cells allow in an afternoon.
const (
	MinPlanned     = 20
	MaxTabular     = 40
	MaxTransformer = 20
	// manySeeds represents every number above the limit of stats.PlanAnswer.
	manySeeds = 1<<20 + 1
)

// A ClaimPlan is the number of seeds that a claim needs, by the scatter of a pilot's seeds.
type ClaimPlan struct {
	Claim    string `json:"claim"`
	Settings int    `json:"settings"`
	Testable int    `json:"testable"` // of the settings, in the pilot; 0: the claim is untestable
	// Deviation is that of single seeds, and Delta the smallest effect that matters, at the
	// setting that the number is for. Both are in the unit of the contrast there, or where
	// the claim is about the mean over settings in units of delta.
	Deviation lined.Number `json:"deviation"`
	// OfDraws is the share of the variance there that is between draws of problems, and not
	// between the seeds of one; null where the pilot does not tell.
	OfDraws lined.Number `json:"of_draws"`
	Delta   lined.Number `json:"delta"`
	Tests   int          `json:"tests"`  // that Holm's correction is for
	Wanted  int          `json:"wanted"` // before the bounds of the plan; 0: untestable
}

// Shows is the effect that n seeds show with 90% power, in units of delta: +Inf where so few
// can show none.
func (c ClaimPlan) Shows(n int) float64 {
	return stats.DetectableAnswer(float64(c.Deviation), n, c.Tests) / float64(c.Delta)
}

// Words is the plan in words. n is how many seeds are taken.
func (c ClaimPlan) Words(n int) string {
	if c.Testable == 0 {
		return "untestable at every setting: it needs another setting, or goes"
	}
	text := fmt.Sprintf("wants %d seeds", c.Wanted)
	if c.Wanted == manySeeds {
		text = fmt.Sprintf("wants more than %d seeds", manySeeds-1)
	}
	if c.Wanted > n {
		text += fmt.Sprintf("; %d show %s", n, effectInDeltas(c.Shows(n)))
	}
	return text
}

// effectInDeltas is an effect that seeds show with 90% power, in units of delta, in words.
func effectInDeltas(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "none, however large"
	case math.IsNaN(x):
		return "an effect that is not known"
	}
	return fmt.Sprintf("an effect of %.3g times delta with 90%% power", x)
}

// Plan finds the number of seeds that the claims of a run need, from the seeds of the run, and
// the number to take: that of the claim that needs most, but at least MinPlanned and at most
// the cap. A claim needs enough seeds to find its answer with 90% power, at an effect of delta
// and at no effect (stats.PlanAnswer). That has to hold at all of its testable settings; or in
// their mean, if the claim is about the mean; or at the setting that needs fewest, if the claim
// has to hold at any.
//
// Two seeds that share a draw of problems are not independent. The deviation is then that of future
// seeds, which share no draw: the variance between draws plus that within (analysis of variance).
func Plan(run *record.Run, limit int) (plans []ClaimPlan, seeds int, err error) {
	if limit < MinPlanned {
		return nil, 0, fmt.Errorf("at most %d seeds: a plan takes %d at least", limit, MinPlanned)
	}
	single := *run // seed by seed, whatever they share
	single.Nested = nil
	ends := analysis.NewEnds(&single)
	seeds = MinPlanned
	for _, c := range run.Claims {
		v := Verdict{Claim: c, Settings: settings(run.Variants, c)}
		if err := v.judge(ends, run.Variants); err != nil {
			return nil, 0, fmt.Errorf("claim %s: %w", c.Name, err)
		}
		plan, err := v.plan(ends, run.Nested)
		if err != nil {
			return nil, 0, fmt.Errorf("claim %s: %w", c.Name, err)
		}
		plans, seeds = append(plans, plan), max(seeds, plan.Wanted)
	}
	return plans, min(seeds, limit), nil
}

// plan plans a claim that has been judged by the pilot.
func (v *Verdict) plan(ends analysis.Ends, nested record.Nested) (ClaimPlan, error) {
	list := v.testable()
	all := ClaimPlan{Claim: v.Claim.Name, Settings: len(v.Settings), Testable: len(list), Tests: v.tests()}
	var plans []ClaimPlan
	add := func(contrast []float64, s *Setting, delta float64) error {
		seeds, err := s.seeds(ends)
		if err != nil {
			return err
		}
		deviation, ofDraws := scatter(contrast, seeds[:len(contrast)], nested)
		if math.IsNaN(deviation) {
			return fmt.Errorf("%s has values of one draw of problems alone, and a plan takes two at least", s.Metric)
		}
		plans = append(plans, all.forSeeds(deviation, ofDraws, delta))
		return nil
	}
	var err error
	if v.Claim.Combine == pooled && len(list) > 0 {
		err = add(v.mean(list), list[0], 1)
		list = nil
	}
	for _, s := range list {
		if err == nil {
			err = add(s.Contrast, s, s.unit(v.Claim))
		}
	}
	for i, p := range plans {
		if i == 0 || (p.Wanted > all.Wanted) != (v.Claim.Combine == anyOf) && p.Wanted != all.Wanted {
			all = p
		}
	}
	return all, err
}

// forSeeds is the plan for single seeds of that deviation.
func (c ClaimPlan) forSeeds(deviation, ofDraws, delta float64) ClaimPlan {
	c.Deviation, c.OfDraws, c.Delta = lined.Round(deviation), lined.Round(ofDraws), lined.Round(delta)
	c.Wanted = cmp.Or(stats.PlanAnswer(float64(c.Deviation), float64(c.Delta), c.Tests), manySeeds)
	return c
}

// seeds are those that the values of the setting's contrast are of, in order.
func (s *Setting) seeds(ends analysis.Ends) ([]int, error) {
	sides := map[int]int{} // with a value, by seed
	variants := []record.Variant{s.a}
	if s.B != "" {
		variants = append(variants, s.b)
	}
	for _, v := range variants {
		xs, err := ends.Values(v, s.Metric)
		if err != nil {
			return nil, err
		}
		for i, ref := range v.Cells {
			if !math.IsNaN(xs[i]) {
				sides[ref.Seed]++
			}
		}
	}
	var out []int
	for _, ref := range s.a.Cells {
		if sides[ref.Seed] == len(variants) {
			out = append(out, ref.Seed)
		}
	}
	if len(out) != len(s.Contrast) {
		return nil, fmt.Errorf("%s has %d values for %d seeds", s.Metric, len(s.Contrast), len(out))
	}
	return out, nil
}

// scatter is how seeds scatter that share no draw of problems, estimated from values of these
// seeds, of which some do: their deviation, and the share of the variance that is between
// draws (stats.Components). The deviation is NaN for fewer than two draws, the share where no
// draw has two seeds.
func scatter(xs []float64, seeds []int, nested record.Nested) (deviation, ofDraws float64) {
	if nested == nil {
		return stats.Deviation(xs), math.NaN()
	}
	place := map[int]int{}
	var values [][][]float64
	for i, seed := range seeds {
		draw := nested.Draw(seed)
		if _, known := place[draw]; !known {
			place[draw] = len(values)
			values = append(values, [][]float64{nil})
		}
		bases := values[place[draw]]
		bases[0] = append(bases[0], xs[i])
	}
	switch {
	case len(values) < 2:
		return math.NaN(), math.NaN()
	case len(values) == len(xs):
		return stats.Deviation(xs), math.NaN()
	}
	v := stats.Components(values)
	between, within := v.Problems, v.Training
	if all := between.Variance + within.Variance; all > 0 {
		ofDraws = between.Variance / all
	}
	return math.Sqrt(max(0, between.Raw+within.Raw)), ofDraws
}
