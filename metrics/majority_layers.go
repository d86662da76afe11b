package metrics

// layers is a product of polynomials over classes, those of power t of y, the ties,
// in layer t. Powers of x below the window cannot lead to k votes.
type layers struct {
	k, m    int
	maxTies int // ties
	factors int // classes multiplied
	need    int // lowest power of x that matters
	right   bool
	p, w    []float64 // (maxTies+1) x (k+1): plain, and weighted with the sum of right over the ties
}

// reset makes the product empty.
func (l *layers) reset(k, m, maxTies int) {
	l.k, l.m, l.maxTies, l.factors, l.need, l.right = k, m, maxTies, 0, 0, false
	l.p = grow(l.p, (maxTies+1)*(k+1))
	l.p[0] = 1
}

// ties is the highest power of y.
func (l *layers) ties() int { return min(l.maxTies, l.factors) }

// window is the range of powers of x in layer t, empty where the first is above the second.
func (l *layers) window(t int) (low, high int) {
	return max(t*l.m, l.need), min(l.k, t*l.m+(l.factors-t)*(l.m-1))
}

func (l *layers) plain(t int) []float64 { return l.p[t*(l.k+1) : (t+1)*(l.k+1)] }

// weighted is nil where no class so far has a correct answer.
func (l *layers) weighted(t int) []float64 {
	if !l.right {
		return nil
	}
	return l.w[t*(l.k+1) : (t+1)*(l.k+1)]
}

// multiply sets l to the product of src and one more class, and returns how many
// products of numbers that took at most. Powers of x below need are not wanted.
func (l *layers) multiply(src *layers, row []float64, right float64, need int) (work int) {
	l.factors, l.need, l.right = src.factors+1, max(0, need), src.right || right > 0
	work = l.times(l.p, src.p, src, row)
	if !l.right {
		return work
	}
	if l.w = grow(l.w, len(l.p)); src.right {
		work += l.times(l.w, src.w, src, row)
	} else {
		clear(l.w)
	}
	for t := 1; t <= l.ties(); t++ {
		low, high := l.window(t)
		from, to := src.window(t - 1)
		p, w := src.plain(t-1), l.weighted(t)
		for d := max(from, low-l.m); d <= min(to, high-l.m); d++ {
			w[d+l.m] += float64(float64(right*p[d]) * row[l.m])
		}
	}
	return work
}

// times sets the layers dst of l to the product of those of src and a class.
func (l *layers) times(dst, from []float64, src *layers, row []float64) (work int) {
	width, m := l.k+1, l.m
	below, equal := row[:m], row[m]
	for t := 0; t <= l.ties(); t++ {
		low, high := l.window(t)
		if low > high {
			continue
		}
		out := dst[t*width:][:high+1]
		clear(out[low:])
		if t <= src.ties() {
			first, last := src.window(t)
			for j, y := range below {
				d, end := max(first, low-j), min(last, high-j)
				if d > end {
					continue
				}
				in := from[t*width+d : t*width+end+1]
				o := out[d+j:][:len(in)] // which spares the checks of o[i]
				for i, x := range in {
					o[i] += float64(x * y)
				}
			}
			work += max(0, last-first+1) * m
		}
		if t > 0 {
			first, last := src.window(t - 1)
			in := from[(t-1)*width:]
			for d := max(first, low-m); d <= min(last, high-m); d++ {
				out[d+m] += float64(in[d] * equal)
			}
		}
	}
	return work
}
