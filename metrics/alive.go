package metrics

import (
	"cmp"
	"slices"

	"modebench/envs"
)

func init() {
	register(
		Metric{rank: 160, Name: "modes_alive", Doc: "modes with more than 2% of the probability", Detail: "count; of a pool, the modes with that share of it",
			Label: "modes alive", Unit: "mass > 2%", Axis: AxisCounts, Delta: countDelta, Policy: true},
		Metric{rank: 170, Name: "correct_modes_alive", Doc: "modes whose correct answers have more than 2% of the probability", Detail: "count; of a pool, the same",
			Label: "rewarded modes alive", Unit: "mass > 2%", Axis: AxisCounts, Delta: countDelta, Policy: true},
	)
}

// AliveMass is the probability above which a mode counts as alive: a mode that
// fewer than one answer in fifty shows has collapsed for every practical group
// size. The threshold is this suite's own convention, no paper's.
const AliveMass = 0.02

// A Share is the probability of answering correctly, or incorrectly, in one mode.
type Share struct {
	Mode    envs.Mode
	Correct bool
	Mass    float64
}

// Shares returns the mean mass of each (mode, correct) pair over the problems of AddExact and
// AddSampled, Degenerate included: correct ones first, then in the order of mode names.
func (t *Table) Shares() []Share {
	problems := t.rows[t.row["modes_alive"]].problems
	return sortedShares(t.shares, float64(max(1, problems)))
}

// sortedShares lists masses by mode and correctness, divided by n.
func sortedShares(masses map[Share]float64, n float64) []Share {
	out := make([]Share, 0, len(masses))
	for s, mass := range masses {
		s.Mass = mass / n
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(indicator(b.Correct), indicator(a.Correct)), cmp.Compare(a.Mode, b.Mode))
	})
	return out
}

// shares returns the mass of each (mode, correct) pair that has an outcome, in the order of
// Table.Shares. A chain's probability is spread evenly over its candidates. Each sum runs in the
// order of the outcomes.
func (d Distribution) shares() []Share {
	masses := map[Share]float64{}
	for _, o := range d.Outcomes {
		for _, v := range o.Chain {
			masses[Share{Mode: v.Mode, Correct: v.Correct}] += o.P / float64(len(o.Chain))
		}
	}
	return sortedShares(masses, 1)
}

// addAlive adds the shares of a problem, the number of modes that hold more than AliveMass of
// probability, and of those whose correct answers do; Degenerate never counts.
func (t *Table) addAlive(d Distribution) {
	modes, correct := 0, 0
	masses := map[envs.Mode]float64{}
	for _, s := range d.shares() {
		t.shares[Share{Mode: s.Mode, Correct: s.Correct}] += s.Mass
		if s.Mode == envs.Degenerate {
			continue
		}
		before := masses[s.Mode]
		masses[s.Mode] = before + s.Mass
		if before <= AliveMass && before+s.Mass > AliveMass {
			modes++
		}
		if s.Correct && s.Mass > AliveMass {
			correct++
		}
	}
	t.AddValue("modes_alive", float64(modes))
	t.AddValue("correct_modes_alive", float64(correct))
}

// AddSampled measures a pool that was drawn from a policy: Add, and the modes alive among
// its answers. Errors are those of Add.
func (t *Table) AddSampled(p Pool) error {
	if err := t.Add(p); err != nil {
		return err
	}
	d := Distribution{Outcomes: make([]Outcome, len(p.Chains))}
	for i, chain := range p.Chains {
		d.Outcomes[i] = Outcome{P: 1 / float64(len(p.Chains)), Chain: chain}
	}
	t.addAlive(d)
	return nil
}
