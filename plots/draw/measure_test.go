package draw

import (
	"math"
	"testing"
)

func TestAxisRange(t *testing.T) {
	share, count, free := Measure{Share: true}, Measure{AtZero: true}, Measure{}
	for _, c := range []struct {
		why                      string
		m                        Measure
		low, high, bandLow, band float64
		from, to                 float64
	}{
		{"shares", share, 0.4, 0.5, 0.3, 0.6, 0, 1},
		{"a band beyond 1 does not move a share's axis", share, 0.4, 0.9, 0.3, 1.2, 0, 1},
		{"rounding neither", share, -1e-12, 1 + 1e-12, 0, 1, 0, 1},
		{"a reward with penalties is no share", share, -1, 1, -1, 1, -1.08, 1.08},
		{"counts start at 0", count, 1, 4, 0.5, 5, 0, 5.18},
		{"a free metric has room", free, 1, 2, 1, 2, 0.96, 2.04},
		{"a constant has room", free, 4, 4, 4, 4, 1.84, 6.16},
		{"zero too", free, 0, 0, 0, 0, -0.54, 0.54},
	} {
		from, to := c.m.Axis(c.low, c.high, c.bandLow, c.band)
		if math.Abs(from-c.from) > 1e-9 || math.Abs(to-c.to) > 1e-9 {
			t.Errorf("%s: %g to %g, want %g to %g", c.why, from, to, c.from, c.to)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		m    Measure
		v    float64
		want string
	}{
		{Measure{Share: true}, 0.125, "0.12"}, {Measure{Share: true}, 1, "1.00"}, {Measure{Whole: true}, 1.25, "1.2"},
		{Measure{}, 1234567, "1.23e+06"}, {Measure{}, 0.00012, "0.00012"}, {Measure{}, 0, "0.00"},
		{Measure{}, -123.4, "-123"}, {Measure{}, 12.34, "12.3"}, {Measure{}, 1.234, "1.23"},
	} {
		if got := c.m.Format(c.v); got != c.want {
			t.Errorf("%g: %q, want %q", c.v, got, c.want)
		}
	}
}
