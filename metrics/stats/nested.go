package stats

import "math"

// A Component is one source of the variance between seeds.
type Component struct {
	// Variance is its estimate, in the squared unit of the data: Raw, or 0 if Raw is below 0.
	// NaN where the design does not tell it from another component.
	Variance float64
	// Raw is the unbiased estimate, which may be below 0.
	Raw float64
	// Degrees of freedom of the mean square that it is read from.
	Degrees int
}

// Truncated reports whether the estimate was below 0, and is given as 0.
func (c Component) Truncated() bool { return c.Raw < 0 }

// VarianceComponents are the sources of the variance of the value of one seed, of the model
//
//	y_ijk = mu + problems_i + base_ij + training_ijk
//
// with draw i of the problems, base policy j within the draw, and seed k from that base policy.
type VarianceComponents struct {
	Draws, Bases, Seeds      int // how many there are of each
	Problems, Base, Training Component
	// BaseInProblems: each draw has one base policy, so Problems is the variance of both
	// and Base is NaN. BaseInTraining: each base policy has one seed, so Training is the
	// variance of both. If both are set, no component can be separated, and all is NaN.
	BaseInProblems, BaseInTraining bool
}

// Components estimates the variance components of values[i][j][k] (draw, base policy, seed)
// by the nested random-effects analysis of variance: mean squares are set equal to their
// expectations (Searle, Casella and McCulloch 1992, ch. 4 for balanced data, and ch. 5 for
// unbalanced: Henderson's method 1). With n_ij seeds of a base policy, n_i of a draw and N in
// all, of a draws and b base policies,
//
//	MS_problems = sum n_i (m_i - m)^2 / (a-1)
//	MS_base     = sum n_ij (m_ij - m_i)^2 / (b-a)
//	MS_training = sum (y_ijk - m_ij)^2 / (N-b)
//
//	E MS_training = training
//	E MS_base     = training + k1 base,                 k1 = (N - sum n_ij^2/n_i) / (b-a)
//	E MS_problems = training + k2 base + k3 problems,   k2 = (sum n_ij^2/n_i - sum n_ij^2/N) / (a-1)
//	                                                    k3 = (N - sum n_i^2/N) / (a-1)
//
// The estimates are unbiased for all distributions, and may be below 0; a negative estimate is
// given as 0 (Truncated), and the others stay as they are. They are NaN with fewer than two
// draws, if no draw has two seeds, and if a value is not finite. Draws and base policies
// without a seed do not count.
func Components(values [][][]float64) VarianceComponents {
	var v VarianceComponents
	nan := Component{Variance: math.NaN(), Raw: math.NaN()}
	v.Problems, v.Base, v.Training = nan, nan, nan
	draws := v.count(values)
	v.BaseInProblems = v.Bases == v.Draws && v.Seeds > v.Bases
	v.BaseInTraining = v.Seeds == v.Bases && v.Bases > v.Draws
	grand := Mean(flat(draws))
	if v.Draws < 2 || v.Seeds == v.Draws || !finite(grand) {
		return v
	}
	total := float64(v.Seeds)
	var within, between, among float64      // sums of squares: of seeds, of base policies, of draws
	var perDraw, perSquare, squares float64 // sums of n_ij^2/n_i, n_i^2 and n_ij^2
	for _, draw := range draws {
		ofDraw := flat([][][]float64{draw})
		n, mean := float64(len(ofDraw)), Mean(ofDraw)
		among += float64(n * square(mean-grand))
		perSquare += float64(n * n)
		for _, base := range draw {
			m, baseMean := float64(len(base)), Mean(base)
			between += float64(m * square(baseMean-mean))
			perDraw += float64(m*m) / n
			squares += float64(m * m)
			for _, x := range base {
				within += square(x - baseMean)
			}
		}
	}
	k3 := (total - perSquare/total) / float64(v.Draws-1)
	msProblems := among / float64(v.Draws-1)
	if v.BaseInProblems || v.BaseInTraining {
		// Two levels. One of within and between is 0, since there is nothing to differ.
		rest := v.Seeds - v.Draws
		training := (within + between) / float64(rest)
		v.Training = component(training, rest)
		v.Problems = component((msProblems-training)/k3, v.Draws-1)
		return v
	}
	k1 := (total - perDraw) / float64(v.Bases-v.Draws)
	k2 := (perDraw - squares/total) / float64(v.Draws-1)
	training := within / float64(v.Seeds-v.Bases)
	base := (between/float64(v.Bases-v.Draws) - training) / k1
	v.Training = component(training, v.Seeds-v.Bases)
	v.Base = component(base, v.Bases-v.Draws)
	v.Problems = component((msProblems-training-float64(k2*base))/k3, v.Draws-1)
	return v
}

func component(raw float64, degrees int) Component {
	return Component{Variance: max(raw, 0), Raw: raw, Degrees: degrees}
}

func square(x float64) float64 { return float64(x * x) }

// count counts the levels, and returns the draws without what is empty.
func (v *VarianceComponents) count(values [][][]float64) (draws [][][]float64) {
	for _, draw := range values {
		var bases [][]float64
		for _, base := range draw {
			if len(base) > 0 {
				bases = append(bases, base)
				v.Seeds += len(base)
			}
		}
		if bases != nil {
			draws = append(draws, bases)
			v.Bases += len(bases)
		}
	}
	v.Draws = len(draws)
	return draws
}

// flat lists all values.
func flat(draws [][][]float64) (out []float64) {
	for _, draw := range draws {
		for _, base := range draw {
			out = append(out, base...)
		}
	}
	return out
}

// Deviation is the standard deviation of the value of one seed on a draw of its own: the root
// of the sum of the known components. NaN if no component is known.
func (v *VarianceComponents) Deviation() float64 { return math.Sqrt(v.total()) }

func (v *VarianceComponents) total() float64 {
	sum := v.Problems.Variance + v.Training.Variance
	if !math.IsNaN(v.Base.Variance) {
		sum += v.Base.Variance
	}
	return sum
}

// Share is a component's part of the variance of one seed, from 0 to 1: NaN for a component
// that cannot be separated, and if there is no variance.
func (v *VarianceComponents) Share(c Component) float64 { return c.Variance / v.total() }

// HierarchicalInterval returns the mean over groups of the groups' means with its interval:
// MeanInterval of these means. groups[i] holds the values that share a draw, and draws were
// replicated.
//
// That is the studentised bootstrap over the top level, with the members of a group kept
// whole. Resampling members within the resampled groups too would count their variance
// twice: a group's mean varies by theirs already (Davison and Hinkley 1997, sec. 3.8; their
// first strategy leaves the variance right but for a factor (a-1)/a, which the studentised
// statistic removes). An interval over all members alike would be far too narrow where
// groups differ (TestHierarchicalCoverage).
func HierarchicalInterval(groups [][]float64) Interval {
	means := make([]float64, 0, len(groups))
	for _, g := range groups {
		means = append(means, Mean(g))
	}
	return MeanInterval(means)
}
