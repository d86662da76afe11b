package progress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/terminal"
)

// viewer is the screen of a user: it obeys the sequences of ECMA-48 that the table is
// drawn with, wraps and scrolls, and fails on any other.
type viewer struct {
	t             *testing.T
	width, height int
	rows          [][]rune // all that was ever shown; the screen is the last height of them
	row, column   int
	writes        int
}

func (v *viewer) Write(p []byte) (int, error) {
	v.writes++
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		for v.row >= len(v.rows) {
			v.rows = append(v.rows, nil)
		}
		switch r := text[i]; {
		case r == '\n':
			v.row, v.column = v.row+1, 0
		case r == '\r':
			v.column = 0
		case r == '\x1b':
			end := i + 2
			for end < len(text) && (text[end] >= '0' && text[end] <= '9') {
				end++
			}
			v.obey(string(text[i+1:end]), text[end])
			i = end
		case r < ' ' || r == 0x7f:
			v.t.Errorf("control character %U", r)
		default:
			if v.column == v.width {
				v.row, v.column = v.row+1, 0
				v.rows = append(v.rows, nil)
			}
			for len(v.rows[v.row]) <= v.column {
				v.rows[v.row] = append(v.rows[v.row], ' ')
			}
			v.rows[v.row][v.column] = r
			v.column++
		}
	}
	for v.row >= len(v.rows) {
		v.rows = append(v.rows, nil)
	}
	return len(p), nil
}

func (v *viewer) obey(parameter string, command rune) {
	switch command {
	case 'A':
		n := 1
		fmt.Sscanf(parameter, "[%d", &n)
		v.row = max(v.row-n, len(v.rows)-v.height, 0)
	case 'J':
		v.rows = v.rows[:v.row+1]
		fallthrough
	case 'K':
		v.rows[v.row] = v.rows[v.row][:min(v.column, len(v.rows[v.row]))]
	default:
		v.t.Errorf("unknown sequence ESC %s%c", parameter, command)
	}
}

