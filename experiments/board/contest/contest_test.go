package contest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	_ "modebench/internal/testkit" // puts temporary folders into memory
)

// tiny is a task whose cells take a moment, with a number of modes.
const tiny = `
[env]
name = "bandit"
modes = %d
rewarded = 2
components = %d
start = "zipf"
[train]
steps = 6
tokens = 96
problems = 1
batch = 1
group = 16
[eval]
every = 2
k = [1, 4, 16]
samples = 16
draws = 2
measure = ["drawn"]
`

// tinyTasks are two tasks of the board of tables. The knob of vpo makes a difference on the second alone.
func tinyTasks(t *testing.T) []board.Task {
	t.Helper()
	task := func(name string) board.Task {
		return board.Task{Name: name, Policy: "tabular", Accuracy: "reward", Diversity: "coverage@4", Solved: "pass", Found: "coverage"}
	}
	out, err := board.ReadTasks([]board.Task{task("one"), task("two")}, fstest.MapFS{
		"one.toml": {Data: fmt.Appendf(nil, tiny, 5, 1)}, "two.toml": {Data: fmt.Appendf(nil, tiny, 7, 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// methods fit both tasks, but for unfit, which fits neither. grpo+slow is a control of one setting.
var methods = []string{"grpo+slow", "grpo+hot", "rloo", "grpo", "vpo", unfit}

const unfit = "em-rl-token"

// A log counts the runs of a contest and has its results.
type log struct {
	Contest
	ran   map[string]int    // how often the variant of a stage of a task was asked for
	calls int               // of RunAll
	kept  map[string][]byte // results by task
	fail  int               // the call of RunAll that fails; 0: none
}

var errStopped = errors.New("stopped")

// newLog is a contest whose cells are in a folder.
func newLog(out string) *log {
	l := &log{ran: map[string]int{}, kept: map[string][]byte{}}
	l.Load = func(ctx context.Context) spec.LoadOptions { return spec.LoadOptions{Context: ctx} }
	l.RunAll = func(ctx context.Context, stage string, specs []*spec.Spec, made func(int, *record.Run) error) error {
		if l.calls++; l.calls == l.fail {
			return errStopped
		}
		for _, s := range specs {
			for _, v := range s.Variants {
				if v.Name != board.Base && v.Name != board.Optimum {
					l.ran[stage+" "+v.Name]++
				}
			}
		}
		return sweep.RunAll(ctx, specs, sweep.Options{Out: out, Jobs: 1, Cache: out}, made)
	}
	l.Keep = func(p *Placement) error { l.kept[p.Name] = p.Result.Text(); return nil }
	return l
}

// enter prepares methods, with the results so far.
func (l *log) enter(t *testing.T, names []string) []*Placement {
	t.Helper()
	list, err := Enter(t.Context(), tinyTasks(t), names, nil, func(task board.Task) (*board.Result, error) {
		if text, ok := l.kept[task.Name]; ok {
			return board.ParseTask(task, task.Name+".json", text)
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func resultsOf(list []*Placement) (out []*board.Result) {
	for _, p := range list {
		out = append(out, p.Result)
	}
	return out
}

// compete goes through the whole protocol.
func (l *log) compete(ctx context.Context, list []*Placement, undecided func(look int) ([]string, error)) error {
	if err := l.Tune(ctx, list); err != nil {
		return err
	}
	if err := l.Carry(ctx, list); err != nil {
		return err
	}
	return l.Extend(ctx, list, undecided)
}

// some are undecided at the first look, and one of them at the second.
func some(look int) ([]string, error) { return []string{"rloo", "vpo"}[:3-look], nil }

// TestContest goes through the protocol: settings are tried in rounds, chosen ones are evaluated on the
// seeds of the looks that they need, what is kept is not run again, and a contest that is stopped at any
// point goes on to the same results.
func TestContest(t *testing.T) {
	out := t.TempDir()
	whole := newLog(out)
	list := whole.enter(t, methods)
	if err := whole.compete(t.Context(), list, some); err != nil {
		t.Fatal(err)
	}
	for what, n := range whole.ran {
		if n != 1 {
			t.Errorf("%s was run %d times", what, n)
		}
	}
	for _, p := range list {
		looks := p.Protocol().Looks
		for _, name := range methods {
			if name == unfit {
				if p.Result.Standing(name) != nil || len(p.Result.Unfit) != 1 || p.Result.Unfit[0].Method != name {
					t.Errorf("%s: %s has a result, or does fit: %v", p.Name, name, p.Result.Unfit)
				}
				continue
			}
			s := p.Result.Standing(name)
			want := looks[0].Seeds
			switch name {
			case "grpo", "rloo":
				want = looks[2].Seeds
			case "vpo":
				want = looks[1].Seeds
			}
			tuned, carried := s.Row(board.Tuned), s.Row(board.Carried)
			if tuned == nil || tuned.N() != want || carried == nil || carried != tuned && carried.N() != looks[0].Seeds {
				t.Fatalf("%s: %s has the rows %+v, want %d seeds", p.Name, name, s.Rows, want)
			}
			if first := looks[0].Seeds; len(tuned.Cells) != 1+slices.IndexFunc([]int{first, looks[1].Seeds, looks[2].Seeds}, func(n int) bool { return n == want }) {
				t.Errorf("%s: %s has cells %v of %d seeds", p.Name, name, tuned.Cells, want)
			}
			// By the rounds' own scores: the chosen setting has the best of the last round, but for the source's.
			best, entered := "", 0
			for _, tried := range s.Tried {
				score := func(x board.Tried) float64 { return float64(x.Scores[1]) }
				if i := slices.IndexFunc(s.Tried, func(o board.Tried) bool { return o.Setting == best }); score(tried) >= 0 {
					entered++
					if tried.Setting != s.Paper && (i < 0 || score(tried) > score(s.Tried[i])) {
						best = tried.Setting
					}
				}
			}
			if tuned.Setting != best && tuned.Setting != s.Paper {
				t.Errorf("%s: %s is at %s, and %s was best: %v", p.Name, name, tuned.Setting, best, s.Tried)
			}
			if n := len(s.Tried); entered < (n+2)/3 || entered > (n+2)/3+1 {
				t.Errorf("%s: %d of %d settings of %s entered the last round", p.Name, entered, n, name)
			}
		}
	}
	one, two := list[0].Result, list[1].Result
	for _, name := range []string{"grpo+hot", "rloo", "grpo", "vpo"} {
		a, b := one.Row(name, board.Carried).Setting, two.Row(name, board.Carried).Setting
		if name == "vpo" { // whose knob makes no difference on one
			b, _, _ = strings.Cut(b, " ")
		}
		if a != b {
			t.Errorf("%s has one setting for all tasks: %s on one, and %s on the other", name, a, b)
		}
	}

	again := newLog(out)
	again.kept = whole.kept
	list = again.enter(t, methods)
	if err := again.compete(t.Context(), list, some); err != nil || again.calls != 0 {
		t.Errorf("from what was kept %d runs are made: %v, %v", again.calls, again.ran, err)
	}
	sameText(t, "again", whole.kept, list)
	if first := whole.Contest; first.Done < first.Minimum || first.Done > first.Maximum {
		t.Errorf("%v runs were made, of %v to %v", first.Done, first.Minimum, first.Maximum)
	}
	if again.Done != 0 || again.Minimum != 0 {
		t.Errorf("from what was kept %v runs were made, and at least %v were left", again.Done, again.Minimum)
	}

	for _, fail := range []int{2, whole.calls / 2, whole.calls} { // any call; some will do
		stopped := newLog(out)
		stopped.fail = fail
		if err := stopped.compete(t.Context(), stopped.enter(t, methods), some); !errors.Is(err, errStopped) {
			t.Fatalf("stopped at call %d: %v", fail, err)
		}
		list := stopped.enter(t, methods)
		if err := stopped.compete(t.Context(), list, some); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole.ran, stopped.ran); diff != "" {
			t.Errorf("stopped at call %d, and gone on (-want +got):\n%s", fail, diff)
		}
		sameText(t, fmt.Sprintf("stopped at call %d", fail), whole.kept, list)
	}
}

// sameText wants the results of placements to be those kept.
func sameText(t *testing.T, reason string, want map[string][]byte, list []*Placement) {
	t.Helper()
	for _, p := range list {
		if diff := cmp.Diff(string(want[p.Name]), string(p.Result.Text())); diff != "" {
			t.Errorf("%s: task %s (-want +got):\n%s", reason, p.Name, diff)
		}
	}
}

// TestAmong: a method that is run beside published results has the rows that it has in a run of all, and
// asks for the seeds that it needs by the table of all.
func TestAmong(t *testing.T) {
	folder := t.TempDir()
	whole := newLog(folder)
	list := whole.enter(t, methods)
	results := resultsOf(list)
	if err := whole.compete(t.Context(), list, func(look int) ([]string, error) { return board.Undecided(results, look) }); err != nil {
		t.Fatal(err)
	}
	grid, err := board.Published()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rloo", "vpo"} {
		alone := newLog(folder)
		alone.Keep = nil
		var mine []*Placement
		var published, added []*board.Result
		not := map[string]string{}
		for _, p := range list {
			task := p.Task // in the range of the results
			r := *p.Result
			r.Standings = slices.DeleteFunc(slices.Clone(r.Standings), func(s board.Standing) bool { return s.Method == name })
			r.Unfit = slices.DeleteFunc(slices.Clone(r.Unfit), func(u board.Unfit) bool { return u.Method == name })
			published = append(published, &r)
			entrants, out, err := task.Entrants(grid, []string{name}, spec.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(out) > 0 {
				not[task.Name] = out[0].Why
				continue
			}
			mine = append(mine, &Placement{Task: task, Entrants: entrants, Result: task.NewResult(nil), Among: &r})
			added = append(added, mine[len(mine)-1].Result)
		}
		err := alone.compete(t.Context(), mine, func(look int) ([]string, error) {
			joined, err := board.Joined(published, added, name, not)
			if err != nil {
				return nil, err
			}
			return board.Undecided(joined, look)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range mine {
			all := *board.First(results, func(r **board.Result) bool { return (*r).Task == p.Name })
			text := func(r *board.Result) string {
				return string((&board.Result{Standings: []board.Standing{*r.Standing(name)}}).Text())
			}
			if diff := cmp.Diff(text(all), text(added[i])); diff != "" {
				t.Errorf("%s on task %s (-want +got):\n%s", name, p.Name, diff)
			}
		}
		if len(mine)+len(not) != len(list) {
			t.Errorf("%s fits %d tasks, and not %v", name, len(mine), not)
		}
		place, err := board.NewPlace(published, added, name, not)
		if err != nil {
			t.Fatal(err)
		}
		table, err := board.NewTable(results)
		if err != nil {
			t.Fatal(err)
		}
		line := board.First(table.Rows, func(l *board.Line) bool { return slices.Contains(l.Methods(), name) })
		if got := place.Line; got.Score != line.Score || got.Decision != line.Decision || got.Rank != line.Rank {
			t.Errorf("%s is placed at %+v, and %+v in the table of all", name, got, line)
		}
		if cost, err := alone.Cost(t.Context(), mine, grid, name); err != nil || cost == nil || !(cost.Seconds > 0) || !(cost.Reference > 0) {
			t.Errorf("%s costs %+v, %v", name, cost, err)
		}
	}
}

// TestEnter: shards part the methods of all tasks, all with the reference, and faults of names and of kept results are errors.
func TestEnter(t *testing.T) {
	enter := func(part func(int) bool) (out []string) {
		t.Helper()
		list, err := Enter(t.Context(), tinyTasks(t), methods, part, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			for _, n := range p.Entrants {
				out = append(out, p.Name+" "+n.Method)
			}
		}
		return out
	}
	all := enter(nil)
	if len(all) != 2*len(methods)-2 {
		t.Errorf("entrants %q", all)
	}
	var parts []string
	for shard := range 3 {
		part := enter(func(i int) bool { return i%3 == shard })
		if len(part) < len(all)/3 {
			t.Errorf("shard %d has %q", shard, part)
		}
		if n := len(slices.DeleteFunc(slices.Clone(part), func(s string) bool { return !strings.HasSuffix(s, " "+board.Reference) })); n != 2 {
			t.Errorf("shard %d has the reference on %d of two tasks: %q", shard, n, part)
		}
		parts = append(parts, part...)
	}
	slices.Sort(all)
	slices.Sort(parts)
	if diff := cmp.Diff(all, slices.Compact(parts)); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
	if _, err := Enter(t.Context(), tinyTasks(t), []string{"grop"}, nil, nil); err == nil || !strings.Contains(err.Error(), "did you mean grpo") {
		t.Errorf("a name that is not there: %v", err)
	}
	other := func(task board.Task) (*board.Result, error) {
		r := task.NewResult(nil)
		r.Budget++
		return r, nil
	}
	if _, err := Enter(t.Context(), tinyTasks(t), methods, nil, other); err == nil || !strings.Contains(err.Error(), "tokens is") {
		t.Errorf("kept results of another budget: %v", err)
	}
}

// TestCapability: a task with a score of its own is tuned and measured on its own seeds, and keeps no rows.
func TestCapability(t *testing.T) {
	tasks := tinyTasks(t)[:1]
	tasks[0].Board = board.Profile
	tasks[0].Score = func(f *board.Final) float64 { return f.Scaled("reward", board.Metric(f.Last, "reward")) }
	l := newLog(t.TempDir())
	l.Keep = nil
	list, err := Enter(t.Context(), tasks, []string{"grpo", "poly-epo", unfit}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Tune(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	m := list[0].Measured
	if len(m.Methods) != 2 || len(m.Unfit) != 1 || len(m.Base) != 10 || l.calls != 2 || len(l.ran) != 2*4+2 {
		t.Fatalf("measured %+v in %d calls: %v", m, l.calls, l.ran)
	}
	for _, s := range m.Methods {
		best := s.Tried[0]
		for _, tried := range s.Tried {
			if tried.Score > best.Score {
				best = tried
			}
		}
		if s.Setting != best.Setting || len(s.Scores) != 10 || len(s.Tried) != 4 {
			t.Errorf("%s is at %s, want %s of %v, with %d scores", s.Method, s.Setting, best.Setting, s.Tried, len(s.Scores))
		}
	}
}
