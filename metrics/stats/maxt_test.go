package stats

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/rng"
	"modebench/internal/testkit"
)

// slowMaxT returns the critical value and, of each pair, the mean difference and its standard error,
// from the definitions: every draw flips each difference and computes its statistic anew.
func slowMaxT(methods []Table, pairs [][2]int, draws int, alpha float64) (critical float64, means, ses []float64) {
	names := map[string]bool{}
	for _, table := range methods {
		for task := range table {
			names[task] = true
		}
	}
	tasks := slices.Sorted(maps.Keys(names))
	sources := map[string]*rand.PCG{}
	for _, task := range tasks {
		sources[task] = &rand.PCG{}
		rng.New(0).Str("max t").Str(task).Seed(sources[task]) // of up to 64 seeds
	}
	statistic := func(i, j int, signs map[string]uint64) (mean, se float64, known bool) {
		var ms, vs []float64
		zero := true
		for _, task := range tasks {
			var ds []float64
			for s := range min(len(methods[i][task]), len(methods[j][task])) {
				if d := methods[i][task][s] - methods[j][task][s]; !math.IsNaN(d) {
					zero = zero && d == 0
					if signs[task]>>s&1 == 0 {
						d = -d
					}
					ds = append(ds, d)
				}
			}
			if len(ds) >= 2 {
				ms, vs = append(ms, Mean(ds)), append(vs, math.Pow(Deviation(ds), 2)/float64(len(ds)))
			}
		}
		tasks := float64(len(ms))
		return Mean(ms), math.Sqrt(Mean(vs) / tasks), !zero && tasks > 0
	}
	all := map[string]uint64{}
	for _, task := range tasks {
		all[task] = math.MaxUint64
	}
	largest := make([]float64, draws+1)
	for b := range largest {
		signs := all
		if b > 0 {
			signs = map[string]uint64{}
			for _, task := range tasks {
				signs[task] = sources[task].Uint64()
			}
		}
		for _, p := range pairs {
			if mean, se, known := statistic(p[0], p[1], signs); known {
				largest[b] = max(largest[b], math.Abs(mean)/se)
			}
		}
	}
	for _, p := range pairs {
		mean, se, _ := statistic(p[0], p[1], all)
		means, ses = append(means, mean), append(ses, se)
	}
	slices.Sort(largest)
	return largest[draws-int(math.Floor(alpha*float64(draws+1)))], means, ses
}

// slowBootstrap returns the critical value of the studentised bootstrap from its definition: every
// resample is a list of seeds, and its mean and deviation are computed anew.
func slowBootstrap(methods []Table, pairs [][2]int, resamples int, alpha float64) float64 {
	largest := make([]float64, resamples)
	for _, p := range pairs {
		a, b := methods[p[0]], methods[p[1]]
		ms, vs, tasks := make([]float64, resamples), make([]float64, resamples), 0.0
		same := true
		for _, task := range shared(a, b) {
			var ds []float64
			n := 0
			for s := range min(len(a[task]), len(b[task])) {
				if !math.IsNaN(a[task][s] - b[task][s]) {
					n++
				}
			}
			key := rng.New(uint64(n)).Str("max t bootstrap").Str(task)
			for s := range min(len(a[task]), len(b[task])) {
				if d := a[task][s] - b[task][s]; !math.IsNaN(d) {
					ds, key, same = append(ds, d), key.Int(uint64(s)), same && d == 0
				}
			}
			if n < 2 {
				continue
			}
			tasks++
			source := rand.PCG{}
			key.Seed(&source)
			for k := range resamples {
				drawn := make([]float64, n)
				for s := range drawn {
					drawn[s] = ds[source.Uint64()>>32*uint64(n)>>32]
				}
				ms[k] += Mean(drawn) - Mean(ds)
				vs[k] += math.Pow(Deviation(drawn), 2) / float64(n)
			}
		}
		if same || tasks == 0 {
			continue
		}
		for k := range largest {
			largest[k] = max(largest[k], math.Abs(ms[k])/math.Sqrt(vs[k]))
		}
	}
	slices.Sort(largest)
	return largest[resamples-int(math.Floor(alpha*float64(resamples+1)))]
}

