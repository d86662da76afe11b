package numbers

import (
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/exact"
	"modebench/plots/draw"
)

// aliveMetric counts the rewarded modes that a policy still uses.
const aliveMetric = "correct_modes_alive"

// RiversAt are the masses of a variant at the steps shown, which are some of its steps; nil if
// its evaluations hold no masses.
func (e Evaluated) RiversAt(shown []int) *Rivers {
	r := new(Rivers)
	place := map[draw.ModeKey]int{}
	for _, step := range e.Steps {
		for _, seed := range e.Evals {
			for _, m := range seed[step].Modes {
				key := KeyOf(m)
				if _, known := place[key]; !known {
					place[key] = len(r.Modes)
					r.Modes = append(r.Modes, record.Share{Mode: key.Name, Correct: key.Correct})
				}
				r.Modes[place[key]].Mass += m.Mass / float64(len(e.Evals)*len(e.Steps))
			}
		}
	}
	if len(r.Modes) == 0 {
		return nil
	}
	for at, step := range shown {
		for _, seed := range e.Evals {
			r.rank(at, len(shown), seed[step], float64(len(e.Evals)))
		}
	}
	if len(shown) == 0 {
		return r
	}
	median := e.medianSeed()
	r.Seed = e.Seeds[median]
	if alive, ok := e.Evals[median][e.Last()].Metrics[aliveMetric]; ok {
		r.Alive = &alive
	}
	if alive := e.Measured(aliveMetric, e.Last()); alive.N > 0 {
		r.MeanAlive = &alive.Mean
	}
	r.Masses = make([][]float64, len(r.Modes))
	for i := range r.Masses {
		r.Masses[i] = make([]float64, len(shown))
	}
	for at, step := range shown {
		for _, m := range e.Evals[median][step].Modes {
			r.Masses[place[KeyOf(m)]][at] += m.Mass
		}
	}
	return r
}

// rank adds the masses of one of n seeds at a step, which is given by its position among so
// many steps.
func (r *Rivers) rank(index, steps int, e record.Eval, n float64) {
	var ranks [draw.MaxRewarded + 1]float64
	var rewarded []float64
	plain, broken := 0.0, 0.0
	for _, m := range e.Modes {
		switch key := KeyOf(m); {
		case key.Correct:
			rewarded = append(rewarded, m.Mass)
		case key.Name == "":
			broken += m.Mass
			if r.Degenerate == nil {
				r.Degenerate = make([]float64, steps)
			}
		default:
			plain += m.Mass
			if r.Plain == nil {
				r.Plain = make([]float64, steps)
			}
		}
	}
	slices.Sort(rewarded)
	slices.Reverse(rewarded)
	for i, mass := range rewarded {
		ranks[min(i, draw.MaxRewarded)] += mass
	}
	for len(r.Ranks) < min(len(rewarded), len(ranks)) {
		r.Ranks = append(r.Ranks, make([]float64, steps))
	}
	for i := range r.Ranks {
		r.Ranks[i][index] += ranks[i] / n
	}
	if r.Plain != nil {
		r.Plain[index] += plain / n
	}
	if r.Degenerate != nil {
		r.Degenerate[index] += broken / n
	}
}

// medianSeed is the position of the seed that a figure shows if it has room for only one: the
// seed whose entropy over modes at the last step is the lower median of the variant's seeds,
// and of several such seeds the lowest number. So no person chose it, and half of the seeds are
// at least as collapsed. Entropies are compared to 1e-9 nats: the order of the modes, which
// should not matter, moves their last bits.
func (e Evaluated) medianSeed() int {
	entropies := each.Map(e.Evals, func(seed map[int]record.Eval) int64 { return int64(math.Round(modeEntropy(seed[e.Last()]) * 1e9)) })
	ordered := slices.Clone(entropies)
	slices.Sort(ordered)
	median := ordered[(len(ordered)-1)/2]
	best := -1
	for i, entropy := range entropies {
		if entropy == median && (best < 0 || e.Seeds[i] < e.Seeds[best]) {
			best = i
		}
	}
	return best
}

// modeEntropy is the entropy over all modes in nats, from their masses.
func modeEntropy(e record.Eval) float64 {
	h := 0.0
	for _, m := range e.Modes {
		if m.Mass > 0 {
			h -= float64(m.Mass * exact.Log(m.Mass))
		}
	}
	return h
}
