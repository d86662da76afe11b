package metrics

import (
	"math"

	"modebench/envs"
	"modebench/internal/exact"
)

func init() {
	register(Metric{rank: 320, Name: "vendi", Doc: "Vendi score: effective number of different answers", Detail: "[1, distinct embeddings]; Friedman and Dieng 2023; needs one embedding, and at most 1024 distinct embeddings or at most 1024 entries of each",
		Label: "Vendi score", Unit: "effective answers", Axis: AxisFromZero, Delta: countDelta, Measure: MeasureEmbeddings, Reads: envs.HasEmbedding,
		add: func(t *Table, a *answers) {
			if score, ok := a.embedded.vendi(); ok {
				t.AddValue("vendi", score)
			}
		}})
}

// vendi returns the Vendi score (Friedman and Dieng 2023, arXiv 2210.02410): with K the
// cosines of the n embedded candidates of a pool, and l_i the eigenvalues of K/n,
//
//	exp(-sum over i of l_i log l_i)
//
// the effective number of different ones; [1, distinct embeddings]: 1 where all are alike, their
// number if they are orthogonal and equally frequent. The paper's probability-weighted form serves
// copies and distributions: of u distinct embeddings e_i of d entries with probabilities p_i, the
// same eigenvalues, but for zeros, are those of the u x u matrix sqrt(p_i) K_ij sqrt(p_j) and of
// the d x d matrix of the sum over i of p_i e_i e_i' / |e_i|^2, of which the smaller one is taken.
// A pool's score is the plug-in estimate, too low on the average as entropies are, so that pools of
// different sizes do not compare.
//
// It is left out without any embedding, and if both u and d exceed maxKernel.
func (e *embeddings) vendi() (float64, bool) {
	u := len(e.vectors)
	if u == 0 {
		return 0, false
	}
	n := min(u, len(e.vectors[0]))
	if n > maxKernel {
		return 0, false
	}
	e.matrix = zeros(e.matrix, n*n)
	if n == u {
		e.weighted(n)
	} else {
		e.scattered(n)
	}
	values, ok := e.spectrum.eigenvalues(e.matrix, n)
	if !ok {
		return 0, false
	}
	h := 0.0
	for _, l := range values {
		h += surprise(max(0, l)) // below 0 by rounding alone
	}
	return min(float64(u), max(1, exact.Exp(h))), true
}

// weighted fills the lower triangle of sqrt(p_i) K_ij sqrt(p_j).
func (e *embeddings) weighted(u int) {
	for i, p := range e.mass {
		for j, q := range e.mass[:i] {
			e.matrix[i*u+j] = float64(math.Sqrt(p/e.total*(q/e.total)) * e.cosine(i, j))
		}
		e.matrix[i*u+i] = p / e.total
	}
}

// scattered fills the lower triangle of the sum of p_i e_i e_i' / |e_i|^2.
func (e *embeddings) scattered(d int) {
	for i, p := range e.mass {
		weight, v := p/e.total/e.square[i], e.row(i)
		for r, x := range v {
			x = float64(x * weight)
			row := e.matrix[r*d : r*d+r+1]
			for c, y := range v[:r+1] {
				row[c] += float64(x * y)
			}
		}
	}
}
