package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

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

// TestSureWins: against the probabilities of all 2^n falls of n coins, and by hand.
func TestSureWins(t *testing.T) {
	for n := 0; n <= 16; n++ {
		heads := make([]int, n+1)
		for coins := range 1 << n {
			heads[bits.OnesCount(uint(coins))]++
		}
		for _, pairs := range []int{1, 3, 100} {
			want, tail := n+1, 0
			for w := n; w >= 0; w-- {
				if tail += heads[w]; float64(tail)/float64(int(1)<<n) <= .05/float64(2*pairs) {
					want = w
				}
			}
			if got := SureWins(n, pairs); got != want {
				t.Errorf("%d runs and %d pairs: %d wins, want %d", n, pairs, got, want)
			}
		}
	}
	// Of one pair: 9 of 10 have probability 11/1024 and 8 of 10 56/1024. Binomial tails of 80 from
	// R: 1-pbinom(59,80,.5) = 4.3e-6, 1-pbinom(58,80,.5) = 1.3e-5.
	for _, c := range [][3]int{{10, 1, 9}, {5, 1, 6}, {6, 1, 6}, {80, 4753, 60}} {
		if got := SureWins(c[0], c[1]); got != c[2] {
			t.Errorf("%d runs and %d pairs: %d wins, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestRankMethodsByCounting: with a method that lacks a task, and two methods that share no task. Sure
// orders follow from the wins of each pair, counted in another way.
func TestRankMethodsByCounting(t *testing.T) {
	tables := boardLike(14, 5, 9)
	delete(tables[3], "task 4")
	delete(tables[6], "task 0")
	tables[9] = Table{"task 4": tables[9]["task 4"]}
	got := rankMethods(t, tables)
	pairs := 14*13/2 - 1 // 3 and 9 share no task
	sure := 0
	for i, a := range tables {
		low, high := 1, len(tables)
		for j, b := range tables {
			won, lost := 0, 0
			runs := 0
			for task := range a {
				for s := range b[task] {
					runs++
					won += max(cmp.Compare(a[task][s], b[task][s]), 0)
					lost += max(cmp.Compare(b[task][s], a[task][s]), 0)
				}
			}
			if want := runs > 0 && won >= SureWins(runs, pairs); got.Above[i][j] != want {
				t.Errorf("%d above %d: %v with %d of %d runs", i, j, !want, won, runs)
			} else if want {
				high--
				sure++
			}
			if runs > 0 && lost >= SureWins(runs, pairs) {
				low++
			}
		}
		if r := got.Ranks[i]; r.Low != low || r.High != high || r.Low > r.High {
			t.Errorf("method %d has ranks %d to %d, want %d to %d", i, r.Low, r.High, low, high)
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
	first := rankMethods(t, tables)
	if a, b := first.Ranks[0], first.Ranks[5]; a != b {
		t.Errorf("a copy has %+v, the original %+v", b, a)
	}
	order := rng.New(3).Rand().Perm(len(tables))
	var shuffled, scaled []Table
	for _, i := range order {
		shuffled = append(shuffled, tables[i])
	}
	for k, r := range rankMethods(t, shuffled).Ranks {
		if r != first.Ranks[order[k]] {
			t.Errorf("the order of the tables changed %+v to %+v", first.Ranks[order[k]], r)
		}
	}
	// Each task may have a scale of its own.
	for _, table := range tables {
		other := Table{}
		for task, xs := range table {
			for _, x := range xs {
				other[task] = append(other[task], math.Exp(float64(len(task)+int(task[5]))*x))
			}
		}
		scaled = append(scaled, other)
	}
	for i, r := range rankMethods(t, scaled).Ranks {
		if r.Low != first.Ranks[i].Low || r.High != first.Ranks[i].High {
			t.Errorf("another scale of each task changed %+v to %+v", first.Ranks[i], r)
		}
	}
	for i, a := range first.Ranks {
		own, err := StratifiedIQM(tables[i])
		if err != nil || own != a.IQM {
			t.Errorf("the IQM of %d is %+v among others, alone %+v, %v", i, a.IQM, own, err)
		}
	}
}

// TestRankMethodsByHand: seeds that agree, and ties.
func TestRankMethodsByHand(t *testing.T) {
	same := func(x float64, n int) Table {
		return Table{"a": slices.Repeat([]float64{x}, n), "b": slices.Repeat([]float64{x}, n)}
	}
	// Of six pairs, ten of ten runs are needed: 6 * 2 * 2^-10 is below .05, and with 11 it is not.
	r := rankMethods(t, []Table{same(1, 5), same(3, 5), same(1+1e-12, 5), same(2, 5)})
	want := []Rank{{Low: 3, High: 4}, {Low: 1, High: 1}, {Low: 3, High: 4}, {Low: 2, High: 2}}
	for i := range want {
		want[i].IQM = r.Ranks[i].IQM
	}
	if !slices.Equal(r.Ranks, want) {
		t.Errorf("got %+v, want %+v", r.Ranks, want)
	}
	if r = rankMethods(t, []Table{same(1, 2), same(3, 2)}); r.Above[1][0] || !math.IsInf(r.Ranks[0].IQM.Low, -1) {
		t.Errorf("two seeds of two tasks decide nothing: got %+v", r)
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
	if _, err := PairedImprovement(ok, Table{"b": {1}}); err == nil {
		t.Error("no task in common: no error")
	}
}

func BenchmarkRankMethods(b *testing.B) {
	tables := boardLike(110, 8, 10)
	for b.Loop() {
		if _, err := RankMethods(tables); err != nil {
			b.Fatal(err)
		}
	}
}

func rankMethods(t *testing.T, tables []Table) *Rankings {
	t.Helper()
	ranks, err := RankMethods(tables)
	if err != nil {
		t.Fatal(err)
	}
	return ranks
}
