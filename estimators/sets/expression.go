package sets

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"modebench/estimators"
	"modebench/internal/each"
	"modebench/internal/expression"
)

// maxListed is the most sets that an expression is evaluated on. If a group has more, so
// many are drawn. At some 1.5 us a set a group takes less than 10 ms.
const maxListed = 4096

// A setExpression is a set objective written as an expression, with the buffers that
// hold the members of one set after the other.
type setExpression struct {
	program     *expression.Program
	ctx         context.Context  // of the evaluations
	group       estimators.Lists // of the whole group
	groupVector [][]float64      // and its reward vectors
	set         estimators.Lists // of the set
	setVector   [][]float64
	env         map[string]any // holds the lists of the set
	worths      worths
}

// begin copies the lists of a group, and makes room for sets of n.
func (x *setExpression) begin(ctx context.Context, rewards []float64, rollouts []*estimators.Rollout, n int) {
	x.ctx = ctx
	x.group.Reset()
	x.groupVector = x.groupVector[:0]
	for i, r := range rollouts {
		c := r.Candidates[0]
		x.group.Add(rewards[i], c, r.Tokens)
		x.groupVector = append(x.groupVector, c.Reward)
	}
	if x.env != nil && len(x.set.Reward) == n {
		return
	}
	s := estimators.Lists{
		Reward: make([]float64, n), Correct: make([]bool, n), Valid: make([]bool, n),
		Mode: make([]string, n), Answer: make([]string, n), Tokens: make([]int, n),
	}
	x.set, x.setVector = s, make([][]float64, n)
	x.env = map[string]any{
		"reward": s.Reward, "correct": s.Correct, "valid": s.Valid, "mode": s.Mode,
		"answer": s.Answer, "tokens": s.Tokens, "vector": x.setVector, "n": n,
	}
}

// worth is f of the set.
func (x *setExpression) worth(set []int) (float64, error) {
	g, s := &x.group, &x.set
	for k, i := range set {
		s.Reward[k], s.Correct[k], s.Valid[k] = g.Reward[i], g.Correct[i], g.Valid[i]
		s.Mode[k], s.Answer[k], s.Tokens[k], x.setVector[k] = g.Mode[i], g.Answer[i], g.Tokens[i], x.groupVector[i]
	}
	return x.program.Number(x.ctx, x.env)
}

// worthOfGroup is f of all members of a group, with scalar rewards under these weights.
func (x *setExpression) worthOfGroup(g *estimators.Group, weights []float64) (float64, error) {
	var w estimators.Groupwise
	rewards, rollouts, err := w.Gather(g, weights)
	if err != nil {
		return 0, err
	}
	x.begin(context.Background(), rewards, rollouts, len(rewards))
	return x.worth(each.Below(len(rewards)))
}

// requirements are those of the marginal advantage over sets of n.
func (x *setExpression) requirements(n int) estimators.Requirements {
	candidate, rollout := estimators.ExpressionReads(x.program)
	return estimators.Requirements{
		CandidateFields: candidate, RolloutFields: rollout, MinGroup: n, TrainGroup: n + 1,
		Vectors: x.program.Has("vector"), NoPenalty: !x.program.Has("reward"),
	}
}

// expressed is advantages for an expression over sets of n: over that many drawn sets, or, for
// 0, over all sets, of which maxListed are drawn if there are more.
func (e *setAdvantage) expressed(dst [][]float64, b *estimators.Batch, x *setExpression, n, draw int) error {
	var collect func(*estimators.Group) error
	if !x.program.Has("reward") {
		collect = e.GatherCorrect // any score will do
	}
	draw = cmp.Or(draw, maxListed)
	return e.EachBy(dst, b, collect, func(dst, scores []float64, rollouts []*estimators.Rollout) error {
		size := len(scores)
		if err := checkSetSize("set size n", n, size); err != nil {
			return err
		}
		x.begin(b.Context, scores, rollouts, n)
		all := e.pass.All(size, n)
		if drawsSome(size, n, draw) {
			all = e.pass.Drawn(size, n, draw, e.stream.Of(b, "set-rl", e.Gathered()))
		}
		largest := 1.0
		x.remember(n)
		for set := range all {
			f, err := x.worthKnown(set)
			if err != nil {
				return fmt.Errorf("objective of the set of rollouts %v: %w", e.numbers(set), err)
			}
			largest = max(largest, f, -f)
			e.pass.Add(set, f)
		}
		e.pass.Marginal(dst)
		estimators.ZeroBelow(dst, estimators.Tiny*largest)
		return nil
	})
}

// numbers are the places of trained rollouts in their group, voters counted.
func (e *setAdvantage) numbers(trained []int) []int {
	return each.Map(trained, e.Number)
}

// expressionTarget is the expectation of an objective that is an expression, over sets with
// members in the order of the answers. Answers alone have no length.
func expressionTarget(f *SetRL, name string, s estimators.TargetSetting) estimators.Target {
	worth := func(counts []int) (float64, error) {
		_, x, err := f.chosen()
		switch {
		case err != nil:
			return 0, err
		case x.program.Has("tokens"):
			return 0, errors.New("the objective reads tokens, and answers alone have no length")
		}
		var g estimators.Group
		for a, c := range counts {
			for range c {
				g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: true, Candidates: s.Answers[a : a+1]})
			}
		}
		return x.worthOfGroup(&g, s.Weights)
	}
	return estimators.Target{Name: name, Terms: []estimators.TargetTerm{{Weight: 1, Draws: f.N, Worth: worth}}}
}
