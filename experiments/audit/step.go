package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"modebench/estimators"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

type moments struct {
	mean     []float64
	variance float64 // trace of the covariance; >= 0
	steps    int
}

// enumerate takes the expectation over all groups: sequences of rollouts where their
// order matters, else counts. Dynamic sampling draws a group again until it teaches. If no
// draw up to its limit does, there is no step.
func (g *group) enumerate(kinds []kind, ordered bool) (moments, error) {
	out := moments{mean: make([]float64, len(g.step))}
	around := scatter{mean: make([]float64, len(g.step))}
	idle, err := g.idle(kinds, ordered)
	if err != nil {
		return out, err
	}
	never := exact.PowInt(idle, g.method.Protocol.Generations) // 1 for 0 generations, where nothing is idle
	scale := 1.0
	if idle > 0 {
		scale = (1 - never) / (1 - idle)
		around.add(make([]float64, len(g.step)), never)
	}
	err = g.each(kinds, ordered, func(chance float64) error {
		out.steps++
		if taught, err := g.teaches(); !taught {
			return err
		}
		if err := g.estimate(0); err != nil {
			return err
		}
		chance = float64(chance * scale) // not to be fused with the sums
		for arm, x := range g.step {
			out.mean[arm] += float64(chance * x)
		}
		around.add(g.step, chance)
		return nil
	})
	out.variance = around.square / around.total
	return out, err
}

// scatter is the sum of the squared distances of weighted steps from their mean, which
// moves as they come (Welford 1962; West 1979), so that no digits are lost where the mean
// is large against the variance.
type scatter struct {
	mean          []float64
	square, total float64 // the sum, and that of the weights
}

func (s *scatter) add(step []float64, weight float64) {
	if weight == 0 {
		return
	}
	s.total += weight
	share, square := weight/s.total, 0.0
	for arm, x := range step {
		before := x - s.mean[arm]
		s.mean[arm] += float64(before * share)
		square += float64(before * (x - s.mean[arm]))
	}
	s.square += float64(weight * square)
}

// idle is the chance of a group that dynamic sampling drops.
func (g *group) idle(kinds []kind, ordered bool) (float64, error) {
	idle := 0.0
	if g.method.Protocol.Generations == 0 {
		return 0, nil
	}
	err := g.each(kinds, ordered, func(chance float64) error {
		taught, err := g.teaches()
		if !taught {
			idle += chance
		}
		return err
	})
	return min(idle, 1), err
}

// each gives the group every outcome and calls visit with its chance, until the context ends.
func (g *group) each(kinds []kind, ordered bool, visit func(chance float64) error) error {
	p := make([]float64, len(kinds))
	for k := range kinds {
		p[k] = kinds[k].p
	}
	look := func(chance float64) error {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		return visit(chance)
	}
	if ordered {
		return eachSequence(p, g.drawn, func(drawn []int, chance float64) error {
			for i, k := range drawn {
				g.setAnswers(i, kinds[k].arms)
			}
			return look(chance)
		})
	}
	return eachCount(p, g.drawn, func(counts []int, chance float64) error {
		i := 0
		for k, c := range counts {
			for range c {
				g.setAnswers(i, kinds[k].arms)
				i++
			}
		}
		return look(chance)
	})
}

// temper tries drawn groups. stable: the method gives a group the same step at every step number,
// and draws no random numbers. ordered: the order of the rollouts matters, as it may to an
// expression.
func (g *group) temper(key rng.Key) (stable, ordered bool, err error) {
	const tries = 64
	const rounding = 1e-9 // of sums in another order
	var stream rand.PCG
	first := make([]float64, len(g.step))
	for try := range tries {
		if err := g.ctx.Err(); err != nil {
			return false, false, err
		}
		key.Str(g.problem.id).Int(uint64(try)).Seed(&stream)
		g.draw(&stream)
		if err := g.estimate(0); err != nil {
			return false, false, err
		}
		copy(first, g.step)
		if err := g.estimate(1 + try); err != nil {
			return false, false, err
		}
		if !slices.Equal(first, g.step) {
			return false, ordered, nil
		}
		g.turn()
		if err := g.estimate(0); err != nil {
			return false, false, err
		}
		for arm, x := range g.step {
			ordered = ordered || math.Abs(x-first[arm]) > rounding*(1+math.Abs(x))
		}
	}
	return true, ordered, nil
}

