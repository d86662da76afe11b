package board

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/internal/lined"
)

var nan = math.NaN()

// entrantOf has settings of these labels, and a source's setting; "": none.
func entrantOf(paper string, labels ...string) Entrant {
	n := Entrant{Method: "m"}
	for _, l := range labels {
		n.Settings = append(n.Settings, Entry{Method: "m", Setting: l, Shared: true})
	}
	if paper != "" {
		n.Paper = &Entry{Method: "m", Setting: paper}
	}
	return n
}

func labelsOf(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Setting)
	}
	return out
}

// play runs the rounds of an entrant, as a contest does. scores has those of each setting by round, and ran
// the number of times that a setting was run in a round. It stops before a round; -1: never.
func play(n Entrant, before []Tried, rounds int, scores func(round int, setting string) float64, ran map[string]int, stop int) *Rounds {
	r := n.NewRounds(before, rounds)
	for round := range rounds {
		if round == stop {
			break
		}
		for _, e := range r.Missing(round) {
			ran[fmt.Sprint(e.Setting, " in round ", round)]++
			r.Set(round, e.Setting, scores(round, e.Setting))
		}
	}
	return r
}

// bestThird are the settings that are among the best third: those with fewer than a third, rounded up, of
// settings before them, where a setting is before another with a larger score, or with the same one and
// before it in the list.
func bestThird(settings []string, score func(string) float64) (out []string) {
	for i, s := range settings {
		before := 0
		for j, o := range settings {
			if score(o) > score(s) || score(o) == score(s) && j < i {
				before++
			}
		}
		if 3*before < len(settings) {
			out = append(out, s)
		}
	}
	return out
}

// TestRounds holds the rounds against a simulation that counts, for each setting, those before it: which
// settings are run in a round, which one is chosen, and that a run that is stopped and continued, from
// results that may have other settings too, runs nothing twice and chooses the same.
func TestRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var labels []string
		for i := range rapid.IntRange(1, 14).Draw(t, "settings") {
			labels = append(labels, fmt.Sprint("s", i))
		}
		rounds := rapid.IntRange(1, 2).Draw(t, "rounds")
		paper := rapid.SampledFrom(append([]string{"", "the source's"}, labels...)).Draw(t, "source")
		drawn := map[string]float64{}
		for _, l := range append(slices.Clone(labels), "the source's") {
			for round := range rounds { // ties, and seeds that have no score
				drawn[fmt.Sprint(round, l)] = rapid.SampledFrom([]float64{0, .1, .2, .3, .4, .5, .6, .7, nan}).Draw(t, "score")
			}
		}
		score := func(round int) func(string) float64 {
			return func(l string) float64 {
				x := drawn[fmt.Sprint(round, l)]
				if math.IsNaN(x) {
					return 0
				}
				return x
			}
		}

		in, want := labels, map[string]int{}
		for round := range rounds {
			if round > 0 {
				in = bestThird(in, score(round-1))
			}
			run := slices.Clone(in)
			if round == rounds-1 && paper != "" && !slices.Contains(run, paper) {
				run = append(run, paper)
			}
			for _, l := range run {
				want[fmt.Sprint(l, " in round ", round)] = 1
			}
		}
		best := in[0]
		for _, l := range in {
			if score(rounds-1)(l) > score(rounds-1)(best) {
				best = l
			}
		}

		n, ran := entrantOf(paper, labels...), map[string]int{}
		scores := func(round int, l string) float64 { return drawn[fmt.Sprint(round, l)] }
		r := play(n, nil, rounds, scores, ran, -1)
		if diff := cmp.Diff(want, ran); diff != "" {
			t.Fatalf("runs (-want +got):\n%s", diff)
		}
		if got := r.Chosen().Setting; got != best {
			t.Fatalf("chosen %s, want %s", got, best)
		}

		// In a range that was made wider after the fact, the same is chosen as in the wide one from the beginning.
		from := rapid.IntRange(0, len(labels)-1).Draw(t, "from")
		narrow := entrantOf(paper, labels[from:rapid.IntRange(from+1, len(labels)).Draw(t, "to")]...)
		before := play(narrow, nil, rounds, scores, map[string]int{}, -1).Tried
		wider := play(n, before, rounds, scores, map[string]int{}, -1)
		if got := wider.Chosen().Setting; got != best {
			t.Fatalf("chosen %s in a range that was made wider, want %s", got, best)
		}
		text := func(r *Rounds) string { return string(lined.Compact(r.known())) }
		if diff := cmp.Diff(text(r), text(wider)); diff != "" {
			t.Fatalf("known of a range that was made wider (-want +got):\n%s", diff)
		}

		ran = map[string]int{}
		stopped := play(n, nil, rounds, scores, ran, rapid.IntRange(0, rounds).Draw(t, "stop")).Tried
		stopped = append([]Tried{{Setting: "of another grid", Scores: []lined.Number{9, 9}}}, stopped...)
		again := play(n, stopped, rounds, scores, ran, -1)
		if diff := cmp.Diff(want, ran); diff != "" {
			t.Fatalf("runs of one that was stopped (-want +got):\n%s", diff)
		}
		if got := again.Chosen().Setting; got != best {
			t.Fatalf("chosen %s after a stop, want %s", got, best)
		}
		if diff := cmp.Diff(lined.Text(Standing{Tried: r.Tried}), lined.Text(Standing{Tried: again.Tried})); diff != "" {
			t.Fatalf("tried after a stop (-want +got):\n%s", diff)
		}
	})
}

