package estimators

import (
	"fmt"

	"modebench/envs"
	"modebench/internal/expression"
)

// maxListed is up to how many sets an expression is evaluated on all of them; of more,
// as many are drawn. At some 1.5 us a set it keeps a group below 10 ms.
const maxListed = 4096

// setVariables are what a set objective may read: lists have one entry per member, in
// the order of the group's rollouts.
func setVariables() []expression.Variable {
	return []expression.Variable{
		{Name: "reward", Sample: []float64{}, Doc: "scalar rewards of the set's members, in rollout order"},
		{Name: "correct", Sample: []bool{}, Doc: "whether each is correct"},
		{Name: "valid", Sample: []bool{}, Doc: "whether each parses"},
		{Name: "mode", Sample: []string{}, Doc: `their modes, "" for a degenerate one`},
		{Name: "answer", Sample: []string{}, Doc: `their final answers, "" for none`},
		{Name: "tokens", Sample: []int{}, Doc: "their lengths"},
		{Name: "vector", Sample: [][]float64{}, Doc: "their reward vectors: vector[i][j] is component j of member i"},
		{Name: "n", Sample: 0, Doc: "members of the set"},
	}
}

// A setExpression is a set objective written as an expression, with the buffers that
// hold the members of one set after the other.
type setExpression struct {
	program *expression.Program
	env     map[string]any
	group   members // of the whole group
	set     members // of the set; env holds these very lists
	worths  worths
}

// members are lists over rollouts.
type members struct {
	reward         []float64
	correct, valid []bool
	mode, answer   []string
	tokens         []int
	vector         [][]float64
}

// resize gives every list n entries.
func (m *members) resize(n int) {
	if len(m.reward) == n && n > 0 {
		return
	}
	*m = members{make([]float64, n), make([]bool, n), make([]bool, n), make([]string, n), make([]string, n), make([]int, n), make([][]float64, n)}
}

func (m *members) set(i int, reward float64, r *Rollout) {
	c := r.Candidates[0]
	m.reward[i], m.correct[i], m.valid[i] = reward, c.Correct, c.Err == nil
	m.mode[i], m.answer[i], m.tokens[i], m.vector[i] = string(c.Mode), c.Answer, r.Tokens, c.Reward
}

// begin takes in a group for sets of n.
func (x *setExpression) begin(rewards []float64, rollouts []*Rollout, n int) {
	x.group.resize(len(rollouts))
	for i, r := range rollouts {
		x.group.set(i, rewards[i], r)
	}
	if x.env == nil || len(x.set.reward) != n {
		s := &x.set
		s.resize(n)
		x.env = map[string]any{
			"reward": s.reward, "correct": s.correct, "valid": s.valid, "mode": s.mode,
			"answer": s.answer, "tokens": s.tokens, "vector": s.vector, "n": n,
		}
	}
}

// worth is f of the set.
func (x *setExpression) worth(set []int) (float64, error) {
	g, s := &x.group, &x.set
	for k, i := range set {
		s.reward[k], s.correct[k], s.valid[k] = g.reward[i], g.correct[i], g.valid[i]
		s.mode[k], s.answer[k], s.tokens[k], s.vector[k] = g.mode[i], g.answer[i], g.tokens[i], g.vector[i]
	}
	return x.program.Number(x.env)
}

// requirements are those of the marginal advantage over sets of n.
func (x *setExpression) requirements(n int) Requirements {
	candidate, rollout := readsOf(x.program)
	return Requirements{
		CandidateFields: candidate, RolloutFields: rollout, MinGroup: n, TrainGroup: n + 1,
		Vectors: x.program.Has("vector"), NoPenalty: !x.program.Has("reward"),
	}
}

// expressed is advantages for an expression over sets of n: as many sets as are to be
// drawn, or, for 0, all of up to maxListed.
func (e *setAdvantage) expressed(dst [][]float64, b *Batch, x *setExpression, n, draw int) error {
	var collect func(*Group) error
	if !x.program.Has("reward") {
		collect = e.gatherCorrect // any score will do
	}
	if draw == 0 {
		draw = maxListed
	}
	return e.eachBy(dst, b, collect, func(dst, scores []float64, rollouts []*Rollout) error {
		size := len(scores)
		if err := checkSetSize("set size n", n, size); err != nil {
			return err
		}
		x.begin(scores, rollouts, n)
		all := e.draws.every(size, n)
		if drawsSome(size, n, draw) {
			e.draws.start(b, e.group)
			all = e.draws.drawn(size, n, draw)
		}
		largest := 1.0
		x.remember(n, min(sets(size, n, draw), draw))
		for set := range all {
			f, err := x.worthKnown(set)
			if err != nil {
				return fmt.Errorf("objective of the set of rollouts %v: %w", e.numbers(set), err)
			}
			largest = max(largest, f, -f)
			e.draws.add(f)
		}
		e.draws.marginal(dst)
		zeroBelow(dst, tiny*largest)
		return nil
	})
}

// numbers are the places of trained rollouts in their group, voters counted.
func (w *groupwise) numbers(trained []int) []int {
	out := make([]int, len(trained))
	for k, i := range trained {
		out[k] = w.number(i)
	}
	return out
}

// expressionTarget is the expectation of an expression over sets of n, their members in the
// order of the answers.
func expressionTarget(f *SetRL, name string, n int, s TargetSetting) Target {
	worth := func(counts []int) (float64, error) {
		set := make([]*envs.Verdict, 0, n)
		for a, c := range counts {
			for range c {
				set = append(set, s.Answers[a])
			}
		}
		return f.SetValue(set, s.Weights)
	}
	return Target{Name: name, Terms: []TargetTerm{{Weight: 1, Draws: n, Worth: worth}}}
}
