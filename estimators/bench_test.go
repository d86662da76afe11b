package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
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

// BenchmarkPolyEPO at the paper's setting, N=8 and n=4 in 128 groups, beside the
// enumeration of all 70 sets, and where enumeration is out of reach. Targets
// : 300 ns a group; 10 ms for N=1024.
func BenchmarkPolyEPO(b *testing.B) {
	batch := sampleBatch(128, 8, 0)
	var closed float64
	b.Run("N=8", func(b *testing.B) { closed = perGroup(b, &PolyEPO{N: 4}, batch) })
	b.Run("N=8-enumerated", func(b *testing.B) {
		rewards, modes := make([][]float64, 128), make([]string, 128)
		for g := range batch.Groups {
			for _, r := range batch.Groups[g].Rollouts {
				rewards[g] = append(rewards[g], r.Candidates[0].Reward[0])
				modes[g] += string(r.Candidates[0].Mode)
			}
		}
		dst := make([]float64, 8)
		for b.Loop() {
			for g := range rewards {
				enumeratedFloat(dst, rewards[g], modes[g], 4)
			}
		}
		against(b, len(rewards), closed)
	})
	for _, modes := range []int{8, 64} {
		b.Run(fmt.Sprintf("N=1024,modes=%d", modes), func(b *testing.B) {
			r := rand.New(rand.NewPCG(6, 1))
			perGroup(b, &PolyEPO{N: 512}, batchOf(largeGroup(r, 1024, modes)))
		})
	}
}

// against reports the time per group and how many times that of the fast way it
// is, where that one ran.
func against(b *testing.B, groups int, fast float64) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(groups)
	b.ReportMetric(ns, "ns/group")
	if fast > 0 {
		b.ReportMetric(ns/fast, "x-slower")
	}
}

// BenchmarkSetPO: the credit with the kernel given, the same by its definition,
// and the whole advantage from embeddings. Target: 200 ns a
// group of 8 with the kernel given.
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

// BenchmarkGRPO is a whole batch of 128 groups of 8. Target:
// 10 us.
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
						w[j] = rng.Exponential(r)
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

// BenchmarkMaxAtK where all subsets can be enumerated, and where they cannot.
func BenchmarkMaxAtK(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 4))
	groups := make([]Group, 128)
	for g := range groups {
		_, rewards := fractions(r, 8)
		groups[g] = groupOf(rewards, "")
	}
	batch := batchOf(groups...)
	var closed float64
	b.Run("N=8", func(b *testing.B) { closed = perGroup(b, build(b, "max-at-k").Estimator, batch) })
	b.Run("N=8-enumerated", func(b *testing.B) {
		rewards, dst := make([][]float64, len(groups)), make([]float64, 8)
		for g, rollouts := range rewardsOf(batch) {
			for _, vectors := range rollouts {
				rewards[g] = append(rewards[g], vectors[0][0])
			}
		}
		for b.Loop() {
			for _, xs := range rewards {
				creditByLoop(dst, xs, 4)
			}
		}
		against(b, len(groups), closed)
	})
	b.Run("N=1024,k=512", func(b *testing.B) {
		_, rewards := fractions(r, 1024)
		perGroup(b, build(b, "max-at-k", "k=512").Estimator, batchOf(groupOf(rewards, "")))
	})
}

// BenchmarkSetRL is a table of the objectives of set-rl: where all sets can be looked
// at, beside doing so, and where they cannot, with few modes and with many.
func BenchmarkSetRL(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 5))
	large, diverse := batchOf(largeGroup(r, 1024, 8)), batchOf(diverseGroup(r, 1024))
	for _, f := range setObjectives {
		for _, c := range []struct{ size, n int }{{8, 4}, {12, 6}} {
			batch := sampleBatch(16, c.size, 0)
			name := fmt.Sprintf("%s/N=%d", f, c.size)
			var fast float64
			b.Run(name, func(b *testing.B) { fast = perGroup(b, &SetRL{Objective: string(f), N: c.n}, batch) })
			b.Run(name+"-enumerated", func(b *testing.B) {
				var e setAdvantage
				dst := make([]float64, c.size)
				for b.Loop() {
					for g := range batch.Groups {
						if err := e.gather(&batch.Groups[g], batch.Weights); err != nil {
							b.Fatal(err)
						}
						e.cluster(e.rewards, e.rollouts, f.modes())
						for set := range e.pass.All(c.size, c.n) {
							e.members = e.members[:0]
							for _, i := range set {
								e.members = append(e.members, e.rewards[i])
							}
							e.pass.Add(set, f.value(e.members, e.pass.Clusters(set, e.clusters.Of)))
						}
						e.pass.Marginal(dst)
					}
				}
				against(b, len(batch.Groups), fast)
			})
		}
		b.Run(string(f)+"/N=1024,n=512", func(b *testing.B) { perGroup(b, &SetRL{Objective: string(f), N: 512}, large) })
		b.Run(string(f)+"/N=1024,n=512,modes=1024", func(b *testing.B) { perGroup(b, &SetRL{Objective: string(f), N: 512}, diverse) })
		b.Run(string(f)+"/N=1024,n=512,sets=70", func(b *testing.B) {
			perGroup(b, &SetRL{Objective: string(f), N: 512, Sets: 70}, large)
		})
	}
}

// creditByProducts is PKPO's s of rewards in ascending order with every share
// written out as a product of k factors, as the published listing forms them.
func creditByProducts(dst, rewards []float64, k int) {
	n := len(rewards)
	product := func(first float64, top, factors, of int) float64 { // first times falling factorials
		for j := range factors {
			first *= float64(top-j) / float64(of-j)
		}
		return first
	}
	above := 0.0
	for rank := n - 1; rank >= 0; rank-- {
		own, more := 0.0, 0.0
		if rank >= k-1 {
			own = product(float64(k)/float64(n), rank, k-1, n-1)
		}
		if k >= 2 && rank >= k-1 {
			more = product(float64(k)/float64(n)*float64(k-1)/float64(n-1), rank-1, k-2, n-2)
		}
		dst[rank] = float64(rewards[rank]*own) + above
		above += float64(rewards[rank] * more)
	}
}

// BenchmarkPKPO and pass-n, which are O(n log n), beside shares that are products of
// k factors, O(nk).
func BenchmarkPKPO(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct{ size, k int }{{8, 4}, {64, 16}, {1024, 512}} {
		_, rewards := fractions(r, c.size)
		slices.Sort(rewards)
		batch := batchOf(groupOf(rewards, ""))
		at := fmt.Sprintf("n=%d,k=%d", c.size, c.k)
		var fast float64
		for _, variant := range []string{"loo", "loo-1", "s"} {
			b.Run(at+"/"+variant, func(b *testing.B) { fast = perGroup(b, &PKPO{K: c.k, Variant: variant}, batch) })
		}
		b.Run(at+"/s-listing", func(b *testing.B) {
			dst := make([]float64, c.size)
			for b.Loop() {
				creditByProducts(dst, rewards, c.k)
			}
			against(b, 1, fast)
		})
		b.Run(at+"/pass-n", func(b *testing.B) { perGroup(b, &PassN{N: c.k}, batch) })
	}
	b.Run("passk-training", func(b *testing.B) { perGroup(b, build(b, "passk-training").Estimator, sampleBatch(128, 8, 0)) })
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
