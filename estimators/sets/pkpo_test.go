package sets

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/estimators"
	"modebench/estimators/internal/setstest"
)

// exactMax is the best reward of the set, 0 of the empty one.
func exactMax(set []int, rewards []*big.Rat) *big.Rat {
	if len(set) == 0 {
		return new(big.Rat)
	}
	return exactBest(set, rewards, 1)
}

// expectedMax is the mean of the best reward over all k-subsets of the rollouts
// other than `without`.
func expectedMax(rewards []*big.Rat, k, without int) *big.Rat {
	total, count := new(big.Rat), 0
	eachSet(len(rewards), k, func(set []int) {
		for _, i := range set {
			if i == without {
				return
			}
		}
		total.Add(total, exactMax(set, rewards))
		count++
	})
	return total.Mul(total, ratio(1, count))
}

// pkpoByDefinition goes through the subsets in exact fractions.
func pkpoByDefinition(variant string, rewards []*big.Rat, k int) []*big.Rat {
	n := len(rewards)
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	subsets := 0
	eachSet(n, k, func(set []int) {
		subsets++
		for at, i := range set {
			x := exactMax(set, rewards)
			if variant == "loo-1" {
				rest := append(append([]int(nil), set[:at]...), set[at+1:]...)
				x = new(big.Rat).Sub(x, exactMax(rest, rewards))
			}
			out[i].Add(out[i], x)
		}
	})
	for i := range out {
		out[i].Mul(out[i], ratio(1, subsets))
		if variant == "loo" { // b_i is the sum over j != i of j's credit among the others
			b := mul(ratio(k, 1), expectedMax(rewards, k, i))
			out[i].Sub(out[i], b.Mul(b, ratio(1, n-1)))
		}
	}
	return out
}

func floats(exact []*big.Rat) []float64 {
	out := make([]float64, len(exact))
	for i, x := range exact {
		out[i], _ = x.Float64()
	}
	return out
}

func TestPKPOEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for _, variant := range []string{"s", "loo", "loo-1"} {
		for size := 1; size <= 9; size++ {
			for k := 1; k <= size; k++ {
				if variant == "loo" && k == size {
					continue // TestPKPOEdges
				}
				for kind := range 4 {
					q, rewards := mixed(r, size, kind)
					got := ofGroup(t, &PKPO{K: k, Variant: variant}, groupOf(rewards, ""))
					near(t, fmt.Sprintf("%s n=%d k=%d %v", variant, size, k, rewards), got, floats(pkpoByDefinition(variant, q, k)), 1e-12)
				}
			}
		}
	}
}

// TestPKPOBaselineOfOthers: b_i is the sum of the others' credits among themselves, k
// times their expected best; the definition above takes the latter.
func TestPKPOBaselineOfOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for size := 2; size <= 7; size++ {
		q, _ := fractions(r, size)
		for k := 1; k < size; k++ {
			for i := range q {
				others := append(append([]*big.Rat(nil), q[:i]...), q[i+1:]...)
				sum := new(big.Rat)
				for _, s := range pkpoByDefinition("s", others, k) {
					sum.Add(sum, s)
				}
				if sum.Cmp(mul(ratio(k, 1), expectedMax(q, k, i))) != 0 {
					t.Errorf("n=%d k=%d: the others' credits sum to %v", size, k, sum)
				}
			}
		}
	}
}