// raggedTables draws a board whose methods have different tasks and seeds: some stopped early, one
// lacks seeds in between, one has another's scores.
func raggedTables() []Table {
	tables := boardLike(9, 5, 20)
	for i, n := range []int{20, 12, 6, 20, 12, 20, 20, 20, 6} {
		for task, scores := range tables[i] {
			tables[i][task] = scores[:n]
		}
	}
	delete(tables[3], "task 4")
	delete(tables[5], "task 0")
	tables[5]["task 2"] = tables[5]["task 2"][:1]
	tables[6]["task 1"][3], tables[6]["task 1"][11], tables[4]["task 3"][0] = math.NaN(), math.NaN(), math.NaN()
	tables[7] = tables[0]
	return tables
}

// TestMaxTByBruteForce: with one method and with all pairs, on ragged tables.
func TestMaxTByBruteForce(t *testing.T) {
	tables := raggedTables()
	var withFirst, all [][2]int
	for i := range tables {
		withFirst = append(withFirst, [2]int{i, 0})
		for j := range i {
			all = append(all, [2]int{i, j})
		}
	}
	for name, pairs := range map[string][][2]int{"one": withFirst, "all": all} {
		for _, alpha := range []float64{0.01, 0.05, 0.5} {
			want, means, ses := slowMaxT(tables, pairs, 199, alpha)
			f, err := newFlips(tables, pairs)
			if err != nil {
				t.Fatal(err)
			}
			slow := slowBootstrap(tables, pairs, 199, alpha)
			if got := f.resampled(199, alpha); math.Abs(got-slow) > 1e-8*slow {
				t.Errorf("%s, alpha %v: critical value of resamples %v, want %v", name, alpha, got, slow)
			}
			if got := f.critical(draws{199, 199}, alpha); math.Abs(got-max(want, slow)) > 1e-8*got {
				t.Errorf("%s, alpha %v: critical value %v, want the larger of %v and %v", name, alpha, got, want, slow)
			}
			if got := f.flipped(199, alpha); math.Abs(got-want) > 1e-8*want {
				t.Errorf("%s, alpha %v: critical value %v, want %v", name, alpha, got, want)
			}
			for i, d := range f.differences {
				testkit.Near(t, fmt.Sprint(name, pairs[i]), []float64{d.delta, d.se}, []float64{means[i], ses[i]}, 1e-12)
			}
		}
	}
	// Methods 0 and 7 are one, the others share a few seeds each.
	got, err := CompareWithReference(tables, tables[0], 0.05, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	zero := Comparison{Interval{N: 100}, 0, 5, Equal}
	if got.Methods[0] != zero || got.Methods[7] != zero {
		t.Errorf("copies: %+v and %+v, want %+v", got.Methods[0], got.Methods[7], zero)
	}
	if m := got.Methods[5]; m.Tasks != 3 || m.Difference.N != 60 {
		t.Errorf("a method that lacks a task and all but one seed of another: %d tasks and %d runs, want 3 and 60", m.Tasks, m.Difference.N)
	}
	if m := got.Methods[6]; m.Difference.N != 98 {
		t.Errorf("a method that lacks two seeds: %d runs, want 98", m.Difference.N)
	}
}

// rankAll compares all pairs over all seeds, without looks.
func rankAll(d draws, methods []Table, alpha float64) (*Rankings, error) {
	r := newRankings(len(methods))
	return r, r.compare(d, methods, alpha, func(i, j int) bool { return true })
}

// TestRankByDifferencesByBruteForce: sure orders follow from the critical value of all pairs.
func TestRankByDifferencesByBruteForce(t *testing.T) {
	tables := raggedTables()
	tables[8] = Table{"another": {1, 2, 3, 4, 5, 6}} // shares no task
	var pairs [][2]int
	for i := range tables {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	critical, means, ses := slowMaxT(tables, pairs, pairDraws.flips, 0.05)
	critical = max(critical, slowBootstrap(tables, pairs, pairDraws.resamples, 0.05))
	got, err := rankAll(pairDraws, tables, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	want, sure := newRankings(len(tables)), 0
	for k, p := range pairs {
		if math.Abs(means[k]) > critical*ses[k] {
			sure++
			if means[k] > 0 {
				want.note(p[0], p[1])
			} else {
				want.note(p[1], p[0])
			}
		}
	}
	if !slices.Equal(got.Ranks, want.Ranks) || !slices.EqualFunc(got.Above, want.Above, slices.Equal) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if sure < 5 || sure > 30 {
		t.Errorf("%d of %d pairs are told apart: the test shows little", sure, len(pairs))
	}
}

// TestComparisonsDoNotDependOnOrder: nor on the unit of the scores, nor on a number that is added to
// all methods' scores of a seed.
func TestComparisonsDoNotDependOnOrder(t *testing.T) {
	tables := raggedTables()
	reference, methods := tables[0], tables[1:]
	want, err := CompareWithReference(methods, reference, 0.05, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	reversed := slices.Clone(methods)
	slices.Reverse(reversed)
	got, err := CompareWithReference(reversed, reference, 0.05, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(got.Methods)
	if got.Critical != want.Critical || fmt.Sprint(got.Methods) != fmt.Sprint(want.Methods) {
		t.Errorf("in reversed order %+v, want %+v", got, want)
	}
	// A power of two leaves every rounding as it was.
	got, err = CompareWithReference(scaled(methods, 4, 0), scaled([]Table{reference}, 4, 0)[0], 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	if got.Critical != want.Critical {
		t.Errorf("in another unit: critical value %v, want %v", got.Critical, want.Critical)
	}
	for i, m := range got.Methods {
		if m.Standing != want.Methods[i].Standing || m.Difference.Low != 4*want.Methods[i].Difference.Low {
			t.Errorf("in another unit, method %d: %+v, want %+v", i, m, want.Methods[i])
		}
	}
	got, err = CompareWithReference(scaled(methods, 1, 0.7), scaled([]Table{reference}, 1, 0.7)[0], 0.05, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range got.Methods {
		testkit.Near(t, "with a seed's effect", []float64{m.Difference.Low, m.Difference.High}, []float64{want.Methods[i].Difference.Low, want.Methods[i].Difference.High}, 1e-9)
	}
}

// scaled returns the scores times a factor, with an effect of the seed.
func scaled(methods []Table, by, effect float64) (out []Table) {
	for _, table := range methods {
		changed := Table{}
		for task, scores := range table {
			for s, x := range scores {
				changed[task] = append(changed[task], by*x+effect*float64(s%7))
			}
		}
		out = append(out, changed)
	}
	return out
}

// TestFlipsWithoutSpread: differences that are one number have no standard error. From many seeds they
// settle a method, and from few not, since flips often leave no spread either.
func TestFlipsWithoutSpread(t *testing.T) {
	constant := func(n int, x float64) Table {
		return Table{"a": slices.Repeat([]float64{x}, n), "b": slices.Repeat([]float64{x}, n)}
	}
	for _, c := range []struct {
		n    int
		x    float64
		want Standing
	}{
		{12, 1.25, Better}, {12, 0.75, Worse}, {12, 1.03, Equal}, {12, 1, Equal},
		{2, 1.25, Unsettled}, {1, 2, Unsettled},
		{3, 0.5, Worse}, // two of 64 flips have all signs the same
		{12, 1 + 1e-12, Equal},
	} {
		got, err := CompareWithReference([]Table{constant(c.n, c.x)}, constant(c.n, 1), 0.05, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if m := got.Methods[0]; m.Standing != c.want {
			t.Errorf("%d seeds of %v: %+v, want %s", c.n, c.x, m, c.want)
		}
	}
	// The tasks' means cancel: the difference is 0, for sure, but flips show any.
	got, err := CompareWithReference([]Table{{"a": {2, 2, 2, 2, 2, 2, 2, 2}, "b": {0, 0, 0, 0, 0, 0, 0, 0}}}, constant(8, 1), 0.05, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if m := got.Methods[0]; m.Difference.Mean != 0 || m.Standing != Equal {
		t.Errorf("means that cancel: %+v, want an equal method", m)
	}
	if got, err = CompareWithReference([]Table{{"c": {1, 2, 3}}}, constant(12, 1), 0.05, 0.05); err != nil {
		t.Fatal(err)
	}
	if m := got.Methods[0]; m.Standing != Unsettled || m.Tasks != 0 || !math.IsNaN(m.Difference.Mean) || !math.IsInf(m.Difference.High, 1) {
		t.Errorf("no task in common: %+v", m)
	}
}

// TestComparisonErrors: each names the fault.
func TestComparisonErrors(t *testing.T) {
	one := Table{"a": {1, 2, 3}}
	for _, c := range []struct {
		methods       []Table
		reference     Table
		alpha, margin float64
		part          string
	}{
		{[]Table{one}, one, 0, 0.05, "alpha"},
		{[]Table{one}, one, math.NaN(), 0.05, "alpha"},
		{[]Table{one}, one, 1, 0.05, "alpha"},
		{[]Table{one}, one, 0.05, -1, "margin"},
		{[]Table{one}, one, 0.05, math.NaN(), "margin"},
		{[]Table{one}, one, 0.05, math.Inf(1), "margin"},
		{[]Table{one}, nil, 0.05, 0.05, "reference"},
		{[]Table{{"a": {1, math.Inf(-1)}}}, one, 0.05, 0.05, "infinite"},
	} {
		_, err := CompareWithReference(c.methods, c.reference, c.alpha, c.margin)
		testkit.WantError(t, err, c.part)
	}
	if got, err := CompareWithReference(nil, one, 0.05, 0.05); err != nil || len(got.Methods) != 0 {
		t.Errorf("no methods: %v, %v", got, err)
	}
	_, err := RankByLooks(nil, Looks)
	testkit.WantError(t, err, "no scores")
	_, err = RankByLooks([]Table{one, one}, []Look{{12, 2}})
	testkit.WantError(t, err, "alpha")
	_, err = Decide([]Table{one}, one, []Look{{12, 0.01}, {12, 0.04}}, 0.05)
	testkit.WantError(t, err, "look 2", "more than the 12")
	_, err = Decide([]Table{one}, one, []Look{{2, 0.01}, {12, 0}}, 0.05)
	testkit.WantError(t, err, "look 2", "alpha")
}

// TestDecideByHand: a settled method stops, and later looks use no more of its seeds.
func TestDecideByHand(t *testing.T) {
	r := rng.New(3).Str("decide").Rand()
	scores := func(mean, deviation float64) []float64 {
		return draw(r, 40, func(r *rand.Rand) float64 { return mean + deviation*rng.Normal(r) })
	}
	reference := Table{"a": scores(1, 0.1), "b": scores(1, 0.1)}
	methods := []Table{
		{"a": scores(1.5, 0.1), "b": scores(1.5, 0.1)}, // far above
		{"a": scores(1.07, 0.1), "b": scores(1.07, 0.1)},
		{"a": scores(1, 0.02), "b": scores(1, 0.02)},
		{"a": scores(1, 0.3), "b": scores(1, 0.3)},
		reference,
	}
	got, err := Decide(methods, reference, Looks, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	// The same by hand.
	seeds, looks := slices.Repeat([]int{0}, len(methods)), slices.Repeat([]int{0}, len(methods))
	for k, look := range Looks {
		tables := make([]Table, len(methods))
		for i := range methods {
			if looks[i] == 0 {
				seeds[i] = look.Seeds
			}
			tables[i] = firstSeeds(methods[i], seeds[i])
		}
		c, err := CompareWithReference(tables, reference, look.Alpha, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if got.Criticals[k] != c.Critical {
			t.Errorf("look %d: critical value %v, want %v", k+1, got.Criticals[k], c.Critical)
		}
		for i, m := range c.Methods {
			if looks[i] > 0 {
				continue
			}
			if m.Standing != Unsettled {
				looks[i] = k + 1
			}
			if (looks[i] > 0 || k == 2) && got.Methods[i] != (Decision{m, looks[i], seeds[i]}) {
				t.Errorf("method %d: %+v, want %+v at look %d", i, got.Methods[i], m, looks[i])
			}
		}
	}
	for i, want := range []int{1, 3, 2, 0, 1} {
		t.Logf("method %d: %+v", i, got.Methods[i])
		if i == 0 || i >= 3 {
			if got.Methods[i].Look != want {
				t.Errorf("method %d is settled at look %d, want %d", i, got.Methods[i].Look, want)
			}
		}
	}
	// Seeds of a method beyond its stop change nothing: without them the answers are the same.
	for i := range methods {
		methods[i] = firstSeeds(methods[i], got.Methods[i].Seeds)
	}
	again, err := Decide(methods, reference, Looks, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("without further seeds: %+v, want %+v", again, got)
	}
	// A method that lacks seeds asks for them, and holds up no other.
	methods[3] = firstSeeds(methods[3], 23)
	again, err = Decide(methods, reference, Looks, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if m := again.Methods[3]; m.Seeds != 24 || m.Standing != Unsettled {
		t.Errorf("a method lacks seeds: %+v; want 24 seeds asked", m)
	}
	if m := again.Methods[2]; m.Standing != got.Methods[2].Standing || m.Look != got.Methods[2].Look {
		t.Errorf("beside a method that lacks seeds: %+v, want %+v", m, got.Methods[2])
	}
	none, err := Decide(methods, firstSeeds(reference, 11), Looks, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if m := none.Methods[0]; none.Taken != 0 || m.Seeds != 12 || m.Standing != Unsettled || !math.IsNaN(m.Difference.Mean) {
		t.Errorf("the reference lacks seeds: %d looks, %+v", none.Taken, m)
	}
}
