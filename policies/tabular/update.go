package tabular

import (
	"fmt"
	"math"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/policies"
)

// Update implements policies.Policy. The gradient of the loss with respect to
// the logits z of a state whose distribution at temperature T is p is
//
//	dlogp(a)/dz_j = (1[j=a] - p_j) / T
//	dH/dz_j       = -p_j (log p_j + H) / T
//	dKL/dz_j      = p_j (log p_j - log q_j - KL) / T
//
// (for other divergences see loss.Divergence) with q the reference's distribution of the same
// state, and of the mean log-probability of the K likeliest tokens (1[j is one of them]/K - p_j) /
// T. Where logits are the sum of two rows of parameters, both have the gradient of the logits. Only
// parameters that the batch visits are updated; each row of them keeps its own optimiser state and
// step count.
func (p *Policy) Update(b policies.Batch) (policies.UpdateStats, error) {
	u := &p.update
	ref, err := p.prepare(&b)
	if err == nil {
		err = b.Loss(&u.tokens)
	}
	if err != nil {
		return policies.UpdateStats{}, err
	}
	p.backward(&b, ref != nil && b.Want.KL)
	norm, err := p.step(&b)
	if err != nil {
		return policies.UpdateStats{}, err
	}
	stats := policies.UpdateStats{Loss: u.tokens.Loss, GradNorm: norm}
	if n := len(u.tokens.Logp); n > 0 {
		stats.KL = u.k3 / float64(n)
		stats.Clipped = float64(u.tokens.Clipped) / float64(n)
	}
	return stats, nil
}

// Flatten implements policies.Policy.
func (p *Policy) Flatten(b policies.Batch) (*loss.Tokens, error) {
	_, err := p.prepare(&b)
	return &p.update.tokens, err
}

// prepare checks a batch and fills the objective's inputs from it.
func (p *Policy) prepare(b *policies.Batch) (ref *snapshot, err error) {
	if !(b.Temperature > 0 && b.Temperature <= math.MaxFloat64) {
		return nil, fmt.Errorf("temperature %v, want above 0 and finite", b.Temperature)
	}
	if b.Want.Ref || b.Want.KL {
		if ref = p.snapshot(b.Reference); ref == nil {
			return nil, policies.ErrReference
		}
	}
	u := &p.update
	u.number++
	u.k3 = 0
	if err := b.Flatten(&u.tokens); err != nil {
		return nil, err
	}
	u.tokens.Expm1 = resize(u.tokens.Expm1, len(u.tokens.Ref))
	sampled := p.sampled(b.Groups)
	if sampled {
		u.places = p.arena.places // no copy, which would cost a bandit a twentieth of its step
	} else if err := p.retrace(b); err != nil {
		return nil, err
	}
	p.describe(b, ref, sampled)
	return ref, nil
}

// describe fills in the inputs that depend on the distributions of the tokens. Tokens of the
// last sample have their log-probabilities, unless the policy has been updated since.
func (p *Policy) describe(b *policies.Batch, ref *snapshot, sampled bool) {
	a, u, want := &p.arena, &p.update, &b.Want
	t := &u.tokens
	distributions := ref != nil || want.Entropy || want.Squares || want.Legal || want.Top > 0
	if sampled && !distributions && a.holds(p.updates, b.Temperature) {
		copy(t.Logp, a.logp)
		return
	}
	for k, at := range u.places {
		r := at.row
		r.refresh(b.Temperature, p.updates)
		t.Logp[k] = r.dist[at.index]
		if want.Entropy {
			t.Entropy[k] = r.entropy
		}
		if want.Squares {
			t.Squares[k] = exact.Dot(r.prob(), r.prob())
		}
		if want.Legal {
			t.Legal[k] = r.prob()
		}
		if want.Top > 0 {
			u.top = loss.AppendTop(u.top[:0], 1, r.prob(), r.logp())
			t.Likeliest[k] = u.top[0] == at.index
		}
		if ref != nil {
			u.compare(k, ref, want)
		}
	}
}

// sampled reports whether the rollouts are those that the last call of Sample returned,
// all of them and in order. A caller may have taken a part or changed the order;
// then the rollouts are walked again.
func (p *Policy) sampled(groups []policies.Group) bool {
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
	return i > 0 && i == len(p.rollouts) && len(p.arena.start) == i+1
}

