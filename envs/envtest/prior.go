package envtest

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

const (
	// minExpected is the expected count below which a cell of a chi-square test
	// is pooled (the usual rule of five).
	minExpected = 5
	// significance is the p-value below which frequencies disagree with a prior. Streams are fixed,
	// so a sound environment fails once, when it is written, with this probability, or never.
	significance = 1e-6
	// impossible is a probability that no demonstration can be expected to hit.
	impossible = 1e-12
)

// checkPrior: where the demonstrator's distribution is known in closed form,
// there is a finite log-probability per legal token, and demonstrations follow
// it (one chi-square test over all prefixes of a problem).
func checkPrior(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		known, ok := p.(envs.Priored)
		if !ok {
			return
		}
		tree := newNode(nil)
		for i := range 10 * s.walks {
			tree.count(p.Demonstrate(key.Str("frequency").Int(uint64(i)).Rand()))
		}
		statistic, freedom := tree.compare(p, known)
		if freedom == 0 {
			return
		}
		chance := distuv.ChiSquared{K: float64(freedom)}.Survival(statistic)
		want(chance > significance, "demonstrations do not follow the prior: chi-square %.1f with %d degrees of freedom, p = %.2g", statistic, freedom, chance)
	})
}

// A node counts the demonstrations that go through a prefix.
type node struct {
	prefix []envs.Token
	total  int
	next   map[envs.Token]*node
}

func newNode(prefix []envs.Token) *node {
	return &node{prefix: prefix, next: map[envs.Token]*node{}}
}

func (n *node) count(rest []envs.Token) {
	n.total++
	if len(rest) == 0 {
		return
	}
	if n.next[rest[0]] == nil {
		n.next[rest[0]] = newNode(append(slices.Clone(n.prefix), rest[0]))
	}
	n.next[rest[0]].count(rest[1:])
}

// compare adds up the chi-square statistics of a node and those below it.
func (n *node) compare(p envs.Problem, known envs.Priored) (statistic float64, freedom int) {
	legal := start(p, n.prefix).Legal()
	prior := known.AppendPrior([]float64{42}, n.prefix)
	want(len(prior) == 1+len(legal) && prior[0] == 42, "after %v: the prior appends %v to [42], want one number per legal token, %d", n.prefix, prior, len(legal))
	prior = prior[1:]
	for _, l := range prior {
		want(l-l == 0, "after %v: the prior is %v, want finite numbers", n.prefix, prior)
	}
	if len(legal) == 0 {
		return 0, 0
	}
	prob := make([]float64, len(prior))
	exact.Softmax(prob, prior)
	counts := make([]int, len(legal))
	for i, t := range legal {
		child := n.next[t]
		if child == nil {
			continue
		}
		counts[i] = child.total
		want(prob[i] >= impossible, "after %v: token %d is demonstrated, but has the prior probability %v", n.prefix, t, prob[i])
		s, f := child.compare(p, known)
		statistic, freedom = statistic+s, freedom+f
	}
	s, f := chiSquare(counts, prob, n.total)
	return statistic + s, freedom + f
}

// chiSquare is Pearson's statistic of counts against probabilities. Cells are taken by
// falling expectation, and a remainder with too small a sum joins the last cell.
func chiSquare(counts []int, prob []float64, total int) (statistic float64, freedom int) {
	order := each.Below(len(prob))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(prob[b], prob[a]) })
	type cell struct{ count, expected float64 }
	var cells []cell
	open := cell{}
	for _, i := range order {
		open.count += float64(counts[i])
		open.expected += float64(float64(total) * prob[i])
		if open.expected >= minExpected {
			cells, open = append(cells, open), cell{}
		}
	}
	if len(cells) == 0 {
		return 0, 0
	}
	last := &cells[len(cells)-1]
	last.count, last.expected = last.count+open.count, last.expected+open.expected
	for _, c := range cells {
		d := c.count - c.expected
		statistic += float64(d*d) / c.expected
	}
	return statistic, len(cells) - 1
}

// keyedWeights returns weight vectors to try: w*, each component alone, and
// draws from the flat Dirichlet distribution.
func keyedWeights(s *suite, key rng.Key) [][]float64 {
	d := len(s.info.Components)
	all := append([][]float64{s.info.Weights}, envs.GoalWeights(d)[:d]...)
	for i := range 16 {
		w := make([]float64, d)
		rng.Dirichlet(key.Str("weights").Int(uint64(i)).Rand(), 1, w)
		all = append(all, w)
	}
	return all
}
