package estimators

import (
	"fmt"
	"regexp"
	"strings"

	"modebench/envs"
	"modebench/internal/expression"
	"modebench/internal/params"
)

// SetRL is the marginal set advantage of a set objective f (Poly-EPO eqs. 7, 8):
// with sets S of n of a group's N rollouts,
//
//	A_i = mean over the sets that contain i of f(S) - mean over all sets of f(S)
//
// over all C(N, n) sets, or over so many drawn uniformly without replacement, where
// a rollout in no drawn set gets 0. There is no division by a deviation and no
// factor 1/M: in expectation sum_i A_i grad log pi(y_i) is (N/n) q - 1 times the
// gradient of E[f], where q is the chance that a rollout is in any of the sets (1
// for all: Prop. 3.1 and B.1).
//
// All sets are summed without looking at any, in O(N + clusters) after clustering, or
// O(N log N) where the largest or smallest score counts; polychromic-max takes O(N^2).
// Sets are drawn from a stream of the group's own, named by seed, step and problem.
//
// An objective that is an expression is evaluated on the sets: all of them up to 4096,
// else as many drawn, unless Sets says how many. Its lists are in rollout order, and it
// may depend on that order.
type SetRL struct {
	Objective string `param:"objective" doc:"what a set is worth. polychromic: mean reward * distinct modes / n; polychromic-ppo: the same, 0 for a set of one mode; polychromic-max: largest reward * distinct modes / n; mean, max, min: of the rewards; distinct: distinct modes / n; distinct-correct: those of correct rollouts / n; pass, all, majority: 1 if any, all, more than half are correct; or an expression over lists of the set's members: mean(reward) * distinct(mode) / n"`
	N         int    `param:"n" doc:"set size n; training takes groups of more than n, since one set alone gives zeros" min:"1"`
	Sets      int    `param:"sets" doc:"how many sets to draw, without replacement; 0: all of them, but for an expression at most 4096. A rollout in no drawn set gets 0" min:"0" max:"65536"`
	text      string // that the next three are for
	objective *setObjective
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
			program, err := expression.Compile(e.Objective, setVariables())
			switch {
			case err == nil:
				e.written = &setExpression{program: program}
			case bareWord.MatchString(e.Objective):
				e.mistake = params.Errorf("objective", "%q is none of %s, and no expression: %w", e.Objective, strings.Join(setObjectiveNames(), ", "), err)
			default:
				e.mistake = params.Errorf("objective", "%w", err)
			}
		}
	}
	return e.objective, e.written, e.mistake
}

// Written says whether the objective is an expression, which is evaluated set by set.
func (e *SetRL) Written() bool {
	_, x, _ := e.chosen()
	return x != nil
}

// Check says what is wrong with the objective, as a params.FieldError.
func (e *SetRL) Check() error {
	_, x, err := e.chosen()
	if err != nil || x == nil || x.program.Has("vector") {
		return err // how long vectors are is for Instance.Try to know
	}
	return e.try(1)
}

// Needs implements Estimator.
func (e *SetRL) Needs() Needs {
	f, x, _ := e.chosen()
	switch {
	case f != nil:
		return f.needs(e.N)
	case x != nil:
		return x.needs(e.N)
	}
	return Needs{MinGroup: 1} // Check and Advantages say what is wrong
}

// Advantages implements Estimator.
func (e *SetRL) Advantages(dst [][]float64, b *Batch) error {
	f, x, err := e.chosen()
	if err != nil {
		return err
	}
	if x != nil {
		return e.sets.expressed(dst, b, x, e.N, e.Sets)
	}
	return e.sets.advantages(dst, b, f, e.N, e.Sets)
}

// needs are those of the marginal advantage over sets of n.
func (f *setObjective) needs(n int) Needs {
	return Needs{Fields: f.reads(), MinGroup: n, TrainGroup: n + 1, NoPenalty: f.score != rewardScore}
}

// setAdvantage computes marginal set advantages and holds the buffers of every way
// to do so.
type setAdvantage struct {
	groupwise
	clusters clusters
	odds     odds
	sums     []float64 // score sum of each cluster
	ranks    ranks
	hits     hits
	chances  []float64 // of how many ones a set holds
	listing  setListing
}

