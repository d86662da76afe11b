package estimators

import (
	"fmt"

	"modebench/envs"
)

// setpoAim is the group's mean reward plus lambda D of its N answers over N: SetPO adds
// to a rollout's own advantage the weight times what D of the whole group loses without
// it (eqs. 3-4), as if the group had earned the sum of its rewards and lambda D. The
// paper writes no joint objective.
func setpoAim(i *Instance, s AimSetting) (Aim, error) {
	own, ok := i.Estimator.(*SetPO)
	if !ok {
		return Aim{}, fmt.Errorf("it is no SetPO")
	}
	aim, err := i.best(fmt.Sprintf("reward+%v D/N", own.Lambda), 1, s)
	aim.Terms = append(aim.Terms, AimTerm{
		Weight: own.Lambda / float64(s.Group), Draws: s.Group,
		Worth: func(counts []int) (float64, error) { return setDiversity(s.Answers, counts) },
	})
	return aim, err
}

// setDiversity is SetPO's D (eq. 3) of answers drawn so often: 0 for fewer than 3 that
// have an embedding, as the credit has it.
func setDiversity(answers []*envs.Verdict, counts []int) (float64, error) {
	var rollouts []*Rollout
	var times []float64
	members := 0.0
	for a, c := range counts {
		if v := answers[a]; c > 0 && dot32(v.Embedding, v.Embedding) > 0 {
			rollouts = append(rollouts, &Rollout{Candidates: answers[a : a+1]})
			times = append(times, float64(c))
			members += float64(c)
		}
	}
	if members < 3 {
		return 0, nil
	}
	var kernel similarities
	if err := kernel.fill(rollouts, 0, func(i int) int { return i }); err != nil {
		return 0, err
	}
	total := 0.0
	for a := range times {
		row := -1.0 // without itself
		for b, c := range times {
			row += float64(kernel.kernel[a*len(times)+b] * c)
		}
		var log logProduct
		log.product = 1
		log.times(1 + float64(row/(members-1)))
		total -= float64(times[a] * log.log())
	}
	return total / members, nil
}

// shapedAim is the mean of GRPO-div's shaped rewards over the group. Its gradient has
// what a rollout changes in the others' bonuses, which the advantages leave out.
func shapedAim(i *Instance, s AimSetting) (Aim, error) {
	own, ok := i.Estimator.(*GRPODiv)
	if !ok {
		return Aim{}, fmt.Errorf("it is no GRPO-div")
	}
	aim, err := i.best(fmt.Sprintf("reward+%v d", own.Lambda), 1, s)
	if s.Group > 1 {
		n := float64(s.Group)
		aim.Terms = append(aim.Terms, AimTerm{Weight: own.Lambda, Draws: s.Group, Worth: func(counts []int) (float64, error) {
			distinct, members := 0, 0
			for a, c := range counts {
				members += c * int(indicator(s.Answers[a].Mode != envs.Degenerate))
				distinct += int(indicator(c > 0 && newMode(s.Answers, counts, a, nil)))
			}
			return (float64(distinct) - float64(members)/n) / (n - 1), nil
		}})
	}
	return aim, err
}

// newMode says whether an answer's mode is one and is not that of a drawn answer before
// it; where counted is given, of answers alone that it holds a number above 0 for.
func newMode(answers []*envs.Verdict, counts []int, at int, counted []float64) bool {
	mode := answers[at].Mode
	if mode == envs.Degenerate || counted != nil && counted[at] <= 0 {
		return false
	}
	for a, c := range counts[:at] {
		if c > 0 && answers[a].Mode == mode && (counted == nil || counted[a] > 0) {
			return false
		}
	}
	return true
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