// TestPKPOIdentities: sum s = k rho; s = (k/n)(A + rho) with A the marginal set
// advantage of the largest; loo-1 = s - (k/n) rho_(k-1) without i; and with 0/1
// rewards the binary forms of the paper.
func TestPKPOIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for size := 2; size <= 9; size++ {
		for k := 1; k <= size; k++ {
			q, rewards := mixed(r, size, k)
			g := groupOf(rewards, "")
			s := ofGroup(t, &PKPO{K: k, Variant: "s"}, g)
			rho, _ := expectedMax(q, k, -1).Float64()
			at := fmt.Sprintf("n=%d k=%d", size, k)
			near(t, at+": sum s = k rho", []float64{sum(s)}, []float64{float64(k) * rho}, 1e-12)
			share := float64(k) / float64(size)
			marginal := ofGroup(t, &PassN{N: k}, g)
			for i := range marginal {
				marginal[i] = share * (marginal[i] + rho)
			}
			near(t, at+": s = (k/n)(A + rho)", s, marginal, 1e-12)
			if k >= 2 {
				for i := range s {
					rest, _ := expectedMax(q, k-1, i).Float64()
					s[i] -= share * rest
				}
				near(t, at+": loo-1", ofGroup(t, &PKPO{K: k, Variant: "loo-1"}, g), s, 1e-12)
			}
			// s of 0/1 rewards: k/n where correct, k/n of pass@(k-1) of the others where wrong.
			c := r.IntN(size + 1)
			binary, want := make([]float64, size), make([]float64, size)
			for i := range binary {
				want[i] = share
				if i < c {
					binary[i] = 1
				} else {
					want[i] *= 1 - setstest.Chance(size-1-c, k-1, size-1)
				}
			}
			near(t, at+": binary", ofGroup(t, &PKPO{K: k, Variant: "s"}, groupOf(binary, "")), want, 1e-12)
		}
	}
}

// TestPKPOConstants: equal rewards c are worth kc/n, -kc/(n(n-1)) and nothing.
func TestPKPOConstants(t *testing.T) {
	for n := 3; n <= 8; n++ {
		for k := 2; k < n; k++ {
			rewards := make([]float64, n)
			for i := range rewards {
				rewards[i] = 5
			}
			for variant, want := range map[string]float64{"s": 5 * float64(k) / float64(n), "loo": -5 * float64(k) / float64(n*(n-1)), "loo-1": 0} {
				got := ofGroup(t, &PKPO{K: k, Variant: variant}, groupOf(rewards, ""))
				for _, a := range got {
					near(t, fmt.Sprintf("%s n=%d k=%d", variant, n, k), []float64{a}, []float64{want}, 1e-14)
				}
			}
		}
	}
}

// TestPKPOOfAllIsPassK: with k = n loo-1 is verl's grpo_passk (Tang et al., 2503.19595) without the
// deviation: the best gets its lead over the second, and no rollout if two are best.
func TestPKPOOfAllIsPassK(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	for range 200 {
		size := 2 + r.IntN(9)
		_, rewards := mixed(r, size, r.IntN(3))
		first, second := 0, -1
		for i := range rewards {
			if rewards[i] > rewards[first] {
				first = i
			}
		}
		for i := range rewards {
			if i != first && (second < 0 || rewards[i] > rewards[second]) {
				second = i
			}
		}
		want := make([]float64, size)
		want[first] = rewards[first] - rewards[second]
		near(t, fmt.Sprint(rewards), ofGroup(t, &PKPO{K: size, Variant: "loo-1"}, groupOf(rewards, "")), want, 1e-15)
	}
}

// TestPKPOEdges: a variant without an estimate refuses, before training.
func TestPKPOEdges(t *testing.T) {
	b := batchOf(groupOf([]float64{1, 0, 0.5}, ""))
	e := build(t, "pkpo", "k=3", "variant=loo").Estimator
	wantError(t, e.Advantages(estimators.NewAdvantages(b), b), "group 0", "k = 3", "less than the 3 rollouts")
	wantError(t, e.Requirements().Check(b), "want at least 4")
	for variant, least := range map[string]int{"s": 3, "loo": 4, "loo-1": 3} {
		if got := build(t, "pkpo", "k=3", "variant="+variant).Estimator.Requirements().MinGroup; got != least {
			t.Errorf("%s takes groups of %d, want %d", variant, got, least)
		}
	}
	wantError(t, build(t, "pkpo").SetText("variant=loo-2"), `"variant"`, "s, loo, loo-1")
}

