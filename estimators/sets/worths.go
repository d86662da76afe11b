package sets

import (
	"math"
	"slices"

	"modebench/estimators"
	"modebench/estimators/internal/subsets"
)

// worths remembers what sets are worth under an expression, from group to group. Rollouts
// that the expression cannot tell apart are of one kind, and sets of the same kinds in the
// same order are worth the same: of 32 answers of twelve kinds 4096 sets of four are drawn,
// and over all groups the expression is evaluated 12^4 times at most.
type worths struct {
	n       int // members of the sets that are known
	kinds   estimators.Lists
	vectors [][]float64 // copies, since a batch may use its own again
	kind    []int       // of every rollout of the group, in kinds; nil: nothing is remembered
	bits    int         // of a kind in the word of a set
	known   subsets.Words
}

const (
	// maxKinds bounds the work of telling rollouts apart.
	maxKinds = 64
	// maxKnown bounds what is remembered: 2 MB.
	maxKnown = 1 << 16
)

// remember prepares worthKnown for sets of n of the group. Where their members are of more
// kinds than a word can tell, nothing is remembered.
func (x *setExpression) remember(n int) {
	w := &x.worths
	if w.n != n || w.known.Len() >= maxKnown {
		w.forget(n)
	}
	if !x.number() {
		w.forget(n) // the kinds of earlier groups
		x.number()
	}
}

func (w *worths) forget(n int) {
	w.n, w.bits = n, 63/n // and a bit that no word is without
	w.kinds.Reset()
	w.vectors = w.vectors[:0]
	w.known.Clear(0)
}

// number finds the kind of every rollout; ok is false if there are too many kinds.
func (x *setExpression) number() (ok bool) {
	w := &x.worths
	limit := min(maxKinds, 1<<min(w.bits, 6))
	numbers := slices.Grow(w.kind[:0], len(x.group.Reward))
	for i := range x.group.Reward {
		kind := 0
		for kind < len(w.vectors) && !x.same(i, kind) {
			kind++
		}
		if kind == limit {
			w.kind = nil
			return false
		}
		if kind == len(w.vectors) {
			w.kinds.Copy(&x.group, i)
			w.vectors = append(w.vectors, slices.Clone(x.groupVector[i]))
		}
		numbers = append(numbers, kind)
	}
	w.kind = numbers
	return true
}

// worthKnown is worth, evaluated once for all sets of the same kinds.
func (x *setExpression) worthKnown(set []int) (float64, error) {
	w := &x.worths
	if w.kind == nil {
		return x.worth(set)
	}
	word := uint64(1)
	for _, i := range set {
		word = word<<w.bits | uint64(w.kind[i])
	}
	f, fresh := w.known.Add(word)
	if fresh {
		var err error
		if *f, err = x.worth(set); err != nil {
			w.n = 0 // a set in the table has no worth: forget all
			return 0, err
		}
	}
	return *f, nil
}

// same reports whether the program reads no difference of a rollout from a kind.
func (x *setExpression) same(i, kind int) bool {
	g, k, bits := &x.group, &x.worths.kinds, math.Float64bits
	for _, name := range x.program.Reads() {
		equal := name == "n"
		switch name {
		case "reward":
			equal = bits(g.Reward[i]) == bits(k.Reward[kind])
		case "correct":
			equal = g.Correct[i] == k.Correct[kind]
		case "valid":
			equal = g.Valid[i] == k.Valid[kind]
		case "mode":
			equal = g.Mode[i] == k.Mode[kind]
		case "answer":
			equal = g.Answer[i] == k.Answer[kind]
		case "tokens":
			equal = g.Tokens[i] == k.Tokens[kind]
		case "vector":
			equal = slices.EqualFunc(x.groupVector[i], x.worths.vectors[kind], func(a, b float64) bool { return bits(a) == bits(b) })
		}
		if !equal {
			return false
		}
	}
	return true
}
