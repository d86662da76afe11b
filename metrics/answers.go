package metrics

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
)

// answers holds what all metrics of one problem are computed from, sampled and
// exact ones alike: chains with a mass each. Distinct reward vectors and modes are
// numbered, and a candidate has the numbers of its own. The numbers follow the order of vectors and names, so that
// sums over them do not depend on the order of the chains.
type answers struct {
	exact    bool
	n, m     int             // chains, candidates of each
	number   []int           // of each chain in the input
	mass     []float64       // of each chain: 1 in a pool, else its probability, above 0
	named    []int           // candidate that each chain names as its final answer, from 1; 0: none
	all      []*envs.Verdict // the n*m candidates, chain by chain
	existing int             // correct modes, -1 where not known
	front    [][]float64

	vectors [][]float64 // distinct reward vectors, in lexicographic order
	scores  []float64   // w*.r of each
	vector  []int32     // of each candidate
	weight  []float64   // mass of each vector: that of the candidates that have it
	modes   []envs.Mode // distinct modes, ascending
	mode    []int32     // of each candidate

	vectorNumber map[string]int32
	modeNumber   map[envs.Mode]int32
	key          []byte
	climbed      map[string]tails // of chains, by the ranks of the vectors; filled on demand
	embedded     embeddings
	byComponent  [][]int32 // numbers of vectors in the order of each component; filled on demand
}

// reset empties a for a problem, keeping what is allocated.
func (a *answers) reset() {
	if a.vectorNumber == nil {
		a.vectorNumber, a.modeNumber, a.climbed = map[string]int32{}, map[envs.Mode]int32{}, map[string]tails{}
	}
	clear(a.vectorNumber)
	clear(a.climbed)
	clear(a.modeNumber)
	a.n, a.m = 0, 0
	a.number, a.mass, a.named, a.all = a.number[:0], a.mass[:0], a.named[:0], a.all[:0]
	a.vectors, a.scores, a.vector = a.vectors[:0], a.scores[:0], a.vector[:0]
	a.modes, a.mode = a.modes[:0], a.mode[:0]
	a.byComponent = a.byComponent[:0]
}

// where names a candidate in an error.
func (a *answers) where(candidate int) string {
	return a.place(a.number[candidate/a.m], candidate%a.m)
}

// place names a candidate of the input.
func (a *answers) place(chain, candidate int) string {
	if a.exact {
		return fmt.Sprintf("outcome %d: candidate %d", chain, candidate)
	}
	return fmt.Sprintf("chains[%d][%d]", chain, candidate)
}

// placeChain names a chain of the input.
func (a *answers) placeChain(chain int) string {
	if a.exact {
		return fmt.Sprintf("outcome %d", chain)
	}
	return fmt.Sprintf("chains[%d]", chain)
}

// push checks a chain and appends it under its number; a chain without mass is left out.
func (a *answers) push(number int, mass float64, chain []*envs.Verdict, named int) error {
	switch {
	case len(chain) == 0:
		return fmt.Errorf("%s: empty, want at least 1 candidate", a.placeChain(number))
	case number == 0:
		a.m = len(chain)
	case len(chain) != a.m:
		return fmt.Errorf("%s: %d candidates, want %d as in %s", a.placeChain(number), len(chain), a.m, a.placeChain(0))
	}
	if named < 0 || named > a.m {
		return fmt.Errorf("%s: names candidate %d as final, want 1 to %d, or 0 for none", a.placeChain(number), named, a.m)
	}
	for i, v := range chain {
		if v == nil {
			return fmt.Errorf("%s: nil, want a verdict", a.place(number, i))
		}
	}
	if mass == 0 {
		return nil
	}
	a.number = append(a.number, number)
	a.mass = append(a.mass, mass)
	a.named = append(a.named, named)
	a.all = append(a.all, chain...)
	a.n = len(a.mass)
	return nil
}

// maxScore bounds the magnitude of w.r, far above any reward in use, so that sums and
// differences do not overflow.
const maxScore = 1e300

// maxComponent bounds the magnitude of a reward component likewise, where squares are formed.
const maxComponent = 1e150

// checkScore reports a score that cannot be averaged.
func checkScore(s float64) error {
	if !(math.Abs(s) <= maxScore) {
		return fmt.Errorf("got %v, want a number within %v of 0", s, maxScore)
	}
	return nil
}

