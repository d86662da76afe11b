package sets

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/subsets"
)

// A setObjective names a quality f of a set of n rollouts that does not depend on
// their order. Value is its definition, which drawn sets are measured by; over all sets
// it has a closed form (overAllSets).
type setObjective string

// The objectives, by the names that the field objective of set-rl takes.
const (
	setPolychromic     setObjective = "polychromic"      // mean reward * distinct modes / n (Poly-EPO eqs. 10, 11)
	setPolychromicPPO  setObjective = "polychromic-ppo"  // the same, but 0 for a set of a single mode (Polychromic PPO, 2509.25424)
	setPolychromicMax  setObjective = "polychromic-max"  // largest reward * distinct modes / n
	setMean            setObjective = "mean"             // mean reward
	setMax             setObjective = "max"              // largest reward (Poly-EPO sec. 5.1)
	setMin             setObjective = "min"              // smallest reward
	setDistinct        setObjective = "distinct"         // distinct modes / n
	setDistinctCorrect setObjective = "distinct-correct" // distinct modes of the correct / n
	setPass            setObjective = "pass"             // 1 if any is correct (pass@n)
	setAll             setObjective = "all"              // 1 if all are correct (pass^n)
	setMajority        setObjective = "majority"         // 1 if more than half are correct
)

// setObjectives lists the objectives in the order of messages.
var setObjectives = []setObjective{
	setPolychromic, setPolychromicPPO, setPolychromicMax, setMean, setMax, setMin,
	setDistinct, setDistinctCorrect, setPass, setAll, setMajority,
}

// setObjectiveNames lists the names that the field objective takes.
func setObjectiveNames() []string {
	var out []string
	for _, f := range setObjectives {
		out = append(out, string(f))
	}
	return out
}

// findSetObjective returns the objective of that name, or "".
func findSetObjective(name string) setObjective {
	if slices.Contains(setObjectives, setObjective(name)) {
		return setObjective(name)
	}
	return ""
}

// value is f of a set, from its members' scores and from how many distinct modes count.
func (f setObjective) value(scores []float64, distinct int) float64 {
	size := len(scores)
	switch f {
	case setPolychromic:
		return estimators.Total(scores) * float64(distinct) / float64(size*size)
	case setPolychromicPPO:
		if distinct < 2 {
			return 0
		}
		return estimators.Total(scores) * float64(distinct) / float64(size*size)
	case setPolychromicMax:
		return slices.Max(scores) * float64(distinct) / float64(size)
	case setMean:
		return estimators.Total(scores) / float64(size)
	case setDistinct, setDistinctCorrect:
		return float64(distinct) / float64(size)
	case setMax, setPass:
		return slices.Max(scores)
	case setMin, setAll:
		return slices.Min(scores)
	case setMajority:
		return estimators.Indicator(2*estimators.Total(scores) > float64(size))
	}
	return math.NaN()
}

// setScore is the score of a rollout that an objective reads beside its mode.
type setScore uint8

const (
	rewardScore  setScore = iota // the scalar reward
	correctScore                 // 1 where correct, else 0
	noScore                      // nothing
)

func (f setObjective) score() setScore {
	switch f {
	case setDistinct:
		return noScore
	case setDistinctCorrect, setPass, setAll, setMajority:
		return correctScore
	}
	return rewardScore
}

// setModes names the rollouts whose modes an objective counts; degenerate rollouts have no mode.
type setModes uint8

const (
	noModes      setModes = iota // it looks at scores alone
	allModes                     // of every member
	correctModes                 // of the members with a score above 0
)

func (f setObjective) modes() setModes {
	switch f {
	case setPolychromic, setPolychromicPPO, setPolychromicMax, setDistinct:
		return allModes
	case setDistinctCorrect:
		return correctModes
	}
	return noModes
}

// requirements are those of the marginal advantage over sets of n.
func (f setObjective) requirements(n int) estimators.Requirements {
	var fields envs.Fields
	switch f.score() {
	case rewardScore:
		fields = envs.HasReward
	case correctScore:
		fields = envs.HasCorrect
	}
	if f.modes() != noModes {
		fields |= envs.HasMode
	}
	return estimators.Requirements{CandidateFields: fields, MinGroup: n, TrainGroup: n + 1, NoPenalty: f.score() != rewardScore}
}

// objectiveTarget is the expectation of a set objective over n answers (Poly-EPO sec. 3).
func objectiveTarget(i *estimators.Instance, f setObjective, n int, s estimators.TargetSetting) (estimators.Target, error) {
	scores, err := i.Scores(s, s.Weights)
	if f.score() != rewardScore {
		scores = estimators.Correctness(s.Answers)
	}
	var counted []float64
	if f.modes() == correctModes {
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
			if c > 0 && f.modes() != noModes && estimators.NewMode(s.Answers, counts, a, counted) {
				distinct++
			}
		}
		return f.value(members, distinct), nil
	}
	return estimators.Target{Name: fmt.Sprintf("%s of %d", f, n), Terms: []estimators.TargetTerm{{Weight: 1, Draws: n, Worth: worth}}}, err
}

// number is a field of the method that holds a whole number.
func number(i *estimators.Instance, field string) (int, error) {
	f, ok := i.Field(field)
	if !ok {
		return 0, fmt.Errorf("it has no field %q", field)
	}
	n, ok := f.Value.(int)
	if !ok {
		return 0, fmt.Errorf("field %q is no whole number", field)
	}
	return n, nil
}

// checkSetSize returns an error unless a group has sets of that size.
func checkSetSize(field string, size, group int) error {
	if size < 1 || size > group {
		return fmt.Errorf("%s = %d, want from 1 to at most the %d rollouts of the group", field, size, group)
	}
	return nil
}

// drawsSome reports whether a group has more sets of n than are to be drawn; draw = 0 is all
// sets.
func drawsSome(size, n, draw int) bool { return draw > 0 && subsets.Count(size, n, draw) > draw }
