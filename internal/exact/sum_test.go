package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestSumSpecials(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		xs     []float64
		want   float64
		reason string
	}{
		{nil, 0, "empty"},
		{[]float64{1, 1e100, 1, -1e100}, 2, "Neumaier's example: Kahan's sum gives 0"},
		{[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1, "a plain sum gives 1-2^-53"},
		{[]float64{1, inf, 2}, inf, "compensation must not turn it into NaN"},
		{[]float64{-inf, 1}, -inf, "likewise"},
		{[]float64{inf, -inf}, nan, "undefined"},
		{[]float64{1, nan}, nan, "propagates"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, inf, "overflow"},
		{[]float64{math.MaxFloat64, -math.MaxFloat64, 1}, 1, "the largest magnitudes cancel"},
	} {
		if got := Sum(c.xs); !same(got, c.want) {
			t.Errorf("Sum(%v) = %v, want %v: %s", c.xs, got, c.want, c.reason)
		}
	}
}

func TestSumBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e15, 1e15), 0, 60).Draw(t, "xs")
		exactSum, size := newRef(0), 0.0
		for _, x := range xs {
			exactSum.Add(exactSum, newRef(x))
			size += math.Abs(x)
		}
		want, _ := exactSum.Float64()
		n := float64(len(xs))
		if diff := math.Abs(Sum(xs) - want); diff > 0x1p-52*math.Abs(want)+n*n*0x1p-105*size {
			t.Errorf("Sum = %v, want %v", Sum(xs), want)
		}
	})
}

func TestDot(t *testing.T) {
	x := []float64{1, 2, 3}
	if got := Dot(x, []float64{4, 5, 6, 1000}); got != 32 {
		t.Errorf("Dot = %v, want 32 (a longer y is cut)", got)
	}
	if got := Dot(nil, x); got != 0 {
		t.Errorf("empty Dot = %v, want 0", got)
	}
	// (1+e)^2 - (1+2e) is e^2 if the product is fused and 0 if it is rounded.
	const e = 0x1p-30
	if got := Dot([]float64{-1, 1 + e}, []float64{1 + 2*e, 1 + e}); got != 0 {
		t.Errorf("Dot = %v: a product was fused", got)
	}
}

// TestShortSlices: x[:2] has room for a third element in its array; taking
// that silently would be worse than a panic.
func TestShortSlices(t *testing.T) {
	x := []float64{1, 2, 3}
	for name, f := range map[string]func(){
		"Dot":     func() { Dot(x, x[:2]) },
		"Softmax": func() { Softmax(x[:2], x) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s took a slice that is too short", name)
				}
			}()
			f()
		}()
	}
}

func TestSoftmaxSpecials(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name   string
		logits []float64
		want   []float64
		logZ   float64
	}{
		{"empty", []float64{}, []float64{}, -inf},
		{"single", []float64{3.5}, []float64{1}, 3.5},
		{"pair", []float64{-2, -2}, []float64{0.5, 0.5}, math.Ln2 - 2},
		{"masked", []float64{-inf, 7, -inf}, []float64{0, 1, 0}, 7},
		{"all masked", []float64{-inf, -inf}, []float64{nan, nan}, -inf},
		{"+Inf", []float64{1, inf}, []float64{nan, nan}, inf},
		{"NaN", []float64{1, nan}, []float64{nan, nan}, nan},
		{"NaN beats +Inf", []float64{inf, nan}, []float64{nan, nan}, nan},
		{"NaN beats -Inf", []float64{-inf, nan}, []float64{nan, nan}, nan},
		{"huge", []float64{1e308, -1e308}, []float64{1, 0}, 1e308},
		{"far apart", []float64{0, -800}, []float64{1, 0}, 0},
		{"subnormal share", []float64{0, -745}, []float64{1, math.SmallestNonzeroFloat64}, 0},
	} {
		got := make([]float64, len(c.logits))
		logZ := Softmax(got, c.logits)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs()); diff != "" || !same(logZ, c.logZ) {
			t.Errorf("%s: logZ %v, want %v; dst (-want +got):\n%s", c.name, logZ, c.logZ, diff)
		}
		if l := LogSumExp(c.logits); !same(l, c.logZ) {
			t.Errorf("%s: LogSumExp = %v, want %v", c.name, l, c.logZ)
		}
	}
}

// refSoftmax returns the softmax and log-partition in high precision.
func refSoftmax(logits []float64) (p []*big.Float, logZ *big.Float) {
	sum := newRef(0)
	for _, l := range logits {
		e := refExp(newRef(l))
		p = append(p, e)
		sum.Add(sum, e)
	}
	for _, e := range p {
		e.Quo(e, sum)
	}
	return p, refLog(sum)
}

func TestSoftmaxAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	worst, worstZ := 0.0, 0.0
	for range 500 {
		n := 1 + r.IntN(20)
		logits := make([]float64, n)
		for i := range logits {
			logits[i] = float64(r.IntN(1<<20)-1<<19) * 0x1p-15 // differences are exact
		}
		dst := make([]float64, n)
		logZ := Softmax(dst, logits)
		want, wantZ := refSoftmax(logits)
		for i := range dst {
			diff := newRef(0).Sub(newRef(dst[i]), want[i])
			rel, _ := diff.Quo(diff, want[i]).Float64()
			share := math.Abs(rel) / (float64(n+4) * 0x1p-53)
			worst = max(worst, share)
		}
		diff, _ := newRef(0).Sub(newRef(logZ), wantZ).Float64()
		worstZ = max(worstZ, math.Abs(diff)/(float64(0.5*float64(n)+2+math.Abs(logZ))*0x1p-53))
	}
	if worst > 1 || worstZ > 1 {
		t.Errorf("error at %.3f (dst) and %.3f (logZ) of the documented bounds", worst, worstZ)
	}
	t.Logf("at most %.3f (dst) and %.3f (logZ) of the documented bounds", worst, worstZ)
}

func TestSoftmaxProperties(t *testing.T) {
	// Draws that a bound with a constant in place of the operands' sizes got wrong.
	softmaxProperties(t, []float64{3.9921875, 32.03125000000001, -50}, 1)
	softmaxProperties(t, []float64{49.99999999999999, -50, 14.3}, 49.9)
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Float64Range(-50, 50), 1, 40).Draw(t, "logits")
		softmaxProperties(t, logits, rapid.Float64Range(-50, 50).Draw(t, "shift"))
	})
}

// half is half a unit in the last place: the most that rounding to x can be off.
func half(x float64) float64 {
	x = math.Abs(x)
	return (math.Nextafter(x, math.Inf(1)) - x) / 2
}

// differenceError bounds, relatively, what rounding the differences to the largest
// logit does to the sum of exponentials: each counts by its probability.
func differenceError(logits, p []float64) float64 {
	sum, m := 0.0, slices.Max(logits)
	for i, l := range logits {
		sum += p[i] * half(l-m)
	}
	return sum
}

// softmaxProperties checks the laws of Softmax within bounds that follow from
// the size of the rounded numbers and the documented errors of the rest: dst within
// (n+4) 2^-53, the logarithm of the sum within (n/2+2) 2^-53 and one rounding.
func softmaxProperties(t interface{ Errorf(string, ...any) }, logits []float64, shift float64) {
	const u = 0x1p-53
	n, m := float64(len(logits)), slices.Max(logits)
	p := make([]float64, len(logits))
	logZ := Softmax(p, logits)
	if s := Sum(p); math.Abs(s-1) > n*1e-15 {
		t.Errorf("probabilities sum to 1%+g", s-1)
	}
	if l := LogSumExp(logits); !same(l, logZ) {
		t.Errorf("LogSumExp = %v, Softmax's logZ = %v", l, logZ)
	}
	rounding := differenceError(logits, p)
	logError := half(logZ) + half(logZ-m) + (n/2+4)*u + rounding
	for i, l := range logits {
		bound := half(l-m) + (n+4)*u + rounding + // of dst
			half(l-logZ) + logError + 2*u // of Exp(logit-logZ)
		if want := Exp(l - logZ); math.Abs(p[i]-want) > want*bound*(1+1e-9) {
			t.Errorf("dst[%d] = %v, Exp(logit-logZ) = %v: off by %.3g, bound %.3g", i, p[i], want, math.Abs(p[i]-want)/want, bound)
		}
	}

	inPlace := append([]float64(nil), logits...)
	if z := Softmax(inPlace, inPlace); !same(z, logZ) || !cmp.Equal(inPlace, p) {
		t.Errorf("in-place softmax differs")
	}

	// A shift rounds each logit; that and the errors of both sides may show.
	moved, worst := make([]float64, len(logits)), 0.0
	for i, l := range logits {
		moved[i] = l + shift
		worst = max(worst, half(moved[i]))
	}
	q, top := make([]float64, len(logits)), slices.Max(moved)
	z := Softmax(q, moved)
	movedRounding := differenceError(moved, q)
	movedError := half(z) + half(z-top) + (n/2+4)*u + movedRounding
	if bound := worst + logError + movedError + half(logZ+shift); math.Abs(z-(logZ+shift)) > bound*(1+1e-9) {
		t.Errorf("logZ moves from %v to %v under a shift of %v: bound %.3g", logZ, z, shift, bound)
	}
	for i := range p {
		bound := half(moved[i]) + worst + half(logits[i]-m) + half(moved[i]-top) + 2*(n+4)*u + rounding + movedRounding
		if math.Abs(p[i]-q[i]) > p[i]*bound*(1+1e-9) {
			t.Errorf("dst[%d] moves from %v to %v under a shift of %v: bound %.3g", i, p[i], q[i], shift, bound)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	logits := uniform(12, -3, 3)
	dst := make([]float64, 12)
	if n := testing.AllocsPerRun(100, func() {
		sink = Softmax(dst, logits) + LogSumExp(logits) + Sum(dst) + Dot(dst, logits)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
