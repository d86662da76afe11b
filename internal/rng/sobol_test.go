package rng

import (
	"math"
	"slices"
	"testing"
)

// TestSobolEqualsSciPy: the sixth point in 16 dimensions without a scramble, times 2^32, by
// scipy.stats.qmc.Sobol(d=16, scramble=False, bits=32) of SciPy 1.10.1, and a hash of more.
func TestSobolEqualsSciPy(t *testing.T) {
	var s Sobol
	if err := s.reset(16); err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 16)
	var hash uint64
	for i := range 4096 {
		s.Next(u)
		if i == 5 {
			want := []float64{3758096384, 3758096384, 536870912, 1610612736, 3758096384, 2684354560, 3758096384, 1610612736,
				1610612736, 536870912, 1610612736, 3758096384, 3758096384, 536870912, 3758096384, 1610612736}
			for j := range want {
				want[j] *= 0x1p-32
			}
			if !slices.Equal(u, want) {
				t.Errorf("point 5: %v, want %v", u, want)
			}
		}
		for _, x := range u {
			hash = hash*1_000_003 + uint64(x*0x1p32)
		}
	}
	if hash != 9736469239719526400 {
		t.Errorf("hash of 4096 points %d", hash)
	}
	if err := s.reset(17); err == nil {
		t.Error("17 dimensions are not refused")
	}
}

// TestSobolIsANet: however it is scrambled, each of 2^k equal parts of an axis has as many of 2^m
// points, and pairs of the first dimensions too; and a single point is uniform.
func TestSobolIsANet(t *testing.T) {
	var s Sobol
	u := make([]float64, 5)
	var mean, square float64
	const runs = 400
	for run := range uint64(runs) {
		if err := s.Start(New(3).Int(run).Rand(), 5); err != nil {
			t.Fatal(err)
		}
		var axis [5][64]int
		var pairs [8][8]int
		for i := range 64 {
			s.Next(u)
			if i == 0 {
				mean += u[4] / runs
				square += float64(u[4]*u[4]) / runs
			}
			for j, x := range u {
				axis[j][int(x*64)]++
			}
			pairs[int(u[0]*8)][int(u[1]*8)]++
		}
		for j := range axis {
			if slices.Max(axis[j][:]) != 1 {
				t.Fatalf("run %d: 64 points of dimension %d are not in 64 parts: %v", run, j, axis[j])
			}
		}
		for _, row := range pairs {
			if slices.Max(row[:]) != 1 {
				t.Fatalf("run %d: %v points in the squares", run, pairs)
			}
		}
	}
	if math.Abs(mean-0.5) > 5*0.289/math.Sqrt(runs) || math.Abs(square-1./3) > 5*0.3/math.Sqrt(runs) {
		t.Errorf("first points have the mean %.3f and the mean square %.3f, want 1/2 and 1/3", mean, square)
	}
}
