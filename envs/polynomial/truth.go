package polynomial

import "modebench/envs"

// maxSolutions bounds the pairs that Fields lists.
const maxSolutions = 2000

// A pair of numbers in units.
type pair struct{ x, y int32 }

type scratch struct {
	pairs []pair
	text  []byte
	ends  []int32 // of the modes in text
}

// Truth implements envs.Problem. Modes are all correct pairs that can be
// written, by x and then by y; Solutions counts their spellings.
//
// A problem keeps its truth. By default a line's takes 1 to 7 MB (22 to 200
// thousand modes of 34 bytes), and those of the first 100 problems of the split
// train 40 MB, nearly all of it for lines. With one decimal they take 5 MB, and
// with degree_min = 2, which leaves only the few implicit lines, 3 MB.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(p.computeTruth)
	return p.truth
}

func (p *Problem) computeTruth() {
	e := p.env
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	s.pairs, s.text, s.ends = s.pairs[:0], s.text[:0], s.ends[:0]
	for x, y := range p.curve.pairs() {
		s.pairs = append(s.pairs, pair{int32(x), int32(y)})
		s.text = e.appendPair(s.text, x, y)
		s.ends = append(s.ends, int32(len(s.text)))
		p.truth.Solutions += e.spellings(x) * e.spellings(y)
	}
	text, begin := string(s.text), int32(0) // one string for all modes
	p.truth.Modes = make([]envs.Mode, len(s.ends))
	for i, end := range s.ends {
		p.truth.Modes[i] = envs.Mode(text[begin:end])
		begin = end
	}
	p.truth.Front = [][]float64{rightReward}
	p.sample(s.pairs)
}

// sample keeps the correct pairs that Fields lists: all of them, or maxSolutions
// at equal distances, the first and the last among them.
func (p *Problem) sample(pairs []pair) {
	n := min(len(pairs), maxSolutions)
	p.solutions = make([][2]float64, n)
	unit := float64(p.curve.unit)
	for i := range p.solutions {
		place := i
		if n < len(pairs) {
			place = i * (len(pairs) - 1) / (n - 1)
		}
		p.solutions[i] = [2]float64{float64(pairs[place].x) / unit, float64(pairs[place].y) / unit}
	}
}
