package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/metrics/stats"
)

// bySeed gives the values to seeds first, first+1, ...
func bySeed(first int, xs ...float64) map[int]float64 {
	out := map[int]float64{}
	for i, x := range xs {
		out[first+i] = x
	}
	return out
}

// signFlips is the p value of the sign-flip test by listing all sign vectors.
func signFlips(differences []float64) float64 {
	n := len(differences)
	total := 0.0
	for _, d := range differences {
		total += d
	}
	hits := 0
	for bits := range 1 << n {
		sum := 0.0
		for i, d := range differences {
			if bits>>i&1 == 1 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= math.Abs(total)-1e-9 {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<n)
}

// above is the share of pairs (old, new) where new is higher, ties half.
func above(old, new []float64) float64 {
	wins := 0.0
	for _, x := range old {
		for _, y := range new {
			switch {
			case y > x:
				wins++
			case y == x:
				wins += 0.5
			}
		}
	}
	return wins / float64(len(old)*len(new))
}

// splits is the p value of the U-test by listing all splits of the values.
func splits(old, new []float64) float64 {
	all := slices.Concat(old, new)
	half := float64(len(old)*len(new)) / 2
	distance := func(a, b []float64) float64 { return math.Abs(above(a, b)*2*half - half) }
	seen := distance(old, new)
	hits, total := 0, 0
	for bits := range 1 << len(all) {
		var a, b []float64
		for i, x := range all {
			if bits>>i&1 == 1 {
				a = append(a, x)
			} else {
				b = append(b, x)
			}
		}
		if len(a) != len(old) {
			continue
		}
		total++
		if distance(a, b) >= seen-1e-9 {
			hits++
		}
	}
	return float64(hits) / float64(total)
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// TestVerdicts: one metric alone, so that nothing is corrected.
func TestVerdicts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ten := []float64{.31, .42, .38, .29, .35, .44, .36, .33, .40, .37}
	moved := func(xs []float64, by float64) []float64 {
		out := slices.Clone(xs)
		for i := range out {
			out[i] += by + 0.001*float64(i)
		}
		return out
	}
	for _, c := range []struct {
		reason   string
		old, new map[int]float64
		paired   bool
		n        int
		need     int
		verdict  Verdict
	}{
		{"three seeds", bySeed(0, 1, 2, 3), bySeed(0, 4, 5, 6), true, 3, 6, VerdictUnderpowered},
		{"five, all higher: 2/32 is above 0.05", bySeed(0, ten[:5]...), bySeed(0, moved(ten[:5], 1)...), true, 5, 6, VerdictUnderpowered},
		{"six, all higher: 2/64", bySeed(0, ten[:6]...), bySeed(0, moved(ten[:6], 1)...), true, 6, 6, VerdictMoved},
		{"ten, all lower", bySeed(0, ten...), bySeed(0, moved(ten, -0.2)...), true, 10, 6, VerdictMoved},
		{"ten that go both ways", bySeed(0, ten...), bySeed(0, .40, .33, .36, .44, .30, .35, .29, .42, .38, .37), true, 10, 6, VerdictUnclear},
		{"the same values", bySeed(0, ten...), bySeed(0, ten...), true, 10, 6, VerdictSame},
		{"the same values of three seeds are the same all the same", bySeed(0, 1, 2, 3), bySeed(0, 1, 2, 3), true, 3, 6, VerdictSame},
		{"the same up to rounding", bySeed(0, 1, 1, 1, 1, 1, 1, 1e6), bySeed(0, 1-1e-16, 1-2e-16, 1-1e-15, 1-1e-14, 1-1e-14, 1-1e-15, 1e6*(1-1e-14)), true, 7, 6, VerdictSame},
		{"small and not rounding", bySeed(0, 1, 1, 1, 1, 1, 1), bySeed(0, 1-1e-9, 1-1e-9, 1-2e-9, 1-1e-9, 1-1e-9, 1-1e-9), true, 6, 6, VerdictMoved},
		{"swapped values are not the same seeds", bySeed(0, 1, 2, 3, 4, 5, 6), bySeed(0, 6, 5, 4, 3, 2, 1), true, 6, 6, VerdictUnclear},
		{"undefined seeds drop out in pairs", bySeed(0, nan, 1, 2, 3, 4, 5, 6, 7, 8, inf), bySeed(0, 9, 9, nan, 9, 9, 9, 9, 9, 9, 9), true, 7, 6, VerdictMoved},
		{"too many of them", bySeed(0, nan, nan, nan, 3, 4, 5, 6, 7), bySeed(0, 9, 9, 9, 9, 9, 9, 9, 9), true, 5, 6, VerdictUnderpowered},
		{"undefined on one side", bySeed(0, ten...), bySeed(0, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan), true, 0, 6, VerdictUndefined},
		{"one seed", bySeed(0, 1), bySeed(0, 2), true, 1, 6, VerdictUnderpowered},
		{"other seeds", bySeed(0, ten[:6]...), bySeed(6, moved(ten[:6], 1)...), false, 6, 6, VerdictMoved},
		{"fewer on one side", bySeed(0, ten...), bySeed(100, moved(ten[:5], 1)...), false, 5, 6, VerdictUnderpowered},
		{"six seeds of ten in common", bySeed(0, ten...), bySeed(4, moved(ten, 1)...), true, 6, 6, VerdictMoved},
		{"five seeds of ten in common", bySeed(0, ten...), bySeed(5, moved(ten, 1)...), false, 10, 6, VerdictMoved},
		{"a constant on both sides, other seeds", bySeed(0, 4, 4, 4), bySeed(3, 4, 4, 4), false, 3, 6, VerdictSame},
		{"the same values at other seeds, which is chance", bySeed(0, ten...), bySeed(20, ten...), false, 10, 6, VerdictUnclear},
	} {
		got := compareValues([]seedValues{{"m", c.old, c.new}}, StatisticMean)[0]
		if got.Paired != c.paired || got.N() != c.n || got.Need != c.need || got.Verdict != c.verdict {
			t.Errorf("%s: paired %v, n %d, need %d, %s; want %v, %d, %d, %s", c.reason, got.Paired, got.N(), got.Need, got.Verdict, c.paired, c.n, c.need, c.verdict)
		}
		if none := math.IsNaN(got.P); none != (c.n < c.need) {
			t.Errorf("%s: p = %v with %d seeds of %d", c.reason, got.P, c.n, c.need)
		}
	}
}

// TestComparisonAgainstBruteForce recomputes a comparison from its definitions: p by listing
// sign vectors or splits, and then Holm by hand.
func TestComparisonAgainstBruteForce(t *testing.T) {
	old := []float64{.12, .40, .33, .28, .25, .31, .22, .18}
	up := []float64{.32, .61, .50, .44, .50, .53, .40, .39}
	mixed := []float64{.20, .35, .45, .22, .36, .33, .21, .30}
	differences := func(new []float64) []float64 {
		out := make([]float64, len(new))
		for i := range out {
			out[i] = new[i] - old[i]
		}
		return out
	}
	for _, c := range []struct {
		reason string
		first  int // seed of new
		p      func(new []float64) float64
	}{
		{"paired", 0, func(new []float64) float64 { return signFlips(differences(new)) }},
		{"unpaired", 50, func(new []float64) float64 { return splits(old, new) }},
	} {
		got := compareValues([]seedValues{
			{"mixed", bySeed(0, old...), bySeed(c.first, mixed...)},
			{"none", bySeed(0, math.NaN()), bySeed(c.first, math.NaN())}, // is no test
			{"up", bySeed(0, old...), bySeed(c.first, up...)},
		}, StatisticMean)
		want := map[string]float64{"mixed": max(c.p(mixed), 2*c.p(up)), "up": 2 * c.p(up)}
		if want["mixed"] == want["up"] {
			t.Fatal("the values cannot show that the larger p is corrected less")
		}
		for i, new := range map[int][]float64{0: mixed, 2: up} {
			m := got[i]
			if !(math.Abs(m.P-want[m.Metric]) < 1e-12) {
				t.Errorf("%s, %s: p = %v, want %v", c.reason, m.Metric, m.P, want[m.Metric])
			}
			for what, pair := range map[string][2]float64{
				"old":         {m.Old.Mean, mean(old)},
				"new":         {m.New.Mean, mean(new)},
				"delta":       {m.Delta.Mean, mean(differences(new))},
				"improvement": {m.Improvement.Mean, above(old, new)},
			} {
				if !(math.Abs(pair[0]-pair[1]) < 1e-12) {
					t.Errorf("%s, %s: %s is %v, want %v", c.reason, m.Metric, what, pair[0], pair[1])
				}
			}
			if !(m.Delta.Low < m.Delta.Mean && m.Delta.Mean < m.Delta.High) {
				t.Errorf("%s, %s: delta %v", c.reason, m.Metric, m.Delta)
			}
		}
		if got[2].Verdict != VerdictMoved || got[0].Verdict != VerdictUnclear || got[1].Verdict != VerdictUndefined {
			t.Errorf("%s: %s, %s, %s", c.reason, got[0].Verdict, got[1].Verdict, got[2].Verdict)
		}
	}
}

// TestEveryMetricCounts: the correction is for the metrics that were asked for and have values,
// whether or not they reach a verdict.
func TestEveryMetricCounts(t *testing.T) {
	old := bySeed(0, 1, 2, 3, 4, 5, 6, 7, 8)
	new := bySeed(0, 2, 3, 4, 5, 6, 7, 8, 9)
	nan := math.NaN()
	few := bySeed(0, nan, nan, nan, nan, nan, 1, 2, 3)
	got := compareValues([]seedValues{{"a", old, new}, {"few", few, new}, {"same", old, old}}, StatisticMean)
	// 2/2^8 times the three tests.
	if got[0].P != 6./256 || got[0].Verdict != VerdictMoved {
		t.Errorf("p = %v (%s), want 6/256: three metrics", got[0].P, got[0].Verdict)
	}
	if !math.IsNaN(got[1].P) || got[1].Verdict != VerdictUnderpowered || got[2].P != 1 {
		t.Errorf("%+v, %+v", got[1], got[2])
	}
	// A seed fewer and 6/2^7 is enough, two fewer and no p is small enough.
	for _, c := range []struct {
		last int
		want Verdict
	}{{7, VerdictMoved}, {6, VerdictUnderpowered}} {
		delete(old, c.last)
		delete(new, c.last)
		got := compareValues([]seedValues{{"a", old, new}, {"b", old, new}, {"c", old, new}}, StatisticMean)
		if got[2].Verdict != c.want || got[2].Need != 7 {
			t.Errorf("%d seeds, three metrics: %s, need %d; want %s, 7", c.last, got[2].Verdict, got[2].Need, c.want)
		}
	}
}

func TestStatisticIsUsed(t *testing.T) {
	old := bySeed(0, 0, 0, 0, 0, 0, 0, 0, 0)
	new := bySeed(0, 1, 1, 1, 1, 1, 1, 1, 100) // the odd one is outside the middle half
	for stat, want := range map[Statistic]float64{StatisticMean: 107. / 8, StatisticIQM: 1} {
		got := compareValues([]seedValues{{"m", old, new}}, stat)[0]
		if got.Delta.Mean != want || got.New.Mean != want || got.Old.Mean != 0 {
			t.Errorf("%s: delta %v, new %v, want %v", stat, got.Delta.Mean, got.New.Mean, want)
		}
		if got.P != 2./256 {
			t.Errorf("%s: p = %v, want 2/256", stat, got.P)
		}
	}
}

// TestSwappingTurnsTheSign: old against new agrees with new against old.
func TestSwappingTurnsTheSign(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Map(rapid.IntRange(0, 3), func(i int) float64 { return float64(i) }), rapid.Just(math.NaN()))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, first int) map[int]float64 {
			return bySeed(first, rapid.SliceOfN(value, 1, 12).Draw(t, name)...)
		}
		stat := rapid.SampledFrom([]Statistic{StatisticMean, StatisticIQM}).Draw(t, "statistic")
		var forth, back []seedValues
		for range rapid.IntRange(1, 3).Draw(t, "metrics") {
			old, new := draw("old", 0), draw("new", rapid.SampledFrom([]int{0, 0, 3, 100}).Draw(t, "first"))
			forth = append(forth, seedValues{"m", old, new})
			back = append(back, seedValues{"m", new, old})
		}
		a, b := compareValues(forth, stat), compareValues(back, stat)
		for i := range a {
			mirrored := b[i]
			mirrored.Old, mirrored.New = mirrored.New, mirrored.Old
			mirrored.old, mirrored.new = mirrored.new, mirrored.old
			d := mirrored.Delta
			mirrored.Delta = stats.Interval{N: d.N, Mean: -d.Mean, Low: -d.High, High: -d.Low}
			p := mirrored.Improvement
			mirrored.Improvement = stats.Interval{N: p.N, Mean: 1 - p.Mean, Low: 1 - p.High, High: 1 - p.Low}
			close := cmp.Comparer(func(x, y float64) bool {
				return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-9
			})
			if diff := cmp.Diff(a[i], mirrored, close, cmp.AllowUnexported(MetricComparison{})); diff != "" {
				t.Fatalf("-forth +back\n%s", diff)
			}
			if a[i].Delta.Low != mirrored.Delta.Low && !math.IsNaN(a[i].Delta.Low) {
				t.Fatalf("the interval of the negated differences is not the mirrored one, bit for bit: %v, %v", a[i].Delta, b[i].Delta)
			}
		}
	})
}

