package sets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
)

// perGroup times an estimator over a batch and reports one group's share.
func perGroup(b *testing.B, e estimators.Estimator, batch *estimators.Batch) float64 {
	b.Helper()
	dst := estimators.NewAdvantages(batch)
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

// BenchmarkPolyEPO at the paper's setting, N=8 and n=4 in 128 groups, beside the enumeration of all
// 70 sets, and where enumeration is out of reach. Targets: 300 ns a group; 10 ms for N=1024.
func BenchmarkPolyEPO(b *testing.B) {
	batch := batchtest.Sample(128, 8, 0)
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

// BenchmarkMaxAtK with few enough subsets to enumerate, and with more.
func BenchmarkMaxAtK(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 4))
	groups := make([]estimators.Group, 128)
	for g := range groups {
		_, rewards := fractions(r, 8)
		groups[g] = groupOf(rewards, "")
	}
	batch := batchOf(groups...)
	var closed float64
	b.Run("N=8", func(b *testing.B) { closed = perGroup(b, build(b, "max-at-k").Estimator, batch) })
	b.Run("N=8-enumerated", func(b *testing.B) {
		rewards, dst := make([][]float64, len(groups)), make([]float64, 8)
		for g := range batch.Groups {
			for _, r := range batch.Groups[g].Rollouts {
				rewards[g] = append(rewards[g], r.Candidates[0].Reward[0])
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
// at, beside doing so, and for larger groups with few modes and with many.
func BenchmarkSetRL(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 5))
	large, diverse := batchOf(largeGroup(r, 1024, 8)), batchOf(diverseGroup(r, 1024))
	for _, f := range setObjectives {
		for _, c := range []struct{ size, n int }{{8, 4}, {12, 6}} {
			batch := batchtest.Sample(16, c.size, 0)
			name := fmt.Sprintf("%s/N=%d", f.name, c.size)
			var fast float64
			b.Run(name, func(b *testing.B) { fast = perGroup(b, &SetRL{Objective: f.name, N: c.n}, batch) })
			b.Run(name+"-enumerated", func(b *testing.B) {
				var e setAdvantage
				dst := make([]float64, c.size)
				for b.Loop() {
					for g := range batch.Groups {
						rewards, rollouts, err := e.Gather(&batch.Groups[g], batch.Weights)
						if err != nil {
							b.Fatal(err)
						}
						e.cluster(rewards, rollouts, f.modes)
						for set := range e.pass.All(c.size, c.n) {
							e.members = e.members[:0]
							for _, i := range set {
								e.members = append(e.members, rewards[i])
							}
							e.pass.Add(set, f.value(e.members, e.pass.Clusters(set, e.clusters.Index)))
						}
						e.pass.Marginal(dst)
					}
				}
				against(b, len(batch.Groups), fast)
			})
		}
		b.Run(f.name+"/N=1024,n=512", func(b *testing.B) { perGroup(b, &SetRL{Objective: f.name, N: 512}, large) })
		b.Run(f.name+"/N=1024,n=512,modes=1024", func(b *testing.B) { perGroup(b, &SetRL{Objective: f.name, N: 512}, diverse) })
		b.Run(f.name+"/N=1024,n=512,sets=70", func(b *testing.B) {
			perGroup(b, &SetRL{Objective: f.name, N: 512, Sets: 70}, large)
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
	b.Run("passk-training", func(b *testing.B) { perGroup(b, build(b, "passk-training").Estimator, batchtest.Sample(128, 8, 0)) })
}