// text is the screen and the lines that scrolled off it.
func (v *viewer) text() string {
	var lines []string
	for _, r := range v.rows {
		lines = append(lines, strings.TrimRight(string(r), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// liveTest is a table on a viewer, with a clock that the test moves.
type liveTest struct {
	*table
	sweep.Options
	terminal *viewer
	time     time.Time
}

// newLiveTest is a display of methods with three seeds each, drawn by no ticks.
func newLiveTest(t *testing.T, width, height int, methods ...string) *liveTest {
	loaded := &spec.Spec{Name: "s", Seeds: 3, Columns: []string{"collapse_step", "reward", "pass@1", "coverage@4"}}
	for _, m := range methods {
		loaded.Variants = append(loaded.Variants, &spec.Variant{Label: m})
	}
	v := &liveTest{terminal: &viewer{t: t, width: width, height: height}, time: time.Unix(1000, 0)}
	size := func() (int, int) { return v.terminal.width, v.terminal.height }
	v.table = newTableOf(loaded, nil, &terminal.Screen{W: v.terminal, Size: size}, func() time.Time { return v.time })
	v.watch(&v.Options, v.note)
	return v
}

func newTableOf(loaded *spec.Spec, part func(int) bool, screen *terminal.Screen, clock func() time.Time) *table {
	s := newState(clock)
	s.addRows(loaded, part)
	return newTable(s, screen)
}

func (v *liveTest) wait(seconds int) { v.time = v.time.Add(time.Duration(seconds) * time.Second) }

// begin starts a cell of 100 steps.
func (v *liveTest) begin(variant, seed int) *sweep.CellRun {
	c := &sweep.CellRun{Cell: 3*variant + seed, Steps: 100}
	v.Begun(c)
	return c
}

// eval is an evaluation of a cell.
func (v *liveTest) eval(c *sweep.CellRun, step int, reward, entropy float64) {
	c.Reached(step)
	v.Evaluated(c, evalAt(step, reward, entropy))
}

func evalAt(step int, reward, entropy float64) record.Eval {
	return record.Eval{Step: step, Metrics: map[string]float64{"reward": reward, "pass@1": reward / 2, "coverage@4": 9, "entropy_token": entropy}}
}

// see redraws and compares what is on the screen.
func (v *liveTest) see(when, want string) {
	v.terminal.t.Helper()
	v.redraw()
	if d := cmp.Diff(strings.Trim(want, "\n"), v.terminal.text()); d != "" {
		v.terminal.t.Errorf("%s (-want +got):\n%s", when, d)
	}
}

func TestLiveTable(t *testing.T) {
	v := newLiveTest(t, 100, 24, "grpo", "poly-epo lambda=2")
	fmt.Fprintln(v.terminal, "$ bench run s")
	v.see("before the plan", "$ bench run s")
	v.Planned(sweep.Plan{Cells: 6, Finished: 1, Steps: 500})
	v.found(0, []record.Eval{evalAt(0, 0.5, 2), evalAt(100, 1, 1)})
	a, b := v.begin(0, 1), v.begin(0, 2)
	v.eval(a, 0, 0.25, 2)
	v.eval(b, 0, 0.25, 2)
	v.wait(10)
	v.eval(a, 50, 0.5, 1)
	b.Reached(25) // between evaluations
	v.see("two of a method run, behind one of an earlier run: the latest of each counts", `
$ bench run s
1 of 6 cells are finished already
method             cells       step  reward  pass@1  entropy_token
grpo                 1/3  25-50/100   0.583   0.292  █▅▅
poly-epo lambda=2    0/3
███░░░░░░░░░░░░░░░░░  15%  1/6 cells  75/500 steps  0:10 elapsed, ETA 0:57
`)
	v.eval(a, 100, 1, 0)
	v.Ended(a, nil)
	v.eval(b, 100, 1, 0)
	v.Ended(b, nil)
	c := v.begin(1, 0)
	v.wait(3600)
	v.note("poly-epo, seed 0: \x1b[2Jhello")
	v.see("a method is done, the next one begins; a note goes above", `
$ bench run s
1 of 6 cells are finished already
poly-epo, seed 0: \x1b[2Jhello
method             cells     step  reward  pass@1  entropy_token
grpo                 3/3     done   1.000   0.500  █▅▂
poly-epo lambda=2    0/3    0/100
████████░░░░░░░░░░░░  40%  3/6 cells  200/500 steps  1:00:10 elapsed, ETA 1:30:15
`)
	c.Reached(10)
	v.Ended(c, errors.New("it broke"))
	v.see("a cell fails: its steps are not done, and no longer waited for", `
$ bench run s
1 of 6 cells are finished already
poly-epo, seed 0: \x1b[2Jhello
method                     cells     step  reward  pass@1  entropy_token
grpo                         3/3     done   1.000   0.500  █▅▂
poly-epo lambda=2  0/3, 1 failed
████████░░░░░░░░░░░░  40%  3/6 cells  200/500 steps  1:00:10 elapsed, ETA 57:18
`)
	d := v.begin(1, 1)
	v.stopping = true
	v.see("an interruption is said until the run is over", `
$ bench run s
1 of 6 cells are finished already
poly-epo, seed 0: \x1b[2Jhello
method                     cells     step  reward  pass@1  entropy_token
grpo                         3/3     done   1.000   0.500  █▅▂
poly-epo lambda=2  0/3, 1 failed    0/100
████████░░░░░░░░░░░░  40%  3/6 cells  200/500 steps  1:00:10 elapsed, interrupted: stopping
`)
	v.Ended(d, context.Canceled)
	if r := v.rows[1]; r.failed != 1 {
		t.Errorf("a cell that was cut short counts as failed: %d", r.failed)
	}
	writes := v.terminal.writes
	v.redraw()
	v.redraw()
	if v.terminal.writes > writes+1 {
		t.Error("the same table was drawn twice")
	}
	v.note("the last word")
	v.clear()
	fmt.Fprintln(v.terminal, "bench: it broke")
	if d := cmp.Diff("$ bench run s\n1 of 6 cells are finished already\npoly-epo, seed 0: \\x1b[2Jhello\nthe last word\nbench: it broke", v.terminal.text()); d != "" {
		t.Errorf("the end leaves another screen (-want +got):\n%s", d)
	}
}

// TestLiveNarrow: nothing is ever wrapped, or taller than the terminal, whatever its
// size; the most urgent lines are left.
func TestLiveNarrow(t *testing.T) {
	methods := []string{"grpo", "setpo+grpo lambda=0.5 lr=0.03 temperature=1"}
	for i := range 60 {
		methods = append(methods, fmt.Sprintf("variant %d", i))
	}
	for width := 1; width < 120; width++ {
		for _, height := range []int{1, 2, 3, 4, 5, 9, 24} {
			v := newLiveTest(t, width, height, methods...)
			v.Planned(sweep.Plan{Cells: 62 * 3, Steps: 62 * 300})
			v.eval(v.begin(1, 0), 50, 0.25, 2)
			for _, file := range []string{"a", "b", "c", "d"} {
				v.Pretraining(train.Pretraining{Name: "maze, one answer", File: file, Step: 5, Steps: 20, Loss: 1.5})
			}
			for range 3 {
				v.redraw()
				v.wait(1)
			}
			if n := len(v.terminal.rows); n > max(2, height) || len(v.screen.Lines) == 0 != (height == 1) {
				t.Fatalf("%dx%d: %d lines on the screen and below it, of %d:\n%s", width, height, n, len(v.screen.Lines), v.terminal.text())
			}
			for _, line := range v.screen.Lines {
				if len([]rune(line)) >= width && width > 1 {
					t.Fatalf("%dx%d: %q is as wide as the terminal", width, height, line)
				}
			}
			v.clear()
			if got := v.terminal.text(); got != "" {
				t.Fatalf("%dx%d: the end leaves %q", width, height, got)
			}
		}
	}
	v := newLiveTest(t, 44, 24, methods[:2]...)
	v.Planned(sweep.Plan{Cells: 6, Steps: 600})
	v.eval(v.begin(1, 0), 50, 0.25, 2)
	v.see("44 characters", `
method        cells     step  reward  pass…
grpo            0/3
setpo+grpo …    0/3   50/100   0.250   0.1…
  8%  0/6 cells  50/600 steps  0:00 elapsed
`)
	v.clear()
}

// TestLiveManyMethods: of more methods than fit those that run are shown, then those
// that ended last, in the order of the spec.
func TestLiveManyMethods(t *testing.T) {
	var methods []string
	for i := range 20 {
		methods = append(methods, fmt.Sprintf("m%d", i))
	}
	v := newLiveTest(t, 80, 8, methods...) // five lines for methods
	v.Planned(sweep.Plan{Cells: 60, Steps: 6000})
	for _, variant := range []int{0, 2, 1} {
		v.Ended(v.begin(variant, 0), nil)
	}
	for _, variant := range []int{9, 15} {
		v.begin(variant, 0)
	}
	v.see("two run, three have ended a cell, fifteen are to come", `
method  cells     step
m1        1/3
m2        1/3
m9        0/3    0/100
m15       0/3    0/100
... and 16 more
█░░░░░░░░░░░░░░░░░░░   5%  3/60 cells  300/6000 steps  0:00 elapsed
`)
	for variant := 10; variant < 15; variant++ {
		v.begin(variant, 0)
	}
	v.see("more run than fit", `
method  cells     step
m9        0/3    0/100
m10       0/3    0/100
m11       0/3    0/100
m12       0/3    0/100
... and 16 more
█░░░░░░░░░░░░░░░░░░░   5%  3/60 cells  300/6000 steps  0:00 elapsed
`)
	v.clear()
}

// TestLivePretraining: base policies that are made come before any step, each with a
// line of its own, which goes when it is done or silent for long.
func TestLivePretraining(t *testing.T) {
	v := newLiveTest(t, 80, 24, "grpo")
	v.Planned(sweep.Plan{Cells: 3, Steps: 300})
	c := v.begin(0, 0)
	at := train.Pretraining{Name: "maze, one answer", File: "a", Step: 1, Steps: 201, Loss: 3}
	v.Pretraining(at)
	v.wait(10)
	at.Step, at.Loss = 51, 1.25
	v.Pretraining(at)
	at.File = "b"
	v.Pretraining(at)
	v.see("two base policies of one name", `
method  cells     step
grpo      0/3    0/100
base policy (maze, one answer): 51/201 steps, loss 1.250, ETA 0:30
base policy 2 (maze, one answer): 51/201 steps, loss 1.250
░░░░░░░░░░░░░░░░░░░░   0%  0/3 cells  0/300 steps  0:10 elapsed
`)
	at.File, at.Step = "a", 201
	v.Pretraining(at)
	v.wait(20)
	v.eval(c, 0, 0.5, 0)
	v.wait(10)
	v.eval(c, 50, 0.5, 0)
	v.see("the first is there; the pace of training is that of training alone", `
method  cells     step  reward  pass@1  entropy_token
grpo      0/3   50/100   0.500   0.250  ▁▁
base policy 2 (maze, one answer): 51/201 steps, loss 1.250
███░░░░░░░░░░░░░░░░░  16%  0/3 cells  50/300 steps  0:40 elapsed, ETA 0:50
`)
	v.wait(1)
	v.see("no word of the second one for half a minute", `
method  cells     step  reward  pass@1  entropy_token
grpo      0/3   50/100   0.500   0.250  ▁▁
███░░░░░░░░░░░░░░░░░  16%  0/3 cells  50/300 steps  0:41 elapsed, ETA 0:55
`)
	v.clear()
}

// TestLivePart: a run of a part of the cells counts those alone.
func TestLivePart(t *testing.T) {
	spec := &spec.Spec{Seeds: 3, Variants: []*spec.Variant{{Label: "a"}, {Label: "b"}, {Label: "c"}}}
	screen := &viewer{t: t, width: 80, height: 24}
	v := &liveTest{terminal: screen, table: newTableOf(spec, func(cell int) bool { return cell >= 5 }, nil, time.Now)}
	v.watch(&v.Options, v.note)
	v.Planned(sweep.Plan{Cells: 4, Finished: 1})
	v.found(8, nil)
	v.Begun(&sweep.CellRun{Cell: 5, Steps: 9})
	want := []string{"method  cells  step", "b         0/1   0/9", "c         1/3", "░░░░░░░░░░░░░░░░░░░░   0%  1/4 cells  0:00 elapsed"}
	if d := cmp.Diff(want, v.lines(80, 24)); d != "" {
		t.Errorf("the last four of nine cells (-want +got):\n%s", d)
	}
}

// TestLiveWithoutTraining: a run of evaluations alone counts cells; a run without work draws
// nothing.
func TestLiveWithoutTraining(t *testing.T) {
	v := newLiveTest(t, 80, 24, "base")
	v.Planned(sweep.Plan{Cells: 3, Finished: 1})
	v.found(0, nil)
	c := &sweep.CellRun{Cell: 1}
	v.Begun(c)
	v.see("one of two is under way", `
1 of 3 cells are finished already
method  cells        step
base      1/3  evaluating
░░░░░░░░░░░░░░░░░░░░   0%  1/3 cells  0:00 elapsed
`)
	v.wait(5)
	v.eval(c, 0, 1, 1)
	v.Ended(c, nil)
	v.wait(5)
	v.see("one of two is done", `
1 of 3 cells are finished already
method  cells  step  reward  pass@1  entropy_token
base      2/3         1.000   0.500  █
██████████░░░░░░░░░░  50%  2/3 cells  0:10 elapsed, ETA 0:05
`)
	v.clear()
	v = newLiveTest(t, 80, 24, "base")
	v.Planned(sweep.Plan{Cells: 3, Finished: 3})
	v.see("all is there already", "3 of 3 cells are finished already")
	v.clear()
}

// TestAllFail: cells that fail bring no run nearer to its end, however far they came.
func TestAllFail(t *testing.T) {
	v := newLiveTest(t, 80, 24, "grpo")
	v.Planned(sweep.Plan{Cells: 3, Steps: 300})
	for seed := range 3 {
		c := v.begin(0, seed)
		v.eval(c, 100, 0.5, 1)
		v.Ended(c, errors.New("it broke"))
	}
	v.wait(5)
	v.see("all steps were made, and no cell", `
method          cells     step  reward  pass@1  entropy_token
grpo    0/3, 3 failed            0.500   0.250  █
░░░░░░░░░░░░░░░░░░░░   0%  0/3 cells  0/300 steps  0:05 elapsed
`)
	v.clear()
	if v.done() != 0 || v.ended != 3 {
		t.Errorf("%d steps of %d cells, want 0 of 3", v.done(), v.ended)
	}
	v = newLiveTest(t, 80, 24, "base")
	v.Planned(sweep.Plan{Cells: 3})
	c := &sweep.CellRun{}
	v.Begun(c)
	v.eval(c, 0, 0.5, 1)
	v.wait(5)
	v.Ended(c, errors.New("it broke"))
	v.see("of three that are evaluated only", `
method          cells  step  reward  pass@1  entropy_token
base    0/3, 1 failed         0.500   0.250  █
░░░░░░░░░░░░░░░░░░░░   0%  0/3 cells  0:05 elapsed, ETA 0:10
`)
	v.clear()
}

// TestNoPaceAtFirst: the first two seconds predict no end.
func TestNoPaceAtFirst(t *testing.T) {
	for spent, want := range map[time.Duration]string{paceAfter - 1: "", paceAfter: ", ETA 0:06"} {
		if got := etaText(spent, 1, 4); got != want {
			t.Errorf("after %v: %q, want %q", spent, got, want)
		}
	}
}

func TestEntropyMetric(t *testing.T) {
	both := map[string]float64{"entropy_token": 1, "entropy_mode": 1, "reward": 1}
	for _, c := range []struct {
		columns []string
		metrics map[string]float64
		want    string
	}{
		{[]string{"reward", "entropy_token"}, both, "entropy_token"},
		{[]string{"reward"}, both, "entropy_mode"},
		{nil, map[string]float64{"entropy_token": 1}, "entropy_token"},
		{[]string{"reward"}, map[string]float64{"reward": 1}, ""},
	} {
		if got := entropyMetric(c.columns, c.metrics); got != c.want {
			t.Errorf("%v: %q, want %q", c.columns, got, c.want)
		}
	}
}

const tinySpec = `seeds = 2
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1]
samples = 4
[[method]]
name = "base"
[[method]]
name = "grpo"
`

// stuck is a terminal that takes nothing, as one does after Ctrl-S, until it is let go.
type stuck struct {
	out            bytes.Buffer
	held, released chan struct{}
	once           sync.Once
}

func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.held) })
	<-s.released
	return s.out.Write(p)
}

