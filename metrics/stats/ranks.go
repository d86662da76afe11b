package stats

import (
	"math"
	"math/big"
	"slices"
)

// A Rank is the place of a method among M; 1 is the best.
type Rank struct {
	// IQM is StratifiedIQM of the method's own tasks.
	IQM Interval
	// Low and High bound the method's true rank: 1 plus the number of methods that are
	// surely above it, and M less the number that are surely below.
	Low, High int
}

// Rankings are the ranks of M methods.
type Rankings struct {
	Ranks []Rank // in the order of the tables
	// Above[i][j]: method i is surely above method j.
	Above [][]bool
}

// RankMethods ranks methods by how often one is above another on the same task and seed, one table
// per method, and returns the ranks that the seeds support: simultaneous confidence sets of ranks
// (Mogstad, Romano, Shaikh and Wilhelm 2024) at 95%, from an exact test of every pair. A run is a
// seed of a task that both methods have. Method i is above j where the probability that its score
// is higher, with half of the probability that both are equal, is more than a half in the mean over
// runs. Of n runs and P pairs of methods, with w the number of runs where i is higher,
//
//	i is surely above j where w >= SureWins(n, P)
//	ranks of i: from 1 + #{j surely above i} to M - #{j surely below i}
//
// The test is exact for any scores. If i is not above j, the probability of a higher score is at
// most a half in the mean over runs. Runs are independent, so by Hoeffding (1956, theorem 4) a
// number w of them, at least one more than half of n, is no more probable than of n fair coins.
// Tasks may differ in scale and in noise, as only the sign of a difference counts. Equal scores
// count for neither side, which costs power alone. A difference of less than a 10^-9th of the
// larger score is rounding, and no difference.
//
// The relation is not transitive in its gaps: a may be surely above c, and b separated from neither.
//
// The result for a method does not depend on the order of the tables. It is an error in the
// cases of StratifiedIQM, if there are no tables, and if a task has different numbers of seeds
// in two of them.
func RankMethods(methods []Table) (*Rankings, error) {
	s, err := newStrata(methods)
	if err != nil {
		return nil, err
	}
	r := s.rankings()
	for i, table := range methods {
		r.Ranks[i].IQM = s.interval(table)
	}
	return r, nil
}

// rankings are the ranks of the tables, without IQMs.
func (s *strata) rankings() *Rankings {
	r := newRankings(len(s.tables))
	pairs := s.pairs()
	sure := map[int]int{} // by runs
	for _, p := range pairs {
		if _, known := sure[p.runs]; !known {
			sure[p.runs] = SureWins(p.runs, len(pairs))
		}
		switch need := sure[p.runs]; {
		case p.wins >= need:
			r.note(p.i, p.j)
		case p.losses >= need:
			r.note(p.j, p.i)
		}
	}
	return r
}

// newRankings returns the rankings of m methods before any two are separated.
func newRankings(m int) *Rankings {
	r := &Rankings{Ranks: slices.Repeat([]Rank{{Low: 1, High: m}}, m), Above: make([][]bool, m)}
	for i := range r.Above {
		r.Above[i] = make([]bool, m)
	}
	return r
}

// note notes that one method is surely above another.
func (r *Rankings) note(up, down int) {
	r.Above[up][down] = true
	r.Ranks[down].Low++
	r.Ranks[up].High--
}

// SureWins is the fewest of n runs that one method has to win for it to be surely above another,
// if the given number of pairs of methods is compared: the smallest w with
//
//	P(at least w of n fair coins fall heads) <= 0.05 / (2 * pairs)
//
// It is n+1 where no number of wins does.
func SureWins(n, pairs int) int {
	// In whole numbers: tail/2^n <= 1/(40*pairs).
	bound := new(big.Int).Lsh(big.NewInt(1), uint(n))
	tail, factor := new(big.Int), big.NewInt(40*int64(pairs))
	for w := n; w >= 0; w-- {
		tail.Add(tail, new(big.Int).Binomial(int64(n), int64(w)))
		if new(big.Int).Mul(tail, factor).Cmp(bound) > 0 {
			return w + 1
		}
	}
	return 0 // not reached: all coins fall somehow with probability 1
}

// A pair is two methods, and the evidence of their runs.
type pair struct {
	i, j         int
	runs         int // seeds of tasks that both have
	wins, losses int // of i
}

// pairs returns all pairs of methods that share a task.
func (s *strata) pairs() (out []pair) {
	for i, a := range s.tables {
		for j, b := range s.tables[:i] {
			p := pair{i: i, j: j}
			for _, task := range shared(a, b) {
				p.runs += len(a[task])
				for k, x := range a[task] {
					y := b[task][k]
					switch d := x - y; {
					case math.Abs(d) <= sameStatistic*max(math.Abs(x), math.Abs(y)): // equal
					case d > 0:
						p.wins++
					default:
						p.losses++
					}
				}
			}
			if p.runs > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}
