package tabular

import (
	"errors"
	"fmt"
	"math"

	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/internal/params"
	"modebench/policies"
)

// An update is the state of one call of Update, kept so that a step allocates nothing.
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

// compare fills the inputs of token k that need the reference's row.
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

func (u *update) drop() {
	for _, q := range u.params {
		clear(q.grad())
		q.touched = false
	}
}

// step moves every touched parameter and returns the gradient's norm. After an error nothing has moved.
func (p *Policy) step(b *policies.Batch) (norm float64, err error) {
	shaped := p.opt.ClipNorm > 0 || p.opt.Name == "natural"
	if shaped {
		if norm, err = p.shape(b.Temperature); err != nil {
			p.update.drop()
			return 0, err
		}
	}
	rate := p.opt.LR
	if b.Rate != 0 {
		rate *= b.Rate
	}
	p.updates++
	square := 0.0
	for _, q := range p.update.params {
		grad := q.grad()
		for _, g := range grad {
			square += float64(g * g)
		}
		if p.opt.WeightDecay > 0 {
			q.decay(rate * p.opt.WeightDecay)
		}
		if p.opt.Name == "adam" {
			q.adam(&p.opt, rate)
		} else {
			delta := q.delta()
			for j, g := range grad {
				delta[j] -= float64(rate * g)
			}
		}
		clear(grad)
		q.version++
		q.touched = false
	}
	if !shaped { // else the gradient is no longer that of the loss
		norm = math.Sqrt(square)
	}
	return norm, nil
}

// decay shrinks each parameter towards zero, the base policy. Rows that a batch does not visit stay as
// they are: the cost of an update depends on the batch.
func (q *param) decay(share float64) {
	delta := q.delta()
	for j, x := range delta {
		delta[j] -= float64(share * x)
	}
}

// adam is the usual update, delta -= lr m̂/(sqrt(v̂)+eps), with the bias corrections moved into the
// rate and epsilon so that each entry costs one root and one division (Kingma and Ba, sec. 2).
func (q *param) adam(o *policies.Optimizer, lr float64) {
	q.power1 = float64(q.power1 * o.Beta1)
	q.power2 = float64(q.power2 * o.Beta2)
	root := math.Sqrt(1 - q.power2)
	rate, eps := lr*root/(1-q.power1), float64(o.AdamEps*root)
	keep1, keep2 := 1-o.Beta1, 1-o.Beta2
	grad := q.grad()
	first, second, delta := q.first()[:len(grad)], q.second()[:len(grad)], q.delta()[:len(grad)]
	for j, g := range grad {
		m := float64(o.Beta1*first[j]) + float64(keep1*g)
		v := float64(o.Beta2*second[j]) + float64(keep2*g*g)
		first[j], second[j] = m, v
		delta[j] -= float64(rate*m) / (math.Sqrt(v) + eps)
	}
}

// shape clips the gradient, divides it by the Fisher matrix under natural, and returns its norm before.
func (p *Policy) shape(temperature float64) (norm float64, err error) {
	u := &p.update
	square := 0.0
	for _, q := range u.params {
		for _, g := range q.grad() {
			square += float64(g * g)
		}
	}
	norm = math.Sqrt(square)
	if norm-norm != 0 {
		return 0, fmt.Errorf("the norm of the gradient is %v, want a finite number", norm)
	}
	if bound := p.opt.ClipNorm; bound > 0 && norm > bound {
		scale := bound / norm
		for _, q := range u.params {
			grad := q.grad()
			for j := range grad {
				grad[j] *= scale
			}
		}
	}
	if p.opt.Name == "natural" {
		err = p.natural(temperature)
	}
	return norm, err
}

// Check reports whether a policy of this kind can be trained with the optimiser;
// contexts: rollouts are chains, or prompts state goals.
func (c *Config) Check(o policies.Optimizer, contexts bool) error {
	switch {
	case o.Name != "natural":
		return nil
	case c.Sharing != "problem":
		return params.Errorf("optimizer", "natural: %w", errShared)
	case contexts && c.Context != ContextIndependent && c.Context != ContextBlind:
		return params.Errorf("optimizer", "natural: %w", errSummed)
	}
	return nil
}

var (
	errShared = errors.New("problems that share a table couple the rows of its Fisher matrix; want sharing = \"problem\" in [policy]")
	errSummed = errors.New("logits that add a part learned by all contexts and a part learned by one have no Fisher matrix of blocks; want context = \"independent\" or \"blind\" in [policy]")
)

// natural turns the gradient g of the batch's loss into F^+ g, with F the Fisher
// matrix of a rollout: the natural gradient (Amari, 1998; for policies Kakade,
// 2001). It is exact, since F of a tabular policy is known in closed form.
//
// The score of a token with respect to the logits of its row, whose distribution at temperature T
// is p, is (e_a - p)/T. Given all tokens before, its mean is zero; so the scores of different
// tokens of a rollout are uncorrelated, and F reduces to a block for each row,
//
//	F = visits (diag p - p p') / T^2,
//
// with visits the expected number of tokens of a rollout that are drawn from the row.
// That number is estimated from the batch, whose gradient has the same noise; a row
// that the batch does not visit has neither a block nor a gradient. A block is singular,
// since neither a constant added to the logits nor the logits of tokens that are never
// drawn change anything. Of all x with F x = g, the shortest is
//
//	x_j = T^2 / visits * (g_j/p_j - mean of g_i/p_i over p_i > 0), 0 where p_j = 0,
//
// for the entries of g add up to zero. In expectation one step of a bandit is
// lr * (A_j - mean A) per logit: replicator dynamics, under which an arm's rate of
// growth depends on how good it is and not on how likely.
//
// F has these blocks where rows learn independently. Where problems share parameters,
// or logits are a sum of two rows of them, F couples rows, and Check is an error.
func (p *Policy) natural(temperature float64) error {
	if p.config.Sharing != "problem" {
		return fmt.Errorf("optimizer natural: %w", errShared)
	}
	u := &p.update
	for _, at := range u.places {
		at.row.visits++
	}
	var err error
	for _, r := range u.touched {
		visits := float64(r.visits) / float64(u.tokens.Sequences())
		r.visits = 0
		if err == nil {
			err = r.natural(temperature * temperature / visits)
		}
	}
	return err
}

// natural replaces the gradient of the row's parameters; scale is T^2 / visits.
func (r *row) natural(scale float64) error {
	q := r.param
	if q.common != nil {
		return fmt.Errorf("optimizer natural: %w", errSummed)
	}
	grad := q.grad()
	sum, count := 0.0, 0
	for j, pj := range r.prob() {
		if pj > 0 {
			grad[j] /= pj
			sum += grad[j]
			count++
		}
	}
	mean := sum / float64(count)
	for j, pj := range r.prob() {
		if pj == 0 {
			grad[j] = 0
			continue
		}
		grad[j] = float64(scale * (grad[j] - mean))
		if x := grad[j]; x-x != 0 {
			return fmt.Errorf("optimizer natural: the step of a token of probability %v is %v", pj, x)
		}
	}
	return nil
}
