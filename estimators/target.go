package estimators

import (
	"errors"
	"fmt"

	"modebench/envs"
)

// A Target is the objective that a method's advantages claim to increase on one problem: a sum of
// expectations over independent answers of the policy. Terms that the loss function adds
// (a divergence, an entropy bonus) are no part of it.
type Target struct {
	Name  string       // for tables, as "max@4"; "": no target
	Why   string       // why there is no target
	Terms []TargetTerm // empty without a name
}

// A TargetTerm is Weight times the expectation of one of two quantities over Draws
// independent answers: the largest of their Scores, or their Worth.
type TargetTerm struct {
	Weight float64
	Draws  int
	Scores []float64 // of every answer in TargetSetting.Answers; nil: Worth counts
	// Worth is a function of how often each answer was drawn, Draws times in all.
	Worth func(counts []int) (float64, error)
}

// A TargetSetting holds the facts that a target depends on beside the method's fields.
type TargetSetting struct {
	Group      int             // N, the rollouts of a group
	Candidates int             // answers of a rollout
	Weights    []float64       // w*
	Answers    []*envs.Verdict // every answer that the policy can give
}

// A TargetOf makes the target of a method at its fields.
type TargetOf func(*Instance, TargetSetting) (Target, error)

// Target returns the method's claim at its fields. A method without a claim that can be written as
// a Target gives the reason in Why; a plug-in's claim that does not parse is an error.
func (i *Instance) Target(s TargetSetting) (Target, error) {
	target, err := i.Method.Target(i, s)
	switch {
	case errors.Is(err, errShaped):
		return Target{Why: err.Error()}, nil
	case err != nil:
		return Target{}, i.named(err)
	}
	return target, nil
}

// errShaped is the answer of targets that have no form for a shaped reward.
var errShaped = errors.New("its rewards are shaped by an expression within the group")

// Scores are the scalar rewards of all answers, under weights. Target gives the reason where
// a shaping leaves answers alone without any.
func (i *Instance) Scores(s TargetSetting, weights []float64) ([]float64, error) {
	if i.Rewards.Shaping != "" {
		return nil, errShaped
	}
	out := make([]float64, len(s.Answers))
	for a, v := range s.Answers {
		if i.Rewards.Scalarisation == "" {
			out[a] = v.Scalar(weights)
			continue
		}
		var err error
		if out[a], err = i.Rewards.scalar(v, weights); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Best is the target of the largest scalar reward of some answers.
func (i *Instance) Best(name string, draws int, s TargetSetting) (Target, error) {
	scores, err := i.Scores(s, s.Weights)
	return Target{Name: name, Terms: []TargetTerm{{Weight: 1, Draws: draws, Scores: scores}}}, err
}

// Correctness is 1 for every correct answer, else 0.
func Correctness(answers []*envs.Verdict) []float64 {
	out := make([]float64, len(answers))
	for a, v := range answers {
		out[a] = Indicator(v.Correct)
	}
	return out
}

// RewardTarget is E[w*.r], or the mean of the group's shaped rewards. The gradient of that
// one has what a rollout changes in the others' rewards, which advantages leave out.
func RewardTarget(i *Instance, s TargetSetting) (Target, error) {
	if i.Rewards.Shaping == "" {
		return i.Best("reward", 1, s)
	}
	shaper, err := i.Rewards.compiled()
	if err != nil {
		return Target{}, err
	}
	if _, rollout := ExpressionReads(shaper.shape); rollout&^RolloutTokens != 0 {
		return Target{Why: "its shaping reads more of a rollout than its answer"}, nil
	}
	worth := func(counts []int) (float64, error) {
		b := &Batch{Weights: s.Weights, CandidateFields: envs.HasAll, RolloutFields: AllRolloutFields, Groups: make([]Group, 1)}
		for a, c := range counts {
			for range c {
				b.Groups[0].Rollouts = append(b.Groups[0].Rollouts, Rollout{Tokens: 1, Train: true, Candidates: s.Answers[a : a+1]})
			}
		}
		shaped, err := shaper.batch(b, false)
		if err != nil {
			return 0, err
		}
		total := 0.0
		for _, r := range shaped.Groups[0].Rollouts {
			total += r.Candidates[0].Scalar(shaped.Weights)
		}
		return total / float64(s.Group), nil
	}
	return Target{Name: "shaped reward", Terms: []TargetTerm{{Weight: 1, Draws: s.Group, Worth: worth}}}, nil
}

// PassAt is the target of any of k answers being correct.
func PassAt(k int, s TargetSetting) Target {
	return Target{Name: fmt.Sprintf("pass@%d", k), Terms: []TargetTerm{{Weight: 1, Draws: k, Scores: Correctness(s.Answers)}}}
}

// NoTarget is for methods without a fixed objective of the policy, and gives the reason.
func NoTarget(why string) TargetOf {
	return func(*Instance, TargetSetting) (Target, error) { return Target{Why: why}, nil }
}

var (
	noObjective = NoTarget("it claims no objective")
	// Without labels the group itself gives the rewards, or the policy.
	noLabelTarget = NoTarget("it reads no labels")
)
