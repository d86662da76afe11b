package plots

import "math"

// A principalPlane is the two directions in which embeddings vary most.
type principalPlane struct {
	mean   []float64
	axes   [2][]float64 // unit vectors; the largest entry of each is positive
	shares [2]float64   // of the variance
}

// principal finds the plane by orthogonal iteration on the covariance, from a fixed
// start and in a fixed order, so that equal embeddings give the same plane.
func principal(points [][]float64) principalPlane {
	d := len(points[0])
	p := principalPlane{mean: make([]float64, d)}
	for _, x := range points {
		for i, v := range x {
			p.mean[i] += v / float64(len(points))
		}
	}
	cov, trace := p.covariance(points)
	for k := range p.axes {
		p.axes[k] = make([]float64, d)
		for i := range d {
			p.axes[k][i] = 1 / float64(1+(i+k*i*i)%(d+1))
		}
	}
	const rounds = 400
	for range rounds {
		for k := range p.axes {
			p.axes[k] = times(cov, p.axes[k])
		}
		p.orthonormalise()
	}
	for k, axis := range p.axes {
		if trace > 0 {
			p.shares[k] = inner(axis, times(cov, axis)) / trace
		}
		largest := 0
		for i := range axis {
			if math.Abs(axis[i]) > math.Abs(axis[largest])+1e-9 {
				largest = i
			}
		}
		if axis[largest] < 0 {
			for i := range axis {
				axis[i] = -axis[i]
			}
		}
	}
	return p
}

// covariance is the matrix of the points, row by row, with its trace.
func (p *principalPlane) covariance(points [][]float64) (cov []float64, trace float64) {
	d := len(p.mean)
	cov = make([]float64, d*d)
	for _, x := range points {
		for i := range d {
			for j := range d {
				cov[i*d+j] += float64((x[i]-p.mean[i])*(x[j]-p.mean[j])) / float64(len(points))
			}
		}
	}
	for i := range d {
		trace += cov[i*d+i]
	}
	return cov, trace
}

// orthonormalise makes the axes orthogonal unit vectors. An axis along which nothing varies
// becomes 0.
func (p *principalPlane) orthonormalise() {
	along := inner(p.axes[0], p.axes[0])
	if along > 0 {
		by := inner(p.axes[0], p.axes[1]) / along
		for i := range p.axes[1] {
			p.axes[1][i] -= float64(by * p.axes[0][i])
		}
	}
	for k := range p.axes {
		norm := math.Sqrt(inner(p.axes[k], p.axes[k]))
		for i := range p.axes[k] {
			if norm < 1e-12 {
				p.axes[k][i] = 0
			} else {
				p.axes[k][i] /= norm
			}
		}
	}
}

func times(m, v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = inner(m[i*len(v):(i+1)*len(v)], v)
	}
	return out
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// coordinates are those of an embedding in the plane.
func (p principalPlane) coordinates(x []float64) (float64, float64) {
	centred := make([]float64, len(x))
	for i := range x {
		centred[i] = x[i] - p.mean[i]
	}
	return inner(p.axes[0], centred), inner(p.axes[1], centred)
}