// TestUnpairedInterval holds the interval of a difference against closed forms.
func TestUnpairedInterval(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		reason         string
		old, new, want stats.Interval
	}{
		{"arms 3 and 4 make 5", stats.Interval{N: 7, Mean: 10, Low: 7, High: 13}, stats.Interval{N: 9, Mean: 12, Low: 8, High: 16}, stats.Interval{N: 7, Mean: 2, Low: -3, High: 7}},
		{"below: the lower arm of new and the upper one of old", stats.Interval{N: 7, Mean: 0, Low: -100, High: 3}, stats.Interval{N: 7, Mean: 0, Low: -4, High: 0}, stats.Interval{N: 7, Mean: 0, Low: -5, High: 100}},
		{"nothing known of one", stats.Interval{N: 1, Mean: 1, Low: -inf, High: inf}, stats.Interval{N: 7, Mean: 3, Low: 2, High: 4}, stats.Interval{N: 1, Mean: 2, Low: -inf, High: inf}},
	} {
		if got := differenceInterval(c.old, c.new); got != c.want {
			t.Errorf("%s: got %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestMergeRounding: values become one of their own number, no further away than
// rounding, and those further apart stay apart.
func TestMergeRounding(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.IntRange(-2, 2).Draw(t, "whole")) * (1 + 3e-13*float64(rapid.IntRange(0, 12).Draw(t, "steps")))
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := rapid.SliceOfN(value, 0, 6).Draw(t, "old"), rapid.SliceOfN(value, 0, 6).Draw(t, "new")
		before := slices.Concat(old, new)
		mergeRounding(old, new)
		after := slices.Concat(old, new)
		for i, x := range after {
			if !slices.Contains(before, x) || math.Abs(x-before[i]) > rounding*max(1, math.Abs(x)) {
				t.Fatalf("%v became %v", before[i], x)
			}
			for j, y := range after {
				if x != y && math.Abs(x-y) <= rounding {
					t.Fatalf("%v and %v are left apart", x, y)
				}
				if before[i] == before[j] && x != y {
					t.Fatalf("equal values became %v and %v", x, y)
				}
			}
		}
	})
}

