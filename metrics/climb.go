package metrics

import (
	"encoding/binary"
	"slices"
)

// tally returns the tails of the events given by number for each candidate; -1 means no event.
func (t *Table) tally(a *answers, event []int32, events int) tails {
	lengths := t.plan.lengths
	out := tails{events, zeros(t.scratch.tails, len(lengths)*events)}
	t.scratch.tails = out.data
	latest := slices.Grow(t.scratch.latest[:0], events)[:events] // chain that showed it last, from 1
	t.scratch.latest = latest
	clear(latest)
	for i, e := range event {
		chain := int32(i/a.m + 1)
		if e < 0 || latest[e] == chain {
			continue
		}
		latest[e] = chain
		// It counts for all lengths that reach the candidate.
		for l := len(lengths) - 1; l >= 0 && lengths[l] > i%a.m; l-- {
			out.data[l*events+int(e)] += a.mass[chain-1]
		}
	}
	return out
}

// events numbers the candidates' events in scratch memory: number gives the
// event of candidate i, or -1.
func (t *Table) events(a *answers, number func(i int) int32) []int32 {
	event := t.scratch.event[:0]
	for i := range a.all {
		event = append(event, number(i))
	}
	t.scratch.event = event
	return event
}

// climb returns the ascending scores of the reward vectors under some weights,
// and the tails of "at least the i-th score".
func (t *Table) climb(a *answers, scores []float64) ([]float64, tails) {
	s := &t.scratch
	s.ranked, s.ascending = s.ranked[:0], s.ascending[:0]
	for number, score := range scores {
		s.ranked = append(s.ranked, scored{score, int32(number)})
	}
	slices.SortFunc(s.ranked, func(x, y scored) int {
		switch {
		case x.score < y.score:
			return -1
		case x.score > y.score:
			return 1
		}
		return int(x.number - y.number)
	})
	s.rank = slices.Grow(s.rank[:0], len(scores))[:len(scores)]
	for rank, v := range s.ranked {
		s.rank[v.number] = int32(rank)
		s.ascending = append(s.ascending, v.score)
	}
	if a.m == 1 || !a.exact {
		out := tails{len(scores), zeros(s.tails, len(t.plan.lengths)*len(scores))}
		s.tails = out.data
		a.climb(out, t.plan.lengths, s.rank)
		return s.ascending, out
	}
	// Distributions list thousands of chains, and many weights rank what few vectors
	// they have in one of a few ways.
	key := a.key[:0]
	for _, rank := range s.rank {
		key = binary.LittleEndian.AppendUint32(key, uint32(rank))
	}
	a.key = key
	out, known := a.climbed[string(key)]
	if !known {
		out = tails{len(scores), make([]float64, len(t.plan.lengths)*len(scores))}
		a.climb(out, t.plan.lengths, s.rank)
		a.climbed[string(key)] = out
	}
	return s.ascending, out
}

// climb fills out, which is all zeros, with the tails of "at least of the i-th rank".
func (a *answers) climb(out tails, lengths []int, rank []int32) {
	// First, for each length and rank, the mass of the chains whose best rank within that length it
	// is; for single answers that is the mass of the vector. Then the sums from the top.
	if a.m == 1 {
		for number, mass := range a.weight {
			out.data[rank[number]] = mass
		}
	} else {
		for chain, mass := range a.mass {
			highest, i := int32(0), chain*a.m
			for at, length := range lengths {
				for ; i < chain*a.m+length; i++ {
					highest = max(highest, rank[a.vector[i]])
				}
				out.data[at*out.events+int(highest)] += mass
			}
		}
	}
	for at := range lengths {
		row := out.within(at)
		for i := len(row) - 2; i >= 0; i-- {
			row[i] += row[i+1]
		}
	}
}
