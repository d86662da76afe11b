package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// specsOf are specs of one environment with these methods each.
func specsOf(t *testing.T, methods map[string]string) map[string]*spec.Spec {
	t.Helper()
	head, _, _ := strings.Cut(exptest.Minimal, "[[method]]")
	specs := map[string]*spec.Spec{}
	for name, text := range methods {
		spec := exptest.Load(t, name+".toml", head+text)
		specs[name] = spec
	}
	return specs
}

const (
	grpoMethod = "[[method]]\nname = \"grpo\"\n"
	rlooMethod = "[[method]]\nname = \"rloo\"\n"
	diverging  = "[[method]]\nname = \"reinforce\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }\n"
)

// TestRunAllIsEachRun: the specs' cells and manifests are those of runs of each,
// and the two cells of grpo, which both specs have, are counted and made once.
func TestRunAllIsEachRun(t *testing.T) {
	specs := specsOf(t, map[string]string{"one": grpoMethod, "two": rlooMethod + grpoMethod})
	list := []*spec.Spec{specs["one"], specs["two"]}
	apart := t.TempDir()
	var want []string
	for _, spec := range list {
		want = append(want, runIn(t, spec, apart, 1).Dir)
	}
	together := t.TempDir()
	var plan Plan
	var mu sync.Mutex
	begun := map[string]int{}
	got := make([]string, len(list))
	err := RunAll(t.Context(), list, Options{
		Out: together, Jobs: 2, Planned: func(p Plan) { plan = p },
		Watch: &begins{func(run *CellRun) {
			mu.Lock()
			defer mu.Unlock()
			begun["all"]++
		}},
	}, func(i int, run *record.Run) error {
		got[i] = run.Dir
		for _, v := range run.Variants { // all of them are there by now
			for _, ref := range v.Cells {
				if _, err := run.Evals(ref); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Cells != 4 || plan.Finished != 0 || begun["all"] != 4 {
		t.Errorf("%+v and %d cells begun, want 4: two seeds of two methods", plan, begun["all"])
	}
	for i := range want {
		if filepath.Base(want[i]) != filepath.Base(got[i]) {
			t.Errorf("spec %d is made in %s, want %s", i, got[i], want[i])
		}
	}
	if d := cmp.Diff(exptest.Tree(t, apart), exptest.Tree(t, together)); d != "" {
		t.Errorf("runs of each (-want) and of all (+got):\n%s", d)
	}
}

// begins is a Watcher of the beginnings of cells.
type begins struct{ begun func(*CellRun) }

func (b *begins) Begun(run *CellRun)              { b.begun(run) }
func (b *begins) Evaluated(*CellRun, record.Eval) {}
func (b *begins) Ended(*CellRun, error)           {}

// TestRunAllWaitsForNoSpec: a cell of the second spec begins while the last one of the
// first runs. The watcher holds up that one until it does.
func TestRunAllWaitsForNoSpec(t *testing.T) {
	specs := specsOf(t, map[string]string{"one": grpoMethod, "two": rlooMethod})
	second := make(chan struct{})
	var count int
	var mu sync.Mutex
	var order []string
	err := RunAll(t.Context(), []*spec.Spec{specs["one"], specs["two"]}, Options{Out: t.TempDir(), Jobs: 2, Watch: &begins{func(*CellRun) {
		mu.Lock()
		count++
		at := count
		mu.Unlock()
		switch at { // cells are begun in the order of the queue
		case 1:
			select {
			case <-second:
			case <-time.After(time.Minute):
				t.Error("no cell of the second spec begins while the first spec has one under way")
			}
		case 3:
			close(second)
		}
	}}}, func(i int, run *record.Run) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, run.Spec)
		return nil
	})
	slices.Sort(order)
	if err != nil || !slices.Equal(order, []string{"one", "two"}) {
		t.Errorf("made %v (%v), want each spec once", order, err)
	}
}

// TestRunAllSeparatesFailures: a spec whose cell fails has no manifest and is named in the error,
// as is a failure of writing another spec; the other specs are made.
func TestRunAllSeparatesFailures(t *testing.T) {
	specs := specsOf(t, map[string]string{"bad": diverging + grpoMethod, "good": grpoMethod, "unread": rlooMethod})
	list, out := []*spec.Spec{specs["bad"], specs["good"], specs["unread"]}, t.TempDir()
	unread := errors.New("cannot be judged")
	made := make([]bool, len(list))
	err := RunAll(t.Context(), list, Options{Out: out, Jobs: 2}, func(i int, run *record.Run) error {
		made[i] = true
		if i == 2 {
			return unread
		}
		return nil
	})
	if !slices.Equal(made, []bool{false, true, true}) {
		t.Errorf("made %v, want all but the first", made)
	}
	var cell *CellError
	if !errors.As(err, &cell) || cell.Label != "reinforce" || !errors.Is(err, unread) {
		t.Fatalf("got %v, want the failure of reinforce, and of what was done with the third", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "bad: ") || !strings.HasPrefix(lines[1], "bad: ") || lines[2] != "unread: cannot be judged" {
		t.Errorf("%q, want two cells of bad and one line of unread", lines)
	}
	for name, there := range map[string]bool{"bad": false, "good": true, "unread": true} {
		_, err := record.Open(filepath.Join(out, name))
		if (err == nil) != there {
			t.Errorf("manifest of %s: %v, want one: %v", name, err, there)
		}
	}
}

// TestRunAllInterrupted: a cell that a cancellation cuts short has not failed, a spec that was
// whole before is made, and the next run makes the missing cells.
func TestRunAllInterrupted(t *testing.T) {
	specs := specsOf(t, map[string]string{"one": grpoMethod, "two": rlooMethod})
	list, out := []*spec.Spec{specs["one"], specs["two"]}, t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	made := make([]bool, len(list))
	done := func(i int, _ *record.Run) error { made[i] = true; return nil }
	count := 0
	err := RunAll(ctx, list, Options{Out: out, Jobs: 1, Watch: &begins{func(*CellRun) {
		if count++; count == 3 { // the first of the second spec
			cancel()
		}
	}}}, done)
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "seed") || !slices.Equal(made, []bool{true, false}) {
		t.Errorf("made %v, %v; want the first, and no failure but the cancellation", made, err)
	}
	var plan Plan
	made = make([]bool, len(list))
	err = RunAll(t.Context(), list, Options{Out: out, Jobs: 1, Planned: func(p Plan) { plan = p }}, done)
	if err != nil || !slices.Equal(made, []bool{true, true}) || plan.Finished != 2 {
		t.Errorf("made %v, %+v (%v); want both, two cells of them found", made, plan, err)
	}
}
