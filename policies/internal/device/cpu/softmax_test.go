package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

func TestSoftmaxSameBits(t *testing.T) {
	forCases(t, func(t *testing.T, k device.Kernels, fill func(...int) [][]float32, r *rand.Rand) {
		compare := func(ld, rows, length, step, width int) {
			scale := float32(0.25)
			if r.IntN(2) == 0 {
				scale = float32(0.01 + r.Float64())
			}
			what := fmt.Sprintf("of %d rows, %d apart, of %d+%dr entries, %d wide", rows, ld, length, step, width)
			n := max(0, (rows-1)*ld+width)
			sameAsReference(t, k, "Softmax "+what, fill(n), func(k device.Kernels, s [][]float32) float64 {
				k.Softmax(s[0], ld, rows, length, step, width, scale)
				return 0
			})
			sameAsReference(t, k, "SoftmaxBackward "+what, fill(n, n), func(k device.Kernels, s [][]float32) float64 {
				k.SoftmaxBackward(s[0], s[1], ld, rows, length, step, width, scale)
				return 0
			})
			sameAsReference(t, k, "LogSoftmax "+what, fill(n, n, n), func(k device.Kernels, s [][]float32) float64 {
				k.LogSoftmax(s[0], s[1], s[2], ld, rows, length, scale)
				return 0
			})
		}
		for length := range 301 {
			compare(length, 1, length, 0, length)
		}
		for range 300 { // rows that grow or shrink, with room to fill, and gaps between rows
			rows, length, step := r.IntN(8), r.IntN(110), r.IntN(3)
			width := length + max(0, rows-1)*step + r.IntN(2)*r.IntN(40)
			if step > 0 && rows > 1 && r.IntN(3) == 0 {
				length, step = length+(rows-1)*step, -step
			}
			compare(width+r.IntN(2)*r.IntN(20), rows, length, step, width)
		}
	})
}

// softmax is the softmax of scale z in float64, and its logarithm.
func softmax(z []float32, scale float32) (p, logp []float64) {
	top := math.Inf(-1)
	for _, z := range z {
		top = max(top, float64(z))
	}
	var sum float64
	for _, z := range z {
		sum += math.Exp((float64(z) - top) * float64(scale))
	}
	for _, z := range z {
		x := (float64(z)-top)*float64(scale) - math.Log(sum)
		p, logp = append(p, math.Exp(x)), append(logp, x)
	}
	return p, logp
}

func TestSoftmaxError(t *testing.T) {
	var k reference
	r := rand.New(rand.NewPCG(15, 16))
	var relative, logs, sums float64
	for n := 1; n <= 300; n++ {
		z, p, logp := make([]float32, n), make([]float32, n), make([]float32, n)
		fillNormal(z, r)
		for i := range z {
			z[i] *= 8
		}
		scale := float32(0.1 + r.Float64())
		k.LogSoftmax(p, logp, z, n, 1, n, scale)
		wantP, wantLogp := softmax(z, scale)
		var sum float64
		for i, p := range p {
			// The argument x is rounded twice, by up to x 2^-24 each time.
			x := 1 + math.Abs(wantLogp[i])
			relative = max(relative, math.Abs(float64(p)-wantP[i])/wantP[i]/x)
			logs = max(logs, math.Abs(float64(logp[i])-wantLogp[i])/x)
			sum += float64(p)
		}
		sums = max(sums, math.Abs(sum-1))
		k.Softmax(z, n, 1, n, 0, n, scale)
		sameBits(t, fmt.Sprintf("Softmax and LogSoftmax of %d", n), z, p)
	}
	for _, row := range []struct {
		what       string
		got, limit float64
	}{
		{"relative error of p, by 1 + |log p|", relative, 4 * 0x1p-24},
		{"error of log p, by 1 + |log p|", logs, 4 * 0x1p-24},
		{"sum of p less 1", sums, 8 * 0x1p-24},
	} {
		t.Logf("%s: %.3g, or %.2f * 2^-24", row.what, row.got, row.got*0x1p24)
		if !(row.got <= row.limit) {
			t.Errorf("%s: %.3g, want at most %.3g", row.what, row.got, row.limit)
		}
	}
}

// TestSoftmaxBackwardError holds the gradient to central differences in float64.
func TestSoftmaxBackwardError(t *testing.T) {
	var k reference
	r := rand.New(rand.NewPCG(17, 18))
	const n, scale, h = 45, 0.3, 1e-3
	z, dy := make([]float32, n), make([]float32, n)
	fillNormal(z, r)
	fillNormal(dy, r)
	s, ds := append([]float32(nil), z...), append([]float32(nil), dy...)
	k.Softmax(s, n, 1, n, 0, n, scale)
	k.SoftmaxBackward(ds, s, n, 1, n, 0, n, scale)
	loss := func(z []float32) (sum float64) {
		p, _ := softmax(z, scale)
		for i, p := range p {
			sum += p * float64(dy[i])
		}
		return sum
	}
	for i, at := range z {
		up, down := at+h, at-h // rounded to float32
		z[i] = up
		high := loss(z)
		z[i] = down
		low := loss(z)
		z[i] = at
		if want := (high - low) / (float64(up) - float64(down)); math.Abs(float64(ds[i])-want) > 1e-8 {
			t.Errorf("ds[%d] = %g, want %g", i, ds[i], want)
		}
	}
}

