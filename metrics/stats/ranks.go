package stats

import "slices"

// A Rank is the place of a method among M; 1 is the best.
type Rank struct {
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