// retrace finds the places of rollouts that may come from anywhere.
func (p *Policy) retrace(b *policies.Batch) error {
	u := &p.update
	u.walked = u.walked[:0]
	s := 0
	for g := range b.Groups {
		group := &b.Groups[g]
		t, err := p.table(b.Context, group.Task)
		if err != nil {
			return err
		}
		for i := range group.Rollouts {
			if s++; s%askEvery == 0 {
				if err := policies.Ended(b.Context); err != nil {
					return err
				}
			}
			if err := p.walk(t, group.Rollouts[i].Tokens); err != nil {
				return err
			}
		}
	}
	u.places = u.walked
	return nil
}

// walk appends the places of one rollout.
func (p *Policy) walk(t *table, tokens []envs.Token) error {
	var w path
	node := t.root
	for k, token := range tokens {
		if node == done {
			return fmt.Errorf("task %s: token %d of a rollout: %w", t.task.ID(), k, errIllegal)
		}
		r := t.rowOf(node)
		i, ok := position(r.legal, token)
		if !ok {
			return fmt.Errorf("task %s: token %d of a rollout: %w", t.task.ID(), k, errIllegal)
		}
		p.update.walked = append(p.update.walked, place{r, i})
		var err error
		if node, err = p.follow(t, node, i, tokens[:k+1], &w); err != nil {
			return err
		}
	}
	return nil
}

// backward turns the objective's derivatives into the gradient of the parameters. Per row it needs
// only the sums of the derivatives, and the derivative of each token's own log-probability.
func (p *Policy) backward(b *policies.Batch, withKL bool) {
	u := &p.update
	t := &u.tokens
	u.params, u.touched = u.params[:0], u.touched[:0]
	for k, at := range u.places {
		r := at.row
		if !r.touched {
			r.touched = true
			r.refresh(b.Temperature, p.updates)
			u.touched = append(u.touched, r)
			u.touch(r.param)
		}
		d := t.DLogp[k]
		r.param.grad()[at.index] += d
		r.sumLogp += d
		if len(t.DEntropy) > 0 {
			r.sumEntropy += t.DEntropy[k]
		}
		if withKL {
			r.sumK += t.DKL[k]
		}
		if len(t.DTop) > 0 {
			r.sumLogp += t.DTop[k]
			r.sumTop += t.DTop[k]
		}
	}
	for _, r := range u.touched {
		if r.sumTop != 0 {
			u.top = loss.AppendTop(u.top[:0], b.Want.Top, r.prob(), r.logp())
			for _, j := range u.top {
				r.param.grad()[j] += r.sumTop / float64(len(u.top))
			}
		}
		r.addSums(b.Want.Divergence)
	}
	for _, q := range u.params {
		if q.common != nil {
			common := q.common.grad()
			for j, g := range q.grad() {
				common[j] += g
			}
		}
	}
	if b.Temperature != 1 {
		for _, q := range u.params {
			grad := q.grad()
			for j := range grad {
				grad[j] /= b.Temperature
			}
		}
	}
}

// addSums adds what the row's sums contribute to the gradient of each of its logits,
// and clears them. kind is the divergence that sumK is about.
func (r *row) addSums(kind policies.Divergence) {
	prob, logp := r.prob(), r.logp()
	grad := r.param.grad()[:len(prob)]
	for j, pj := range prob {
		grad[j] -= float64(r.sumLogp * pj)
	}
	if r.sumEntropy != 0 {
		for j, pj := range prob {
			if pj > 0 {
				grad[j] -= float64(r.sumEntropy * pj * (logp[j] + r.entropy))
			}
		}
	}
	if r.sumK != 0 {
		ref := logp
		if r.refOwner != nil {
			ref = r.ref
		}
		total := r.kl // of the pushes, for the reverse divergence
		if kind != policies.Reverse {
			total = 0
			for j, pj := range prob {
				if pj > 0 {
					_, push := kind.Term(pj, logp[j], ref[j])
					total += push
				}
			}
		}
		for j, pj := range prob {
			if pj > 0 && kind == policies.Reverse {
				grad[j] += float64(r.sumK * pj * (logp[j] - ref[j] - total))
			} else if pj > 0 {
				_, push := kind.Term(pj, logp[j], ref[j])
				grad[j] += float64(r.sumK * (push - float64(pj*total)))
			}
		}
	}
	r.touched, r.sumLogp, r.sumEntropy, r.sumK, r.sumTop = false, 0, 0, 0, 0
}
