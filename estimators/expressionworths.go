package estimators

import (
	"math"
	"slices"
)

// worths remembers what sets of a group are worth under an expression. Rollouts that the
// expression cannot tell apart are of one kind, and sets of the same kinds in the same
// order are worth the same: of 32 answers of four kinds 4096 sets of four are drawn, and
// the expression is evaluated 256 times at most.
type worths struct {
	kind  []int     // of every rollout of the group
	kinds int       // how many there are
	known []float64 // by the kinds of a set's members, read as digits; NaN: not evaluated yet
}

// maxKinds bounds the work of telling rollouts apart.
const maxKinds = 64

// remember prepares worthKnown for so many sets of n of the group. Where their members
// could be of more combinations of kinds than there are sets, nothing is remembered.
func (x *setExpression) remember(n, sets int) {
	w := &x.worths
	w.known, w.kinds = w.known[:0], 0
	w.kind = slices.Grow(w.kind[:0], len(x.group.Reward))[:len(x.group.Reward)]
	var first [maxKinds]int // the first rollout of each kind
	for i := range w.kind {
		kind := 0
		for kind < w.kinds && !x.same(i, first[kind]) {
			kind++
		}
		if kind == maxKinds {
			return
		}
		if kind == w.kinds {
			first[kind] = i
			w.kinds++
		}
		w.kind[i] = kind
	}
	size := 1
	for range n {
		if size *= w.kinds; size > sets {
			return
		}
	}
	for range size {
		w.known = append(w.known, math.NaN())
	}
}

// worthKnown is worth, evaluated once for all sets of the same kinds.
func (x *setExpression) worthKnown(set []int) (float64, error) {
	w := &x.worths
	if len(w.known) == 0 {
		return x.worth(set)
	}
	at := 0
	for _, i := range set {
		at = at*w.kinds + w.kind[i]
	}
	if f := w.known[at]; !math.IsNaN(f) {
		return f, nil
	}
	f, err := x.worth(set)
	if err == nil {
		w.known[at] = f
	}
	return f, err
}

// same says that the program reads nothing by which two rollouts of the group differ.
func (x *setExpression) same(i, j int) bool {
	g, bits := &x.group, math.Float64bits
	for _, name := range x.program.Reads() {
		equal := name == "n"
		switch name {
		case "reward":
			equal = bits(g.Reward[i]) == bits(g.Reward[j])
		case "correct":
			equal = g.Correct[i] == g.Correct[j]
		case "valid":
			equal = g.Valid[i] == g.Valid[j]
		case "mode":
			equal = g.Mode[i] == g.Mode[j]
		case "answer":
			equal = g.Answer[i] == g.Answer[j]
		case "tokens":
			equal = g.Tokens[i] == g.Tokens[j]
		case "vector":
			equal = slices.EqualFunc(x.groupVector[i], x.groupVector[j], func(a, b float64) bool { return bits(a) == bits(b) })
		}
		if !equal {
			return false
		}
	}
	return true
}
