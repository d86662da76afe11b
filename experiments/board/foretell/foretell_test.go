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

	"modebench/experiments/board"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// scripted is a result of twelve seeds in which a method has the area that is given of a seed, and half of it
// in all other columns.
func scripted(policy, task string, area map[string]func(seed int) float64) *board.Result {
	r := &board.Result{Version: board.Version, Task: task, Policy: policy, Budget: 100, K: []int{64}, Tuning: []int{1, 3}, Seeds: []int{5, 40}}
	for method, of := range area {
		row := board.Evaluated{Setting: "lr=0.1", As: board.Roles, Same: policy + task + method, Seeds: map[string][]lined.Number{}, Solved: []lined.Number{1}, Found: []lined.Number{1},
			Means: map[string]lined.Number{"entropy": lined.Four(of(0)), "tokens90": lined.Four(of(0))}}
		for seed := range 12 {
			for column, share := range map[string]float64{"area": 1, "accuracy": .5, "diversity": .5, "gain": .5, "end_gain": .5, "solved@16_gain": .5} {
				row.Seeds[column] = append(row.Seeds[column], lined.Four(share*of(seed)))
			}
		}
		r.Standings = append(r.Standings, board.Standing{Method: method, Rows: []board.Evaluated{row}})
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
	c, err := Compare(short, long)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tauOf is that of a column.
func tauOf(t *testing.T, list []Agreement, column string) stats.Interval {
	t.Helper()
	a := board.First(list, func(a *Agreement) bool { return a.Column == column })
	if a == nil {
		t.Fatalf("no column %q in %+v", column, list)
	}
	return a.Tau
}

// TestByHand: of four methods, six pairs, one swap of neighbours leaves 5 - 1 of 6 and the reverse -1.
func TestByHand(t *testing.T) {
	short := []*board.Result{scripted("tabular", "bandit", steady(map[string]float64{"a": .8, "b": .6, "c": .4, board.Reference: .2}))}
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
		c := compared(t, short, []*board.Result{scripted("transformer", "maze", steady(test.long))})
		for _, column := range []string{"score", "accuracy", "diversity", "gain", "entropy", "tokens90"} {
			if got := tauOf(t, c.Over, column); math.Abs(got.Mean-test.want) > 1e-12 || got.N != 4 {
				t.Errorf("%v: %s: %+v, want %v of 4 methods", test.long, column, got, test.want)
			}
		}
		if c.Tasks != nil || c.Names() != [2]string{"tabular", "transformer"} {
			t.Errorf("boards of other tasks: %d tasks, called %v", len(c.Tasks), c.Names())
		}
	}
}

// TestItself: a board orders methods as itself, in every column and on every task, and opposes itself nowhere.
func TestItself(t *testing.T) {
	whole := func() []*board.Result {
		return []*board.Result{scripted("tabular", "bandit", noisy(12, 1, 100)), scripted("tabular", "maze", noisy(12, 2, 200))}
	}
	c := compared(t, whole(), whole())
	lists := [][]Agreement{c.Over}
	for _, task := range c.Tasks {
		lists = append(lists, task.Columns)
	}
	if len(lists) != 3 || c.Tasks[1].Name != "maze" || c.Opposed() != nil || c.Names() != [2]string{"short", "long"} {
		t.Errorf("%d tasks, opposed %v, called %v", len(c.Tasks), c.Opposed(), c.Names())
	}
	for _, list := range lists {
		for _, a := range list {
			if a.Tau.N != 12 || math.Abs(a.Tau.Mean-1) > 1e-12 || math.Abs(a.Tau.Low-1) > 1e-12 {
				t.Errorf("%s: %+v", a.Column, a.Tau)
			}
		}
	}
	for i, row := range c.Answers() {
		for j, n := range row {
			if i != j && n != 0 {
				t.Errorf("%d methods are %s and %s on one board", n, answers[i], answers[j])
			}
		}
	}
}

// TestAnswers: a method counts by its answers on both boards, and is opposed if these are better and worse.
// A method that does not fit a task of a board does not count, and methods with the same records on both boards
// count once.
func TestAnswers(t *testing.T) {
	short := scripted("tabular", "bandit", steady(map[string]float64{board.Reference: .5, "up": .9, "up and down": .8, "down and up": .2, "level": .51, "level's twin": .51, "partly": .9}))
	long := scripted("transformer", "maze", steady(map[string]float64{board.Reference: .5, "up": .7, "up and down": .3, "down and up": .9, "level": .2, "level's twin": .2, "partly": .1}))
	for _, r := range []*board.Result{short, long} {
		r.Tuned("level's twin").Same = r.Tuned("level").Same
	}
	other := scripted("transformer", "coins", steady(map[string]float64{board.Reference: .5, "up": .7, "up and down": .3, "down and up": .9, "level": .2, "level's twin": .2}))
	other.Tuned("level's twin").Same = other.Tuned("level").Same
	c := compared(t, []*board.Result{short}, []*board.Result{long, other})
	if diff := cmp.Diff([4][4]int{{1, 0, 0, 1}, {0, 0, 0, 1}, {}, {1, 0, 0, 0}}, c.Answers()); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	var names []string
	for _, m := range c.Opposed() {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff([]string{"up and down", "down and up"}, names); diff != "" {
		t.Errorf("opposed (-want +got):\n%s", diff)
	}
	for format, want := range map[string]string{"text": "worse on the other: 2 methods.", "markdown": "| up and down | 1.600", "json": `"answers": [[1,0,0,1],[0,0,0,1],[0,0,0,0],[1,0,0,0]]`} {
		text, err := c.Write(format)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: error %v, or no %q in\n%s", format, err, want, text)
		}
	}
}

// TestOrder: the order of tasks and methods changes nothing, and neither do methods of one board alone.
func TestOrder(t *testing.T) {
	boards := func(more int) (short, long []*board.Result) {
		short = []*board.Result{scripted("tabular", "bandit", noisy(10, 1, 100)), scripted("tabular", "maze", noisy(10, 2, 200))}
		return short, []*board.Result{scripted("transformer", "maze", noisy(10+more, 1, 300)), scripted("transformer", "coins", noisy(10+more, 1, 400))}
	}
	short, long := boards(0)
	want := compared(t, short, long)
	short, long = boards(0)
	for _, r := range append(slices.Clone(short), long...) {
		slices.Reverse(r.Standings)
	}
	turned := compared(t, short, long)
	for _, format := range Formats() {
		a, err := want.Write(format)
		if err != nil || format == "json" && !json.Valid(a) {
			t.Errorf("%s: error %v, or not valid", format, err)
		}
		if b, err := turned.Write(format); err != nil || string(a) != string(b) {
			t.Errorf("%s in another order: error %v, or\n%s\nand not\n%s", format, err, b, a)
		}
	}
	if _, err := want.Write("latex"); err == nil {
		t.Error("an unknown format: no error")
	}
	short, long = boards(3)
	if diff := cmp.Diff(fmt.Sprint(want.Over), fmt.Sprint(compared(t, short, long).Over)); diff != "" {
		t.Errorf("with methods of one board alone (-without +with):\n%s", diff)
	}
}

// TestTooFew: boards that share two methods are an error.
func TestTooFew(t *testing.T) {
	a := scripted("tabular", "bandit", steady(map[string]float64{board.Reference: .5, "a": .6, "b": .7}))
	b := scripted("transformer", "maze", steady(map[string]float64{board.Reference: .5, "a": .6, "c": .7}))
	if _, err := Compare([]*board.Result{a}, []*board.Result{b}); err == nil || !strings.Contains(err.Error(), "the boards share 2 methods that fit all of their tasks: want 3 or more") {
		t.Errorf("two methods in common: error %v", err)
	}
}
