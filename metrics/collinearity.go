package metrics

import (
	"math"

	"modebench/envs"
	"modebench/internal/exact"
)

func init() {
	register(Metric{rank: 200, Name: "rho_bar", Doc: "mean correlation between two components of the reward, over the answers to all problems", Detail: "Pearson's; [-1, 1]; VPO app. F; needs two components that vary, of at most 256",
		Label: "reward collinearity", Unit: "mean correlation of the components", Delta: Delta{0.05, "a fortieth of the range from -1 to 1"},
		Reads: envs.HasReward, Vectors: true,
		add:   func(t *Table, a *answers) { t.lines.add(a.vectors, a.weight) },
		whole: func(t *Table) (float64, int) { return t.lines.mean() }})
}

// maxCorrelated bounds the components of a reward that rho_bar is computed for,
// since its memory is quadratic in them. They have 32640 correlations.
const maxCorrelated = 256

// A collinearity accumulates what rho_bar needs of the flattened candidates of all problems: per
// problem its means, and the sum over problems of the covariances within them. Both are centred
// before they are squared, so that no digits are lost to large means.
type collinearity struct {
	problems int
	d        int
	means    []float64 // problems x d
	within   []float64 // d x d, upper triangle: sum over problems
	largest  []float64 // highest magnitude of each component
}

// add takes in one problem: its distinct reward vectors and their masses, which
// are brought to a total of 1.
func (c *collinearity) add(vectors [][]float64, mass []float64) {
	d := len(vectors[0])
	if d > maxCorrelated {
		return
	}
	if c.problems == 0 {
		c.d, c.within, c.largest = d, make([]float64, d*d), make([]float64, d)
	}
	c.problems++
	all := exact.Sum(mass)
	terms := make([]float64, len(vectors))
	start := len(c.means)
	for j := range d {
		for i, r := range vectors {
			terms[i] = float64(mass[i] / all * r[j])
			c.largest[j] = max(c.largest[j], math.Abs(r[j]))
		}
		c.means = append(c.means, exact.Sum(terms))
	}
	mean := c.means[start:]
	for i, r := range vectors {
		c.addSquare(r, mean, mass[i]/all)
	}
}

// addSquare adds a weighted outer product of r-mean with itself to within.
func (c *collinearity) addSquare(r, mean []float64, weight float64) {
	for i := range c.d {
		x := float64(weight * (r[i] - mean[i]))
		for j := i; j < c.d; j++ {
			c.within[i*c.d+j] += float64(x * (r[j] - mean[j]))
		}
	}
}

// mean returns the mean correlation of two components over all problems, and their number; NaN if
// fewer than two components vary.
func (c *collinearity) mean() (float64, int) {
	if c.problems == 0 {
		return 0, 0
	}
	// The variance of a mixture: the mean variance within, and the variance of
	// the means. Both sums over problems; their number cancels.
	pooled := collinearity{d: c.d, within: append([]float64(nil), c.within...)}
	centre, column := make([]float64, c.d), make([]float64, c.problems)
	for j := range c.d {
		for p := range column {
			column[p] = c.means[p*c.d+j]
		}
		centre[j] = exact.Sum(column) / float64(c.problems)
	}
	for p := range c.problems {
		pooled.addSquare(c.means[p*c.d:(p+1)*c.d], centre, 1)
	}
	var vary []int
	for j := range c.d {
		// A deviation of less than this share of the magnitudes is rounding.
		variance, floor := pooled.within[j*c.d+j]/float64(c.problems), 1e-12*c.largest[j]
		if variance > float64(floor*floor) {
			vary = append(vary, j)
		}
	}
	sum, pairs := 0.0, 0
	for at, i := range vary {
		for _, j := range vary[at+1:] {
			scale := math.Sqrt(pooled.within[i*c.d+i]) * math.Sqrt(pooled.within[j*c.d+j])
			sum += min(1, max(-1, pooled.within[i*c.d+j]/scale))
			pairs++
		}
	}
	return sum / float64(pairs), c.problems
}
