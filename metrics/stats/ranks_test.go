package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"modebench/internal/rng"
)

// boardLike draws tables: tasks on levels of their own, methods a little apart.
func boardLike(methods, tasks, seeds int) []Table {
	r := rng.New(8).Str("board").Rand()
	tables := make([]Table, methods)
	for i := range tables {
		tables[i] = Table{}
		for k := range tasks {
			tables[i][fmt.Sprint("task ", k)] = draw(r, seeds, func(r *rand.Rand) float64 {
				return 0.15*float64(k) + 0.03*float64(i%5) + 0.05*rng.Normal(r)
			})
		}
	}
	return tables
}

// slowAbove says which methods are surely above which from the definitions: each resample is
// written out, sorted and given to IQM, and nothing is shared between pairs but that.
func slowAbove(t testing.TB, tables []Table) (above [][]bool, c float64) {
	s, err := newStrata(tables)
	if err != nil {
		t.Fatal(err)
	}
	m := len(tables)
	resampled := func(i int, on []string) (point float64, out []float64) {
		var all []float64
		for _, task := range on {
			all = append(all, tables[i][task]...)
		}
		for _, counts := range s.counts {
			var drawn []float64
			for _, task := range on {
				for k, x := range tables[i][task] {
					for range counts[int(s.byName[task])+k] {
						drawn = append(drawn, x)
					}
				}
			}
			out = append(out, IQM(drawn))
		}
		return IQM(all), out
	}
	type drawn struct {
		point  float64
		values []float64
	}
	cache := map[string]drawn{}
	of := func(i int, on []string) drawn {
		key := fmt.Sprint(i, on)
		if _, ok := cache[key]; !ok {
			point, values := resampled(i, on)
			cache[key] = drawn{point, values}
		}
		return cache[key]
	}
	largest := make([]float64, resamples)
	above = make([][]bool, m)
	type decision struct {
		i, j, degrees int
		d, se         float64
	}
	var decisions []decision
	for i := range tables {
		above[i] = make([]bool, m)
		for j := range i {
			on := shared(tables[i], tables[j])
			if len(on) == 0 {
				continue
			}
			a, b := of(i, on), of(j, on)
			d, spread := a.point-b.point, 0.0
			for k := range largest {
				spread += math.Pow(a.values[k]-b.values[k]-d, 2) / resamples
			}
			spread = math.Sqrt(spread)
			se, degrees := slowError(tables[i], tables[j], on)
			for k := range largest {
				largest[k] = max(largest[k], math.Abs(a.values[k]-b.values[k]-d)/max(spread, se/2))
			}
			decisions = append(decisions, decision{i, j, degrees, d, max(se, spread)})
		}
	}
	slices.Sort(largest)
	c = max(normal975, largest[resamples*95/100])
	for _, x := range decisions {
		if t := studentQuantile(x.degrees, math.Erfc(-c/math.Sqrt2)/2); math.Abs(x.d) > t*x.se {
			above[x.i][x.j], above[x.j][x.i] = x.d > 0, x.d < 0
		}
	}
	return above, c
}

// slowError is the formula of stratifiedError for scores whose middle differs.
func slowError(a, b Table, on []string) (se float64, degrees int) {
	bounds := func(x Table) (low, high float64) {
		var all []float64
		for _, task := range on {
			all = append(all, x[task]...)
		}
		slices.Sort(all)
		return all[len(all)/4], all[len(all)-1-len(all)/4]
	}
	lowA, highA := bounds(a)
	lowB, highB := bounds(b)
	total, squares, runs := 0.0, 0.0, 0.0
	for _, task := range on {
		h, n := 0.0, float64(len(a[task]))
		var e []float64
		for k, x := range a[task] {
			y := b[task][k]
			for _, inside := range []bool{lowA <= x && x <= highA, lowB <= y && y <= highB} {
				if inside {
					h += 0.5
				}
			}
			e = append(e, math.Max(lowA, math.Min(highA, x))-math.Max(lowB, math.Min(highB, y)))
		}
		h = math.Max(h, 2)
		v, mean := 0.0, Mean(e)
		for _, x := range e {
			v += (x - mean) * (x - mean) * h / (h - 1)
		}
		total, squares, runs = total+v, squares+v*v/(h-1), runs+n
	}
	return 2 * math.Sqrt(total) / runs, max(1, int(total*total/squares))
}

// TestRankMethodsAgainstSlow: with a method that lacks a task, and one that shares none with another.
func TestRankMethodsAgainstSlow(t *testing.T) {
	tables := boardLike(14, 5, 9)
	delete(tables[3], "task 4")
	delete(tables[6], "task 0")
	tables[9] = Table{"task 4": tables[9]["task 4"]}
	got, err := RankMethods(tables)
	if err != nil {
		t.Fatal(err)
	}
	above, c := slowAbove(t, tables)
	if math.Abs(got.Factor-c) > 1e-9 {
		t.Errorf("factor %v, slow %v", got.Factor, c)
	}
	sure := 0
	for i := range above {
		if !slices.Equal(got.Above[i], above[i]) {
			t.Errorf("method %d is above %v, slow %v", i, got.Above[i], above[i])
		}
		low, high := 1, len(above)
		for j := range above {
			if above[j][i] {
				low++
			}
			if above[i][j] {
				high--
				sure++
			}
		}
		if r := got.Ranks[i]; r.Low != low || r.High != high || r.Low > r.High {
			t.Errorf("method %d has ranks %d to %d, slow %d to %d", i, r.Low, r.High, low, high)
		}
	}
	if sure < 10 || got.Above[9][3] || got.Above[3][9] {
		t.Errorf("%d pairs are told apart, and what shares no task must not be", sure)
	}
}

