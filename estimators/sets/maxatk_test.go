package sets

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"modebench/estimators"
)

// creditByEnumeration is the definition in exact fractions: over all k-subsets
// that hold i, the sum of the best, over the number of all.
func creditByEnumeration(rewards []*big.Rat, k int) []float64 {
	sums := make([]*big.Rat, len(rewards))
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	subsets := int64(0)
	eachSet(len(rewards), k, func(set []int) {
		best := rewards[set[0]]
		for _, i := range set[1:] {
			if rewards[i].Cmp(best) > 0 {
				best = rewards[i]
			}
		}
		subsets++
		for _, i := range set {
			sums[i].Add(sums[i], best)
		}
	})
	out := make([]float64, len(rewards))
	for i, s := range sums {
		out[i], _ = s.Mul(s, big.NewRat(1, subsets)).Float64()
	}
	return out
}

// creditByLoop is the same in floating point: the loop a user would write.
func creditByLoop(dst, rewards []float64, k int) {
	clear(dst)
	subsets := 0
	eachSet(len(rewards), k, func(set []int) {
		best := math.Inf(-1)
		for _, i := range set {
			best = max(best, rewards[i])
		}
		subsets++
		for _, i := range set {
			dst[i] += best
		}
	})
	for i := range dst {
		dst[i] /= float64(subsets)
	}
}

func TestMaxAtKEqualsEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for size := 1; size <= 10; size++ {
		for k := 1; k <= size; k++ {
			for range 4 {
				q, rewards := fractions(r, size)
				got := make([]float64, size)
				new(ranks).credit(got, rewards, k)
				want := creditByEnumeration(q, k)
				near(t, fmt.Sprintf("n=%d k=%d", size, k), got, want, 1e-12)
				// The whole method is the z-score of that.
				z := make([]float64, size)
				estimators.Standardise(z, want, 0, 1e-6)
				near(t, "z-score", ofGroup(t, build(t, "max-at-k", fmt.Sprint("k=", k)).Estimator, groupOf(rewards, "")), z, 1e-9)
			}
		}
	}
}

// TestMaxAtKOfLargeGroups is beyond enumeration: the shares come from binomials
// in big integers, and the credits sum to k times the unbiased best@k.
func TestMaxAtKOfLargeGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	for _, c := range []struct{ n, k int }{{64, 4}, {64, 63}, {200, 100}, {1024, 1}, {1024, 4}, {1024, 512}, {1024, 1023}, {1024, 1024}} {
		rewards := make([]float64, c.n)
		for i := range rewards {
			rewards[i] = float64(i)/float64(c.n) + 1
		}
		r.Shuffle(c.n, func(i, j int) { rewards[i], rewards[j] = rewards[j], rewards[i] })
		e, got := &ranks{}, make([]float64, c.n)
		e.credit(got, rewards, c.k)
		all := new(big.Int).Binomial(int64(c.n), int64(c.k))
		share := func(top, choose int) float64 { // C(top, choose) / C(n, k)
			if choose < 0 {
				return 0
			}
			x, _ := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(top), int64(choose)), all).Float64()
			return x
		}
		own, above := make([]float64, c.n), make([]float64, c.n)
		best := 0.0
		for rank := range c.n {
			own[rank] = share(rank, c.k-1)
			if rank > 0 {
				above[rank] = share(rank-1, c.k-2)
			}
			best += own[rank] * (float64(rank)/float64(c.n) + 1)
		}
		at := fmt.Sprintf("n=%d k=%d", c.n, c.k)
		near(t, at+": shares of the best", e.shares.best, own, 1e-12*own[c.n-1])
		near(t, at+": shares above", e.shares.above[1:], above[1:], 1e-12)
		near(t, at+": sum", []float64{sum(got)}, []float64{float64(c.k) * best}, 1e-12*float64(c.k)*best)
		for i, s := range got {
			rank := int(math.Round((rewards[i] - 1) * float64(c.n)))
			want := own[rank] * rewards[i]
			for j := rank + 1; j < c.n; j++ {
				want += above[j] * (float64(j)/float64(c.n) + 1)
			}
			near(t, at, []float64{s}, []float64{want}, 1e-12)
		}
	}
}

func TestMaxAtKIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	for range 50 {
		_, rewards := fractions(r, 8)
		g := groupOf(rewards, "")
		near(t, "k=1 is GRPO, but for epsilon",
			ofGroup(t, build(t, "max-at-k", "k=1", "epsilon=0").Estimator, g),
			ofGroup(t, build(t, "grpo", "epsilon=0").Estimator, g), 1e-12)
		near(t, "k=n", ofGroup(t, build(t, "max-at-k", "k=8").Estimator, g), make([]float64, 8), 0)
	}
	// With 0/1 rewards s takes two values, so that the z-score is GRPO's, but for
	// epsilon: k changes nothing there, unless all subsets hold a correct one.
	g := groupOf([]float64{1, 0, 0, 1, 0, 0, 0, 0}, "")
	for _, k := range []string{"k=2", "k=4", "k=6"} {
		near(t, k+" with 0/1 rewards", ofGroup(t, build(t, "max-at-k", k, "epsilon=0").Estimator, g),
			ofGroup(t, build(t, "grpo", "epsilon=0").Estimator, g), 1e-12)
	}
	near(t, "k=7: every subset holds a correct one", ofGroup(t, build(t, "max-at-k", "k=7").Estimator, g), make([]float64, 8), 0)
}

// TestMaxAtKTies: equal rewards have equal advantages, to the last bit, in any order.
func TestMaxAtKTies(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	e := build(t, "max-at-k").Estimator
	for range 200 {
		rewards := make([]float64, 5+r.IntN(30))
		for i := range rewards {
			rewards[i] = float64(r.IntN(4)) / 3
		}
		got := ofGroup(t, e, groupOf(rewards, ""))
		for i := range got {
			for j := range got {
				if rewards[i] == rewards[j] && got[i] != got[j] {
					t.Fatalf("rewards %v: advantages %v and %v for %v", rewards, got[i], got[j], rewards[i])
				}
			}
		}
	}
}

// TestMaxAtKKeepsNoOldTable: one estimator meets groups of several sizes.
func TestMaxAtKKeepsNoOldTable(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	e := &ranks{}
	for _, step := range []struct{ n, k int }{{6, 2}, {4, 2}, {4, 3}, {6, 3}, {9, 3}, {4, 3}} {
		q, rewards := fractions(r, step.n)
		got := make([]float64, step.n)
		e.credit(got, rewards, step.k)
		near(t, fmt.Sprint(step), got, creditByEnumeration(q, step.k), 1e-12)
	}
}
