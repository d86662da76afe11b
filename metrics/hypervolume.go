package metrics

import (
	"cmp"
	"slices"

	"modebench/envs"
)

func init() {
	register(Metric{rank: 210, Name: "hypervolume", Doc: "volume that the reward vectors of a pool dominate, over that of the exact Pareto front", Detail: "both above (-0.1, -0.1, ...); [0, 1]; needs a front above that point; left out beyond a fixed number of operations",
		Label: "hypervolume / exact front's", Axis: AxisShare, Delta: shareDelta, Reads: envs.HasReward, Vectors: true, Pools: true,
		add: func(t *Table, a *answers) {
			if ratio, ok := hypervolumeRatio(a.vectors, a.front); ok {
				t.AddValue("hypervolume", ratio)
			}
		},
		ceiling: func(_ *Table, g *truth, _ int) (float64, bool) { return 1, hasVolume(g.front) }})
}

// hypervolumeWork bounds the work of one hypervolume, counted in comparisons
// of components: some milliseconds. The count does not depend on the machine, so
// neither does which pools have a hypervolume.
const hypervolumeWork = 1 << 22

// hypervolumeBelow is how far the reference point lies below the origin in every component. At the
// origin itself a vector with a component of 0 would have no volume, and with it most exact fronts,
// such as a maze's (1, 1, 0, 1). A tenth of the usual range of a reward counts such a vector for
// its other components.
const hypervolumeBelow = 0.1

// hypervolumeRatio returns the volume that the vectors dominate above the reference point, over
// that of the front. It is not defined without a front, for a front with a vector that is not above
// the reference point in every component, and where either volume takes too much work.
func hypervolumeRatio(vectors, front [][]float64) (float64, bool) {
	if !hasVolume(front) {
		return 0, false
	}
	front, vectors = aboveReference(front), aboveReference(vectors)
	// In units of the highest component of the front nothing overflows. Equal
	// components stay equal, so a pool that holds the front has the same volume.
	scale := slices.Clone(front[0])
	for _, r := range front {
		for j, x := range r {
			scale[j] = max(scale[j], x)
		}
	}
	whole, ok := unionVolume(front, scale)
	if !ok || whole == 0 { // it may underflow
		return 0, false
	}
	part, ok := unionVolume(vectors, scale)
	return min(1, part/whole), ok
}

// hasVolume reports whether the hypervolume of a front is defined.
func hasVolume(front [][]float64) bool {
	below := slices.ContainsFunc(front, func(r []float64) bool { return slices.Min(r) <= -hypervolumeBelow })
	return len(front) > 0 && !below
}

// aboveReference returns the vectors as seen from the reference point.
func aboveReference(vectors [][]float64) [][]float64 {
	out := make([][]float64, len(vectors))
	for i, r := range vectors {
		out[i] = make([]float64, len(r))
		for j, x := range r {
			out[i][j] = x + hypervolumeBelow
		}
	}
	return out
}

// unionVolume returns the volume of the union of the boxes between the origin and each vector, with
// every axis in units of scale. ok is false if that takes more than hypervolumeWork.
func unionVolume(vectors [][]float64, scale []float64) (v float64, ok bool) {
	var points [][]float64
	for _, r := range vectors {
		if slices.Min(r) <= 0 {
			continue // a box without volume
		}
		p := slices.Clone(r)
		for j := range p {
			p[j] /= scale[j]
		}
		points = append(points, p)
	}
	u := union{work: hypervolumeWork}
	points = u.front(points)
	v = u.volume(points)
	return v, u.work >= 0
}

// A union computes volumes of unions of boxes by the recursion of While, Bradstreet and Barone
// (IEEE Trans. Evol. Comput. 16, 2012; "WFG"). Points are taken in the order of their last
// component; a point adds to those that follow a slab whose height is its last component, and whose
// base is its own base less the volume that the others, cut to that base, cover there, which has a
// dimension less.
type union struct{ work int }

// spend reports whether there is work left after the comparisons.
func (u *union) spend(comparisons int) bool {
	u.work -= comparisons
	return u.work >= 0
}

// volume returns the volume of the union of the boxes of points that do not dominate each other. It
// reorders points. Once the work is spent the result means nothing.
func (u *union) volume(points [][]float64) float64 {
	if len(points) == 0 || !u.spend(len(points)*len(points[0])) {
		return 0
	}
	last := len(points[0]) - 1
	if len(points) == 1 {
		return product(points[0])
	}
	slices.SortFunc(points, func(p, q []float64) int {
		// The other components, from the back, make the order total.
		for j := last; j >= 0; j-- {
			if c := cmp.Compare(p[j], q[j]); c != 0 {
				return c
			}
		}
		return 0
	})
	if last == 1 {
		return staircase(points)
	}
	sum := 0.0
	for i, p := range points {
		if u.work < 0 {
			return 0
		}
		base := p[:last]
		free := product(base) - u.volume(u.cut(points[i+1:], base))
		sum += float64(p[last] * max(0, free))
	}
	return sum
}

// staircase is volume in the plane, for points by ascending second component:
// no point dominating another, the first component descends.
func staircase(points [][]float64) float64 {
	sum, below := 0.0, 0.0
	for _, p := range points {
		sum += float64(p[0] * (p[1] - below))
		below = p[1]
	}
	return sum
}

// cut returns what the boxes of points cover of the box of base, as boxes none
// of which holds another.
func (u *union) cut(points [][]float64, base []float64) [][]float64 {
	if !u.spend(len(points) * len(base)) {
		return nil
	}
	memory := make([]float64, len(points)*len(base))
	out := make([][]float64, len(points))
	for i, p := range points {
		out[i], memory = memory[:len(base):len(base)], memory[len(base):]
		for j, x := range base {
			out[i][j] = min(x, p[j])
		}
	}
	return u.front(out)
}

// front returns the points that no other point dominates, without repetition. It changes the slice.
func (u *union) front(points [][]float64) [][]float64 {
	kept := points[:0]
	for _, p := range points {
		if !u.spend(len(kept) * len(p)) {
			return nil
		}
		if slices.ContainsFunc(kept, func(k []float64) bool { return envs.Covers(k, p) }) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(k []float64) bool { return envs.Covers(p, k) })
		kept = append(kept, p)
	}
	return kept
}

func product(p []float64) float64 {
	v := 1.0
	for _, x := range p {
		v = float64(v * x)
	}
	return v
}
