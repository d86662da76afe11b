package tabular

import (
	"errors"
	"fmt"

	"modebench/internal/params"
	"modebench/policies"
)

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
// The score of a token with respect to the logits of its row, whose distribution
// at temperature T is p, is (e_a - p)/T. Given all tokens before, its mean is zero;
// so the scores of different tokens of a rollout are uncorrelated, and F reduces to a block for
// each row,
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
