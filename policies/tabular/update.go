package tabular

import (
	"errors"
	"fmt"
	"math"

	"modebench/internal/exact"
	"modebench/policies"
)

// An update is the state of one call of Update, kept between calls so that a
// step allocates nothing.
type update struct {
	tokens  policies.LossTokens
	places  []place // of each token
	touched []*row
	params  []*param
	k3      float64 // sum over tokens of the k3 estimate to the reference
}

// A snapshot implements policies.Reference: a copy of the policy that is never
// updated.
type snapshot struct{ policy, maker *Policy }

// Frozen implements policies.Reference.
func (snapshot) Frozen() {}

// Freeze implements policies.Policy.
func (p *Policy) Freeze() policies.Reference {
	frozen := New(p.config, p.opt)
	for key, q := range p.params {
		c := newParam(key, len(q.delta))
		copy(c.delta, q.delta)
		frozen.params[key] = c
	}
	return snapshot{frozen, p}
}

// Update implements policies.Policy. The gradient of the loss with respect to
// the logits z of a state whose distribution at temperature T is p is
//
//	dlogp(a)/dz_j = (1[j=a] - p_j) / T
//	dH/dz_j       = -p_j (log p_j + H) / T
//	dKL/dz_j      = p_j (log p_j - log q_j - KL) / T
//
// with q the reference's distribution of the same state. Only rows that the
// batch visits are updated; each keeps its own optimiser state and step count.
func (p *Policy) Update(b policies.Batch) (policies.UpdateStats, error) {
	if !(b.Temperature > 0 && b.Temperature <= math.MaxFloat64) {
		return policies.UpdateStats{}, fmt.Errorf("temperature %v, want above 0 and finite", b.Temperature)
	}
	var ref *Policy
	if b.Want.Ref || b.Want.KL {
		s, ok := b.Reference.(snapshot)
		if !ok || s.maker != p {
			return policies.UpdateStats{}, errors.New("the objective compares with a reference, and the batch has none of this policy")
		}
		ref = s.policy
	}
	u := &p.update
	err := p.flatten(b, ref)
	if err == nil {
		err = b.Loss(&u.tokens)
	}
	if err != nil {
		return policies.UpdateStats{}, err
	}
	p.backward(b.Temperature, ref != nil && b.Want.KL)
	stats := policies.UpdateStats{Loss: u.tokens.Loss, GradNorm: p.step()}
	if n := len(u.tokens.Logp); n > 0 {
		stats.KL = u.k3 / float64(n)
		stats.Clipped = float64(u.tokens.Clipped) / float64(n)
	}
	return stats, nil
}

// flatten fills the objective's inputs from the batch.
func (p *Policy) flatten(b policies.Batch, ref *Policy) error {
	u := &p.update
	t := &u.tokens
	u.places = u.places[:0]
	t.Start = append(t.Start[:0], 0)
	t.Advantage, t.Logp, t.Old = t.Advantage[:0], t.Logp[:0], t.Old[:0]
	t.Ref, t.Entropy, t.KL = t.Ref[:0], t.Entropy[:0], t.KL[:0]
	t.Loss, t.Clipped, u.k3 = 0, 0, 0
	if len(b.Advantages) != len(b.Groups) {
		return fmt.Errorf("advantages for %d groups, want %d", len(b.Advantages), len(b.Groups))
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		if len(b.Advantages[g]) != len(group.Rollouts) {
			return fmt.Errorf("problem %s: %d advantages, want %d, one per rollout", group.Problem.ID(), len(b.Advantages[g]), len(group.Rollouts))
		}
		t.Advantage = append(t.Advantage, b.Advantages[g]...)
	}
	var err error
	if p.sampled(b.Groups) {
		err = p.recall(b, ref)
	} else {
		err = p.retrace(b, ref)
	}
	n := len(t.Logp)
	t.DLogp = resize(t.DLogp, n)
	t.DEntropy = resize(t.DEntropy, len(t.Entropy))
	t.DKL = resize(t.DKL, len(t.KL))
	return err
}

// sampled says whether the groups are what the last call of Sample returned,
// all of it and in order. A caller may have taken a part or changed the order;
// then the rollouts are walked again.
func (p *Policy) sampled(groups []policies.Group) bool {
	if len(groups) == 0 || len(groups) != len(p.groups) || &groups[0] != &p.groups[0] {
		return false
	}
	i := 0
	for g := range groups {
		rollouts := groups[g].Rollouts
		if len(rollouts) == 0 || i+len(rollouts) > len(p.rollouts) || &rollouts[0] != &p.rollouts[i] {
			return false
		}
		for k := range rollouts {
			if rollouts[k].Number != k {
				return false
			}
		}
		i += len(rollouts)
	}
	return i == len(p.rollouts) && len(p.arena.start) == i+1
}

