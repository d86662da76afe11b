package loss

import (
	"math"
	"slices"
)

// keepForking leaves out all tokens but those of the highest entropy, the share forking of
// the minibatch (Wang et al., 2025, 2506.01939: the 20% that fork a text). As in TRL
// (GRPOTrainer.get_high_entropy_mask) a token is kept where its entropy is at least the
// quantile 1 - forking of all tokens of the minibatch, so of ties at the quantile all are
// kept, and the aggregation counts all tokens. TRL's entropy bonus is about the kept tokens
// too; entropy_coef is about all of them.
func (o *Function) keepForking(t *Tokens) {
	if len(t.Entropy) == 0 {
		return
	}
	b := o.buffers
	b.sorted = append(b.sorted[:0], t.Entropy...)
	slices.Sort(b.sorted)
	least := quantile(b.sorted, 1-o.Forking)
	for k, h := range t.Entropy {
		if h < least {
			b.advantage[k] = 0
		}
	}
}

// quantile is the q-quantile of ascending numbers, linear between neighbours. A place that
// is an entry's but for rounding is that entry's, which then is not left out.
func quantile(sorted []float64, q float64) float64 {
	position := float64(q * float64(len(sorted)-1))
	if whole := math.Round(position); math.Abs(position-whole) < 1e-9 {
		position = whole
	}
	i := int(position)
	part := position - float64(i)
	if part == 0 {
		return sorted[i]
	}
	return sorted[i] + float64(part*(sorted[i+1]-sorted[i]))
}
