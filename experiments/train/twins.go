package train

import (
	"slices"

	"modebench/policies"
)

// twins finds rollouts to a task with the same tokens, which have the same verdicts.
type twins struct {
	rollouts []policies.Rollout
	byHash   map[uint64]int
}

func newTwins(rollouts []policies.Rollout) twins {
	return twins{rollouts, make(map[uint64]int, 16)}
}

// first is the least number of a rollout with the tokens of rollout i, of those that it was asked about, or i if
// there is no other. Two of the same hash are not found.
func (t *twins) first(i int) int {
	const prime = 1099511628211 // of FNV-1a
	hash := uint64(14695981039346656037)
	for _, token := range t.rollouts[i].Tokens {
		hash = (hash ^ uint64(token)) * prime
	}
	j, known := t.byHash[hash]
	if !known {
		t.byHash[hash] = i
	} else if slices.Equal(t.rollouts[i].Tokens, t.rollouts[j].Tokens) {
		return j
	}
	return i
}
