package sets

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"modebench/estimators"
	"modebench/internal/expression"
	"modebench/internal/params"
)

// SetRL is the marginal set advantage of a set objective f (Poly-EPO eqs. 7, 8):
// with sets S of n of a group's N rollouts,
//
//	A_i = mean over the sets that contain i of f(S) - mean over all sets of f(S)
//
// over all C(N, n) sets, or over that many drawn uniformly without replacement; a rollout in no
// drawn set gets 0. There is no division by a deviation and no factor 1/M: in expectation sum_i
// A_i grad log pi(y_i) is (N/n) q - 1 times the gradient of E[f], where q is the chance that a
// rollout is in any of the sets (1 for all: Prop. 3.1 and B.1).
//
// All sets are summed without looking at any, in O(N + clusters) after clustering, or
// O(N log N) where the largest or smallest score counts; polychromic-max takes O(N^2).
// Sets are drawn from a stream of the group's own, named by seed, step and problem.
//
// An objective that is an expression is evaluated on the sets: all of them up to 4096,
// else as many drawn, unless Sets gives the number. Its lists are in rollout order, and it
// may depend on that order.
type SetRL struct {
	Objective string        `param:"objective" doc:"what a set is worth. polychromic: mean reward * distinct modes / n; polychromic-ppo: the same, 0 for a set of one mode; polychromic-max: largest reward * distinct modes / n; mean, max, min: of the rewards; distinct: distinct modes / n; distinct-correct: those of correct rollouts / n; pass, all, majority: 1 if any, all, more than half are correct; or an expression over lists of the set's members: mean(reward) * distinct(mode) / n"`
	N         int           `param:"n" doc:"set size n; training takes groups of more than n, since one set alone gives zeros" min:"1"`
	Sets      int           `param:"sets" doc:"how many sets to draw, without replacement; 0: all of them, but for an expression at most 4096. A rollout in no drawn set gets 0" min:"0" max:"65536"`
	text      string        // that the next three are for
	objective *setObjective // nil: not in the list
	written   *setExpression
	mistake   error
	sets      setAdvantage
}

// bareWord is text that is more likely meant as the name of an objective.
var bareWord = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// chosen is the objective that the field names, or else the one it writes.
func (e *SetRL) chosen() (*setObjective, *setExpression, error) {
	if e.objective == nil && e.written == nil && e.mistake == nil || e.text != e.Objective {
		e.text, e.written, e.mistake = e.Objective, nil, nil
		e.objective = findSetObjective(e.Objective)
		if e.objective == nil {
			program, err := expression.Compile(e.Objective, estimators.SetVariables)
			switch {
			case err == nil:
				e.written = &setExpression{program: program}
			case bareWord.MatchString(e.Objective):
				e.mistake = params.Errorf("objective", "%q is not one of %s, and no expression: %w", e.Objective, strings.Join(setObjectiveNames(), ", "), err)
			default:
				e.mistake = params.Errorf("objective", "%w", err)
			}
		}
	}
	return e.objective, e.written, e.mistake
}

// Written reports whether the objective is an expression, which is evaluated set by set.
func (e *SetRL) Written() bool {
	_, x, _ := e.chosen()
	return x != nil
}

// Check returns the first fault of the objective, as a params.FieldError.
func (e *SetRL) Check() error {
	_, x, err := e.chosen()
	if err != nil || x == nil || x.program.Has("vector") {
		return err // how long vectors are is for Instance.Try to know
	}
	return e.Try(1)
}

func (e *SetRL) Requirements() estimators.Requirements {
	f, x, _ := e.chosen()
	switch {
	case f != nil:
		return f.requirements(e.N)
	case x != nil:
		return x.requirements(e.N)
	}
	return estimators.Requirements{MinGroup: 1} // Check and Advantages report the fault
}

func (e *SetRL) Advantages(dst [][]float64, b *estimators.Batch) error {
	f, x, err := e.chosen()
	if err != nil {
		return err
	}
	if x != nil {
		return e.sets.expressed(dst, b, x, e.N, e.Sets)
	}
	return e.sets.advantages(dst, b, f, e.N, e.Sets)
}

