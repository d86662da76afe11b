package sets

import (
	"modebench/estimators"
	"modebench/estimators/internal/subsets"
)

// setAdvantage computes marginal set advantages and holds the buffers of every way to do so.
type setAdvantage struct {
	estimators.Groupwise
	modeSums
	ranks   ranks
	hits    hits
	chances []float64 // of how many ones a set holds
	members []float64 // scores of a set
	stream  estimators.Stream
	pass    subsets.Pass
}

// severalModes is for f = beta D * sum of the scores but 0 where D = 1: the product
// less the sets of one mode. Those lie within a cluster and the rollouts without a
// mode, and not within the latter alone.
func (e *setAdvantage) severalModes(dst, scores []float64, n int) {
	c, beta := &e.clusters, 1/float64(n*n)
	e.product(dst, scores, n, beta)
	rest, none := 0.0, 0 // the score sum of the rollouts without a mode, and how many others there are
	for i, r := range scores {
		if c.Index[i] < 0 {
			rest += r
		} else {
			none++
		}
	}
	// For a rollout without a mode the sets of every cluster count, in sum; for a rollout
	// with a mode those of its own.
	mean, sums, misses, missesWith := 0.0, 0.0, 0.0, 0.0
	for k, s := range c.Size {
		within, missed := rest+e.sums[k], none-s
		mean += float64(within*e.odds.freeWith[missed]) - float64(rest*e.odds.freeWith[none])
		sums += float64(within*e.odds.missWith[missed]) - float64(rest*e.odds.missWith[none])
		misses += e.odds.miss[missed] - e.odds.miss[none]
		missesWith += e.odds.missWith[missed] - e.odds.missWith[none]
	}
	for i, r := range scores {
		given := sums + float64(r*(misses-missesWith))
		if k := c.Index[i]; k >= 0 {
			within, missed := rest+e.sums[k], none-c.Size[k]
			given = float64(r*e.odds.miss[missed]) + float64((within-r)*e.odds.missWith[missed])
		}
		dst[i] -= float64(beta * (given - mean))
	}
}

// largestTimesModes is for f = beta D * largest score, in O(N^2). The best of a set is a
// given rollout or one above it, and the others are any below that, so that the chance
// of every cluster to be hit is known.
func (e *setAdvantage) largestTimesModes(dst, scores []float64, n int) {
	group, c, ranks, h := len(scores), &e.clusters, &e.ranks, &e.hits
	ranks.shares.fill(group, n)
	ranks.sort(scores, 1)
	clear(dst)
	h.begin(c)
	for rank, best := range ranks.order {
		mode := c.Index[best.place]
		if rank >= n-1 {
			h.draw(n-1, rank)
			dst[best.place] += float64(best.reward * ranks.shares.best[rank] * h.modes(mode, -1))
		}
		if rank >= n-1 && n > 1 {
			h.draw(n-2, rank-1)
			for _, given := range ranks.order[:rank] {
				dst[given.place] += float64(best.reward * ranks.shares.above[rank] * h.modes(mode, c.Index[given.place]))
			}
		}
		if mode >= 0 {
			h.counts[mode]++
		}
	}
	// The shares are those of all sets, n/N of which hold a rollout.
	mean, scale := estimators.Mean(dst), 1/float64(n)*float64(group)/float64(n)
	for i, s := range dst {
		dst[i] = scale * (s - mean)
	}
}

// meanScore writes the marginal advantages of f = alpha times the sum of the scores:
// with i drawn for certain, the others are drawn a little less often.
func meanScore(dst, scores []float64, set int, alpha float64) {
	group := len(scores)
	if group == 1 {
		dst[0] = 0
		return
	}
	mean := estimators.Mean(scores)
	scale := alpha * float64(group-set) / float64(group-1)
	for i, r := range scores {
		dst[i] = scale * (r - mean)
	}
}

// countModes writes the marginal advantages of f = gamma times the number of distinct
// modes: the chances that clusters are missed, less those given that i is drawn.
func (e *modeSums) countModes(dst []float64, set int, gamma float64) {
	e.odds.fill(len(dst), set)
	free, miss := 0.0, 0.0
	for _, s := range e.clusters.Size {
		free += e.odds.free[s]
		miss += e.odds.miss[s]
	}
	for i := range dst {
		missed := miss
		if k := e.clusters.Index[i]; k >= 0 {
			missed -= e.odds.miss[e.clusters.Size[k]]
		}
		dst[i] = gamma * (free - missed)
	}
}

// hits counts the modes of a set, some members given and the others drawn from a part of the group.
type hits struct {
	counts  []int // of that part, by cluster
	largest int
	miss    []float64 // by the size of a cluster, the chance that no member is drawn
	drawn   float64   // the mean number of modes drawn
}

func (h *hits) begin(c *estimators.Clusters) {
	h.counts, h.largest = h.counts[:0], 0
	for _, s := range c.Size {
		h.counts, h.largest = append(h.counts, 0), max(h.largest, s)
	}
}

// draw prepares modes for n rollouts drawn out of pool; counts may include a given one more.
func (h *hits) draw(n, pool int) {
	h.miss, h.drawn = ratios(h.miss, h.largest, 1, pool, pool-n), 0
	for _, s := range h.counts {
		h.drawn += 1 - h.miss[s]
	}
}

// modes is the mean number of modes of the drawn rollouts and two given ones, whose
// clusters are first and second; -1 for no cluster.
func (h *hits) modes(first, second int) float64 {
	modes := h.drawn
	if first >= 0 {
		modes += h.miss[h.counts[first]]
	}
	if second >= 0 && second != first {
		modes += h.miss[h.counts[second]]
	}
	return modes
}

// majority is for f = 1 where more than half of the scores are 1, else 0. Of all sets with
// c ones, a one is in the share c/n of its sets, n/N of all, and a zero likewise.
func (e *setAdvantage) majority(dst, scores []float64, n int) {
	group, right := len(scores), countOnes(scores)
	e.chances = subsets.Ones(e.chances, group, right, n)
	all, with, without := 0.0, 0.0, 0.0
	for c, p := range e.chances {
		worth := 0.0
		if 2*c > n {
			worth = p
		}
		all += worth
		with += float64(worth * float64(c))
		without += float64(worth * float64(n-c))
	}
	scale := float64(group) / float64(n)
	for i, s := range scores {
		if s > 0 {
			dst[i] = float64(scale*with)/float64(right) - all
		} else {
			dst[i] = float64(scale*without)/float64(group-right) - all
		}
	}
}

// countOnes counts the scores of 1 among scores of 0 and 1.
func countOnes(scores []float64) int {
	count := 0
	for _, s := range scores {
		count += int(s)
	}
	return count
}