// recall goes through the tokens of the last sample, whose rows are known. As
// long as the policy has not been updated since, it would say of them what it
// said then.
func (p *Policy) recall(b policies.Batch, ref *Policy) error {
	a, u := &p.arena, &p.update
	u.tokens.Start = append(u.tokens.Start, a.start[1:]...)
	u.tokens.Old = append(u.tokens.Old, a.logp...)
	u.places = append(u.places, a.places...)
	if a.updates == p.updates && a.temperature == b.Temperature && !b.Want.Entropy {
		u.tokens.Logp = append(u.tokens.Logp, a.logp...)
	} else {
		for _, at := range a.places {
			at.row.refresh(b.Temperature)
			u.tokens.Logp = append(u.tokens.Logp, at.row.logp[at.index])
			if b.Want.Entropy {
				u.tokens.Entropy = append(u.tokens.Entropy, at.row.entropy)
			}
		}
	}
	if ref == nil {
		return nil
	}
	return p.eachToken(b, ref, func(refTable *table, rollout *policies.Rollout, k, at int) error {
		return p.compare(a.places[at], refTable, ref, rollout, k, b)
	})
}

// eachToken calls f for every token of the batch, with its place in its rollout
// and in the whole batch.
func (p *Policy) eachToken(b policies.Batch, ref *Policy, f func(refTable *table, rollout *policies.Rollout, k, at int) error) error {
	at := 0
	for g := range b.Groups {
		refTable, err := ref.table(b.Groups[g].Problem)
		if err != nil {
			return err
		}
		for i := range b.Groups[g].Rollouts {
			rollout := &b.Groups[g].Rollouts[i]
			for k := range rollout.Tokens {
				if err := f(refTable, rollout, k, at); err != nil {
					return err
				}
				at++
			}
		}
	}
	return nil
}

// retrace walks rollouts that may come from anywhere.
func (p *Policy) retrace(b policies.Batch, ref *Policy) error {
	for g := range b.Groups {
		group := &b.Groups[g]
		own, err := p.table(group.Problem)
		if err != nil {
			return err
		}
		var refTable *table
		if ref != nil {
			if refTable, err = ref.table(group.Problem); err != nil {
				return err
			}
		}
		for i := range group.Rollouts {
			if err := p.walk(own, refTable, ref, &group.Rollouts[i], b); err != nil {
				return err
			}
			p.update.tokens.Start = append(p.update.tokens.Start, len(p.update.tokens.Logp))
		}
	}
	return nil
}

func resize(xs []float64, n int) []float64 {
	if cap(xs) < n {
		return make([]float64, n)
	}
	return xs[:n]
}

// walk flattens one rollout.
func (p *Policy) walk(t, refTable *table, ref *Policy, rollout *policies.Rollout, b policies.Batch) error {
	u := &p.update
	if len(rollout.Logp) != len(rollout.Tokens) {
		return fmt.Errorf("problem %s: a rollout has %d log-probabilities for %d tokens", t.problem.ID(), len(rollout.Logp), len(rollout.Tokens))
	}
	r := t.root
	for k, token := range rollout.Tokens {
		i, err := r.index(token)
		if r.done || err != nil {
			return fmt.Errorf("problem %s: token %d of an answer: %w", t.problem.ID(), k, errIllegal)
		}
		r.refresh(b.Temperature)
		u.places = append(u.places, place{r, i})
		u.tokens.Logp = append(u.tokens.Logp, r.logp[i])
		if b.Want.Entropy {
			u.tokens.Entropy = append(u.tokens.Entropy, r.entropy)
		}
		u.tokens.Old = append(u.tokens.Old, rollout.Logp[k])
		if ref != nil {
			if err := p.compare(place{r, i}, refTable, ref, rollout, k, b); err != nil {
				return err
			}
		}
		if r, err = p.follow(t, r, i, rollout.Tokens[:k+1]); err != nil {
			return err
		}
	}
	return nil
}

