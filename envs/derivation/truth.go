package derivation

import "modebench/envs"

// Truth implements envs.Problem. Modes are in the order of the binary numbers whose lowest
// digit tells whether the first needed variable is written. Nothing is better than the
// right digit alone: it is correct, and no answer is shorter.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(func() { p.truth = p.count() })
	return p.truth
}

func (p *Problem) count() envs.Truth {
	truth := envs.Truth{
		Modes: make([]envs.Mode, 0, 1<<p.needed.size()),
		Front: [][]float64{{1, p.rules.brief(2)}},
	}
	ways := int64(base)
	if p.rules.config.Verify == "all" {
		ways = 1
	}
	truth.Solutions = arrangements(p.derived()-1, ways)
	// The subsets of a set in ascending order: adding 1 to the bits that are not in it
	// carries to the next subset.
	for s := set(0); ; s = (s - p.needed) & p.needed {
		truth.Modes = append(truth.Modes, p.mode(s))
		if s == p.needed {
			return truth
		}
	}
}

// arrangements counts the sequences of any of r things without repetition, each of them in
// a number of ways:
//
//	sum over j = 0..r of r (r-1) ... (r-j+1) ways^j
//
// Of the variables besides the asked one these are the correct answers, as a statement has 10
// digits to choose from, or 1 where all have to be right; the end is always the same.
func arrangements(r int, ways int64) int64 {
	total := int64(1)
	for n := int64(1); n <= int64(r); n++ {
		total = 1 + n*ways*total
	}
	return total
}
