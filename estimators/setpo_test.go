package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// creditOf runs the estimator's own credit on a given kernel. It and useKernel
// are the only places of these tests that know SetPO's unexported fields.
func creditOf(e *SetPO, kernel [][]float64) []float64 {
	useKernel(e, slices.Concat(kernel...), len(kernel))
	e.credit()
	return e.credits
}

// useKernel puts a kernel, row by row, where the embeddings' would be.
func useKernel(e *SetPO, rows []float64, size int) {
	e.cosines.Values, e.cosines.Members = rows, e.cosines.Members[:0]
	for i := range size {
		e.cosines.Members = append(e.cosines.Members, i)
	}
}

// diversity is D(S) of the definition (SetPO eq. 3), where out < 0 or out is left out of the set.
func diversity(kernel [][]float64, out int) float64 {
	size := len(kernel)
	if out >= 0 {
		size--
	}
	total := 0.0
	for i := range kernel {
		if i == out {
			continue
		}
		m := 0.0
		for j := range kernel {
			if j != i && j != out {
				m += kernel[i][j]
			}
		}
		total -= math.Log1p(m / float64(size-1))
	}
	return total / float64(size)
}

// creditByDefinition is s_i = D(all) - D(all without i), in O(G^3).
func creditByDefinition(kernel [][]float64) []float64 {
	out := make([]float64, len(kernel))
	whole := diversity(kernel, -1)
	for i := range out {
		out[i] = whole - diversity(kernel, i)
	}
	return out
}

// cosines is the kernel by its definition, from the vectors themselves.
func cosines(vectors [][]float32) [][]float64 {
	inner := func(u, v []float32) float64 {
		s := 0.0
		for i := range u {
			s += float64(u[i]) * float64(v[i])
		}
		return s
	}
	out := make([][]float64, len(vectors))
	for i, u := range vectors {
		out[i] = make([]float64, len(vectors))
		for j, v := range vectors {
			out[i][j] = min(max(inner(u, v)/math.Sqrt(inner(u, u)*inner(v, v)), 0), 1)
		}
	}
	return out
}

func randomKernel(r *rand.Rand, size int) [][]float64 {
	k := make([][]float64, size)
	for i := range k {
		k[i] = make([]float64, size)
		k[i][i] = 1
		for j := range i {
			k[i][j] = r.Float64()
			k[j][i] = k[i][j]
		}
	}
	return k
}

func TestSetPOCreditVectors(t *testing.T) {
	for _, c := range []struct {
		reason    string
		kernel    [][]float64
		diversity float64
		want      []float64
	}{
		{"nine digits derived from eqs. 3-4; three points, three different cosines",
			[][]float64{{1, .9, .1}, {.9, 1, .2}, {.1, .2, 1}}, -0.327827327,
			[]float64{-0.145505770, -0.232517147, 0.314026559}},
		{"nine digits derived from eqs. 3-4; two duplicates beside a pair at 1/2",
			[][]float64{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, .5}, {0, 0, .5, 1}}, -0.220916376,
			[]float64{-0.072154009, -0.072154009, 0.049393696, 0.049393696}},
	} {
		near(t, c.reason, creditOf(&SetPO{}, c.kernel), c.want, 1e-9)
		near(t, c.reason+": D", []float64{diversity(c.kernel, -1)}, []float64{c.diversity}, 1e-9)
	}
}

func TestSetPOCreditEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	e := &SetPO{}
	for size := 3; size <= 40; size++ {
		for range 5 {
			k := randomKernel(r, size)
			near(t, fmt.Sprintf("G=%d", size), creditOf(e, k), creditByDefinition(k), 1e-12)
		}
	}
}

// TestSetPOCreditOfManyRollouts has products of 1100 factors near 2: a product
// that is not cut into pieces overflows at 1024.
func TestSetPOCreditOfManyRollouts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	k := randomKernel(r, 1100)
	for i := range k {
		for j := range i {
			k[i][j] = 1 - k[i][j]/50
			k[j][i] = k[i][j]
		}
	}
	if product := -diversity(k, -1) * float64(len(k)) / math.Ln2; product < 1024 {
		t.Fatalf("the product is 2^%.0f: this kernel does not overflow anything", product)
	}
	got, whole := creditOf(&SetPO{}, k), diversity(k, -1)
	for _, i := range []int{0, 1, 511, 512, 513, 1023, 1024, 1099} {
		near(t, fmt.Sprintf("G=1100, rollout %d", i), got[i:i+1], []float64{whole - diversity(k, i)}, 1e-12)
	}
}

// TestSetPOFromEmbeddings goes through the public method, base included.
func TestSetPOFromEmbeddings(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, c := range []struct {
		size, dim int
		reason    string
	}{
		{3, 1, "one dimension: cosines are 0 or 1 once clamped"},
		{8, 3, "a tail shorter than any unrolled step"},
		{8, 50, "the bandit's dimension"},
		{17, 64, "whole steps only"},
		{70, 7, "more rollouts than dimensions"},
	} {
		vectors := randomVectors(r, c.size, c.dim)
		rewards := make([]float64, c.size)
		for i := range rewards {
			rewards[i] = float64(r.IntN(2))
		}
		g := embed(groupOf(rewards, ""), vectors)
		want := ofGroup(t, build(t, "grpo").Estimator, g)
		for i, s := range creditByDefinition(cosines(vectors)) {
			want[i] += 0.3 * s
		}
		near(t, c.reason, ofGroup(t, build(t, "setpo+grpo", "lambda=0.3").Estimator, g), want, 1e-12)
	}
}

