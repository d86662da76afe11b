package stats

import (
	"math"
	"slices"
	"testing"
)

// TestResampledIQM: the IQM from how often each run is drawn is that of the runs written out.
func TestResampledIQM(t *testing.T) {
	table := Table{"b": {3, 1, 1, 7, 0.1}, "a": {2, 0.3, 0.1}, "c": {5, 5, 5, 5, 2, 9}}
	s, err := newStrata([]Table{table})
	if err != nil {
		t.Fatal(err)
	}
	got := s.iqms(s.pool(table))
	for b, counts := range s.counts {
		var drawn []float64
		for _, task := range []string{"a", "b", "c"} {
			n := 0
			for k, x := range table[task] {
				times := int(counts[int(s.byName[task])+k])
				drawn = append(drawn, slices.Repeat([]float64{x}, times)...)
				n += times
			}
			if n != len(table[task]) {
				t.Fatalf("resample %d has %d seeds of %s, want %d", b, n, task, len(table[task]))
			}
		}
		if want := IQM(drawn); math.Abs(got[b]-want) > 1e-14 {
			t.Fatalf("resample %d: %v, want %v", b, got[b], want)
		}
	}
	i, err := StratifiedIQM(table)
	if err != nil || i.N != 14 || i.Mean != IQM(slices.Concat(table["a"], table["b"], table["c"])) || !(i.Low < i.Mean && i.Mean < i.High) {
		t.Errorf("got %+v, %v", i, err)
	}
}

// TestPairedImprovement: the share of runs counted one by one, and the share of a copy.
func TestPairedImprovement(t *testing.T) {
	tables := boardLike(2, 3, 7)
	old, new := tables[0], tables[1]
	want := 0.0
	for _, task := range shared(old, new) {
		for i, x := range old[task] {
			switch y := new[task][i]; {
			case y > x:
				want += 1. / 21
			case y == x:
				want += 0.5 / 21
			}
		}
	}
	got, err := PairedImprovement(old, new)
	if err != nil || math.Abs(got.Mean-want) > 1e-15 || !(0 <= got.Low && got.Low < got.Mean && got.Mean < got.High && got.High <= 1) || got.N != 21 {
		t.Errorf("got %+v, %v, want %v", got, err, want)
	}
	back, _ := PairedImprovement(new, old)
	if math.Abs(back.Low+got.High-1) > 0.02 || math.Abs(back.Mean+got.Mean-1) > 1e-15 {
		t.Errorf("the other way round it is %+v, not 1 less %+v", back, got)
	}
	if same, err := PairedImprovement(old, old); err != nil || same.Mean != 0.5 || math.Abs(same.Low-0.5) > 1e-15 || math.Abs(same.High-0.5) > 1e-15 {
		t.Errorf("a copy: got %+v, %v, want 1/2 without width, since the seeds are the same", same, err)
	}
	new["more"] = []float64{1, 2}
	if more, err := PairedImprovement(old, new); err != nil || more != got {
		t.Errorf("a task that only one has changed %+v to %+v, %v", got, more, err)
	}
}
