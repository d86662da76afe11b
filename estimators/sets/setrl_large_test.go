package sets

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
)

// bigChance is C(a, b) / C(c, d) in exact binomials.
func bigChance(a, b, c, d int) *big.Rat {
	if b < 0 || b > a {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(new(big.Int).Binomial(int64(a), int64(b)), new(big.Int).Binomial(int64(c), int64(d)))
}

// TestSetRLOfLargeGroups is beyond any enumeration. With 0/1 rewards every
// objective's mean over the sets with a given rollout comes down to chances that a
// set misses some of the group, from binomials in big integers.
func TestSetRLOfLargeGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 5))
	for _, c := range []struct{ size, n, modes int }{{64, 16, 8}, {200, 4, 30}, {200, 197, 7}, {1024, 512, 8}} {
		g := largeGroup(r, c.size, c.modes)
		large := newLargeGroup(g, c.n)
		for _, name := range []string{"polychromic-ppo", "polychromic-max", "distinct", "distinct-correct", "mean", "max", "min", "pass", "all", "majority"} {
			want := make([]float64, c.size)
			total := new(big.Rat)
			exact := make([]*big.Rat, c.size)
			for i := range exact {
				exact[i] = large.given(name, i)
				total.Add(total, exact[i])
			}
			total.Mul(total, ratio(1, c.size)) // the mean over all sets
			for i := range want {
				want[i], _ = new(big.Rat).Sub(exact[i], total).Float64()
			}
			e := build(t, "set-rl", "objective="+name, fmt.Sprint("n=", c.n)).Estimator
			near(t, fmt.Sprintf("%s, n=%d of %d", name, c.n, c.size), ofGroup(t, e, g), want, 1e-12)
		}
	}
}

// A largeOne counts what is needed of a group with 0/1 rewards.
type largeOne struct {
	rewards []float64
	modes   []envs.Mode
	right   int
	sizes   map[envs.Mode]int // of the clusters
	rights  map[envs.Mode]int // correct ones in them
	size, n int
	memo    map[string]*big.Rat
}

func newLargeGroup(g estimators.Group, n int) *largeOne {
	l := &largeOne{size: len(g.Rollouts), n: n, sizes: map[envs.Mode]int{}, rights: map[envs.Mode]int{}, memo: map[string]*big.Rat{}}
	for _, r := range g.Rollouts {
		x, m := r.Candidates[0].Reward[0], r.Candidates[0].Mode
		l.rewards, l.modes = append(l.rewards, x), append(l.modes, m)
		l.sizes[m]++
		l.rights[m] += int(x)
		l.right += int(x)
	}
	return l
}

// misses is the chance that a set with one given rollout misses s others,
// and `with` further given ones besides.
func (l *largeOne) misses(s, with int) *big.Rat {
	return bigChance(l.size-1-with-s, l.n-1-with, l.size-1, l.n-1)
}

// given is the mean of the objective over the sets that hold rollout i. It depends
// on i's mode and reward alone.
func (l *largeOne) given(name string, i int) *big.Rat {
	key := fmt.Sprint(name, l.modes[i], l.rewards[i])
	if l.memo[key] == nil {
		l.memo[key] = l.compute(name, int(l.rewards[i]), l.modes[i])
	}
	return l.memo[key]
}

func (l *largeOne) compute(name string, own int, mode envs.Mode) *big.Rat {
	one, n := ratio(1, 1), l.n
	less := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
	switch name {
	case "max", "pass":
		if own == 1 {
			return one
		}
		return less(one, l.misses(l.right, 0))
	case "min", "all":
		if own == 0 {
			return new(big.Rat)
		}
		return l.misses(l.size-l.right, 0)
	case "mean":
		rest := mul(ratio(n-1, 1), ratio(l.right-own, l.size-1))
		return mul(rest.Add(rest, ratio(own, 1)), ratio(1, n))
	case "majority":
		total := new(big.Rat)
		for c := 0; c <= n-1; c++ {
			if 2*(c+own) > n {
				others := l.right - own
				ways := new(big.Int).Mul(new(big.Int).Binomial(int64(others), int64(c)), new(big.Int).Binomial(int64(l.size-1-others), int64(n-1-c)))
				if c <= others && n-1-c <= l.size-1-others {
					total.Add(total, new(big.Rat).SetFrac(ways, new(big.Int).Binomial(int64(l.size-1), int64(n-1))))
				}
			}
		}
		return total
	}
	// The rest count modes: a sum over the clusters.
	total := new(big.Rat)
	for m, s := range l.sizes {
		switch name {
		case "distinct":
			hit := one
			if m != mode {
				hit = less(one, l.misses(s, 0))
			}
			total.Add(total, hit)
		case "distinct-correct":
			hit := one
			if m != mode || own == 0 {
				hit = less(one, l.misses(l.rights[m], 0))
			}
			total.Add(total, hit)
		case "polychromic-max": // hit, less hit without any correct one
			hit, bad := one, new(big.Rat)
			if m != mode {
				hit = less(one, l.misses(s, 0))
			}
			if own == 0 {
				bad = l.misses(l.right, 0)
				if m != mode {
					bad = less(bad, l.misses(l.right+s-l.rights[m], 0))
				}
			}
			total.Add(total, less(hit, bad))
		case "polychromic-ppo": // the sum of the rewards, where the cluster is hit
			reach := l.summed(own, mode, m, s)
			total.Add(total, mul(reach, ratio(1, n)))
		}
	}
	total.Mul(total, ratio(1, n))
	if name == "polychromic-ppo" { // less the sets of i's mode alone
		s, c := l.sizes[mode], l.rights[mode]
		alone := mul(ratio(own, 1), l.misses(l.size-s, 0))
		alone.Add(alone, mul(ratio(c-own, 1), l.misses(l.size-s, 1)))
		total.Sub(total, mul(alone, ratio(1, n*n)))
	}
	return total
}