func errRewardLength(got, want int) error {
	return fmt.Errorf("reward: %d entries, want %d (one per weight)", got, want)
}

// numberVectors numbers the reward vectors and scores them.
func (a *answers) numberVectors(weights []float64) error {
	for i, v := range a.all {
		if len(v.Reward) != len(weights) {
			return fmt.Errorf("%s: %w", a.where(i), errRewardLength(len(v.Reward), len(weights)))
		}
		key := a.key[:0]
		for _, x := range v.Reward {
			if x == 0 {
				x = 0 // -0 is the same reward
			}
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		}
		a.key = key
		number, known := a.vectorNumber[string(key)]
		if !known {
			if err := checkReward(v.Reward, weights); err != nil {
				return fmt.Errorf("%s: %w", a.where(i), err)
			}
			number = int32(len(a.vectors))
			a.vectorNumber[string(key)] = number
			a.vectors = append(a.vectors, v.Reward)
		}
		a.vector = append(a.vector, number)
	}
	a.vectors = renumber(a.vectors, a.vector, slices.Compare[[]float64])
	for _, r := range a.vectors {
		a.scores = append(a.scores, dot(weights, r))
	}
	a.weight = a.vectorMass(a.weight, a.m, false)
	return nil
}

// checkReward reports a reward vector that is not finite or too large to compute with.
func checkReward(r, weights []float64) error {
	if err := checkScore(dot(weights, r)); err != nil {
		return fmt.Errorf("w.r: %w", err)
	}
	for j, x := range r {
		if !(math.Abs(x) <= maxComponent) {
			return fmt.Errorf("reward[%d]: got %v, want a number within %v of 0", j, x, maxComponent)
		}
	}
	return nil
}

// dot returns w.r, summed in component order.
func dot(w, r []float64) float64 {
	s := 0.0
	for i, x := range r {
		s += float64(w[i] * x)
	}
	return s
}

// numberModes numbers the modes.
func (a *answers) numberModes() {
	for _, v := range a.all {
		number, known := a.modeNumber[v.Mode]
		if !known {
			number = int32(len(a.modes))
			a.modeNumber[v.Mode] = number
			a.modes = append(a.modes, v.Mode)
		}
		a.mode = append(a.mode, number)
	}
	a.modes = renumber(a.modes, a.mode, cmp.Compare[envs.Mode])
}

// renumber sorts the numbered things and changes the numbers accordingly; a number
// below 0 is of nothing.
func renumber[T any](things []T, numbers []int32, compare func(x, y T) int) []T {
	if slices.IsSortedFunc(things, compare) {
		return things
	}
	order := make([]int32, len(things))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return compare(things[i], things[j]) })
	sorted, rank := make([]T, len(things)), make([]int32, len(things))
	for place, i := range order {
		sorted[place], rank[i] = things[i], int32(place)
	}
	for i, number := range numbers {
		if number >= 0 {
			numbers[i] = rank[number]
		}
	}
	return sorted
}

// vectorMass returns the mass of each reward vector: the sum over the
// candidates that have it, among the first ones of each chain, and only the
// correct candidates if correct is set. The result replaces dst.
func (a *answers) vectorMass(dst []float64, first int, correct bool) []float64 {
	dst = zeros(dst, len(a.vectors))
	for i, number := range a.vector {
		if i%a.m < first && (!correct || a.all[i].Correct) {
			dst[number] += a.mass[i/a.m]
		}
	}
	return dst
}

// order returns the numbers of the vectors by ascending component j.
func (a *answers) order(j int) []int32 {
	for len(a.byComponent) <= j {
		component, order := len(a.byComponent), make([]int32, len(a.vectors))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(x, y int32) int {
			return cmp.Compare(a.vectors[x][component], a.vectors[y][component])
		})
		a.byComponent = append(a.byComponent, order)
	}
	return a.byComponent[j]
}

// zeros returns n zeros, in the memory of dst if it suffices.
func zeros(dst []float64, n int) []float64 {
	dst = slices.Grow(dst[:0], n)[:n]
	clear(dst)
	return dst
}

// candidates is the mass of all candidates: their number in a pool; m in a
// distribution, whose probabilities are used as given and not normalised.
func (a *answers) candidates() float64 {
	if a.exact {
		return float64(a.m)
	}
	return float64(len(a.all))
}
