package estimators

import (
	"math"

	"modebench/envs"
)

// GRPO is the group-relative advantage. With scale "group" it is the z-score
//
//	A_i = (r_i - mean r) / (sd r + epsilon)
//
// where sd divides by G - ddof (VPO app. B: ddof 0, epsilon 1e-6; verl and TRL:
// ddof 1); with scale "none" it is r_i - mean r (Poly-EPO app. A, Dr.GRPO). A
// group whose deviation is below 1e-12 gets zeros.
type GRPO struct {
	groupwise
	Scale     string  `param:"scale" doc:"group: divide by the group's standard deviation; none: do not" choices:"group,none"`
	DDoF      int     `param:"ddof" doc:"delta degrees of freedom of the standard deviation" min:"0" max:"1"`
	Epsilon   float64 `param:"epsilon" doc:"added to the standard deviation" min:"0"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward over 1 + epsilon" choices:"zero,raw"`
}

// Needs implements Estimator.
func (*GRPO) Needs() Needs { return Needs{Fields: envs.HasReward, MinGroup: 1} }

// Advantages implements Estimator.
func (e *GRPO) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		e.relative(dst, rewards)
		return nil
	})
}

// relative writes the group-relative advantage of rewards to dst, which may be
// the same slice.
func (e *GRPO) relative(dst, rewards []float64) {
	if len(rewards) == 1 {
		dst[0] = singleton(e.Singleton, rewards[0])
		if e.Scale == "group" {
			dst[0] /= 1 + e.Epsilon // verl sets the deviation of a group of one to 1
		}
		return
	}
	if e.Scale == "none" {
		mean := mean(rewards)
		for i, r := range rewards {
			dst[i] = r - mean
		}
		snap(dst, rounding(rewards))
		return
	}
	standardise(dst, rewards, e.DDoF, e.Epsilon)
}

// standardise writes the z-scores (x - mean) / (sd + epsilon) to dst, which may
// be the same slice. Where the deviation is only rounding, or there are too few
// numbers to have one, there is no signal: all zeros.
func standardise(dst, xs []float64, ddof int, epsilon float64) {
	mean, sd := deviation(xs, ddof)
	if sd < rounding(xs) {
		clear(dst)
		return
	}
	scale := 1 / (sd + epsilon)
	if scale == 0 {
		scale = math.NaN() // the squares overflowed: reported, not taken for no signal
	}
	for i, x := range xs {
		dst[i] = (x - mean) * scale
	}
}

// deviation is the mean and the standard deviation of xs, whose squares are divided
// by their number less ddof; too few numbers have a deviation of 0.
func deviation(xs []float64, ddof int) (centre, sd float64) {
	centre = mean(xs)
	if len(xs) <= ddof {
		return centre, 0
	}
	square := 0.0
	for _, x := range xs {
		d := x - centre
		square += float64(d * d)
	}
	return centre, math.Sqrt(square / float64(len(xs)-ddof))
}

// GRPODiv is GRPO on a reward shaped with a diversity bonus (Poly-EPO eq. 17,
// the display after it, and app. A):
//
//	r'_i = r_i + lambda d_i,  d_i = (N/|cluster of i| - 1) / (N - 1)
//
// over the group's N rollouts. The paper's GRPO subtracts the mean and does not
// divide by the deviation. A degenerate rollout earns no bonus.
type GRPODiv struct {
	GRPO
	Lambda   float64 `param:"lambda" doc:"weight of the diversity bonus; the paper names 0.5 as an example and gives no value for its runs" min:"0"`
	clusters clusters
	shaped   []float64
}

// Needs implements Estimator.
func (*GRPODiv) Needs() Needs {
	return Needs{Fields: envs.HasReward | envs.HasMode, MinGroup: 1}
}

// Advantages implements Estimator.
func (e *GRPODiv) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		e.clusters.assign(rollouts)
		n := float64(len(rewards))
		e.shaped = e.shaped[:0]
		for i, r := range rewards {
			if c := e.clusters.of[i]; c >= 0 && n > 1 {
				r += float64(e.Lambda * (n/float64(e.clusters.size[c]) - 1) / (n - 1))
			}
			e.shaped = append(e.shaped, r)
		}
		e.relative(dst, e.shaped)
		return nil
	})
}

// clusters numbers the distinct modes of a group.
type clusters struct {
	of   []int       // of each rollout, in order of first appearance; -1: degenerate
	size []int       // of each cluster
	mode []envs.Mode // of each cluster
	seen map[envs.Mode]int
}

// linear is the number of rollouts up to which comparing modes one by one is
// faster than a map.
const linear = 32

func (c *clusters) assign(rollouts []*Rollout) {
	c.of, c.size, c.mode = c.of[:0], c.size[:0], c.mode[:0]
	small := len(rollouts) <= linear
	if !small {
		if c.seen == nil {
			c.seen = map[envs.Mode]int{}
		}
		clear(c.seen)
	}
	for _, r := range rollouts {
		mode := r.Candidates[0].Mode
		if mode == envs.Degenerate {
			c.of = append(c.of, -1)
			continue
		}
		k := len(c.size)
		if small {
			for j, m := range c.mode {
				if m == mode {
					k = j
					break
				}
			}
		} else if j, ok := c.seen[mode]; ok {
			k = j
		} else {
			c.seen[mode] = k
		}
		if k == len(c.size) {
			c.size = append(c.size, 0)
			c.mode = append(c.mode, mode)
		}
		c.size[k]++
		c.of = append(c.of, k)
	}
}
