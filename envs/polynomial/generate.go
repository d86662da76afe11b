package polynomial

import (
	"fmt"
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/rng"
)

// planted bounds the integers of the pair that an implicit relation is made to
// fit. Numbers of one digit can be written in every grammar.
const planted = 9

// draw draws a relation. An implicit one may be of no use: a conic that falls apart into lines, a
// relation that a factor divides or a line that could be written y = p(x), so that the same curve
// would have two relations, or one for the split ood that is not harder than others.
func (e *Env) draw(r *rand.Rand, harder bool) (relation, bool) {
	bound := e.config.Coefficients
	if r.Float64() >= e.config.Implicit {
		degree := e.config.DegreeMin + r.IntN(e.config.DegreeMax-e.config.DegreeMin+1)
		if harder {
			degree = e.config.DegreeMax + 1
		}
		return explicit(r, degree, bound), true
	}
	least := int64(1)
	if harder {
		least, bound = int64(bound)+1, 2*bound
	}
	q := implicit(r, bound)
	simplest := q.divisor() == 1 && (q.degree() > 1 || abs(q.y) > 1)
	return q, simplest && q.largest() >= least && !q.reducible()
}

// explicit draws y = p(x) with coefficients up to a bound, of which the leading one is not 0.
func explicit(r *rand.Rand, degree, bound int) relation {
	q := relation{explicit: true, y: 1}
	for i := range degree {
		q.x[i] = between(r, -bound, bound)
	}
	q.x[degree] = nonzero(r, bound)
	return q
}

// The shapes of implicit relations. All are as likely.
const (
	line       = iota // a*x+b*y = c
	hyperbola         // a*x*y+b*x+c*y = d
	circle            // x^2+y^2+b*x+c*y = d
	ellipse           // a*x^2+b*y^2 = c
	difference        // x^2-y^2+b*x+c*y = d
	shapes
)

// implicit draws a relation with coefficients up to a bound, the first above 0
// (the other sign gives the same curve), that a pair of small integers satisfies.
func implicit(r *rand.Rand, bound int) relation {
	var q relation
	switch r.IntN(shapes) {
	case line:
		q.x[1], q.y = between(r, 1, bound), nonzero(r, bound)
	case hyperbola:
		q.xy, q.x[1], q.y = between(r, 1, bound), between(r, -bound, bound), between(r, -bound, bound)
	case circle:
		q.x[2], q.yy, q.x[1], q.y = 1, 1, between(r, -bound, bound), between(r, -bound, bound)
	case ellipse:
		q.x[2], q.yy = between(r, 1, bound), between(r, 1, bound)
	case difference:
		q.x[2], q.yy, q.x[1], q.y = 1, -1, between(r, -bound, bound), between(r, -bound, bound)
	}
	q.x[0] = -q.value(between(r, -planted, planted), between(r, -planted, planted))
	return q
}

func between(r *rand.Rand, low, high int) int64 { return int64(low + r.IntN(high-low+1)) }

func nonzero(r *rand.Rand, bound int) int64 {
	n := between(r, 1, 2*bound)
	if n > int64(bound) {
		return int64(bound) - n
	}
	return n
}

// home is the split that a relation belongs to, of pretrain, train and test. It
// depends on nothing but the relation, so that no parameter moves one.
func (q *relation) home() envs.Split {
	key := rng.New(0).Str("home of a relation")
	for _, c := range q.x {
		key = key.Int(uint64(c))
	}
	return envs.Owner(key.Int(uint64(q.xy)).Int(uint64(q.y)).Int(uint64(q.yy)).Uint64())
}

// Problem implements envs.Env.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	var pcg rand.PCG
	r := rand.New(&pcg)
	refused := fmt.Sprintf("relations drawn had %d correct pairs to write; a lower min_modes, larger coefficients, more digits or more decimals leave more", e.config.MinModes)
	return e.config.Find("polynomial", split, index, refused, func(key rng.Key) envs.Problem {
		key.Seed(&pcg)
		relation, ok := e.draw(r, split == envs.OOD)
		if !ok || split != envs.OOD && relation.home() != split {
			return nil
		}
		curve := e.scale(&relation)
		if !curve.hasPairs(e.config.MinModes) {
			return nil
		}
		return &Problem{env: e, id: e.config.ID(split, index), relation: relation, curve: curve}
	})
}
