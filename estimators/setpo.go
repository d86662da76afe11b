package estimators

import (
	"fmt"
	"math"

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

	kernel  []float64 // of the embedded rollouts, row by row
	row     []float64 // row sums of the kernel without the diagonal
	norm    []float64
	square  []float64 // of each norm
	credits []float64
	members []int
}

// Needs implements Estimator.
func (*SetPO) Needs() Needs {
	return Needs{Fields: envs.HasReward | envs.HasEmbedding, MinGroup: 3}
}

// Advantages implements Estimator.
func (e *SetPO) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		e.relative(dst, rewards)
		if err := e.similarities(rollouts); err != nil {
			return err
		}
		e.credit()
		for k, i := range e.members {
			dst[i] += float64(e.Lambda * e.credits[k])
		}
		return nil
	})
}

// similarities fills the kernel of the rollouts that have an embedding.
func (e *SetPO) similarities(rollouts []*Rollout) error {
	e.members, e.norm, e.square = e.members[:0], e.norm[:0], e.square[:0]
	for i, r := range rollouts {
		v := r.Candidates[0].Embedding
		square := dot32(v, v)
		if square == 0 {
			continue
		}
		if math.IsInf(square, 0) || math.IsNaN(square) {
			return e.badEmbedding(i, "is not finite")
		}
		if len(e.members) > 0 && len(v) != len(rollouts[e.members[0]].Candidates[0].Embedding) {
			return e.badEmbedding(i, "has another length than the group's first")
		}
		e.members = append(e.members, i)
		e.norm = append(e.norm, math.Sqrt(square))
		e.square = append(e.square, square)
	}
	g := len(e.members)
	if cap(e.kernel) < g*g {
		e.kernel = make([]float64, g*g)
	}
	e.kernel = e.kernel[:g*g]
	for a, i := range e.members {
		u := rollouts[i].Candidates[0].Embedding
		e.kernel[a*g+a] = 1
		twin := e.twin(rollouts, a)
		for b := range a {
			var dot float64
			switch {
			case twin < 0:
				dot = dot32(u, rollouts[e.members[b]].Candidates[0].Embedding)
			case b == twin:
				dot = e.square[a]
			default:
				e.kernel[a*g+b] = e.kernel[twin*g+b]
				e.kernel[b*g+a] = e.kernel[a*g+b]
				continue
			}
			k := min(max(dot/(e.norm[a]*e.norm[b]), 0), 1)
			e.kernel[a*g+b], e.kernel[b*g+a] = k, k
		}
	}
	return nil
}

// twin finds an earlier member with the very same embedding in memory, or -1:
// environments share the vectors of equal answers, and a policy that has settled
// gives few different ones. What is copied from a twin has the bits that
// computing it again would give.
func (e *SetPO) twin(rollouts []*Rollout, a int) int {
	u := rollouts[e.members[a]].Candidates[0].Embedding
	for b := range a {
		if &rollouts[e.members[b]].Candidates[0].Embedding[0] == &u[0] {
			return b
		}
	}
	return -1
}

func (e *SetPO) badEmbedding(trained int, what string) error {
	return fmt.Errorf("the embedding of rollout %d %s", e.number(trained), what)
}

// dot32 is the inner product of two embeddings of equal length in float64, in
// four interleaved sums whose order is fixed.
func dot32(u, v []float32) float64 {
	if len(u) != len(v) {
		return 0
	}
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(u) && i+4 <= len(v); i += 4 {
		s0 += float64(float64(u[i]) * float64(v[i]))
		s1 += float64(float64(u[i+1]) * float64(v[i+1]))
		s2 += float64(float64(u[i+2]) * float64(v[i+2]))
		s3 += float64(float64(u[i+3]) * float64(v[i+3]))
	}
	for ; i < len(u); i++ {
		s0 += float64(float64(u[i]) * float64(v[i]))
	}
	return (s0 + s1) + (s2 + s3)
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