// TestPlan: the planner gets the pairs if there are pairs.
func TestPlan(t *testing.T) {
	old := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	new := []float64{2, 4, 4, 6, 6, 8, 8, 10} // 1 and 2 above in turn
	paired := compareValues([]seedValues{{"m", bySeed(0, old...), bySeed(0, new...)}}, StatisticMean)[0].plan(0.5)
	unpaired := compareValues([]seedValues{{"m", bySeed(0, old...), bySeed(8, new...)}}, StatisticMean)[0].plan(0.5)
	// Deviations: of 4 ones and 4 twos, sqrt(8/4/7); of 1..8, sqrt(6); of new,
	// squares about 6 of 16+4+4+0+0+4+4+16 over 7.
	if want := math.Sqrt(2. / 7); math.Abs(paired.Deviation-want) > 1e-12 {
		t.Errorf("paired deviation %v, want %v", paired.Deviation, want)
	}
	if want := math.Sqrt((6 + 48./7) / 2); math.Abs(unpaired.Deviation-want) > 1e-12 {
		t.Errorf("unpaired deviation %v, want %v", unpaired.Deviation, want)
	}
	// By the normal approximation, (1.96 + 0.84)^2 = 7.85 variances over 0.25, twice
	// that on each side without pairs: 9 and 404, and a little for few seeds.
	if paired.Seeds < 9 || paired.Seeds > 14 || unpaired.Seeds < 400 || unpaired.Seeds > 450 {
		t.Errorf("%d pairs, or %d a side; want about 11 and 410", paired.Seeds, unpaired.Seeds)
	}
	if !(paired.Detectable > 0.5) || !math.IsNaN(unpaired.Detectable) {
		t.Errorf("detectable with 8 seeds: %v and %v, want more than 0.5, which takes %d, and nothing", paired.Detectable, unpaired.Detectable, paired.Seeds)
	}
	one := compareValues([]seedValues{{"m", bySeed(0, 1), bySeed(0, 2)}}, StatisticMean)[0].plan(0.5)
	if one.Seeds != 0 || !math.IsNaN(one.Deviation) {
		t.Errorf("one seed shows no spread, got %+v", one)
	}
}
