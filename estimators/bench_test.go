package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/internal/testkit"
)

// sampleBatch has 0/1 rewards, modes of unequal sizes and embeddings of the
// given dimension (none for 0).
func sampleBatch(groups, size, dim int) *Batch {
	r := rand.New(rand.NewPCG(6, uint64(groups*size+dim)))
	b := batchOf()
	for range groups {
		g := largeGroup(r, size, 8)
		if dim > 0 {
			g = embed(g, randomVectors(r, size, dim))
		}
		b.Groups = append(b.Groups, withTokens(g))
	}
	return b
}

// TestNoAllocations: after the first batch an estimator runs on its buffers.
func TestNoAllocations(t *testing.T) {
	for _, l := range allDeclared() {
		for _, size := range []int{8, 64} {
			e, b := l.estimator(t), sampleBatch(4, size, 16)
			dst := NewAdvantages(b)
			b.Groups[1].Rollouts[3].Train = false
			per := testing.AllocsPerRun(20, func() {
				if err := e.Advantages(dst, b); err != nil {
					t.Fatal(err)
				}
			})
			if per != 0 {
				t.Errorf("%s: %v allocations for 4 groups of %d", l.name(), per, size)
			}
		}
	}
}

// TestNoAllocationsForChains is the same where rollouts have several candidates
// of several components, by draws and without.
func TestNoAllocationsForChains(t *testing.T) {
	for _, method := range []string{"vpo", "multi-rlvr"} {
		for _, d := range []int{1, 2, 4} {
			e, b := build(t, method).Estimator, chainBatch(4, 8, 3, d)
			dst := NewAdvantages(b)
			b.Groups[1].Rollouts[3].Train = false
			per := testing.AllocsPerRun(20, func() {
				if err := e.Advantages(dst, b); err != nil {
					t.Fatal(err)
				}
			})
			if per != 0 {
				t.Errorf("%s: %v allocations for %d components", method, per, d)
			}
		}
	}
}

// chainBatch has rollouts of m candidates with d rewards in fourths.
func chainBatch(groups, size, m, d int) *Batch {
	r := rand.New(rand.NewPCG(6, uint64(groups*size*m*d)))
	all := make([][][][]float64, groups)
	for g := range all {
		all[g] = randomChains(r, size, m, d, 2)
	}
	return vectorBatch(envs.UniformWeights(d), all...)
}

// perGroup times an estimator over a batch and reports one group's share.
func perGroup(b *testing.B, e Estimator, batch *Batch) float64 {
	b.Helper()
	dst := NewAdvantages(batch)
	for b.Loop() {
		if err := e.Advantages(dst, batch); err != nil {
			b.Fatal(err)
		}
	}
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(len(batch.Groups))
	b.ReportMetric(ns, "ns/group")
	return ns
}

// against reports the time per group and how many times that of the fast way it
// is, if the fast way ran.
func against(b *testing.B, groups int, fast float64) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(groups)
	b.ReportMetric(ns, "ns/group")
	if fast > 0 {
		b.ReportMetric(ns/fast, "x-slower")
	}
}

// BenchmarkSetPO: the credit with the kernel given, the same by its definition, and the whole
// advantage from embeddings. Target: 200 ns a group of 8 with the kernel given.
func BenchmarkSetPO(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 2))
	kernels, rows := make([][][]float64, 128), make([][]float64, 128)
	for g := range kernels {
		kernels[g] = randomKernel(r, 8)
		rows[g] = slices.Concat(kernels[g]...)
	}
	e := &SetPO{}
	var fast float64
	b.Run("G=8,kernel", func(b *testing.B) {
		for b.Loop() {
			for _, k := range rows {
				useKernel(e, k, 8)
				e.credit()
			}
		}
		fast = float64(b.Elapsed().Nanoseconds()) / float64(b.N*len(kernels))
		b.ReportMetric(fast, "ns/group")
	})
	b.Run("G=8,definition", func(b *testing.B) {
		for b.Loop() {
			for _, k := range kernels {
				creditByDefinition(k)
			}
		}
		against(b, len(kernels), fast)
	})
	for _, dim := range []int{50, 1024} {
		b.Run(fmt.Sprintf("G=8,d=%d", dim), func(b *testing.B) {
			perGroup(b, build(b, "setpo+grpo").Estimator, sampleBatch(128, 8, dim))
		})
	}
}