// compare fills the inputs that need the reference's row of the same state.
func (p *Policy) compare(at place, refTable *table, ref *Policy, rollout *policies.Rollout, k int, b policies.Batch) error {
	r := at.row
	r.refresh(b.Temperature)
	if r.refOwner != ref {
		c := refTable.problem.Start()
		for _, token := range rollout.Tokens[:k] {
			if err := c.Push(token); err != nil {
				return fmt.Errorf("problem %s: %w", refTable.problem.ID(), err)
			}
		}
		q, err := ref.row(refTable, c, rollout.Tokens[:k])
		if err != nil {
			return err
		}
		r.ref, r.refOwner = q, ref
	}
	r.ref.refresh(b.Temperature)
	d := r.ref.logp[at.index] - r.logp[at.index]
	p.update.k3 += exact.Expm1(d) - d
	if b.Want.Ref {
		p.update.tokens.Ref = append(p.update.tokens.Ref, r.ref.logp[at.index])
	}
	if b.Want.KL {
		r.kl = divergence(r, r.ref)
		p.update.tokens.KL = append(p.update.tokens.KL, r.kl)
	}
	return nil
}

// divergence is KL(r || q) of two rows over the same tokens, in nats.
func divergence(r, q *row) float64 {
	sum := 0.0
	for j, pj := range r.prob {
		if pj > 0 {
			sum += float64(pj * (r.logp[j] - q.logp[j]))
		}
	}
	return max(sum, 0)
}

// backward turns the objective's derivatives into the gradient of the
// parameters. Per row it needs only the sums of the derivatives, and the
// derivative of each token's own log-probability.
func (p *Policy) backward(temperature float64, withKL bool) {
	u := &p.update
	t := &u.tokens
	u.params, u.touched = u.params[:0], u.touched[:0]
	for k, at := range u.places {
		r := at.row
		if !r.touched {
			r.touched = true
			r.refresh(temperature)
			u.touched = append(u.touched, r)
			if !r.param.touched {
				r.param.touched = true
				u.params = append(u.params, r.param)
			}
		}
		d := t.DLogp[k]
		r.param.grad[at.index] += d
		r.sumLogp += d
		if len(t.DEntropy) > 0 {
			r.sumEntropy += t.DEntropy[k]
		}
		if withKL {
			r.sumK += t.DKL[k]
		}
	}
	for _, r := range u.touched {
		grad := r.param.grad
		for j, pj := range r.prob {
			grad[j] -= float64(r.sumLogp * pj)
		}
		if r.sumEntropy != 0 {
			for j, pj := range r.prob {
				if pj > 0 {
					grad[j] -= float64(r.sumEntropy * pj * (r.logp[j] + r.entropy))
				}
			}
		}
		if r.sumK != 0 {
			for j, pj := range r.prob {
				if pj > 0 {
					grad[j] += float64(r.sumK * pj * (r.logp[j] - r.ref.logp[j] - r.kl))
				}
			}
		}
		r.touched, r.sumLogp, r.sumEntropy, r.sumK = false, 0, 0, 0
	}
	if temperature != 1 {
		for _, q := range u.params {
			for j := range q.grad {
				q.grad[j] /= temperature
			}
		}
	}
}

// step moves every touched parameter, clears its gradient and returns the
// gradient's norm.
func (p *Policy) step() float64 {
	p.updates++
	square := 0.0
	for _, q := range p.update.params {
		for _, g := range q.grad {
			square += float64(g * g)
		}
		if p.opt.Name == "adam" {
			q.adam(&p.opt)
		} else {
			for j, g := range q.grad {
				q.delta[j] -= float64(p.opt.LR * g)
			}
		}
		clear(q.grad)
		q.version++
		q.touched = false
	}
	return math.Sqrt(square)
}

// adam is the usual update, delta -= lr m̂/(sqrt(v̂)+eps), with the bias
// corrections moved into the rate and epsilon so that each entry costs one root
// and one division (Kingma and Ba, sec. 2).
func (q *param) adam(o *policies.Optimizer) {
	q.power1 = float64(q.power1 * o.Beta1)
	q.power2 = float64(q.power2 * o.Beta2)
	root := math.Sqrt(1 - q.power2)
	rate, eps := o.LR*root/(1-q.power1), float64(o.AdamEps*root)
	keep1, keep2 := 1-o.Beta1, 1-o.Beta2
	first, second, delta := q.first[:len(q.grad)], q.second[:len(q.grad)], q.delta[:len(q.grad)]
	for j, g := range q.grad {
		m := float64(o.Beta1*first[j]) + float64(keep1*g)
		v := float64(o.Beta2*second[j]) + float64(keep2*g*g)
		first[j], second[j] = m, v
		delta[j] -= float64(rate*m) / (math.Sqrt(v) + eps)
	}
}
