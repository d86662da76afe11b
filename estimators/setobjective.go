package estimators

import (
	"math"
	"slices"

	"modebench/envs"
)

// A setObjective is a quality f of a set of n rollouts that does not depend on
// their order: a fold of the members' scores, and how many distinct modes they
// have. Fold and value are its definition, which drawn sets are held against; over
// all sets it has a closed form.
type setObjective struct {
	name  string
	score setScore
	modes setModes
	start float64                                       // of the fold
	fold  func(acc, score float64) float64              // of the members, in any order
	value func(acc float64, distinct, size int) float64 // f of a set of that size
	all   setSum
}

// setScore is what of a rollout an objective folds.
type setScore uint8

const (
	noScore      setScore = iota // none: it looks at modes alone
	rewardScore                  // the scalar reward
	correctScore                 // 1 where correct, else 0
)

// setModes says whose modes an objective counts; degenerate rollouts have none.
type setModes uint8

const (
	noModes      setModes = iota // it looks at scores alone
	allModes                     // of every member
	correctModes                 // of the members with a score above 0
)

// setObjectives lists the objectives by name, as the field objective of set-rl
// has them.
func setObjectives() []setObjective {
	return []setObjective{
		{
			name:  "polychromic", // mean reward * distinct modes / n (Poly-EPO eqs. 10, 11)
			score: rewardScore, modes: allModes, fold: addScore, all: (*setAdvantage).affine,
			value: func(sum float64, distinct, size int) float64 {
				return sum * float64(distinct) / float64(size*size)
			},
		},
		{
			name:  "polychromic-ppo", // the same, but 0 for a set of a single mode (Polychromic PPO, 2509.25424)
			score: rewardScore, modes: allModes, fold: addScore, all: (*setAdvantage).severalModes,
			value: func(sum float64, distinct, size int) float64 {
				if distinct < 2 {
					return 0
				}
				return sum * float64(distinct) / float64(size*size)
			},
		},
		{
			name:  "polychromic-max", // largest reward * distinct modes / n
			score: rewardScore, modes: allModes, start: math.Inf(-1), fold: math.Max, all: (*setAdvantage).largestTimesModes,
			value: func(best float64, distinct, size int) float64 {
				return best * float64(distinct) / float64(size)
			},
		},
		{
			name:  "mean", // mean reward
			score: rewardScore, fold: addScore, all: (*setAdvantage).affine,
			value: func(sum float64, _, size int) float64 { return sum / float64(size) },
		},
		{
			name:  "max", // largest reward (Poly-EPO sec. 5.1)
			score: rewardScore, start: math.Inf(-1), fold: math.Max, value: foldOnly, all: (*setAdvantage).largest,
		},
		{
			name:  "min", // smallest reward
			score: rewardScore, start: math.Inf(1), fold: math.Min, value: foldOnly, all: (*setAdvantage).smallest,
		},
		{
			name:  "distinct", // distinct modes / n
			modes: allModes, fold: addScore, all: (*setAdvantage).affine,
			value: func(_ float64, distinct, size int) float64 { return float64(distinct) / float64(size) },
		},
		{
			name:  "distinct-correct", // distinct modes of the correct / n
			score: correctScore, modes: correctModes, fold: addScore, all: (*setAdvantage).affine,
			value: func(_ float64, distinct, size int) float64 { return float64(distinct) / float64(size) },
		},
		{
			name:  "pass", // 1 if any is correct (pass@n)
			score: correctScore, start: math.Inf(-1), fold: math.Max, value: foldOnly, all: (*setAdvantage).largest,
		},
		{
			name:  "all", // 1 if all are correct (pass^n)
			score: correctScore, start: math.Inf(1), fold: math.Min, value: foldOnly, all: (*setAdvantage).smallest,
		},
		{
			name:  "majority", // 1 if more than half are correct
			score: correctScore, fold: addScore, all: (*setAdvantage).counted,
			value: func(sum float64, _, size int) float64 {
				if 2*sum > float64(size) {
					return 1
				}
				return 0
			},
		},
	}
}

func addScore(acc, score float64) float64 { return acc + score }

func foldOnly(acc float64, _, _ int) float64 { return acc }

// setObjectiveNames lists the names that the field objective takes.
func setObjectiveNames() []string {
	var out []string
	for _, f := range setObjectives() {
		out = append(out, f.name)
	}
	return out
}

// findSetObjective returns the objective of that name, or nil.
func findSetObjective(name string) *setObjective {
	all := setObjectives()
	i := slices.IndexFunc(all, func(f setObjective) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// reads says which verdict fields the objective needs.
func (f *setObjective) reads() envs.Fields {
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
	return fields
}

// linear returns a and b of f = a * sum of the scores + b, where f has that form, for
// sets with that many distinct modes.
func (f *setObjective) linear(distinct, size int) (a, b float64) {
	b = f.value(0, distinct, size)
	return f.value(1, distinct, size) - b, b
}