// TestRoundsOfTwelve: of twelve settings all enter the first round, four the second, and the best of these
// wins, though another was better at first, and the source's setting is better still.
func TestRoundsOfTwelve(t *testing.T) {
	var labels []string
	for i := range 12 {
		labels = append(labels, fmt.Sprint(i))
	}
	first := []float64{.1, .5, .2, .9, nan, .5, .3, .5, .5, .2, .1, 0}
	second := map[string]float64{"1": .4, "3": .2, "5": .6, "7": .6, "11": .9}
	ran := map[string]int{}
	r := play(entrantOf("11", labels...), nil, 2, func(round int, l string) float64 {
		if round == 0 {
			return first[slices.Index(labels, l)]
		}
		return second[l]
	}, ran, -1)
	if len(ran) != 12+4+1 || r.Chosen().Setting != "5" {
		t.Errorf("%v, chosen %s, want 5", ran, r.Chosen().Setting)
	}
	if got := []float64{r.Tried[4].scoreIn(0), r.Tried[4].scoreIn(1), r.Tried[11].scoreIn(1), r.Tried[0].scoreIn(7)}; got[0] != 0 || !math.IsNaN(got[1]) || got[2] != .9 || !math.IsNaN(got[3]) {
		t.Errorf("scores %v", got)
	}
}

// firstRound is the rounds of a method on a task, of which the first has these scores.
func firstRound(n Entrant, scores ...float64) *Rounds {
	r := n.NewRounds(nil, 2)
	for i, s := range scores {
		if !math.IsNaN(s) {
			r.Set(0, n.Settings[i].Setting, s)
		}
	}
	return r
}

