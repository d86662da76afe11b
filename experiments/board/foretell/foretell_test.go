package foretell

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// scripted is a result in which a method has the area that is given of a seed, half of it as accuracy
// and a third as diversity.
func scripted(policy, task string, seeds int, area map[string]func(seed int) float64) *board.Result {
	r := &board.Result{Version: board.Version, Task: task, Policy: policy, Budget: 100, K: []int{64}, Tuning: []int{1, 2}, Seeds: []int{5, seeds}}
	for method, of := range area {
		row := board.Evaluated{Setting: "lr=0.1", As: board.Roles, Same: task + method, Seeds: map[string][]lined.Number{}, Solved: []lined.Number{1}, Found: []lined.Number{1},
			Means: map[string]lined.Number{"entropy": board.Four(of(0)), "tokens90": board.Four(1 - of(0))}}
		for seed := range seeds {
			for column, share := range map[string]float64{"area": 1, "accuracy": .5, "diversity": 1. / 3, "at50": .5, "at75": .5, "at90": .5} {
				row.Seeds[column] = append(row.Seeds[column], board.Four(share*of(seed)))
			}
		}
		r.Standings = append(r.Standings, board.Standing{Method: method, Rows: []board.Evaluated{row}, Tried: []board.Tried{{Setting: "lr=0.3", Score: 9, Accuracy: 9}, {Setting: "lr=0.1", Score: board.Four(of(0)), Accuracy: board.Four(of(0) / 2)}}})
	}
	slices.SortFunc(r.Standings, func(a, b board.Standing) int { return strings.Compare(a.Method, b.Method) })
	return r
}

// steady are methods that have the same area on every seed.
func steady(areas map[string]float64) map[string]func(int) float64 {
	out := map[string]func(int) float64{}
	for method, x := range areas {
		out[method] = func(int) float64 { return x }
	}
	return out
}

// noisy are methods with a true area each, the same on every board, and normal noise on each seed.
func noisy(methods int, noise float64, stream uint64) map[string]func(int) float64 {
	out := map[string]func(int) float64{}
	for i := range methods {
		name := fmt.Sprintf("m%03d", i)
		if i == 0 {
			name = board.Reference
		}
		good := rand.New(rand.NewPCG(uint64(i), 1)).NormFloat64()
		out[name] = func(seed int) float64 {
			return 10 + good + noise*rand.New(rand.NewPCG(uint64(i), stream+uint64(seed))).NormFloat64()
		}
	}
	return out
}