// TestStuckTerminalStopsNothing: a run trains to its end while its table cannot be drawn, and
// its records are those of a run without a table.
func TestStuckTerminalStopsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("tiny.toml", []byte(tinySpec), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := spec.Load("tiny.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Run(context.Background(), spec, sweep.Options{Out: "plain", Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	out := &stuck{held: make(chan struct{}), released: make(chan struct{})}
	l := newTableOf(spec, nil, &terminal.Screen{W: out, Size: func() (int, int) { return 80, 24 }}, time.Now)
	ticks := make(chan time.Time, 1)
	stop := onTicks(ticks, func(time.Time) { l.redraw() })
	l.planned(sweep.Plan{Cells: 4, Steps: 40})
	ticks <- time.Time{}
	<-out.held
	if _, err := sweep.Run(context.Background(), spec, sweep.Options{Out: "watched", Jobs: 2, Watch: l, Notes: l.note}); err != nil {
		t.Fatal(err)
	}
	close(out.released)
	stop()
	l.clear()
	files, err := filepath.Glob(filepath.Join("plain", "cells", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		if filepath.Base(path) == record.ProvenanceFile {
			continue
		}
		want, err := os.ReadFile(path)
		got, errWatched := os.ReadFile("watched" + strings.TrimPrefix(path, "plain"))
		if err != nil || errWatched != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: not the bytes of the run without a table (%v, %v)", path, err, errWatched)
		}
	}
}

// TestLiveTogether is for the race detector: drawing goes on while cells of several
// workers come and go, and the table ends where all of them did.
func TestLiveTogether(t *testing.T) {
	v := newLiveTest(t, 80, 24, "a", "b", "c", "d")
	v.Planned(sweep.Plan{Cells: 12, Steps: 1200})
	var workers sync.WaitGroup
	for variant := range 4 {
		workers.Go(func() {
			for seed := range 3 {
				c := v.begin(variant, seed)
				for step := range 101 {
					c.Reached(step)
					if step%10 == 0 {
						v.eval(c, step, float64(step)/100, 1)
						v.note("note")
						v.Pretraining(train.Pretraining{File: "x", Step: step, Steps: 100})
					}
				}
				v.Ended(c, nil)
			}
		})
	}
	for range 100 {
		v.redraw()
	}
	workers.Wait()
	v.redraw()
	last := v.screen.Lines[len(v.screen.Lines)-1]
	if !strings.Contains(last, "100%  12/12 cells  1200/1200 steps") || !slices.ContainsFunc(v.screen.Lines, func(l string) bool { return strings.Contains(l, "3/3     done   1.000   0.500") }) {
		t.Errorf("the end of the run:\n%s", strings.Join(v.screen.Lines, "\n"))
	}
	if n := strings.Count(v.terminal.text(), "note\n"); n != 4*3*11 {
		t.Errorf("%d notes, want %d", n, 4*3*11)
	}
	v.clear()
}

// TestReminders: without a terminal there is a line at least every half minute.
func TestReminders(t *testing.T) {
	var out strings.Builder
	begun := time.Now()
	p := newTextLines(Output{W: &out}, newState(func() time.Time { return begun }))
	p.planned(sweep.Plan{Cells: 1, Steps: 2000})
	cell := &sweep.CellRun{Steps: 2000}
	p.Begun(cell)
	cell.Reached(18)
	for second := range 61 {
		p.remind(begun.Add(time.Duration(second) * time.Second))
	}
	if want := "  0.9% of 2000 steps\n"; out.String() != want+want {
		t.Errorf("in a minute it says %q, want twice %q", out.String(), want)
	}
	p.training, p.clock = begun, func() time.Time { return begun.Add(90 * time.Second) }
	p.remind(begun.Add(90 * time.Second))
	if want := "  0.9% of 2000 steps, ETA 2:45:10\n"; !strings.HasSuffix(out.String(), want) { // 1982 steps at 5 s
		t.Errorf("after an evaluation it says %q, want %q", out.String(), want)
	}
	p.Ended(cell, nil)
	p.remind(begun.Add(2 * time.Minute))
	if !strings.HasSuffix(out.String(), "100.0% of 2000 steps\n") {
		t.Errorf("at the end it says %q", out.String())
	}
}

// TestPaceAfterAResume: steps of earlier runs do not count in the pace.
func TestPaceAfterAResume(t *testing.T) {
	at := time.Unix(0, 0)
	l := newTableOf(&spec.Spec{Seeds: 1}, nil, nil, func() time.Time { return at })
	l.planned(sweep.Plan{Cells: 1, Steps: 1000})
	l.rows = []*row{{cells: 1}}
	cell := &sweep.CellRun{Steps: 1000}
	l.Begun(cell)
	cell.GoesOn(900)
	l.training = at
	at = at.Add(10 * time.Second)
	cell.Reached(950) // 50 in ten seconds, and 50 are left
	if text := l.overall(200); !strings.Contains(text, "950/1000 steps  0:10 elapsed, ETA 0:10") {
		t.Errorf("the line says %q", text)
	}
}

// TestProgressOfBases: base policies of one form are pre-trained at the same time, and
// each has lines of its own.
func TestProgressOfBases(t *testing.T) {
	var out strings.Builder
	p := newTextLines(Output{W: &out}, newState(time.Now))
	for _, at := range []train.Pretraining{
		{Name: "maze, one answer", File: "a", Step: 10, Steps: 20, Loss: 2},
		{Name: "maze, one answer", File: "b", Step: 5, Steps: 10, Loss: 3},
		{Name: "maze, chains of 3 answers", File: "c", Step: 5, Steps: 10, Loss: 4},
		{Name: "maze, one answer", File: "a", Step: 11, Steps: 20, Loss: 2},
		{Name: "maze, one answer", File: "a", Step: 20, Steps: 20, Loss: 1},
		{Name: "maze, one answer", File: "b", Step: 10, Steps: 10, Loss: 2},
	} {
		p.pretraining(at)
	}
	want := `base policy (maze, one answer):  50% of 20 steps, loss 2.000
base policy 2 (maze, one answer):  50% of 10 steps, loss 3.000
base policy (maze, chains of 3 answers):  50% of 10 steps, loss 4.000
base policy (maze, one answer): 100% of 20 steps, loss 1.000
base policy 2 (maze, one answer): 100% of 10 steps, loss 2.000
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("progress (-want +got):\n%s", d)
	}
}
