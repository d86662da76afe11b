package estimators

import (
	"modebench/envs"
	"modebench/internal/exact"
)

// SetPO adds a leave-one-out diversity credit to a group-relative advantage
// (SetPO eqs. 3-4, sec. 3.4):
//
//	k_ij = clamp(cos(e_i, e_j), 0, 1)
//	m_i(S) = mean over j != i in S of k_ij
//	D(S) = mean over i in S of -log(1 + m_i(S))
//	s_i = D(all) - D(all without i)
//	A_i = base_i + lambda s_i
//
// s is not normalised. The cost is O(G^2) by m_j(all without i) =
// ((G-1) m_j - k_ij) / (G-2), with one logarithm per rollout: a sum of
// logarithms is the logarithm of a product. Groups have at least 3 rollouts.
// A rollout without an embedding (its answer does not parse) is left out of the
// set and gets no credit; with fewer than 3 left there is no credit at all.
type SetPO struct {
	GRPO
	Lambda float64 `param:"lambda" doc:"weight of the diversity credit" min:"0"`

	similarities           // clamped to [0, 1], of the trained rollouts
	row          []float64 // row sums of the kernel without the diagonal
	credits      []float64
}

// Needs implements Estimator.
func (*SetPO) Needs() Needs {
	return Needs{Fields: envs.HasReward | envs.HasEmbedding, MinGroup: 3}
}

// Advantages implements Estimator.
func (e *SetPO) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		e.relative(dst, rewards)
		if err := e.fill(rollouts, 0, e.number); err != nil {
			return err
		}
		e.credit()
		for k, i := range e.members {
			dst[i] += float64(e.Lambda * e.credits[k])
		}
		return nil
	})
}

// chunk is how many factors of at most 2 a product may hold before its
// logarithm is taken: 2^512 is far from overflow.
const chunk = 512

// credit writes s_i for every member from the kernel.
func (e *SetPO) credit() {
	g := len(e.members)
	e.credits, e.row = e.credits[:0], e.row[:0]
	if g < 3 {
		for range g {
			e.credits = append(e.credits, 0)
		}
		return
	}
	inv, inner := 1/float64(g-1), 1/float64(g-2)
	whole := logProduct{product: 1}
	for i := range g {
		line := e.kernel[i*g : (i+1)*g]
		sum := 0.0
		for _, k := range line[:i] {
			sum += k
		}
		for _, k := range line[i+1:] {
			sum += k
		}
		e.row = append(e.row, sum)
		whole.times(1 + float64(sum*inv))
	}
	full := -whole.log() / float64(g)
	for i := range g {
		line := e.kernel[i*g : (i+1)*g]
		rest := logProduct{product: 1}
		rest.without(e.row[:i], line, inner)
		rest.without(e.row[i+1:], line[i+1:], inner)
		e.credits = append(e.credits, full+float64(rest.log()*inv))
	}
}

// A logProduct sums logarithms of factors in [1, 2].
type logProduct struct {
	product, sum float64
	factors      int
}

func (p *logProduct) times(x float64) {
	p.product *= x
	if p.factors++; p.factors == chunk {
		p.sum += exact.Log(p.product)
		p.product, p.factors = 1, 0
	}
}

func (p *logProduct) log() float64 { return p.sum + exact.Log(p.product) }

// without multiplies by 1 + (row - k) inner for every entry of row.
func (p *logProduct) without(row, k []float64, inner float64) {
	for len(row) > 0 {
		n := min(len(row), chunk-p.factors)
		product := p.product
		for j, r := range row[:n] {
			product *= 1 + float64((r-k[j])*inner)
		}
		p.product = product
		if p.factors += n; p.factors == chunk {
			p.sum += exact.Log(p.product)
			p.product, p.factors = 1, 0
		}
		row, k = row[n:], k[n:]
	}
}