// TestPKPOTies: equal rewards have equal advantages to the last bit.
func TestPKPOTies(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 5))
	for range 200 {
		rewards := make([]float64, 5+r.IntN(30))
		for i := range rewards {
			rewards[i] = float64(r.IntN(4)) / 3
		}
		for _, variant := range []string{"s", "loo", "loo-1"} {
			got := ofGroup(t, &PKPO{K: 4, Variant: variant}, groupOf(rewards, ""))
			for i := range got {
				for j := range got {
					if rewards[i] == rewards[j] && got[i] != got[j] {
						t.Fatalf("%s, rewards %v: advantages %v and %v for %v", variant, rewards, got[i], got[j], rewards[i])
					}
				}
			}
		}
	}
}

// TestPKPOOfLargeGroups is beyond enumeration. Of different rewards the definition
// comes down to how many subsets have which rank as their best, from binomials in
// big integers: in a subset with i and its best j above, or i itself; in one of the
// others; and, for loo-1, with j the best of the rest.
func TestPKPOOfLargeGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 6))
	for _, c := range []struct{ n, k int }{{64, 4}, {200, 100}, {1024, 1}, {1024, 4}, {1024, 512}, {1024, 1023}} {
		rewards := make([]float64, c.n) // by rank
		for i := range rewards {
			rewards[i] = float64(i) + 1
		}
		chance := func(top, choose, n, k int) float64 {
			x, _ := bigChance(top, choose, n, k).Float64()
			return x
		}
		own, above, rest, second := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
		for rank := range c.n {
			own[rank] = chance(rank, c.k-1, c.n, c.k)
			above[rank] = chance(rank-1, c.k-2, c.n, c.k)
			rest[rank] = chance(rank, c.k-1, c.n-1, c.k)
			second[rank] = chance(rank, c.k-2, c.n, c.k)
		}
		want := map[string][]float64{"s": make([]float64, c.n), "loo": make([]float64, c.n), "loo-1": make([]float64, c.n)}
		for i := range c.n {
			s, others, lead := own[i]*rewards[i], 0.0, 0.0
			for j := range c.n {
				switch {
				case j > i:
					s += above[j] * rewards[j]
					others += rest[j-1] * rewards[j]
				case j < i:
					others += rest[j] * rewards[j]
					lead += second[j] * (rewards[i] - rewards[j])
				}
			}
			if c.k == 1 {
				lead = rewards[i] / float64(c.n)
			}
			want["s"][i], want["loo"][i], want["loo-1"][i] = s, s-float64(c.k)/float64(c.n-1)*others, lead
		}
		order := r.Perm(c.n)
		mixed := make([]float64, c.n)
		for rank, at := range order {
			mixed[at] = rewards[rank]
		}
		for variant, byRank := range want {
			got := ofGroup(t, &PKPO{K: c.k, Variant: variant}, groupOf(mixed, ""))
			for rank, at := range order {
				if d := math.Abs(got[at] - byRank[rank]); d > 1e-12*float64(c.n) {
					t.Fatalf("%s n=%d k=%d: rank %d has %g, want %g", variant, c.n, c.k, rank, got[at], byRank[rank])
				}
			}
		}
	}
}

// TestCreditByProducts: the reference of the benchmark computes the same.
func TestCreditByProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 7))
	for _, c := range []struct{ n, k int }{{5, 1}, {8, 4}, {64, 16}, {300, 150}, {7, 7}} {
		_, rewards := fractions(r, c.n)
		slices.Sort(rewards)
		got := make([]float64, c.n)
		creditByProducts(got, rewards, c.k)
		near(t, fmt.Sprint(c), got, ofGroup(t, &PKPO{K: c.k, Variant: "s"}, groupOf(rewards, "")), 1e-12)
	}
}
