package estimators

import (
	"fmt"

	"modebench/envs"
	"modebench/estimators/internal/cosine"
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
// s is not normalised. The cost is O(G^2) by m_j(all without i) = ((G-1) m_j - k_ij) / (G-2), with
// one logarithm per rollout: a sum of logarithms is the logarithm of a product. Groups have at
// least 3 rollouts. A rollout without an embedding (its answer does not parse) is left out of the
// set and gets no credit; with fewer than 3 left there is no credit at all.
type SetPO struct {
	GRPO
	Lambda float64 `param:"lambda" doc:"weight of the diversity credit" min:"0"`

	embeddings [][]float32   // of the trained rollouts
	cosines    cosine.Kernel // of these, clamped to [0, 1]
	row        []float64     // row sums of the kernel without the diagonal
	credits    []float64
}

func (*SetPO) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward | envs.HasEmbedding, MinGroup: 3}
}

func (e *SetPO) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		e.Relative(dst, rewards)
		e.embeddings = e.embeddings[:0]
		for _, r := range rollouts {
			e.embeddings = append(e.embeddings, r.Candidates[0].Embedding)
		}
		if err := e.cosines.Fill(e.embeddings, 0, e.Number); err != nil {
			return err
		}
		e.credit()
		for k, i := range e.cosines.Members {
			dst[i] += float64(e.Lambda * e.credits[k])
		}
		return nil
	})
}

// chunk is how many factors of at most 2 a product may hold before its
// logarithm is taken: 2^512 is far from overflow.
const chunk = 512

func (e *SetPO) credit() {
	g := len(e.cosines.Members)
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
		line := e.cosines.Values[i*g : (i+1)*g]
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
		line := e.cosines.Values[i*g : (i+1)*g]
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

// setPOOver is the plug-in (SetPO sec. 3.4, app. A): GRPO, GSPO and DAPO all start
// from the z-score of a group, to which the weighted credit is added. They
// differ in the use of an advantage, in objectives and protocols.
func setPOOver(lambda float64) func() Estimator { return From(SetPO{GRPO: ZScore, Lambda: lambda}) }

// setpoTarget is the group's mean reward plus lambda D of its N answers over N: SetPO adds
// to a rollout's own advantage the weight times what D of the whole group loses without
// it (eqs. 3-4), as if the group had earned the sum of its rewards and lambda D. The
// paper writes no joint objective.
func setpoTarget(i *Instance, s TargetSetting) (Target, error) {
	method := i.Estimator.(*SetPO)
	target, err := i.Best(fmt.Sprintf("reward+%v D/N", method.Lambda), 1, s)
	target.Terms = append(target.Terms, TargetTerm{
		Weight: method.Lambda / float64(s.Group), Draws: s.Group,
		Worth: func(counts []int) (float64, error) { return diversityOfDrawn(s.Answers, counts) },
	})
	return target, err
}

// diversityOfDrawn is SetPO's D (eq. 3) of answers drawn so often: 0 for fewer than 3 that
// have an embedding, as the credit has it.
func diversityOfDrawn(answers []*envs.Verdict, counts []int) (float64, error) {
	var embeddings [][]float32
	var times []float64
	members := 0.0
	for a, c := range counts {
		if v := answers[a]; c > 0 && cosine.Dot(v.Embedding, v.Embedding) > 0 {
			embeddings = append(embeddings, v.Embedding)
			times = append(times, float64(c))
			members += float64(c)
		}
	}
	if members < 3 {
		return 0, nil
	}
	var kernel cosine.Kernel
	if err := kernel.Fill(embeddings, 0, func(i int) int { return i }); err != nil {
		return 0, err
	}
	total := 0.0
	for a := range times {
		row := -1.0 // without itself
		for b, c := range times {
			row += float64(kernel.Values[a*len(times)+b] * c)
		}
		var log logProduct
		log.product = 1
		log.times(1 + float64(row/(members-1)))
		total -= float64(times[a] * log.log())
	}
	return total / members, nil
}

// SetPO over the baselines that it is a plug-in of, and those baselines as the paper
// runs them. Each has the hyperparameters that the paper gives for itself and its
// baseline together, the divergence of eq. 1 among them, also if the baseline's own
// paper has no divergence. Other settings of the paper are fields to set: lambda 0.1 and
// kl_coef 1e-3 at 32B (table 7), lambda 0.5 and kl_coef 1e-3 on countdown (table 8).
func init() {
	for i, m := range []Method{{
		Name: "setpo+grpo", Summary: "GRPO plus a leave-one-out kernel diversity credit",
		Source:    "SetPO eqs. 1, 3-4, table 4",
		Estimator: setPOOver(0.05), Loss: setpoLoss,
	}, {
		Name: "setpo+gspo", Summary: "GSPO plus a leave-one-out kernel diversity credit",
		Source:    "SetPO eqs. 3-4, app. A, table 5",
		Estimator: setPOOver(0.1), Loss: asInSetPO(gspoLoss),
	}, {
		// DAPO's filter looks at rewards alone: a group whose rewards are all equal is dropped before
		// it has a credit, so the credit acts beside a mixed outcome only, and a solved problem exerts
		// no pull towards other modes. With generations = 0 no group is dropped.
		Name: "setpo+dapo", Summary: "DAPO plus a leave-one-out kernel diversity credit",
		Source:    "SetPO eqs. 3-4, app. A, table 6",
		Estimator: setPOOver(0.2), Loss: asInSetPO(dapoLoss), Protocol: Protocol{Generations: 10},
	}} {
		m.Trains, m.Target = true, setpoTarget
		m.Properties = Properties{
			ShiftInvariant: true, Scale: Invariant, MovesEqualRewards: true,
			Why: "a z-score plus credits that do not depend on rewards and do not cancel",
		}
		Register(SetDiversity, 10*(i+1), m)
	}
}