func TestCarriedOver(t *testing.T) {
	knob := func(paper string) Entrant {
		return entrantOf(paper, "lr=1 n=2", "lr=1 n=4", "lr=3 n=2", "lr=3 n=4")
	}
	idle := entrantOf("", "lr=1", "lr=2", "lr=3")
	rates := entrantOf("", "lr=1", "lr=2", "lr=3") // lr=2 is no rate of methods with a knob
	rates.Settings[1].Shared = false
	slow := entrantOf("", "lr=2")
	slow.Settings[0].Shared = false
	for _, c := range []struct {
		reason string
		tasks  []*Rounds
		want   []string
	}{
		{"one task", []*Rounds{firstRound(knob(""), .1, .2, .4, .3)}, []string{"lr=3 n=2"}},
		{"best on neither, and near the best on both", []*Rounds{firstRound(knob(""), 1, .8, .2, .1), firstRound(knob(""), .01, .09, .1, .02)}, []string{"lr=1 n=4", "lr=1 n=4"}},
		{"tasks weigh alike, whatever their areas", []*Rounds{firstRound(knob(""), .9, .5, 0, 0), firstRound(knob(""), .0015, .002, 0, 0)}, []string{"lr=1 n=2", "lr=1 n=2"}},
		{"the first of several", []*Rounds{firstRound(knob(""), .2, .4, .4, .4)}, []string{"lr=1 n=4"}},
		{"the source's setting, which the first round does not have", []*Rounds{firstRound(knob("lr=1"), .1, .2, .4, .3), firstRound(knob("lr=1"), .1, .2, .4, .3)}, []string{"lr=3 n=2", "lr=3 n=2"}},
		{"a task on which nothing has an area", []*Rounds{firstRound(knob(""), 0, 0, 0, 0), firstRound(knob(""), .1, .3, .2, 0)}, []string{"lr=1 n=4", "lr=1 n=4"}},
		{"a knob that makes no difference on the first task", []*Rounds{firstRound(idle, .1, .9, .2), firstRound(knob(""), .3, .4, .1, .45)}, []string{"lr=3", "lr=3 n=4"}},
		{"on the second", []*Rounds{firstRound(knob(""), .3, .4, .1, .45), firstRound(idle, .2, .9, .1)}, []string{"lr=1 n=4", "lr=1"}},
		{"on all", []*Rounds{firstRound(idle, .1, .3, .2), firstRound(idle, .3, .1, .25)}, []string{"lr=3", "lr=3"}},
		{"the best rate is not one that all methods have", []*Rounds{firstRound(rates, .1, .9, .2), firstRound(rates, .1, .9, .2)}, []string{"lr=3", "lr=3"}},
		{"it is no unit either", []*Rounds{firstRound(rates, .3, 3, .2), firstRound(rates, .1, .1, .13)}, []string{"lr=1", "lr=1"}},
		{"one setting", []*Rounds{firstRound(slow, .1), firstRound(slow, .2)}, []string{"lr=2", "lr=2"}},
		{"tasks with nothing in common", []*Rounds{firstRound(entrantOf("", "lr=1"), 1), firstRound(entrantOf("", "lr=2"), 1)}, nil},
	} {
		if diff := cmp.Diff(c.want, labelsOf(CarriedOver(c.tasks))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

// TestCarriedOverIsTheBestMean: of any scores, and in any order of tasks, no other setting has a larger mean
// of shares of the best.
func TestCarriedOverIsTheBestMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := []string{"lr=1 n=2", "lr=1 n=4", "lr=3 n=2", "lr=3 n=4", "lr=9 n=2", "lr=9 n=4"}
		var tasks []*Rounds
		mean := map[string]float64{}
		number := rapid.IntRange(1, 4).Draw(t, "tasks")
		for range number {
			scores := rapid.SliceOfN(rapid.Float64Range(0, 1), len(labels), len(labels)).Draw(t, "scores")
			tasks = append(tasks, firstRound(entrantOf(rapid.SampledFrom([]string{"", "lr=3", labels[1]}).Draw(t, "source"), labels...), scores...))
			if top := slices.Max(scores); top > 0 {
				for i, l := range labels {
					mean[l] += scores[i] / top / float64(number)
				}
			}
		}
		got := CarriedOver(tasks)
		for i := range tasks {
			for _, l := range labels {
				if mean[l] > mean[got[i].Setting]+.001 { // scores have four digits
					t.Fatalf("%s is carried over, with a mean of %v, and %s has %v", got[i].Setting, mean[got[i].Setting], l, mean[l])
				}
			}
		}
		slices.Reverse(tasks)
		if other := CarriedOver(tasks); other[0].Setting != got[0].Setting && math.Abs(mean[other[0].Setting]-mean[got[0].Setting]) > 1e-9 {
			t.Errorf("%s is carried over, and %s in the other order of tasks", got[0].Setting, other[0].Setting)
		}
	})
}