// summed is the mean, over the sets with a rollout of that reward and mode, of the
// sum of the rewards where cluster m, of s, is hit, and 0 if it is not.
func (l *largeOne) summed(own int, mode, m envs.Mode, s int) *big.Rat {
	hit := func(inside bool, with int) *big.Rat {
		p := l.misses(0, with)
		if !inside {
			p.Sub(p, l.misses(s, with))
		}
		return p
	}
	in := mode == m
	total := mul(ratio(own, 1), hit(in, 0))
	inM, outM := l.rights[m], l.right-l.rights[m]
	if in {
		inM -= own
	} else {
		outM -= own
	}
	total.Add(total, mul(ratio(inM, 1), hit(true, 1)))
	return total.Add(total, mul(ratio(outM, 1), hit(in, 1)))
}

// TestLargeGroupByEnumeration holds the binomials above against the definition
// if that is possible.
func TestLargeGroupByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 6))
	for range 20 {
		size := 3 + r.IntN(6)
		n := 1 + r.IntN(size)
		g := largeGroup(r, size, 4)
		l := newLargeGroup(g, n)
		var q []*big.Rat
		modes := ""
		for i, x := range l.rewards {
			q, modes = append(q, ratio(int(x), 1)), modes+string(l.modes[i])
		}
		for name := range exactly {
			if name == "polychromic" {
				continue // TestPolyEPOOfLargeGroups
			}
			got, mean := make([]float64, size), 0.0
			for i := range got {
				got[i], _ = l.given(name, i).Float64()
				mean += got[i] / float64(size)
			}
			for i := range got {
				got[i] -= mean
			}
			near(t, fmt.Sprint(name, " ", size, n, modes), got, exactMarginal(name, q, modes, n), 1e-12)
		}
	}
}

// diverseGroup has as many modes and different rewards as rollouts.
func diverseGroup(r *rand.Rand, size int) estimators.Group {
	rewards := make([]float64, size)
	for i := range rewards {
		rewards[i] = r.Float64() - 0.5
	}
	g := groupOf(rewards, strings.Repeat("A", size))
	for i := range g.Rollouts {
		g.Rollouts[i].Candidates[0].Mode = envs.Mode(fmt.Sprint(i))
	}
	return g
}

// TestSetRLOfDiverseGroups: no group is too large or too varied for an objective. Where every
// rollout has a mode of its own a set of n has n, and where all share one it has one.
func TestSetRLOfDiverseGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	g := diverseGroup(r, 1024)
	for _, n := range []int{2, 512, 1023} {
		of := func(objective string) []float64 {
			return ofGroup(t, build(t, "set-rl", "objective="+objective, fmt.Sprint("n=", n)).Estimator, g)
		}
		best, mean, nothing := of("max"), of("mean"), make([]float64, 1024)
		at := fmt.Sprintf("n=%d, ", n)
		near(t, at+"polychromic-max", of("polychromic-max"), best, 1e-12)
		near(t, at+"polychromic-ppo", of("polychromic-ppo"), mean, 1e-12)
		near(t, at+"polychromic", of("polychromic"), mean, 1e-12)
		near(t, at+"distinct", of("distinct"), nothing, 0)
		for i := range g.Rollouts {
			g.Rollouts[i].Candidates[0].Mode = "A"
		}
		for i := range best {
			best[i] /= float64(n)
		}
		near(t, at+"polychromic-max of one mode", of("polychromic-max"), best, 1e-12)
		near(t, at+"polychromic-ppo of one mode", of("polychromic-ppo"), nothing, 0)
		g = diverseGroup(r, 1024)
	}
}

// TestPolychromicMaxOfLargeGroups is beyond enumeration. Of different rewards: the best
// j of a set with i is i itself or one above it, all others lie below, and a cluster is
// hit if any of its rollouts up to j's rank is among them.
func TestPolychromicMaxOfLargeGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	for _, c := range []struct{ size, n int }{{40, 7}, {64, 32}, {100, 97}} {
		modes := randomModes(r, c.size, 4)
		rewards := make([]float64, c.size)
		for rank := range rewards { // rollouts are in the order of their rewards
			rewards[rank] = float64(rank-c.size/2) / 8
		}
		exact, total := make([]*big.Rat, c.size), new(big.Rat)
		for i := range exact {
			exact[i] = new(big.Rat)
			for j := i; j < c.size; j++ {
				fixed, below := 1, j
				if j > i {
					fixed, below = 2, j-1
				}
				for _, mode := range "ABCDE" {
					held := new(big.Rat).Set(bigChance(below, c.n-fixed, c.size-1, c.n-1))
					if rune(modes[i]) != mode && rune(modes[j]) != mode {
						inside := strings.Count(modes[:j], string(mode))
						held.Sub(held, bigChance(below-inside, c.n-fixed, c.size-1, c.n-1))
					}
					held.Mul(held, new(big.Rat).SetFloat64(rewards[j]))
					exact[i].Add(exact[i], held.Mul(held, ratio(1, c.n)))
				}
			}
			total.Add(total, exact[i])
		}
		want, order := make([]float64, c.size), r.Perm(c.size)
		mixed, of := make([]float64, c.size), make([]byte, c.size)
		for rank, at := range order {
			want[at], _ = exact[rank].Sub(exact[rank], mul(total, ratio(1, c.size))).Float64()
			mixed[at], of[at] = rewards[rank], modes[rank]
		}
		e := build(t, "set-rl", "objective=polychromic-max", fmt.Sprint("n=", c.n)).Estimator
		near(t, fmt.Sprint(c), ofGroup(t, e, groupOf(mixed, string(of))), want, 1e-12)
	}
}
