package plots

import (
	"slices"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

func keyOf(s record.Share) draw.ModeKey {
	return draw.ModeKey{Name: s.Mode, Correct: s.Correct && s.Mode != ""}
}

// Rivers are the masses of a variant's modes during training, as a figure of modes shows
// them. All lists by step go with the steps of the variant.
type Rivers struct {
	// Modes are all modes with their masses, averaged over seeds and evaluations: which
	// of them have a layer of their own.
	Modes []record.Share `json:"modes"`
	// Ranks are the masses of the rewarded modes by rank within a seed and step, the
	// largest first, by step, averaged over seeds; the last of 8 has all smaller ones.
	Ranks [][]float64 `json:"ranks,omitempty"`
	// Plain and Degenerate are the masses, averaged over seeds, of all modes without reward
	// and of degenerate answers, by step; nil where there are none.
	Plain      []float64 `json:"plain,omitempty"`
	Degenerate []float64 `json:"degenerate,omitempty"`
	// Seed is the number of the seed of median entropy, Masses are its masses, by mode as
	// in Modes and step.
	Seed   int         `json:"seed"`
	Masses [][]float64 `json:"masses"`
	// MeanAlive and Alive are how many rewarded modes are left at the last step, over
	// seeds and in that seed; nil where it is not measured.
	MeanAlive *float64 `json:"mean_alive,omitempty"`
	Alive     *float64 `json:"alive,omitempty"`
}

// riversOf are the masses of a variant at the steps shown, which are some of all; nil
// where its evaluations hold none.
func (s seeded) riversOf(shown []int) *Rivers {
	r := new(Rivers)
	place := map[draw.ModeKey]int{}
	for _, step := range s.steps {
		for _, seed := range s.seeds {
			for _, m := range seed[step].Modes {
				key := keyOf(m)
				if _, known := place[key]; !known {
					place[key] = len(r.Modes)
					r.Modes = append(r.Modes, record.Share{Mode: key.Name, Correct: key.Correct})
				}
				r.Modes[place[key]].Mass += m.Mass / float64(len(s.seeds)*len(s.steps))
			}
		}
	}
	if len(r.Modes) == 0 {
		return nil
	}
	for at, step := range shown {
		for _, seed := range s.seeds {
			r.rank(at, len(shown), seed[step], float64(len(s.seeds)))
		}
	}
	if len(shown) == 0 {
		return r
	}
	one := s.medianSeed()
	r.Seed = s.variant.Cells[one].Seed
	if alive, ok := s.seeds[one][s.last()].Metrics[aliveMetric]; ok {
		r.Alive = &alive
	}
	if at := s.measured(aliveMetric, s.last()); at.N > 0 {
		r.MeanAlive = &at.Mean
	}
	r.Masses = make([][]float64, len(r.Modes))
	for i := range r.Masses {
		r.Masses[i] = make([]float64, len(shown))
	}
	for at, step := range shown {
		for _, m := range s.seeds[one][step].Modes {
			r.Masses[place[keyOf(m)]][at] += m.Mass
		}
	}
	return r
}

// rank adds the masses of one of n seeds at one of so many steps.
func (r *Rivers) rank(at, steps int, e record.Eval, n float64) {
	var ranks [draw.MaxRewarded + 1]float64
	var rewarded []float64
	plain, broken := 0.0, 0.0
	for _, m := range e.Modes {
		switch key := keyOf(m); {
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
		r.Ranks[i][at] += ranks[i] / n
	}
	if r.Plain != nil {
		r.Plain[at] += plain / n
	}
	if r.Degenerate != nil {
		r.Degenerate[at] += broken / n
	}
}
