package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
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
		b.Groups = append(b.Groups, g)
	}
	return b
}

// TestNoAllocations: after the first batch an estimator runs on its buffers.
func TestNoAllocations(t *testing.T) {
	for _, l := range laws {
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

// BenchmarkLoss is a minibatch of 64 sequences of 16 tokens.
func BenchmarkLoss(b *testing.B) {
	for _, method := range []string{"grpo", "grpo@vpo", "grpo@sd-e2"} {
		b.Run(method, func(b *testing.B) {
			r := rand.New(rand.NewPCG(6, 3))
			logp, advantage := make([][]float64, 64), make([]float64, 64)
			for s := range logp {
				logp[s], advantage[s] = make([]float64, 16), r.NormFloat64()
				for k := range logp[s] {
					logp[s][k] = -r.Float64()
				}
			}
			t := tokensOf(advantage, logp, nil)
			for k := range t.Old {
				t.Old[k] += 0.3 * r.NormFloat64()
			}
			t.Ref, t.KL, t.DKL = t.Old, t.Old, rubbish(len(t.Old))
			o := build(b, method).Objective
			for b.Loop() {
				if err := o.Loss(t); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(t.Logp)), "ns/token")
		})
	}
}
