package metrics

import (
	"errors"
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/internal/each"
)

const (
	// BranchFamily is the family whose number is a token position and no k.
	BranchFamily = "branches"
	// BranchRollouts is the number of rollouts among which branches are counted, as in Poly-EPO
	// fig. 3 (or all, if fewer are drawn).
	BranchRollouts = 8
)

func init() {
	register(Metric{rank: 390, Name: BranchFamily + "@h", Doc: fmt.Sprintf("distinct prefixes of h tokens among %d rollouts at least that long (Poly-EPO fig. 3); h: positions in [eval]", BranchRollouts), Detail: fmt.Sprintf("count, [0, %d]", BranchRollouts),
		Delta: countDelta, Measure: MeasureBranches, Policy: true})
}

// Branches returns the numbers of active branches at token positions (Poly-EPO fig. 3, "average
// number of active branches as a function of token position"): for each of positions h >= 1, the
// expected number of distinct prefixes of h tokens among those of k sampled rollouts that have h
// tokens or more; a count, from 0 to k. It rises as rollouts part and falls as they end. (The paper
// gives no formula; the figure's trees have a node for each shared prefix.)
//
// Without mass the rollouts are a sample, drawn independently of each other, and each number is the
// average over all choices of k of them, which is unbiased: a prefix that c of n rollouts share is
// among the k with probability 1 - C(n-c,k)/C(n,k). Otherwise the rollouts are all there are and
// mass has the probability of each, used as given: one of total P is seen with probability 1 -
// (1-P)^k. k is 1 or more, and at most n for a sample.
//
// The order of a sample changes no bit. The time is that of sorting the rollouts and
// O(n) for each position.
//
// Errors: no rollouts, a k or a position out of range, masses of another number than the
// rollouts, one outside [0, 1] or a total that is not 1 (within 1e-9).
func Branches(rollouts [][]envs.Token, mass []float64, positions []int, k int) ([]float64, error) {
	c, err := checkBranches(rollouts, mass, positions, k)
	if err != nil {
		return nil, err
	}
	order := each.Below(len(rollouts))
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(rollouts[i], rollouts[j]) })
	// shared is the length of the prefix that a rollout shares with the one before.
	shared := make([]int, len(order))
	for place := 1; place < len(order); place++ {
		shared[place] = commonPrefix(rollouts[order[place-1]], rollouts[order[place]])
	}
	out := make([]float64, len(positions))
	for i, h := range positions {
		// Rollouts with the same prefix are neighbours: any between two that share it has it too.
		sum, branch := 0.0, 0.0
		for at, r := range order {
			if shared[at] < h {
				sum += c.hit(branch, branch)
				branch = 0
			}
			switch {
			case len(rollouts[r]) < h:
			case mass == nil:
				branch++
			default:
				branch += mass[r]
			}
		}
		out[i] = min(float64(k), sum+c.hit(branch, branch))
	}
	return out, nil
}

// checkBranches returns the choice of k rollouts.
func checkBranches(rollouts [][]envs.Token, mass []float64, positions []int, k int) (*choice, error) {
	n := len(rollouts)
	switch {
	case n == 0:
		return nil, errors.New("no rollouts")
	case k < 1:
		return nil, fmt.Errorf("k is %d, want at least 1", k)
	case mass == nil && k > n:
		return nil, fmt.Errorf("k is %d, want at most %d, the number of rollouts", k, n)
	case mass != nil && len(mass) != n:
		return nil, fmt.Errorf("mass: %d entries, want %d (one per rollout)", len(mass), n)
	}
	for i, h := range positions {
		if h < 1 {
			return nil, fmt.Errorf("positions[%d]: %d, want at least 1", i, h)
		}
	}
	if mass != nil {
		return &choice{q: k}, checkMass(mass)
	}
	c := &choice{q: k, n: n}
	c.tabulate()
	return c, nil
}

// checkMass reports masses that are no probability distribution.
func checkMass(mass []float64) error {
	for i, p := range mass {
		if !(p >= 0 && p <= 1+massTolerance) {
			return fmt.Errorf("mass[%d]: %v, want a number in [0, 1]", i, p)
		}
	}
	if sum := total(mass); !(sum >= 1-massTolerance && sum <= 1+massTolerance) {
		return fmt.Errorf("mass: the sum is %v, want 1 within %v", sum, massTolerance)
	}
	return nil
}

// commonPrefix returns how many tokens two rollouts have in common at their beginning.
func commonPrefix(a, b []envs.Token) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
