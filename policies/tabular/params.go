package tabular

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A param is one row of trained parameters with the state of its optimiser.
type param struct {
	key    string
	alone  bool   // of one context, so kept among store.alone
	common *param // what all contexts of the view learn together, or nil; it is added to delta
	delta  []float64

	version        uint64    // counts changes of delta, so that rows know when they are stale
	first, second  []float64 // Adam's moments
	power1, power2 float64   // beta1^t, beta2^t
	grad           []float64
	touched        bool
}

// fresh says that the row is as it was made: no update has moved it.
func (q *param) fresh() bool {
	moved := func(x float64) bool { return x != 0 }
	return q.power1 == 1 && q.power2 == 1 &&
		!slices.ContainsFunc(q.delta, moved) && !slices.ContainsFunc(q.first, moved) && !slices.ContainsFunc(q.second, moved)
}

// A store holds all parameters, by key. A key is unambiguous within its map; the
// two maps are apart because a view may be any bytes.
type store struct {
	common map[string]*param // what no context is told apart in: commonKey
	alone  map[string]*param // of one context: aloneKey
	// contexts: it came out of a checkpoint that has a list of the latter, if an
	// empty one, and is saved alike.
	contexts bool
	slab     slab[param]
	floats   slab[float64]
}

func newStore() store {
	return store{common: map[string]*param{}, alone: map[string]*param{}}
}

func (s *store) section(alone bool) map[string]*param {
	if alone {
		return s.alone
	}
	return s.common
}

// commonKey is the problem's ID and a zero byte, unless problems share, then
// the view. A problem's ID holds no zero byte.
func (p *Policy) commonKey(dst []byte, problem string, view []byte) []byte {
	if p.config.Sharing == "problem" {
		dst = append(append(dst, problem...), 0)
	}
	return append(dst, view...)
}

// aloneKey is the problem's ID, empty where problems share, and the context,
// each preceded by its length, then the view.
func (p *Policy) aloneKey(dst []byte, problem string, context, view []byte) []byte {
	if p.config.Sharing != "problem" {
		problem = ""
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(problem))), problem...)
	dst = append(binary.AppendUvarint(dst, uint64(len(context))), context...)
	return append(dst, view...)
}

// paramOf returns the parameters of a view in a context, making them on first
// sight; there is no context when it is empty.
func (p *Policy) paramOf(problem string, context, view []byte, n int) (*param, error) {
	if len(context) == 0 {
		p.key = p.commonKey(p.key[:0], problem, view)
		return p.params.get(false, p.key, n)
	}
	p.key = p.aloneKey(p.key[:0], problem, context, view)
	if p.config.Context == ContextIndependent {
		return p.params.get(true, p.key, n)
	}
	if _, err := p.params.known(true, p.key, n); err != nil {
		return nil, err
	}
	common, err := p.paramOf(problem, nil, view, n)
	if err != nil {
		return nil, err
	}
	p.key = p.aloneKey(p.key[:0], problem, context, view)
	q, err := p.params.get(true, p.key, n)
	if err == nil {
		q.common = common
	}
	return q, err
}

// get returns the parameters of that key, making them on first sight.
func (s *store) get(alone bool, key []byte, n int) (*param, error) {
	q, err := s.known(alone, key, n)
	if q == nil && err == nil {
		q = s.add(alone, string(key), n)
	}
	return q, err
}

// known returns the parameters of that key, nil where there are none.
func (s *store) known(alone bool, key []byte, n int) (*param, error) {
	q := s.section(alone)[string(key)]
	if q != nil && len(q.delta) != n {
		return nil, fmt.Errorf("state %q has %d parameters and %d legal tokens: the checkpoint or the shared table is of another environment", key, len(q.delta), n)
	}
	return q, nil
}

// add makes parameters under a key that is not there yet.
func (s *store) add(alone bool, key string, n int) *param {
	q, buf := &s.slab.take(1)[0], s.floats.take(4*n)
	*q = param{
		key: key, alone: alone,
		delta: buf[:n:n], first: buf[n : 2*n : 2*n], second: buf[2*n : 3*n : 3*n], grad: buf[3*n:],
		power1: 1, power2: 1,
	}
	s.section(alone)[key] = q
	return q
}

// frozen returns this store's parameters of the same key as q, which is of
// another store; where it has none they are zeros. They are not for training.
func (s *store) frozen(q *param) *param {
	c := s.section(q.alone)[q.key]
	if c == nil {
		c = s.copy(q)
		clear(c.delta)
	}
	if q.common != nil && c.common == nil {
		c.common = s.frozen(q.common)
	}
	return c
}

// copy adds what a distribution needs of another store's parameters.
func (s *store) copy(q *param) *param {
	c := &s.slab.take(1)[0]
	*c = param{key: q.key, alone: q.alone, delta: s.floats.take(len(q.delta))}
	copy(c.delta, q.delta)
	s.section(q.alone)[q.key] = c
	return c
}