func TestRankMethodsProperties(t *testing.T) {
	tables := boardLike(12, 4, 10)
	tables[5] = tables[0] // another name for the same
	delete(tables[7], "task 2")
	first, err := RankMethods(tables)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := first.Ranks[0], first.Ranks[5]; a != b {
		t.Errorf("a copy has %+v, the original %+v", b, a)
	}
	order := rng.New(3).Rand().Perm(len(tables))
	var shuffled []Table
	for _, i := range order {
		shuffled = append(shuffled, tables[i])
	}
	again, err := RankMethods(shuffled)
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range order {
		if again.Ranks[k] != first.Ranks[i] {
			t.Errorf("the order of the tables changed %+v to %+v", first.Ranks[i], again.Ranks[k])
		}
	}
	for i, a := range first.Ranks {
		own, err := StratifiedIQM(tables[i])
		if err != nil || own != a.IQM {
			t.Errorf("the IQM of %d is %+v among others, alone %+v, %v", i, a.IQM, own, err)
		}
		for j, b := range first.Ranks {
			told := first.Above[i][j] || first.Above[j][i]
			if !told && (a.Shared != b.Shared || a.High < b.Low) {
				t.Errorf("%d and %d cannot be told apart, but have %+v and %+v", i, j, a, b)
			}
			if a.Shared < b.Shared && !first.Above[i][j] {
				t.Errorf("%d shares a higher rank than %d, but is not surely above", i, j)
			}
		}
	}
}

// TestSaturated: methods that all but always reach the best score must not keep others from
// being told apart, and are not told apart themselves.
func TestSaturated(t *testing.T) {
	tables := boardLike(6, 4, 10)
	for i := range 30 {
		best := Table{}
		for k := range 4 {
			best[fmt.Sprint("task ", k)] = slices.Repeat([]float64{2}, 10)
		}
		// All but 8 to 10 of the 40 runs.
		for k := range 8 + i%3 {
			best[fmt.Sprint("task ", k%4)][(k/4+i)%10] = 1.8
		}
		tables = append(tables, best)
	}
	r, err := RankMethods(tables)
	if err != nil {
		t.Fatal(err)
	}
	for i := 6; i < 36; i++ {
		for j := range tables {
			if want := j < 6; r.Above[i][j] != want {
				t.Fatalf("%d is surely above %d: %v, want %v (factor %v)", i, j, !want, want, r.Factor)
			}
		}
	}
}

// TestRankMethodsByHand: seeds that agree, ties, and groups.
func TestRankMethodsByHand(t *testing.T) {
	same := func(x float64, n int) Table {
		return Table{"a": slices.Repeat([]float64{x}, n), "b": slices.Repeat([]float64{x}, n)}
	}
	r, err := RankMethods([]Table{same(1, 5), same(3, 5), same(1, 5), same(2, 5)})
	if err != nil {
		t.Fatal(err)
	}
	want := []Rank{{Place: 3, Low: 3, High: 4, Shared: 3}, {Place: 1, Low: 1, High: 1, Shared: 1}, {Place: 3, Low: 3, High: 4, Shared: 3}, {Place: 2, Low: 2, High: 2, Shared: 2}}
	for i := range want {
		want[i].IQM = r.Ranks[i].IQM
	}
	if !slices.Equal(r.Ranks, want) {
		t.Errorf("got %+v, want %+v", r.Ranks, want)
	}
	if r, err = RankMethods([]Table{same(1, 2), same(3, 2)}); err != nil || r.Above[1][0] || r.Ranks[1].Place != 1 || !math.IsInf(r.Ranks[0].IQM.Low, -1) {
		t.Errorf("two seeds decide nothing: got %+v, %v", r, err)
	}
	if r, err = RankMethods([]Table{same(1, MinRankSeeds-1), same(3, MinRankSeeds-1)}); err != nil || r.Above[1][0] {
		t.Errorf("four seeds decide nothing: got %+v, %v", r, err)
	}
	// 0 above 2, and 1 apart from neither: one group. 3 below all: another.
	chain := Rankings{Ranks: []Rank{{Low: 1}, {Low: 1}, {Low: 2}, {Low: 4}}, Above: [][]bool{{false, false, true, true}, {false, false, false, true}, {false, false, false, true}, make([]bool, 4)}}
	chain.share()
	for i, want := range []int{1, 1, 1, 4} {
		if chain.Ranks[i].Shared != want {
			t.Errorf("method %d of the chain shares rank %d, want %d", i, chain.Ranks[i].Shared, want)
		}
	}
}

func TestRankMethodsErrors(t *testing.T) {
	ok := Table{"a": {1, 2, 3}}
	for _, test := range []struct {
		tables []Table
		want   string
	}{
		{nil, "no tables: give one per method"},
		{[]Table{ok, {}}, "table 1 has no tasks: give it at least one with its scores"},
		{[]Table{{"a": nil}}, `table 0: task "a" has no scores: leave out what was not run`},
		{[]Table{ok, {"a": {1, 2}}}, `table 1: task "a" has 2 seeds, and 3 in a table before: seeds are paired`},
		{[]Table{{"a": {1, math.NaN()}}}, `table 0: task "a" has a score that is not finite`},
	} {
		if _, err := RankMethods(test.tables); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, err := StratifiedImprovement(ok, Table{"b": {1}}); err == nil {
		t.Error("no task in common: no error")
	}
}

// BenchmarkRankMethods ranks a board, and says how many times as long the slow way takes.
func BenchmarkRankMethods(b *testing.B) {
	tables := boardLike(110, 7, 10)
	start := time.Now()
	slowAbove(b, tables)
	slow := time.Since(start).Seconds()
	for b.Loop() {
		if _, err := RankMethods(tables); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(slow*float64(b.N)/b.Elapsed().Seconds(), "x-slow")
}
