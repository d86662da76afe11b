package sets

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/subsets"
	"modebench/internal/each"
)

// A setObjective is a quality f of a set of n rollouts that does not depend on their order.
type setObjective struct {
	name  string // in the field objective of set-rl
	score setScore
	modes setModes
	// value is the definition of f, from the members' scores and the number of modes that count.
	value func(scores []float64, distinct int) float64
	// closed writes the marginal advantages over all sets of n.
	closed func(e *setAdvantage, dst, scores []float64, n int)
}

// setScore is the score of a rollout that an objective reads beside its mode.
type setScore uint8

const (
	rewardScore  setScore = iota // the scalar reward
	correctScore                 // 1 where correct, else 0
	noScore                      // nothing
)

// setModes names the rollouts whose modes an objective counts; degenerate rollouts have no mode.
type setModes uint8

const (
	noModes      setModes = iota // it looks at scores alone
	allModes                     // of every member
	correctModes                 // of the members with a score above 0
)

// setObjectives lists the objectives in the order of messages.
var setObjectives = []setObjective{
	{"polychromic", rewardScore, allModes, // mean reward * distinct modes / n (Poly-EPO eqs. 10, 11)
		polychromic,
		func(e *setAdvantage, dst, scores []float64, n int) { e.product(dst, scores, n, 1/float64(n*n)) }},
	{"polychromic-ppo", rewardScore, allModes, // the same, but 0 for a set of a single mode (Polychromic PPO, 2509.25424)
		func(scores []float64, distinct int) float64 {
			if distinct < 2 {
				return 0
			}
			return polychromic(scores, distinct)
		},
		(*setAdvantage).severalModes},
	{"polychromic-max", rewardScore, allModes, // largest reward * distinct modes / n
		func(scores []float64, distinct int) float64 {
			return slices.Max(scores) * float64(distinct) / float64(len(scores))
		},
		(*setAdvantage).largestTimesModes},
	{"mean", rewardScore, noModes, // mean reward
		func(scores []float64, _ int) float64 { return estimators.Mean(scores) },
		func(_ *setAdvantage, dst, scores []float64, n int) { meanScore(dst, scores, n, 1/float64(n)) }},
	{"max", rewardScore, noModes, largest, best}, // largest reward (Poly-EPO sec. 5.1)
	{"min", rewardScore, noModes, least, worst},  // smallest reward
	{"distinct", noScore, allModes, distinctShare, distinctModes},
	{"distinct-correct", correctScore, correctModes, distinctShare, distinctModes}, // those of the correct members
	{"pass", correctScore, noModes, largest, best},                                 // 1 if any is correct (pass@n)
	{"all", correctScore, noModes, least, worst},                                   // 1 if all are correct (pass^n)
	{"majority", correctScore, noModes, // 1 if more than half are correct
		func(scores []float64, _ int) float64 {
			return estimators.Indicator(2*estimators.Total(scores) > float64(len(scores)))
		},
		(*setAdvantage).majority},
}

func polychromic(scores []float64, distinct int) float64 {
	return estimators.Total(scores) * float64(distinct) / float64(len(scores)*len(scores))
}

func largest(scores []float64, _ int) float64 { return slices.Max(scores) }
func least(scores []float64, _ int) float64   { return slices.Min(scores) }
func distinctShare(scores []float64, distinct int) float64 {
	return float64(distinct) / float64(len(scores))
}
func best(e *setAdvantage, dst, scores []float64, n int)     { e.ranks.marginal(dst, scores, n, 1) }
func worst(e *setAdvantage, dst, scores []float64, n int)    { e.ranks.marginal(dst, scores, n, -1) }
func distinctModes(e *setAdvantage, dst, _ []float64, n int) { e.countModes(dst, n, 1/float64(n)) }

func setObjectiveNames() []string {
	return each.Map(setObjectives, func(f setObjective) string { return f.name })
}

// findSetObjective returns the objective of that name, or nil.
func findSetObjective(name string) *setObjective {
	i := slices.IndexFunc(setObjectives, func(f setObjective) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &setObjectives[i]
}

// requirements are those of the marginal advantage over sets of n.
func (f *setObjective) requirements(n int) estimators.Requirements {
	var fields envs.Fields
	switch f.score {
	case rewardScore:
		fields = envs.HasReward
	case correctScore:
		fields = envs.HasCorrect
	}
	if f.modes != noModes {
		fields |= envs.HasMode
	}
	return estimators.Requirements{CandidateFields: fields, MinGroup: n, TrainGroup: n + 1, NoPenalty: f.score != rewardScore}
}

// objectiveTarget is the expectation of a set objective over n answers (Poly-EPO sec. 3).
func objectiveTarget(i *estimators.Instance, f *setObjective, n int, s estimators.TargetSetting) (estimators.Target, error) {
	scores, err := i.Scores(s, s.Weights)
	if f.score != rewardScore {
		scores = estimators.Correctness(s.Answers)
	}
	var counted []float64
	if f.modes == correctModes {
		counted = scores
	}
	var members []float64
	worth := func(counts []int) (float64, error) {
		distinct := 0
		members = members[:0]
		for a, c := range counts {
			for range c {
				members = append(members, scores[a])
			}
			if c > 0 && f.modes != noModes && estimators.NewMode(s.Answers, counts, a, counted) {
				distinct++
			}
		}
		return f.value(members, distinct), nil
	}
	return estimators.Target{Name: fmt.Sprintf("%s of %d", f.name, n), Terms: []estimators.TargetTerm{{Weight: 1, Draws: n, Worth: worth}}}, err
}

func checkSetSize(field string, size, group int) error {
	if size < 1 || size > group {
		return fmt.Errorf("%s = %d, want from 1 to at most the %d rollouts of the group", field, size, group)
	}
	return nil
}

// drawsSome reports whether a group has more sets of n than are to be drawn; draw = 0 is all sets.
func drawsSome(size, n, draw int) bool { return draw > 0 && subsets.Count(size, n, draw) > draw }