func TestSetPOExtremes(t *testing.T) {
	for _, c := range []struct {
		reason string
		off    float64
	}{
		{"identical points: every set has the same diversity", 1},
		{"orthogonal points: diversity is 0 with and without each", 0},
		{"points all equally far apart: no one is special", 0.37},
	} {
		for _, size := range []int{3, 8, 600} {
			k := make([][]float64, size)
			for i := range k {
				k[i] = make([]float64, size)
				for j := range k[i] {
					k[i][j] = c.off
				}
				k[i][i] = 1
			}
			near(t, c.reason, creditOf(&SetPO{}, k), make([]float64, size), 1e-14)
		}
	}
}

// TestSetPODiagonalIsIgnored: a rollout's similarity to itself is not in the definition.
func TestSetPODiagonalIsIgnored(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	k := randomKernel(r, 6)
	want := creditByDefinition(k)
	for i := range k {
		k[i][i] = 0.123
	}
	near(t, "another diagonal", creditOf(&SetPO{}, k), want, 1e-14)
}

// TestSetPODerivative: d s_i / d k_it = (g'(m_i) + g'(m_t)) / (G (G-1)) with g = -log(1+m), which
// is negative: to be more like another costs credit. Only D(all) depends on k_it.
func TestSetPODerivative(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	const size, h = 7, 1e-5
	k := randomKernel(r, size)
	mean := func(i int) float64 { return (sum(k[i]) - k[i][i]) / (size - 1) }
	e := &SetPO{}
	for i := range size {
		for other := range size {
			if other == i {
				continue
			}
			want := -(1/(1+mean(i)) + 1/(1+mean(other))) / (size * (size - 1))
			moved := func(by float64) float64 {
				k[i][other] += by
				k[other][i] += by
				defer func() { k[i][other] -= by; k[other][i] -= by }()
				return creditOf(e, k)[i]
			}
			got := (moved(h) - moved(-h)) / (2 * h)
			near(t, fmt.Sprintf("d s_%d / d k_%d,%d", i, i, other), []float64{got}, []float64{want}, 1e-8)
		}
	}
}

// TestSetPOInvariances: cosines see neither the length of an embedding nor a
// common reordering of its entries, and the credit does not see the reward.
func TestSetPOInvariances(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	vectors := randomVectors(r, 9, 6)
	turned := make([][]float32, len(vectors))
	for i, v := range vectors {
		turned[i] = make([]float32, len(v))
		length := float32(int(1) << (i % 5)) // a power of two: exact
		for j, x := range v {
			turned[i][len(v)-1-j] = -x * length
		}
	}
	flat := groupOf(make([]float64, 9), "")
	e := build(t, "setpo+grpo", "lambda=1").Estimator
	want := append([]float64(nil), ofGroup(t, e, embed(flat, vectors))...)
	near(t, "reflected, reordered, rescaled", ofGroup(t, e, embed(flat, turned)), want, 1e-12)
	ones := groupOf([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1}, "")
	near(t, "all correct instead of all wrong", ofGroup(t, e, embed(ones, vectors)), want, 0)
	if math.Abs(sum(want)) < 1e-6 {
		t.Errorf("the credits sum to %g; in general they do not cancel", sum(want))
	}
}

func TestSetPOWithoutEmbeddings(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	vectors := randomVectors(r, 6, 5)
	g := embed(groupOf([]float64{1, 0, 0, 1, 0, 1}, ""), vectors)
	g.Rollouts[1].Candidates[0].Embedding = nil
	g.Rollouts[4].Candidates[0].Embedding = make([]float32, 5)
	base := ofGroup(t, build(t, "grpo").Estimator, g)
	credit := creditByDefinition(cosines([][]float32{vectors[0], vectors[2], vectors[3], vectors[5]}))
	want := append([]float64(nil), base...)
	for k, i := range []int{0, 2, 3, 5} {
		want[i] += credit[k]
	}
	e := build(t, "setpo+grpo", "lambda=1").Estimator
	near(t, "two of six have no direction", ofGroup(t, e, g), want, 1e-12)
	g.Rollouts[0].Candidates[0].Embedding = nil
	g.Rollouts[2].Candidates[0].Embedding = nil
	near(t, "two left: the base alone", ofGroup(t, e, g), base, 0)
	for i := range g.Rollouts {
		g.Rollouts[i].Candidates[0].Embedding = nil
	}
	near(t, "none left: the base alone", ofGroup(t, e, g), base, 0)
}

func TestSetPOEmbeddingErrors(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		reason string
		bad    []float32
		says   string
	}{
		{"overflowed embedder", []float32{1, inf}, "rollout 2 is not finite"},
		{"broken embedder", []float32{nan, 1}, "rollout 2 is not finite"},
		{"shorter than the others", []float32{1}, "rollout 2 has another length"},
		{"longer than the others", []float32{1, 2, 3}, "rollout 2 has another length"},
	} {
		g := embed(groupOf([]float64{1, 0, 0, 1}, ""), [][]float32{{1, 0}, {0, 1}, c.bad, {1, 1}})
		b := batchOf(groupOf([]float64{1, 0, 0}, ""), g)
		err := build(t, "setpo+grpo").Estimator.Advantages(NewAdvantages(b), b)
		t.Run(c.reason, func(t *testing.T) { wantError(t, err, "group 1", c.says) })
	}
}

// TestEmbeddingErrorNamesTheRollout: rollouts are numbered as in the document,
// those that only vote included.
func TestEmbeddingErrorNamesTheRollout(t *testing.T) {
	g := embed(groupOf([]float64{1, 0, 1, 0, 1}, "ABCDE"), [][]float32{{1, 0}, {1, 1}, {0, 1}, {1, 2, 3}, {1, 2}})
	g.Rollouts[0].Train = false
	b := batchOf(g)
	err := build(t, "setpo+grpo").Estimator.Advantages(NewAdvantages(b), b)
	wantError(t, err, "the embedding of rollout 3 has another length")
}