// advantages implements Estimator.Advantages for sets of n: all, or as many as are
// to be drawn.
func (e *setAdvantage) advantages(dst [][]float64, b *Batch, f *setObjective, n, draw int) error {
	var collect func(*Group) error
	if f.score != rewardScore {
		collect = e.gatherCorrect
	}
	return e.eachBy(dst, b, collect, func(dst, scores []float64, rollouts []*Rollout) error {
		if err := checkSetSize("set size n", n, len(scores)); err != nil {
			return err
		}
		e.cluster(scores, rollouts, f.modes)
		if draw > 0 && sets(len(scores), n, draw) > draw {
			e.listing.stream.begin(b, "set-rl", e.group)
			e.listing.drawn(dst, scores, e.clusters.of, f, n, draw)
		} else {
			f.all(e, dst, scores, f, n)
		}
		snap(dst, rounding(scores))
		return nil
	})
}

// cluster assigns the modes that the objective counts.
func (e *setAdvantage) cluster(scores []float64, rollouts []*Rollout, counted setModes) {
	c := &e.clusters
	if counted == noModes {
		c.of, c.size = c.of[:0], c.size[:0]
		for range rollouts {
			c.of = append(c.of, -1)
		}
		return
	}
	c.assign(rollouts)
	if counted == allModes {
		return
	}
	for i, s := range scores {
		if k := c.of[i]; k >= 0 && s <= 0 {
			c.of[i] = -1
			c.size[k]--
		}
	}
}

// sets is C(size, n), or some number above limit where it is more than that.
func sets(size, n, limit int) int {
	n = min(n, size-n)
	count := 1
	for j := range n {
		count = count * (size - j) / (j + 1)
		if count > limit {
			break
		}
	}
	return count
}

// checkSetSize says whether a group has sets of that size.
func checkSetSize(field string, size, group int) error {
	if size < 1 || size > group {
		return fmt.Errorf("%s = %d, want from 1 to at most the %d rollouts of the group", field, size, group)
	}
	return nil
}

func init() {
	register(answerSets, 30, Method{
		Name: "set-rl", Summary: "marginal set advantage of any set objective, by default Poly-EPO's", Trains: true,
		Source:    "Poly-EPO eqs. 7, 8, algorithm 1",
		estimator: func() Estimator { return &SetRL{Objective: "polychromic", N: 4} },
		loss:      setRL,
		Laws:      Laws{Scale: Linear, ZeroSum: true, Loud: true, Why: "f is a product with the mean reward: a constant is worth its diversity"},
		Aim:       setAim,
	})
}

// setAim is the expectation of a set objective over n answers (Poly-EPO sec. 3).
func setAim(i *Instance, s AimSetting) (Aim, error) {
	n, err := i.number("n")
	if err != nil {
		return Aim{}, err
	}
	switch own := i.Estimator.(type) {
	case *PolyEPO:
		return i.namedSetAim(polychromicObjective, n, s)
	case *SetRL:
		if f := findSetObjective(own.Objective); f != nil {
			return i.namedSetAim(f, n, s)
		}
		if !i.Rewards.plainly() {
			return Aim{Why: "its objective is an expression of rewards that are expressions themselves"}, nil
		}
		return valuedAim(own, fmt.Sprintf("f of %d", n), n, s), nil
	}
	return Aim{}, fmt.Errorf("it is no method over sets")
}

// namedSetAim is setAim for an objective of the list.
func (i *Instance) namedSetAim(f *setObjective, n int, s AimSetting) (Aim, error) {
	scores, err := i.scores(s, s.Weights)
	if f.score != rewardScore {
		scores = correctness(s.Answers)
	}
	var counted []float64
	if f.modes == correctModes {
		counted = scores
	}
	worth := func(counts []int) (float64, error) {
		acc, distinct := f.start, 0
		for a, c := range counts {
			for range c {
				acc = f.fold(acc, scores[a])
			}
			if c > 0 && f.modes != noModes && newMode(s.Answers, counts, a, counted) {
				distinct++
			}
		}
		return f.value(acc, distinct, n), nil
	}
	return Aim{Name: fmt.Sprintf("%s of %d", f.name, n), Terms: []AimTerm{{Weight: 1, Draws: n, Worth: worth}}}, err
}

// valuedAim is the expectation of an expression over sets of n, their members in the
// order of the answers.
func valuedAim(f *SetRL, name string, n int, s AimSetting) Aim {
	worth := func(counts []int) (float64, error) {
		set := make([]*envs.Verdict, 0, n)
		for a, c := range counts {
			for range c {
				set = append(set, s.Answers[a])
			}
		}
		return f.SetValue(set, s.Weights)
	}
	return Aim{Name: name, Terms: []AimTerm{{Weight: 1, Draws: n, Worth: worth}}}
}