// turn reverses the order of the rollouts that are trained on.
func (g *group) turn() {
	arms := make([][]int, g.size)
	for i := range arms {
		arms[i] = slices.Clone(g.arms[g.size-1-i])
	}
	for i := range arms {
		g.setAnswers(i, arms[i])
	}
}

const batches = 32

type sampled struct {
	sums    [batches][]float64
	squares [batches]float64 // of |g|^2
	size    int              // steps of a batch
}

// sample draws groups from streams named by group size, problem and number, so that
// every method sees the same ones.
func (g *group) sample(samples int, key rng.Key) (*sampled, error) {
	s := &sampled{size: (samples + batches - 1) / batches}
	key = key.Int(uint64(g.size)).Str(g.problem.id)
	var stream rand.PCG
	for b := range s.sums {
		s.sums[b] = make([]float64, len(g.step))
		for i := range s.size {
			number := b*s.size + i
			key.Int(uint64(number)).Seed(&stream)
			if err := g.ctx.Err(); err != nil {
				return nil, err
			}
			taught := false
			for attempt := 0; !taught && attempt < max(1, g.method.Protocol.Generations); attempt++ {
				g.draw(&stream)
				var err error
				if taught, err = g.teaches(); err != nil {
					return nil, err
				}
			}
			if !taught {
				continue
			}
			if err := g.estimate(number); err != nil {
				return nil, err
			}
			for arm, x := range g.step {
				s.sums[b][arm] += x
			}
			s.squares[b] += exact.Dot(g.step, g.step)
		}
	}
	return s, nil
}

// without is the step from all batches but one; -1: from all.
func (s *sampled) without(batch int) moments {
	out := moments{mean: make([]float64, len(s.sums[0]))}
	square := 0.0
	for b := range s.sums {
		if b == batch {
			continue
		}
		out.steps += s.size
		square += s.squares[b]
		for arm, x := range s.sums[b] {
			out.mean[arm] += x
		}
	}
	n := float64(out.steps)
	for arm := range out.mean {
		out.mean[arm] /= n
	}
	out.variance = max(square-float64(n*exact.Dot(out.mean, out.mean)), 0) / (n - 1)
	return out
}

// joined is the step over all problems, one group of each: the gradients are side by side, since
// every problem has its own logits, and are averaged.
func joined(parts []moments) moments {
	var out moments
	n := float64(len(parts))
	for _, s := range parts {
		for _, x := range s.mean {
			out.mean = append(out.mean, x/n)
		}
		out.variance += s.variance / float64(n*n)
		out.steps += s.steps
	}
	return out
}

// outcomes is how many outcomes a group has, or a number above limit.
func (g *group) outcomes(kinds int, ordered bool, limit int) int {
	if ordered {
		return power(kinds, g.drawn, limit)
	}
	return compositions(g.drawn, kinds, limit)
}

// targets are the exact gradients of all problems, end to end and averaged.
type targets struct {
	name, why string      // of the claim
	goal      []float64   // nil: none
	passes    [][]float64 // by k
}

// targetsOf finds the exact gradients of the method's target and of pass@k.
func targetsOf(method *estimators.Instance, problems []*problem, s estimators.TargetSetting, ks []int, limit int) (targets, error) {
	var out targets
	n := float64(len(problems))
	claimed := true
	for i, p := range problems {
		s.Answers = p.verdicts
		target, err := method.Target(s)
		if err != nil {
			return out, err
		}
		if i == 0 || target.Name == "" {
			out.name, out.why = target.Name, target.Why
		}
		claimed = claimed && target.Name != ""
		part, err := p.gradient(target, limit)
		if err != nil { // the other quantities do not need it
			out.why, claimed = err.Error(), false
			break
		}
		for _, x := range part {
			out.goal = append(out.goal, x/n)
		}
	}
	if !claimed {
		out.goal = nil
	}
	out.passes = passGradients(problems, ks)
	return out, nil
}