// BenchmarkGRPO is a whole batch of 128 groups of 8. Target: 10 us.
func BenchmarkGRPO(b *testing.B) {
	for _, method := range []string{"grpo", "rloo", "grpo-div"} {
		b.Run(method, func(b *testing.B) {
			ns := perGroup(b, build(b, method).Estimator, sampleBatch(128, 8, 0))
			b.ReportMetric(float64(ns*128)/1000, "us/batch")
		})
	}
}

// rewardsOf lists the reward vectors of a batch: group, rollout, candidate.
func rewardsOf(batch *Batch) [][][][]float64 {
	out := make([][][][]float64, len(batch.Groups))
	for g := range out {
		for _, r := range batch.Groups[g].Rollouts {
			var vectors [][]float64
			for _, c := range r.Candidates {
				vectors = append(vectors, c.Reward)
			}
			out[g] = append(out[g], vectors)
		}
	}
	return out
}

// BenchmarkVPO at the paper's setting, 8 rollouts of 3 candidates with the
// maze's 4 components under 64 draws, beside the same by its definition and the
// drawing alone; and where the expectation is exact.
func BenchmarkVPO(b *testing.B) {
	batch := chainBatch(128, 8, 3, 4)
	var fast float64
	b.Run("d=4", func(b *testing.B) { fast = perGroup(b, build(b, "vpo").Estimator, batch) })
	b.Run("d=4-definition", func(b *testing.B) {
		r, draws, dst := rng.New(1).Rand(), make([][]float64, 64), make([]float64, 8)
		for k := range draws {
			draws[k] = make([]float64, 4)
		}
		rewards := rewardsOf(batch)
		for b.Loop() {
			for _, rollouts := range rewards {
				for _, w := range draws { // normalised exponentials (VPO sec. 3.2)
					for j := range w {
						w[j] = testkit.Exponential(r)
					}
					total := sum(w)
					for j := range w {
						w[j] /= total
					}
				}
				averageByDefinition(dst, draws, rollouts)
			}
		}
		against(b, len(rewards), fast)
	})
	b.Run("d=4-draws", func(b *testing.B) {
		e := &VPO{Alpha: 1, Draws: 64}
		for b.Loop() {
			for g := range batch.Groups {
				e.draw(batch, &batch.Groups[g], 4)
			}
		}
		against(b, len(batch.Groups), 0)
	})
	two := chainBatch(128, 8, 3, 2)
	b.Run("d=2,exact", func(b *testing.B) { fast = perGroup(b, build(b, "vpo").Estimator, two) })
	b.Run("d=2,drawn", func(b *testing.B) {
		e := &VPO{Alpha: 1, Draws: 64}
		for b.Loop() {
			for i := range two.Groups {
				g := &two.Groups[i]
				e.draw(two, g, 2)
				for _, r := range g.Rollouts {
					e.undominated(r.Candidates)
					e.average()
				}
			}
		}
		against(b, len(two.Groups), fast)
	})
	b.Run("multi-rlvr", func(b *testing.B) { perGroup(b, build(b, "multi-rlvr").Estimator, batch) })
}

// BenchmarkBaselines: the other methods of VPO's tables, 128 groups of 8.
func BenchmarkBaselines(b *testing.B) {
	b.Run("maxrl", func(b *testing.B) { perGroup(b, build(b, "maxrl").Estimator, sampleBatch(128, 8, 0)) })
	batch := chainBatch(128, 8, 1, 4)
	b.Run("random-w,d=4", func(b *testing.B) { perGroup(b, build(b, "random-w").Estimator, batch) })
	var fast float64
	b.Run("gdpo,d=4", func(b *testing.B) { fast = perGroup(b, build(b, "gdpo").Estimator, batch) })
	b.Run("gdpo,d=4-definition", func(b *testing.B) {
		rewards := make([][][]float64, len(batch.Groups))
		for g, rollouts := range rewardsOf(batch) {
			for _, vectors := range rollouts {
				rewards[g] = append(rewards[g], vectors[0])
			}
		}
		for b.Loop() {
			gdpoByDefinition(rewards, batch.Weights, 1, 1e-6)
		}
		against(b, len(rewards), fast)
	})
}
