package numbers

import (
	"math"
	"testing"

	"modebench/experiments/record"
)

func TestModeEntropy(t *testing.T) {
	for _, c := range []struct {
		masses []float64
		want   float64
	}{
		{[]float64{1}, 0}, {[]float64{0.5, 0, 0.5}, math.Ln2}, {[]float64{0.25, 0.25, 0.25, 0.25}, 2 * math.Ln2},
	} {
		var e record.Eval
		for _, mass := range c.masses {
			e.Modes = append(e.Modes, record.Share{Mass: mass})
		}
		if got := modeEntropy(e); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("entropy %g of %v, want %g", got, c.masses, c.want)
		}
	}
}
