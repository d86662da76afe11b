package draw

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

func labels(ticks []plot.Tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticks     Ticks
		low, high float64
		want      string
	}{
		{Ticks{Count: 5}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Ticks{Count: 3, Whole: true}, 0, 3000, "0 1000 2000 3000"},
		{Ticks{Count: 5, Whole: true}, 0, 1.5, "0 1"},
		{Ticks{Count: 5}, -0.54, 0.54, "-0.5 0.0 0.5"},
		{Ticks{Count: 2}, 0, 1, "0.0 0.5 1.0"},
		{Ticks{Count: 4}, 0.001, 0.0093, "0.005"},
		{Ticks{Count: 4}, 1e20, math.Nextafter(1e20, 1e21), "100000000000000000000"}, // a step is lost in such a number
	} {
		if got := labels(c.ticks.Ticks(c.low, c.high)); got != c.want {
			t.Errorf("%g to %g: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestKTicks(t *testing.T) {
	var dense, powers []int
	for k := 1; k <= 64; k++ {
		dense = append(dense, k)
	}
	for k := 1; k <= 1024; k *= 2 {
		powers = append(powers, k)
	}
	for _, c := range []struct {
		why   string
		ks    []int
		width vg.Length
		want  string
	}{
		{"VPO's", []int{1, 3, 5, 10, 30}, 120, "1 3 5 10 30"},
		{"and in little room", []int{1, 3, 5, 10, 30}, 50, "1 3  10 30"},
		{"the last label stays", []int{1, 3, 5, 10, 30}, 30, "1 3   30"},
		{"most are powers of two", []int{1, 2, 3, 4, 5, 64}, 120, "1 2 4 64"},
		{"all powers of two", dense, 120, "1 2 4 8 16 32 64"},
		{"powers of two beside others", []int{1, 2, 3, 5, 10, 30, 60}, 120, "1 2 3 5 10 30 60"},
		{"many powers of two", powers, 120, "1 2 4 8 16  64  256  1024"},
		{"no power of two", []int{3, 5}, 120, "3 5"},
		{"a single k", []int{8}, 120, "8"},
		{"up to where integers end", []int{1, math.MaxInt}, 120, "1 9223372036854775807"},
	} {
		if got := labels(KTicks(c.ks, c.width)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
