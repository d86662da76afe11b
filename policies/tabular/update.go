package tabular

import (
	"errors"
	"fmt"
	"math"

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
// (for other divergences see loss.Divergence)
// with q the reference's distribution of the same state, and of the mean log-probability
// of the K likeliest tokens (1[j is one of them]/K - p_j) / T. Where logits are the
// sum of two rows of parameters, both have the gradient of the logits. Only
// parameters that the batch visits are updated; each row of them keeps its own
// optimiser state and step count.
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
func (p *Policy) Flatten(b policies.Batch) (*policies.LossTokens, error) {
	if b.Advantages == nil {
		for _, g := range b.Groups {
			b.Advantages = append(b.Advantages, make([]float64, len(g.Rollouts)))
		}
	}
	_, err := p.prepare(&b)
	return &p.update.tokens, err
}

// prepare checks a batch and fills the objective's inputs from it.
func (p *Policy) prepare(b *policies.Batch) (*snapshot, error) {
	if !(b.Temperature > 0 && b.Temperature <= math.MaxFloat64) {
		return nil, fmt.Errorf("temperature %v, want above 0 and finite", b.Temperature)
	}
	if !(b.Rate >= 0 && b.Rate <= math.MaxFloat64) {
		return nil, fmt.Errorf("the batch multiplies the learning rate by %v, want 0 or more and finite", b.Rate)
	}
	var ref *snapshot
	if b.Want.Ref || b.Want.KL {
		s, ok := b.Reference.(*snapshot)
		if !ok || s.maker != p {
			return nil, errors.New("the objective compares with a reference, and the batch has none of this policy")
		}
		ref = s
	}
	p.update.number++
	return ref, p.flatten(b, ref)
}

// flatten fills the objective's inputs from the batch.
func (p *Policy) flatten(b *policies.Batch, ref *snapshot) error {
	u := &p.update
	t := &u.tokens
	u.places = u.places[:0]
	t.Start = append(t.Start[:0], 0)
	t.Advantage, t.Logp, t.Old = t.Advantage[:0], t.Logp[:0], t.Old[:0]
	t.Ref, t.Entropy, t.KL, t.Expm1 = t.Ref[:0], t.Entropy[:0], t.KL[:0], t.Expm1[:0]
	t.Sampler = t.Sampler[:0]
	t.Loss, t.Clipped, u.k3 = 0, 0, 0
	t.Correct, t.Key, t.Groups = t.Correct[:0], b.Key, append(t.Groups[:0], 0)
	t.Stored = b.AppendStored(t.Stored[:0])
	if b.Want.Correct && len(b.Correct) != len(b.Groups) {
		return fmt.Errorf("the objective asks which answers are correct, and the batch says so of %d groups, want %d", len(b.Correct), len(b.Groups))
	}
	if len(b.Advantages) != len(b.Groups) {
		return fmt.Errorf("advantages for %d groups, want %d", len(b.Advantages), len(b.Groups))
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		if len(b.Advantages[g]) != len(group.Rollouts) {
			return fmt.Errorf("task %s: %d advantages, want %d, one per rollout", group.Task.ID(), len(b.Advantages[g]), len(group.Rollouts))
		}
		t.Advantage = append(t.Advantage, b.Advantages[g]...)
		t.Groups = append(t.Groups, len(t.Advantage))
		if b.Want.Correct {
			if len(b.Correct[g]) != len(group.Rollouts) {
				return fmt.Errorf("task %s: which answers are correct is said of %d, want %d, one per rollout", group.Task.ID(), len(b.Correct[g]), len(group.Rollouts))
			}
			t.Correct = append(t.Correct, b.Correct[g]...)
		}
	}
	var err error
	if t.TokenAdvantage, err = b.AppendTokenAdvantages(t.TokenAdvantage[:0]); err != nil {
		return err
	}
	if p.sampled(b.Groups) {
		p.recall(b, ref)
	} else {
		err = p.retrace(b, ref)
	}
	p.describe(b)
	n := len(t.Logp)
	t.DLogp = resize(t.DLogp, n)
	t.DEntropy = resize(t.DEntropy, len(t.Entropy))
	t.DKL = resize(t.DKL, len(t.KL))
	t.DTop = resize(t.DTop, len(t.Likeliest))
	return err
}

// describe fills in what is asked of the distributions that the tokens are drawn from.
func (p *Policy) describe(b *policies.Batch) {
	t := &p.update.tokens
	t.Squares, t.Legal, t.Likeliest = t.Squares[:0], t.Legal[:0], t.Likeliest[:0]
	if !b.Want.Squares && !b.Want.Legal && b.Want.Top == 0 {
		return
	}
	for _, at := range p.update.places {
		at.row.refresh(b.Temperature, p.updates)
		prob := at.row.prob()
		if b.Want.Squares {
			t.Squares = append(t.Squares, exact.Dot(prob, prob))
		}
		if b.Want.Legal {
			t.Legal = append(t.Legal, prob)
		}
		if b.Want.Top > 0 {
			p.update.top = loss.AppendTop(p.update.top[:0], 1, prob, at.row.logp())
			t.Likeliest = append(t.Likeliest, p.update.top[0] == at.index)
		}
	}
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

// recall goes through the tokens of the last sample, whose rows are known. If the policy
// has not been updated since, their log-probabilities have not changed.
func (p *Policy) recall(b *policies.Batch, ref *snapshot) {
	a, u := &p.arena, &p.update
	u.tokens.Start = append(u.tokens.Start, a.start[1:]...)
	u.tokens.Old = append(u.tokens.Old, a.logp...)
	switch {
	case b.Want.Sampler && a.cut:
		u.tokens.Sampler = append(u.tokens.Sampler, a.sampler...)
	case b.Want.Sampler:
		u.tokens.Sampler = append(u.tokens.Sampler, a.logp...)
	}
	u.places = append(u.places, a.places...)
	if !a.other && a.updates == p.updates && a.temperature == b.Temperature && !b.Want.Entropy {
		u.tokens.Logp = append(u.tokens.Logp, a.logp...)
	} else {
		for _, at := range a.places {
			at.row.refresh(b.Temperature, p.updates)
			u.tokens.Logp = append(u.tokens.Logp, at.row.dist[at.index])
			if b.Want.Entropy {
				u.tokens.Entropy = append(u.tokens.Entropy, at.row.entropy)
			}
		}
	}
	if ref != nil {
		for _, at := range a.places {
			u.compare(at, ref, b)
		}
	}
}

// retrace walks rollouts that may come from anywhere.
func (p *Policy) retrace(b *policies.Batch, ref *snapshot) error {
	for g := range b.Groups {
		group := &b.Groups[g]
		t, err := p.table(b.Context, group.Task)
		if err != nil {
			return err
		}
		for i := range group.Rollouts {
			if len(p.update.tokens.Start)%askEvery == 0 {
				if err := policies.Ended(b.Context); err != nil {
					return err
				}
			}
			if err := p.walk(t, &group.Rollouts[i], ref, b); err != nil {
				return err
			}
			p.update.tokens.Start = append(p.update.tokens.Start, len(p.update.tokens.Logp))
		}
	}
	return nil
}

// walk flattens one rollout.
func (p *Policy) walk(t *table, rollout *policies.Rollout, ref *snapshot, b *policies.Batch) error {
	u := &p.update
	if len(rollout.Logp) != len(rollout.Tokens) {
		return fmt.Errorf("task %s: a rollout has %d log-probabilities for %d tokens", t.task.ID(), len(rollout.Logp), len(rollout.Tokens))
	}
	sampler := rollout.SamplerLogp()
	if len(sampler) != len(rollout.Tokens) {
		return fmt.Errorf("task %s: a rollout has %d log-probabilities of its sampler for %d tokens", t.task.ID(), len(sampler), len(rollout.Tokens))
	}
	var w path
	node := t.root
	for k, token := range rollout.Tokens {
		if node == done {
			return fmt.Errorf("task %s: token %d of a rollout: %w", t.task.ID(), k, errIllegal)
		}
		r := t.rowOf(node)
		i, ok := position(r.legal, token)
		if !ok {
			return fmt.Errorf("task %s: token %d of a rollout: %w", t.task.ID(), k, errIllegal)
		}
		r.refresh(b.Temperature, p.updates)
		u.places = append(u.places, place{r, i})
		u.tokens.Logp = append(u.tokens.Logp, r.dist[i])
		if b.Want.Entropy {
			u.tokens.Entropy = append(u.tokens.Entropy, r.entropy)
		}
		u.tokens.Old = append(u.tokens.Old, rollout.Logp[k])
		if b.Want.Sampler {
			u.tokens.Sampler = append(u.tokens.Sampler, sampler[k])
		}
		if ref != nil {
			u.compare(place{r, i}, ref, b)
		}
		var err error
		if node, err = p.follow(t, node, i, rollout.Tokens[:k+1], &w); err != nil {
			return err
		}
	}
	return nil
}

// backward turns the objective's derivatives into the gradient of the
// parameters. Per row it needs only the sums of the derivatives, and the
// derivative of each token's own log-probability.
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