// advantages implements Estimator.Advantages for sets of n: all, or as many as are to be drawn.
func (e *setAdvantage) advantages(dst [][]float64, b *estimators.Batch, f *setObjective, n, draw int) error {
	var collect func(*estimators.Group) error
	if f.score != rewardScore {
		collect = e.GatherCorrect
	}
	return e.EachBy(dst, b, collect, func(dst, scores []float64, rollouts []*estimators.Rollout) error {
		if err := checkSetSize("set size n", n, len(scores)); err != nil {
			return err
		}
		e.cluster(scores, rollouts, f.modes)
		if drawsSome(len(scores), n, draw) {
			for set := range e.pass.Drawn(len(scores), n, draw, e.stream.Of(b, "set-rl", e.Gathered())) {
				e.members = e.members[:0]
				for _, i := range set {
					e.members = append(e.members, scores[i])
				}
				e.pass.Add(set, f.value(e.members, e.pass.Clusters(set, e.clusters.Index)))
			}
			e.pass.Marginal(dst)
		} else {
			f.closed(e, dst, scores, n)
		}
		estimators.ZeroBelow(dst, estimators.Rounding(scores))
		return nil
	})
}

func (e *setAdvantage) cluster(scores []float64, rollouts []*estimators.Rollout, counted setModes) {
	c := &e.clusters
	if counted == noModes {
		c.Index, c.Size = c.Index[:0], c.Size[:0]
		for range rollouts {
			c.Index = append(c.Index, -1)
		}
		return
	}
	c.Assign(rollouts)
	if counted == allModes {
		return
	}
	for i, s := range scores {
		if k := c.Index[i]; k >= 0 && s <= 0 {
			c.Index[i] = -1
			c.Size[k]--
		}
	}
}

// maxTried is the most members of a made-up set: a nested loop takes some milliseconds.
const maxTried = 256

// Try evaluates the objective on a made-up set.
func (e *SetRL) Try(components int) error {
	_, x, err := e.chosen()
	if err != nil || x == nil {
		return err
	}
	n := min(e.N, maxTried)
	g := estimators.TrialGroup(n, components)
	first := make([]float64, components)
	first[0] = 1
	_, err = x.worthOfGroup(&g, first)
	if m, ok := errors.AsType[*expression.Mistake](err); ok && n < e.N && m.OutOfRange {
		return nil // a whole set may have that member
	}
	return estimators.TrialError("objective", err, components)
}

// setRLTarget is the expectation of the set objective over n answers (Poly-EPO sec. 3).
func setRLTarget(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
	method := i.Estimator.(*SetRL)
	if f := findSetObjective(method.Objective); f != nil {
		return objectiveTarget(i, f, method.N, s)
	}
	if !i.Rewards.Plain() {
		return estimators.Target{Why: "its objective is an expression of rewards that are expressions themselves"}, nil
	}
	return expressionTarget(method, fmt.Sprintf("f of %d", method.N), s), nil
}

func init() {
	estimators.Register(estimators.AnswerSets, 30, estimators.Method{
		Name: "set-rl", Summary: "marginal set advantage of any set objective, by default Poly-EPO's", Trains: true,
		Source:     "Poly-EPO eqs. 7, 8, algorithm 1",
		Estimator:  estimators.From(SetRL{Objective: "polychromic", N: 4}),
		Loss:       polyEPOLoss,
		Properties: estimators.Properties{Scale: estimators.Linear, ZeroSum: true, MovesEqualRewards: true, Why: "f is a product with the mean reward: a constant is worth its diversity"},
		Target:     setRLTarget,
	})
}

var (
	statedAt   = regexp.MustCompile(`^(pass|max)@0*([1-9][0-9]{0,3})$`)
	statedOver = regexp.MustCompile(`(?s)^(.*\S)\s+over\s+0*([1-9][0-9]{0,3})$`)
)

// StatedTarget is the target that a text states: reward, pass@K, max@K, or EXPRESSION over N.
// An estimator outside of this module states its target so; "" states no target.
func StatedTarget(i *estimators.Instance, s estimators.TargetSetting, text string) (estimators.Target, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return estimators.Target{Why: "it names no objective"}, nil
	case "reward":
		return estimators.RewardTarget(i, s)
	}
	if m := statedAt.FindStringSubmatch(text); m != nil {
		k, _ := strconv.Atoi(m[2])
		if m[1] == "pass" {
			return estimators.PassAt(k, s), nil
		}
		return i.Best(text, k, s)
	}
	m := statedOver.FindStringSubmatch(text)
	if m == nil {
		return estimators.Target{}, fmt.Errorf("the objective %q is not one of reward, pass@K, max@K, EXPRESSION over N", text)
	}
	n, _ := strconv.Atoi(m[2])
	if f := findSetObjective(m[1]); f != nil {
		return objectiveTarget(i, f, n, s)
	}
	set := &SetRL{Objective: m[1], N: n}
	if err := set.Check(); err != nil {
		return estimators.Target{}, fmt.Errorf("the objective %q: %w", text, err)
	}
	return expressionTarget(set, text, s), nil
}