// TestSoftmaxRows: which entries are read, and the fate of the others.
func TestSoftmaxRows(t *testing.T) {
	for _, level := range Levels() {
		k, err := New(level)
		if err != nil {
			t.Fatal(err)
		}
		nan := float32(math.NaN())
		// Equal entries: 1/n each. Entries past them are not read; past the width not written.
		s := []float32{
			5, nan, nan, 7,
			9, 9, nan, 8,
			-4, -4, -4, 6,
		}
		k.Softmax(s[:11], 4, 3, 1, 1, 3, 0.5)
		third := 1 / float32(3)
		sameBits(t, level+": Softmax", s, []float32{1, 0, 0, 7, 0.5, 0.5, 0, 8, third, third, third, 6})

		s = []float32{1, 0, nan, 7, 0.5, 0.5, nan, 8}
		ds := []float32{3, 9, nan, 7, 1, 5, nan, 8}
		k.SoftmaxBackward(ds[:7], s[:7], 4, 2, 1, 1, 3, 2)
		sameBits(t, level+": SoftmaxBackward", ds, []float32{0, 0, 0, 7, -2, 2, 0, 8})
		if s[1] != 0 || s[2] == s[2] {
			t.Errorf("%s: SoftmaxBackward wrote to s", level)
		}

		p, logp := []float32{1, 1, 1, 1, 1}, []float32{2, 2, 2, 2, 2}
		k.LogSoftmax(p, logp, []float32{3, 3, nan, -1, -1}, 3, 2, 2, 4)
		ln := float32(-math.Ln2)
		sameBits(t, level+": LogSoftmax, p", p, []float32{0.5, 0.5, 1, 0.5, 0.5})
		sameBits(t, level+": LogSoftmax, log p", logp, []float32{ln, ln, 2, ln, ln})
	}
}

// TestSoftmaxMinusZero: a sum whose every product is a negative number too small for
// float32 is -0, which adding a zero for an entry past the end would turn into +0, and
// with it the gradient of an entry that is -0.
func TestSoftmaxMinusZero(t *testing.T) {
	minus0 := float32(math.Copysign(0, -1))
	forLevels(t, func(t *testing.T, k device.Kernels) {
		for n := 33; n <= 72; n++ {
			s, ds := make([]float32, n), make([]float32, n)
			for i := range s {
				s[i], ds[i] = 1e-30, -1e-30
			}
			ds[n-1] = minus0
			sameAsReference(t, k, fmt.Sprintf("SoftmaxBackward of %d", n), [][]float32{ds, s}, func(k device.Kernels, o [][]float32) float64 {
				k.SoftmaxBackward(o[0], o[1], n, 1, n, 0, n, 1)
				if o[0][n-1] != 0 || math.Signbit(float64(o[0][n-1])) {
					t.Errorf("%s: entry -0 of %d gives %g, want +0: -0 - -0", k.Name(), n, o[0][n-1])
				}
				return 0
			})
		}
	})
}

// TestSoftmaxExtremes: finite entries up to 1e30 give finite results, entries of minus
// infinity nothing, and a NaN stays NaN.
func TestSoftmaxExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	var k reference
	for _, row := range []struct {
		why        string
		z, p, logp []float32
	}{
		{"the largest takes all", []float32{1e30, -1e30, 1e29}, []float32{1, 0, 0}, []float32{0, -2e30, 1e29 - 1e30}},
		{"equal ones share", []float32{-1e30, -1e30}, []float32{0.5, 0.5}, []float32{-math.Ln2, -math.Ln2}},
		{"minus infinity has no share", []float32{-inf, 0, 0}, []float32{0, 0.5, 0.5}, []float32{-inf, -math.Ln2, -math.Ln2}},
		{"probabilities are not flushed to zero", []float32{0, -100}, []float32{1, float32(math.Exp(-100))}, []float32{0, -100}},
		{"one entry has all", []float32{-7}, []float32{1}, []float32{0}},
		{"NaN spoils the row", []float32{1, nan, 2}, []float32{nan, nan, nan}, []float32{nan, nan, nan}},
		{"as does infinity", []float32{1, inf, 2}, []float32{nan, nan, nan}, []float32{nan, nan, nan}},
		{"and a row of nothing but minus infinity", []float32{-inf, -inf}, []float32{nan, nan}, []float32{nan, nan}},
	} {
		n := len(row.z)
		p, logp := make([]float32, n), make([]float32, n)
		k.LogSoftmax(p, logp, row.z, n, 1, n, 1)
		sameBits(t, row.why+": p", p, row.p)
		sameBits(t, row.why+": log p", logp, row.logp)
		k.Softmax(row.z, n, 1, n, 0, n, 1)
		sameBits(t, row.why+": Softmax", row.z, row.p)
	}
}