// TestEvaluateARun: a result of a run has its methods by name and reads back as it was written. Evaluating
// look by look gives the same as all seeds at once.
func TestEvaluateARun(t *testing.T) {
	task, entries := tinyTask(t), tinyEntries()
	first, second, both := twoSeeds, Stage{"more", 3, 3, 0}, Stage{"all", 1, 5, 0}
	runs := runTinyOn(t, task, entries, first, second, both)
	enter := func() *Result {
		r := task.NewResult([]Unfit{{"z", "Why."}, {"a", "Why."}})
		r.Seeds = []int{1, 5}
		for _, n := range []Entrant{{Method: "grpo", Settings: entries[:2]}, {Method: "rloo", Settings: entries[2:3], Paper: &entries[2]}, {Method: "vpo", Settings: entries[3:]}} {
			rounds := n.NewRounds(nil, 2)
			for round := range 2 {
				for i, e := range rounds.Missing(round) {
					rounds.Set(round, e.Setting, float64(i)/10)
				}
			}
			r.Try(rounds)
		}
		return r
	}
	evaluate := func(r *Result, stage string, reference int, order ...int) {
		t.Helper()
		for _, part := range [][]int{{reference}, order} {
			var wanted []Entry
			for _, i := range part {
				wanted = append(wanted, entries[i])
			}
			if err := r.Evaluate(task, runs[stage], wanted, Tuned, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func(r *Result) *Result {
		t.Helper()
		again, err := ParseResult("tiny.json", r.Text())
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	untried := read(enter()) // after tuning alone
	if s := untried.Standing("rloo"); s.Paper != "lr=0.1" || len(s.Rows) != 0 || len(s.Tried) != 1 {
		t.Errorf("after tuning %+v", s)
	}

	once, byLook := enter(), enter()
	evaluate(once, both.Name, 0, 2, 3)
	evaluate(byLook, first.Name, 0, 3, 2)
	byLook = read(byLook)
	evaluate(byLook, second.Name, 0, 2, 3)
	sameResult(t, once, byLook)
	again := read(byLook)
	if diff := cmp.Diff(string(byLook.Text()), string(again.Text())); diff != "" {
		t.Errorf("read again:\n%s", diff)
	}
	grpo, rloo := once.Tuned("grpo"), once.Tuned("rloo")
	if got := grpo.BySeed("gain"); slices.ContainsFunc(got, func(x float64) bool { return x != 0 && !math.IsNaN(x) }) || grpo.N() != 5 || len(grpo.Paths) != 5 || rloo.Paths != nil {
		t.Errorf("grpo is %v above itself, with %d paths of %d seeds", got, len(grpo.Paths), grpo.N())
	}

	if b := once.Base; b.Seeds != 5 || b.Solved[0] != lined.Four(2./6) || !(b.Diversity > b.Solved[0]) || !(b.Entropy > 0) { // two modes of six are right
		t.Errorf("base policy %+v", b)
	}

	// The paths of the result are those of its evaluations, to four digits, and the gain is held against
	// them.
	scored, err := task.Scored(runs[both.Name], entries[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	others, err := task.Scored(runs[both.Name], entries[2:3], nil)
	if err != nil {
		t.Fatal(err)
	}
	reached := again.Reached()
	for i, seed := range scored[0].Numbers {
		for j, p := range scored[0].Traces[i] {
			if got := reached[seed][j]; got.Accuracy != float64(lined.Four(p.Accuracy)) || got.Diversity != float64(lined.Four(p.Diversity)) || got.Solved != float64(lined.Four(p.Solved)) && !math.IsNaN(p.Solved) {
				t.Errorf("seed %d, evaluation %d: %+v, want %+v", seed, j, got, p)
			}
		}
		if got, want := rloo.BySeed("gain")[i], others[0].Traces[i].Above(scored[0].Traces[i], diversity); math.Abs(got-want) > .002 && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("seed %d: rloo is %v above grpo, want %v", seed, got, want)
		}
	}
	if err := enter().Evaluate(task, runs[both.Name], []Entry{{Method: "gpg", Setting: "lr=0.1"}}, Tuned, nil); err == nil {
		t.Error("a method that was not run is evaluated")
	}
	if err := task.NewResult(nil).Evaluate(task, runs[both.Name], entries[2:3], Tuned, nil); err == nil || !strings.Contains(err.Error(), "rloo was not tuned") {
		t.Errorf("a method that was not tuned: %v", err)
	}

	// If the setting for all tasks is the tuned setting, both share a row. Another setting has a row of its own.
	roles := func() (out [][]string) {
		for _, row := range once.Standing("grpo").Rows {
			out = append(out, row.As)
		}
		return out
	}
	if once.Carry(entries[0]) || !once.Carry(entries[1]) {
		t.Error("grpo: the tuned setting is evaluated again, or another one is not")
	}
	if err := once.Evaluate(task, runs[both.Name], entries[1:2], Carried, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{Tuned}, {Carried}}, roles()); diff != "" || once.Carry(entries[1]) {
		t.Errorf("another setting is carried; roles (-want +got):\n%s", diff)
	}
	if once.Carry(entries[0]) {
		t.Error("grpo: the tuned setting is evaluated again")
	}
	if diff := cmp.Diff([][]string{{Tuned, Carried}}, roles()); diff != "" {
		t.Errorf("the tuned setting is carried in place of another; roles (-want +got):\n%s", diff)
	}
}

// sameResult wants results that were evaluated in one go and in several to be the same, up to the rounding
// of their means, and but for the hashes of cells.
func sameResult(t *testing.T, once, several *Result) {
	t.Helper()
	near := func(what string, a, b []lined.Number) {
		t.Helper()
		if len(a) != len(b) {
			t.Errorf("%s: %v, want %v", what, b, a)
			return
		}
		for i := range a {
			x, y := float64(a[i]), float64(b[i])
			if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1.1e-3*max(.1, math.Abs(x)) {
				t.Errorf("%s: %v, want %v", what, b, a)
				return
			}
		}
	}
	a, b := once.Base, several.Base
	near("base policy", []lined.Number{lined.Number(a.Seeds), a.Diversity, a.Entropy}, []lined.Number{lined.Number(b.Seeds), b.Diversity, b.Entropy})
	near("curves of the base policy", slices.Concat(a.Solved, a.Found), slices.Concat(b.Solved, b.Found))
	for i, s := range once.Standings {
		for j, a := range s.Rows {
			b, place := several.Standings[i].Rows[j], s.Method+" "+a.Setting
			if s.Method != several.Standings[i].Method || a.Setting != b.Setting || !slices.Equal(a.As, b.As) {
				t.Fatalf("%s is %s %s", place, several.Standings[i].Method, b.Setting)
			}
			for _, c := range Names(0) {
				if slices.Contains(bySeed, c) {
					if diff := cmp.Diff(lined.Compact(a.Seeds[c]), lined.Compact(b.Seeds[c])); diff != "" {
						t.Errorf("%s: %s by seed\n%s", place, c, diff)
					}
					continue
				}
				near(place+" "+c, []lined.Number{a.Means[c]}, []lined.Number{b.Means[c]})
			}
			near(place+" solved", a.Solved, b.Solved)
			near(place+" found", a.Found, b.Found)
			if len(a.Trace) != len(b.Trace) {
				t.Fatalf("%s: a trace of %d, want %d", place, len(b.Trace), len(a.Trace))
			}
			for k := range a.Trace {
				near(place+" trace", a.Trace[k][:], b.Trace[k][:])
			}
			if diff := cmp.Diff(lined.Compact(a.Paths), lined.Compact(b.Paths)); diff != "" {
				t.Errorf("%s: paths\n%s", place, diff)
			}
		}
	}
}

// TestKnobThatMakesNoDifference: where all values of a knob score alike at every rate of the first round,
// rates alone are tried, also when a stopped run goes on; one value that differs, or nothing learned,
// changes nothing.
func TestKnobThatMakesNoDifference(t *testing.T) {
	n := entrantOf("lr=1 k=1", "lr=1 k=1", "lr=1 k=2", "lr=2 k=1", "lr=2 k=2")
	for _, label := range []string{"lr=1", "lr=1.3", "lr=1.6", "lr=2"} {
		n.Alone = append(n.Alone, Entry{Method: n.Method, Setting: label})
	}
	tried := func(scores ...float64) *Rounds {
		r := n.NewRounds(nil, 2)
		for i, e := range r.Missing(0) {
			r.Set(0, e.Setting, scores[i])
		}
		return r
	}
	labels := func(r *Rounds) (out []string) {
		for _, e := range r.Settings {
			out = append(out, e.Setting)
		}
		return out
	}
	with, alone := []string{"lr=1 k=1", "lr=1 k=2", "lr=2 k=1", "lr=2 k=2"}, []string{"lr=1", "lr=1.3", "lr=1.6", "lr=2"}
	for _, c := range []struct {
		name   string
		scores []float64
		want   []string
	}{
		{"alike at every rate", []float64{.3, .3, .5, .5}, alone},
		{"one differs", []float64{.3, .3, .5, .6}, with},
		{"nothing learned", []float64{0, 0, 0, 0}, with},
	} {
		again := n.NewRounds(tried(c.scores...).Tried, 2)
		if diff := cmp.Diff(c.want, labels(again)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if !slices.Equal(c.want, alone) {
			continue
		}
		if again.Paper == nil || again.Paper.Setting != "lr=1" || len(again.entries()) != 4 {
			t.Errorf("%s: the source's setting is %v among %d, want lr=1 among 4", c.name, again.Paper, len(again.entries()))
		}
		if left := again.Missing(0); len(left) != 4 {
			t.Errorf("%s: %d settings are left to try, want 4", c.name, len(left))
		}
		for i, e := range again.Missing(0) {
			again.Set(0, e.Setting, float64(i))
		}
		if diff := cmp.Diff(alone, labels(n.NewRounds(again.Tried, 2))); diff != "" {
			t.Errorf("%s, gone on with (-want +got):\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff(with, labels(n.NewRounds(tried(.3, .3, .5, .5).Tried, 1))); diff != "" {
		t.Errorf("a protocol of one round (-want +got):\n%s", diff)
	}
}

// TestKnobWithoutEffect: if at every rate all values of a knob have the same score in the first round, and
// the method learns, it goes on at as many rates without the knob. A contest that is continued at any point
// agrees, and one in which a value makes a difference keeps the knob.
func TestKnobWithoutEffect(t *testing.T) {
	n := entrantOf("lr=3", "lr=1 n=2", "lr=1 n=4", "lr=9 n=2", "lr=9 n=4")
	n.Alone = entrantOf("", "lr=1", "lr=3", "lr=5", "lr=9").Settings
	for _, c := range []struct {
		reason string
		scores [4]float64
		alone  bool
	}{
		{"by rate alone", [4]float64{.1, .1, .4, .4}, true},
		{"at one rate nothing is learned", [4]float64{0, 0, .4, .4}, true},
		{"nothing is learned", [4]float64{}, false},
		{"a value makes a difference", [4]float64{.1, .1, .4, .5}, false},
		{"at the lowest rate", [4]float64{.1, .2, .4, .4}, false},
	} {
		first := func(r *Rounds) *Rounds {
			for i, e := range n.Settings {
				if slices.Contains(labelsOf(r.Missing(0)), e.Setting) {
					r.Set(0, e.Setting, c.scores[i])
				}
			}
			return r
		}
		r := n.NewRounds(first(n.NewRounds(nil, 2)).known(), 2)
		want := n.Settings
		if c.alone {
			want = n.Alone
		}
		if diff := cmp.Diff(labelsOf(want), labelsOf(r.Settings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			continue
		}
		for i, e := range r.Missing(0) {
			r.Set(0, e.Setting, float64(i))
		}
		if len(r.Missing(0)) > 0 || len(r.Missing(1)) != 3 { // two of four, and the source's
			t.Errorf("%s: missing %v, then %v", c.reason, labelsOf(r.Missing(0)), labelsOf(r.Missing(1)))
		}
		again := n.NewRounds(r.known(), 2)
		if diff := cmp.Diff(string(lined.Compact(r.known())), string(lined.Compact(again.known()))); diff != "" {
			t.Errorf("%s, continued (-want +got):\n%s", c.reason, diff)
		}
		// With one round, as of the profile, the knob stays.
		if one := n.NewRounds(first(n.NewRounds(nil, 1)).known(), 1); len(one.Settings) != 4 || one.Settings[0].Setting != "lr=1 n=2" {
			t.Errorf("%s, with one round: %v", c.reason, labelsOf(one.Settings))
		}
	}
}
