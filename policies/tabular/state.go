package tabular

import (
	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/policies"
)

// An update is the state of one call of Update, kept between calls so that a
// step allocates nothing.
type update struct {
	tokens  loss.Tokens
	places  []place // of each token: the last sample's, or walked
	walked  []place // buffer of retrace
	touched []*row
	params  []*param
	number  uint64  // of this update, from 1; failed ones count
	k3      float64 // sum over tokens of the k3 estimate to the reference
	top     []int   // the likeliest tokens of a row
}

// compare fills the inputs of token k that need the reference's row. Its own row is up to
// date.
func (u *update) compare(k int, ref *snapshot, want *policies.Want) {
	place, t := u.places[k], &u.tokens
	r := place.row
	logp, e := ref.logp(r), 0.0
	if r.refOwner != nil {
		d := logp[place.index] - r.dist[place.index]
		e = exact.Expm1(d)
		u.k3 += e - d
	}
	if want.Ref {
		t.Ref[k], t.Expm1[k] = logp[place.index], e
	}
	if want.KL {
		if r.compared != u.number { // many tokens share a row, and it does not change meanwhile
			r.compared, r.kl = u.number, divergence(want.Divergence, r, logp)
		}
		t.KL[k] = r.kl
	}
}

// touch notes the parameters that this update moves.
func (u *update) touch(q *param) {
	for q != nil && !q.touched {
		q.touched = true
		u.params = append(u.params, q)
		q = q.common
	}
}

func resize(xs []float64, n int) []float64 {
	if cap(xs) < n {
		return make([]float64, n)
	}
	return xs[:n]
}

// drop forgets the gradient.
func (u *update) drop() {
	for _, q := range u.params {
		clear(q.grad())
		q.touched = false
	}
}