func compared(t *testing.T, short, long []*board.Result) *Comparison {
	t.Helper()
	f, err := Compare(short, long, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// agreement is a column of a scope.
func agreement(t *testing.T, s Scope, column string) Agreement {
	t.Helper()
	i := slices.IndexFunc(s.Columns, func(a Agreement) bool { return a.Column == column })
	if i < 0 {
		t.Fatalf("no column %q in %+v", column, s.Columns)
	}
	return s.Columns[i]
}

// TestByHand: of four methods, six pairs, one swap of neighbours leaves 5 - 1 of 6 and the
// reverse -1.
func TestByHand(t *testing.T) {
	short := []*board.Result{scripted("tabular", "bandit", 2, steady(map[string]float64{"a": .8, "b": .6, "c": .4, board.Reference: .2}))}
	for _, test := range []struct {
		long map[string]float64
		want float64
	}{
		{map[string]float64{"a": .9, "b": .5, "c": .3, board.Reference: .1}, 1},
		{map[string]float64{"a": .5, "b": .9, "c": .3, board.Reference: .1}, 4. / 6},
		{map[string]float64{"a": .1, "b": .2, "c": .3, board.Reference: .4}, -1},
		// c ties with b: five pairs differ on the long board, and tau-b is 5 / sqrt(6*5).
		{map[string]float64{"a": .9, "b": .3, "c": .3, board.Reference: .1, "only there": .2}, 5 / math.Sqrt(30)},
	} {
		f := compared(t, short, []*board.Result{scripted("transformer", "maze", 3, steady(test.long))})
		for _, column := range []string{"score", "accuracy", "diversity", "at50", "entropy", "tokens90"} {
			if w := f.Within[1]; w.Accuracy.Mean != 1 || w.Diversity.Mean != 1 || w.Board != "transformer" {
				t.Errorf("accuracy and diversity are shares of the area: %+v", w)
			}
			if got := agreement(t, f.Over[0], column).Tau; math.Abs(got.Mean-test.want) > 1e-12 || got.N != 4 {
				t.Errorf("%v: %s: %+v, want %v of 4 methods", test.long, column, got, test.want)
			}
		}
		if len(f.Over) != 1 || f.Tasks != nil {
			t.Errorf("boards of other tasks: %d scopes, %d pairs of tasks", len(f.Over), len(f.Tasks))
		}
	}
}

// TestItself: a board orders methods as itself, in every column and on every task.
func TestItself(t *testing.T) {
	whole := func() []*board.Result {
		return []*board.Result{scripted("tabular", "bandit", 4, noisy(12, 1, 100)), scripted("tabular", "maze", 4, noisy(12, 2, 200))}
	}
	f := compared(t, whole(), whole())
	for _, s := range append(slices.Clone(f.Over), f.Tasks...) {
		for _, c := range s.Columns {
			if c.Tau.N != 12 || math.Abs(c.Tau.Mean-1) > 1e-12 || math.Abs(c.Tau.Low-1) > 1e-12 || cmp.Diff(c.Halves[0], c.Halves[1], cmpopts.EquateNaNs()) != "" {
				t.Errorf("%v %s: %+v", s.Short, c.Column, c)
			}
		}
	}
	if len(f.Over) != 1 || len(f.Tasks) != 2 || f.Opposed() != nil || f.Moved() != nil || f.Hidden() != nil {
		t.Errorf("%d scopes, %d tasks, opposed %v, moved %v, hidden %v", len(f.Over), len(f.Tasks), f.Opposed(), f.Moved(), f.Hidden())
	}
	if f.Names() != [2]string{"short", "long"} {
		t.Errorf("names of boards of one policy: %v", f.Names())
	}
}

// TestOrder: neither the order of tasks and methods nor methods of one board alone change the
// numbers of the others.
func TestOrder(t *testing.T) {
	boards := func() (short, long []*board.Result) {
		short = []*board.Result{scripted("tabular", "bandit", 4, noisy(10, 1, 100)), scripted("tabular", "maze", 4, noisy(10, 2, 200))}
		return short, []*board.Result{scripted("transformer", "maze", 3, noisy(9, 1, 300)), scripted("transformer", "polynomial", 3, noisy(11, 1, 400))}
	}
	want := compared(t, first(boards()), second(boards()))
	short, long := boards()
	for _, r := range append(slices.Clone(short), long...) {
		slices.Reverse(r.Standings)
	}
	for _, format := range Formats() {
		a, err := want.Write(format)
		if err != nil {
			t.Fatal(err)
		}
		if format == "json" && !json.Valid(a) {
			t.Errorf("no JSON: %s", a)
		}
		if b, err := compared(t, short, long).Write(format); err != nil || string(a) != string(b) {
			t.Errorf("%s: the order of methods changes it: %v", format, err)
		}
	}
	slices.Reverse(short)
	got := compared(t, short, long)
	for i := range want.Over {
		if diff := cmp.Diff(want.Over[i].Columns, got.Over[i].Columns, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("the order of tasks changes taus:\n%s", diff)
		}
	}
	// m009 is on one of the long board's tasks, m010 on no task of the short board.
	if len(want.Shared) != 10 || len(want.Everywhere) != 9 || slices.Contains(want.Everywhere, "m009") {
		t.Errorf("methods of both %d, everywhere %v", len(want.Shared), want.Everywhere)
	}
	if len(want.Over) != 2 || !slices.Equal(want.Over[1].Short, []string{"maze"}) || len(want.Tasks) != 1 {
		t.Errorf("scopes %v, tasks %v", want.Over, want.Tasks)
	}
}

func first[A, B any](a A, _ B) A  { return a }
func second[A, B any](_ A, b B) B { return b }

func TestErrors(t *testing.T) {
	short := scripted("tabular", "bandit", 2, steady(map[string]float64{"a": .8, "b": .6, board.Reference: .2}))
	long := scripted("transformer", "bandit", 2, steady(map[string]float64{"a": .8, "c": .6, board.Reference: .2}))
	for _, c := range []struct {
		short, long []*board.Result
		want        string
	}{
		{[]*board.Result{short}, []*board.Result{long}, "the boards share 2 methods: want 3 or more"},
		{nil, []*board.Result{long}, "there are no results"},
		{[]*board.Result{short}, []*board.Result{long, long}, "there twice"},
		{[]*board.Result{short}, []*board.Result{scripted("transformer", "maze", 2, steady(map[string]float64{"a": 1, "b": 2}))}, "no result of grpo"},
	} {
		if _, err := Compare(c.short, c.long, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	f := compared(t, []*board.Result{short}, []*board.Result{short})
	if _, err := f.Write("latex"); err == nil {
		t.Error("a format that there is not: no error")
	}
}

// TestCeiling: boards whose methods are equally good, and whose seeds differ, agree up to the
// ceiling.
func TestCeiling(t *testing.T) {
	for _, test := range []struct{ noiseShort, noiseLong float64 }{{1, 1}, {2, 3}, {.5, 4}} {
		var taus, tops []float64
		for stream := range uint64(8) {
			short := scripted("tabular", "bandit", 10, noisy(150, test.noiseShort, 1000+100*stream))
			long := scripted("transformer", "bandit", 5, noisy(150, test.noiseLong, 9000+100*stream))
			a := newSheet([]*board.Result{short}, methodsOf(short), "score", true)
			b := newSheet([]*board.Result{long}, methodsOf(short), "score", true)
			_, top := ceilingOf(a, b)
			tau, err := stats.Tau(a.all(), b.all())
			if err != nil {
				t.Fatal(err)
			}
			taus, tops = append(taus, tau), append(tops, top)
		}
		if math.Abs(board.Mean(taus)-board.Mean(tops)) > 0.03 {
			t.Errorf("%+v: tau %v, ceiling %v", test, taus, tops)
		}
	}
}

func methodsOf(r *board.Result) (out []string) {
	for _, s := range r.Standings {
		out = append(out, s.Method)
	}
	return out
}

// TestReliability: sets of m1 and m2 seeds of methods with the variance q of one seed's correlate by
// sqrt(m1 q/(m1 q + 1) * m2 q/(m2 q + 1)).
func TestReliability(t *testing.T) {
	for _, q := range []float64{.05, .5, 1, 7} {
		for _, m := range [][3]int{{5, 5, 10}, {2, 3, 5}, {1, 1, 2}, {2, 8, 10}} {
			of := func(n int) float64 { return float64(n) * q / (float64(n)*q + 1) }
			tau := tauOfCorrelation(math.Sqrt(of(m[0]) * of(m[1])))
			if got := reliability(tau, m[0], m[1], m[2]); math.Abs(got-of(m[2])) > 1e-9 {
				t.Errorf("q %v, seeds %v: %v, want %v", q, m, got, of(m[2]))
			}
		}
	}
	if reliability(1, 5, 5, 10) != 1 || reliability(0, 5, 5, 10) != 0 || reliability(-.2, 5, 5, 10) != 0 || !math.IsNaN(reliability(math.NaN(), 5, 5, 10)) {
		t.Error("at the ends: want 1, 0, 0, NaN")
	}
}

func TestSplits(t *testing.T) {
	for _, test := range []struct{ n, taken, want int }{{10, 5, 126}, {10, 2, 45}, {5, 2, 10}, {4, 2, 3}, {2, 1, 1}, {13, 6, 13}} {
		got := splits(test.n, test.taken)
		if len(got) != test.want {
			t.Errorf("%d of %d seeds: %d splits, want %d", test.taken, test.n, len(got), test.want)
		}
		for _, s := range got {
			all := slices.Sorted(slices.Values(slices.Concat(s[0], s[1])))
			if len(s[0]) != test.taken || len(slices.Compact(all)) != test.n {
				t.Errorf("%d of %d seeds: %v", test.taken, test.n, s)
			}
		}
	}
}

// TestRepeats: three methods on three seeds. Seed 0 orders them a b c, seeds 1 and 2 a c b.
// Between one seed and the other two, tau is 1/3 if the one is seed 0; otherwise the mean of
// the two decides.
func TestRepeats(t *testing.T) {
	r := scripted("tabular", "bandit", 3, map[string]func(int) float64{
		board.Reference: func(int) float64 { return .9 },
		"b":             func(seed int) float64 { return []float64{.8, .5, .5}[seed] },
		"c":             func(seed int) float64 { return []float64{.5, .6, .6}[seed] },
	})
	// The others' means: of seeds 1 and 2 c leads by .1, of 0 and 1 (or 2) b leads by .1.
	table, err := board.NewTable([]*board.Result{r})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range repeats(table, "x") {
		if p.Column == "accuracy" {
			got = append(got, fmt.Sprintf("%s: %.4f [%.4f, %.4f] of %d", p.Occasions, p.Tau.Mean, p.Tau.Low, p.Tau.High, p.Pairs))
		}
	}
	// The tuned setting has the values of seed 0 on tuning seeds, and over all seeds b leads by
	// .1/3.
	if diff := cmp.Diff([]string{"1 seed and the other 2: 0.3333 [0.3333, 0.3333] of 3"}, got[:1]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(got) != 2 || !strings.HasPrefix(got[1], "2 tuning seeds and 3 evaluation seeds: 1.0000") {
		t.Errorf("tuning: %q", got)
	}
}

// TestLevelsTakeHalfOfTheRuns: diversity at a level is over the runs that reach it, at least half.
func TestLevelsTakeHalfOfTheRuns(t *testing.T) {
	nan := lined.Number(math.NaN())
	r := &board.Result{Seeds: []int{0, 4}, Standings: []board.Standing{{Method: "a", Rows: []board.Evaluated{{As: board.Roles, Seeds: map[string][]lined.Number{
		"at50": {.2, .4, nan, nan}, "at90": {.2, nan, nan, nan}}}}}}}
	if got := meanColumn([]*board.Result{r}, "a", "at50"); math.Abs(got-.3) > 1e-15 {
		t.Errorf("half of the runs: %v", got)
	}
	if got := meanColumn([]*board.Result{r}, "a", "at90"); !math.IsNaN(got) {
		t.Errorf("a quarter of the runs: %v", got)
	}
}

// TestWhoMisleads: lists of methods by the sure verdicts of the boards.
func TestWhoMisleads(t *testing.T) {
	line := func(sure int, low, high float64) board.Line {
		return board.Line{Sure: sure, Beats: stats.Interval{Low: low, High: high}}
	}
	f := &Comparison{Shared: []SharedMethod{
		{Method: board.Reference, Short: line(0, .4, .6), Long: line(0, .4, .6), Ranks: [2][2]float64{{0, 1}, {0, 1}}},
		{Method: "up and down", Short: line(1, .6, .8), Long: line(-1, .1, .2), Ranks: [2][2]float64{{0, .2}, {.2, 1}}},
		{Method: "down and up", Short: line(-1, .1, .2), Long: line(0, .6, .8), Ranks: [2][2]float64{{.5, 1}, {0, .6}}},
		{Method: "hidden", Short: line(0, .4, .8), Long: line(1, .6, .8), Ranks: [2][2]float64{{0, 1}, {0, .1}}},
	}}
	names := func(list []SharedMethod) (out []string) {
		for _, b := range list {
			out = append(out, b.Method)
		}
		return out
	}
	for _, test := range []struct {
		what string
		got  []SharedMethod
		want []string
	}{
		{"told above", f.Foretold(1), []string{"up and down"}}, {"told below", f.Foretold(-1), []string{"down and up"}}, {"hidden", f.Hidden(), []string{"hidden"}},
		{"opposed", f.Opposed(), []string{"up and down", "down and up"}}, {"moved", f.Moved(), []string{"up and down"}},
	} {
		if diff := cmp.Diff(test.want, names(test.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
	}
	if diff := cmp.Diff([3][3]int{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, f.Verdicts()); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// TestAuditAgainstBoards: cosines that grow as scores do have tau 1, and a method that was not audited
// does not count.
func TestAuditAgainstBoards(t *testing.T) {
	number := func(x float64) *record.AuditNumber { return &record.AuditNumber{Value: x} }
	a := &record.Audit{Version: record.AuditVersion, Groups: []int{4, Rollouts}, Ks: []int{1, 8}}
	for i, name := range []string{board.Reference, "c", "b", "a"} {
		x := float64(i)
		a.Rows = append(a.Rows,
			record.AuditRow{Label: name, Group: 4, How: record.AuditExact, SNR: number(x), Pass: []*record.AuditNumber{number(9), number(9)}},
			record.AuditRow{Label: name, Group: Rollouts, How: record.AuditExact, Pass: []*record.AuditNumber{number(x / 10), number(-x)}})
	}
	a.Rows = append(a.Rows, record.AuditRow{Label: "d", Group: Rollouts, Why: "Not a bandit's."})
	steps, err := NewSteps(a)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseSteps("steps.json", steps.Text())
	if err != nil || string(again.Text()) != string(steps.Text()) {
		t.Errorf("read again: %v", err)
	}
	whole := []*board.Result{scripted("tabular", "bandit", 2, steady(map[string]float64{"a": .8, "b": .6, "c": .4, "d": .3, board.Reference: .2}))}
	f, err := Compare(whole, whole, steps)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		column string
		tau    float64
	}{{"cosine pass@1", 1}, {"cosine pass@8", -1}, {"snr in groups of 4", 1}, {"snr in groups of 16", math.NaN()}} {
		s := f.Steps[i]
		for j := range s.Tuned {
			for _, got := range []stats.Interval{s.Tuned[j], s.Taus[j]} {
				if s.Column != want.column || got.Mean != want.tau && !math.IsNaN(want.tau) || math.IsNaN(want.tau) && got.N != 0 {
					t.Errorf("%s, %d: %+v, want %s, %v", s.Column, j, got, want.column, want.tau)
				}
			}
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseAudit("audit.json", text); err != nil || string(got.Text()) != string(steps.Text()) {
		t.Errorf("the document of bench audit: %v", err)
	}
	a.Groups = []int{4}
	text, _ = json.Marshal(a)
	for _, c := range []struct{ text, want string }{{string(text), "want 16 among them"}, {"{}", "is no audit"}, {"no", "is no audit"}} {
		if _, err := ParseAudit("x.json", []byte(c.text)); err == nil || !strings.Contains(err.Error(), "x.json") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
	steps.Methods[0].SNR = nil
	if _, err := ParseSteps("s.json", steps.Text()); err == nil {
		t.Error("a method without ratios: no error")
	}
}
