package tabular

import (
	"fmt"
	"slices"
)

// A param is a row of trained parameters with the state of its optimiser: a line of 64 bytes.
type param struct {
	floats  []float64 // delta, Adam's two moments and the gradient
	common  *param    // the part that all contexts of the view learn together, or nil; it is added to delta
	version uint64    // counts changes of delta, so that rows know when they are stale

	power1, power2 float64 // beta1^t, beta2^t
	key            uint32  // its place among the keys of its section
	alone          bool    // of one context, so it is in store.alone
	touched        bool
}

func (q *param) len() int          { return len(q.floats) / 4 }
func (q *param) delta() []float64  { return q.floats[:len(q.floats)/4] }
func (q *param) first() []float64  { return q.floats[len(q.floats)/4 : len(q.floats)/2] }
func (q *param) second() []float64 { return q.floats[len(q.floats)/2 : len(q.floats)-len(q.floats)/4] }
func (q *param) grad() []float64   { return q.floats[len(q.floats)-len(q.floats)/4:] }

func (q *param) fresh() bool {
	moved := func(x float64) bool { return x != 0 }
	return q.power1 == 1 && q.power2 == 1 && !slices.ContainsFunc(q.floats[:3*q.len()], moved)
}

// A store holds all parameters, by key, in two sections since a view may be any bytes.
type store struct {
	common section // for all contexts: commonKey
	alone  section // of one context: aloneKey
	// contexts: the store was loaded from a checkpoint with a list of the latter, maybe
	// an empty one, and is saved with such a list.
	contexts bool
}

func newStore() store {
	return store{alone: section{alone: true}}
}

type section struct {
	alone  bool
	places index // numbers of parameters
	params list[param]
	floats slab[float64]
}

// get returns the parameters of that key, making them on first use.
func (s *section) get(key []byte, n int) (*param, error) {
	spot, err := s.seek(key, n)
	if err != nil {
		return nil, err
	}
	return s.take(spot, key, n)
}

// seek looks a key up. It is an error if its parameters are more or fewer than n.
func (s *section) seek(key []byte, n int) (spot, error) {
	spot := s.places.seek(key)
	if spot.found {
		if had := s.params.get(spot.value).len(); had != n {
			return spot, fmt.Errorf("state %q has %d parameters and %d legal tokens: the checkpoint or the shared parameters are of another environment", key, had, n)
		}
	}
	return spot, nil
}

// take returns the parameters of a key that was looked up, making them if they are missing.
func (s *section) take(spot spot, key []byte, n int) (*param, error) {
	if spot.found {
		return s.params.get(spot.value), nil
	}
	q := s.params.next()
	*q = param{floats: s.floats.take(4 * n), power1: 1, power2: 1, key: s.places.end(), alone: s.alone}
	if err := s.places.insert(spot, key, s.params.n); err != nil {
		return nil, err
	}
	s.params.add()
	return q, nil
}

func (s *section) key(q *param) []byte { return s.places.key(q.key) }

func (s *section) moved() []*param {
	var moved []*param
	for i := range s.params.n {
		if q := s.params.get(i); !q.fresh() {
			moved = append(moved, q)
		}
	}
	return moved
}

// A snapshot implements policies.Reference: the parameters that the policy had trained
// when it was frozen. It needs neither nodes nor priors nor rows of its own, since its
// log-probabilities are computed from the policy's rows, which cache them.
type snapshot struct {
	maker         *Policy
	loads         int                  // of the maker, when it was frozen
	common, alone map[string][]float64 // of the parameters that had moved, by key as in a store
	floats        slab[float64]
	prob, zeros   []float64 // buffers
}
