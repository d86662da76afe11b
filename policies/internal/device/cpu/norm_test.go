package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

func TestLayerNormSameBits(t *testing.T) {
	forCases(t, func(t *testing.T, k device.Kernels, fill func(...int) [][]float32, r *rand.Rand) {
		for _, d := range []int{32, 64, 96, 128, 160, 416} {
			for _, rows := range []int{0, 1, 2, 5} {
				what := fmt.Sprintf("of %d x %d", rows, d)
				sameAsReference(t, k, "LayerNorm "+what, fill(rows*d, rows, rows, rows*d, d, d), func(k device.Kernels, s [][]float32) float64 {
					k.LayerNorm(s[0], s[1], s[2], s[3], s[4], s[5], rows, d)
					return 0
				})
				sameAsReference(t, k, "LayerNormBackward "+what, fill(rows*d, d, d, rows*d, rows*d, rows, rows, d), func(k device.Kernels, s [][]float32) float64 {
					k.LayerNormBackward(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], rows, d)
					return 0
				})
			}
		}
	})
}

// layerNorm is LayerNorm of one row in float64, and the sum of its outputs times dy.
func layerNorm(x, gain, bias, dy []float64) (y []float64, total float64) {
	d := float64(len(x))
	var mean, variance float64
	for _, x := range x {
		mean += x / d
	}
	for _, x := range x {
		variance += (x - mean) * (x - mean) / d
	}
	for i, x := range x {
		y = append(y, (x-mean)/math.Sqrt(variance+1e-5)*gain[i]+bias[i])
		total += dy[i] * y[i]
	}
	return y, total
}

// TestLayerNorm holds the reference to the formula in float64, and the gradients to
// central differences of it.
func TestLayerNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	const rows, d = 3, 64
	var x, dy, gain, bias = make([]float32, rows*d), make([]float32, rows*d), make([]float32, d), make([]float32, d)
	for _, s := range [][]float32{x, dy, gain, bias} {
		fillNormal(s, r)
	}
	for i := range x {
		x[i] = 3*x[i] + 5 // a mean and a spread to take off
	}
	y, mean, rstd := make([]float32, rows*d), make([]float32, rows), make([]float32, rows)
	var k reference
	k.LayerNorm(y, mean, rstd, x, gain, bias, rows, d)
	// The gradients are added to the operands.
	dx, dgain, dbias := make([]float32, rows*d), make([]float32, d), make([]float32, d)
	for _, s := range [][]float32{dx, dgain, dbias} {
		for i := range s {
			s[i] = 2
		}
	}
	k.LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain, rows, d)

	wide := func(s []float32) (w []float64) {
		for _, v := range s {
			w = append(w, float64(v))
		}
		return w
	}
	x64, dy64, gain64, bias64 := wide(x), wide(dy), wide(gain), wide(bias)
	loss := func() (sum float64) {
		for row := 0; row < rows*d; row += d {
			_, total := layerNorm(x64[row:row+d], gain64, bias64, dy64[row:row+d])
			sum += total
		}
		return sum
	}
	for row := 0; row < rows*d; row += d {
		want, _ := layerNorm(x64[row:row+d], gain64, bias64, dy64[row:row+d])
		for i, want := range want {
			if math.Abs(float64(y[row+i])-want) > 3e-6 { // x - mean loses 1e-6 of some 5
				t.Errorf("y[%d] = %g, want %g", row+i, y[row+i], want)
			}
		}
	}
	const h = 1e-5
	for _, of := range []struct {
		name string
		at   []float64
		got  []float32
	}{{"dx", x64, dx}, {"dgain", gain64, dgain}, {"dbias", bias64, dbias}} {
		for i, at := range of.at {
			of.at[i] = at + h
			up := loss()
			of.at[i] = at - h
			down := loss()
			of.at[i] = at
			if want := 2 + (up-down)/(2*h); math.Abs(float64(of.got[i])-want) > 5e-6 {
				t.Errorf("%s[%d] = %g, want %g", of.name, i, of.got[i], want)
			}
		}
	}
}

// TestLayerNormExtremes: a row without spread gives the bias, and a large finite one
// no NaN.
func TestLayerNormExtremes(t *testing.T) {
	var k reference
	const d = 32
	x, y, gain, bias := make([]float32, d), make([]float32, d), make([]float32, d), make([]float32, d)
	mean, rstd := make([]float32, 1), make([]float32, 1)
	for i := range d {
		x[i], gain[i], bias[i] = 7, 3, float32(i)
	}
	k.LayerNorm(y, mean, rstd, x, gain, bias, 1, d)
	sameBits(t, "of equal entries", y, bias)
	if want := 1 / float32(math.Sqrt(float64(float32(1e-5)))); mean[0] != 7 || rstd[0] != want {
		t.Errorf("of equal entries: mean %g, rstd %g, want 7, %g", mean[0], rstd[0], want)
	}
	for i := range x {
		x[i] = float32(1-2*(i%2)) * 1e30
	}
	k.LayerNorm(y, mean, rstd, x, gain, bias, 1, d)
	// The sum of squares is infinite, so that what is left is the bias.
	sameBits(t, "of huge entries", y, bias)
}
