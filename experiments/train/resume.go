package train

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"modebench/estimators/loss"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/strictjson"
)

// This file saves the state of an unfinished cell, so that the next run continues from there and
// ends with the same bytes. Every draw comes from a stream with a name, so the state between two
// steps is small: policies, memories, counts and the records so far. It is one file,
// cells/.resume-<id>, which depends on the cell and the step alone, so that several processes may
// write and read it.

// A checkpointer saves the state of a cell, unless it is nil, or off: a plug-in without a state may
// remember what it was sent.
type checkpointer struct {
	off   bool
	path  string
	cell  string        // its ID
	every time.Duration // 0: only when the cell is cut short
	next  time.Time
	notes func(string) // nil: not wanted
	w     *cellWriter

	started time.Time
	before  time.Duration // spent on the cell by earlier runs
}

func (k *checkpointer) note(format string, args ...any) {
	if k.notes != nil {
		k.notes(strictjson.OneLine(fmt.Sprintf(format, args...)))
	}
}

// costShare bounds the time of saving to 1/costShare of the run.
const costShare = 20

// saveIfDue saves the state before a step if the last file is old enough.
func (k *checkpointer) saveIfDue(t *trainer, e *evaluator, step int) {
	if k == nil || k.off || k.every == 0 || step == 0 {
		return
	}
	begun := time.Now()
	if begun.Before(k.next) {
		return
	}
	k.save(t, e, step)
	end := time.Now()
	k.next = end.Add(max(k.every, costShare*end.Sub(begun)))
}

// save saves the state where a step began. A run can do without the file, so a failure is
// only noted.
func (k *checkpointer) save(t *trainer, e *evaluator, step int) {
	if k == nil || k.off || step == 0 && !t.begun.evaluated {
		return
	}
	if err := k.write(t, e, step); err != nil {
		k.note("the state of %s cannot be saved: %v", k.cell, err)
	}
}

func (k *checkpointer) write(t *trainer, e *evaluator, step int) error {
	point := cells.Point{
		Cell: k.cell, Step: step, Evaluated: t.begun.evaluated, Generation: t.begun.generation, Drawn: t.begun.drawn,
		Endless: numbersOf(e.endless), EndlessKL: numbersOf(e.endlessKL),
		Seconds: k.seconds(), Spent: t.clock.spent,
	}
	if t.begun.updates.Tokens > 0 {
		point.Updates = &t.begun.updates
	}
	var policy bytes.Buffer
	var errs [7]error
	point.State, errs[0] = t.saveState()
	point.Objective, errs[1] = objectiveState(t.begun.objective)
	point.Train, errs[2] = k.w.trains.sofar()
	point.Eval, errs[3] = k.w.evals.sofar()
	point.Pools, errs[4] = k.w.pools.sofar()
	errs[5] = t.policy.Save(&policy)
	point.Policy = policy.Bytes()
	point.Lagged, errs[6] = t.history.save(t.policy)
	if err := cmp.Or(errs[:]...); err != nil {
		return err
	}
	data, err := point.Bytes()
	if err != nil {
		return err
	}
	return atomicfile.Write(k.path, data)
}

func (k *checkpointer) seconds() float64 { return (k.before + time.Since(k.started)).Seconds() }

// resume restores the state that an earlier run saved. It returns the next step, 0 without a saved
// state, and whether its evaluation is made. A cell whose file does not fit starts over. The
// reference, the policy before training, is made before.
func (k *checkpointer) resume(t *trainer, e *evaluator) (step int, evaluated bool, err error) {
	if k == nil || k.off {
		return 0, false, nil
	}
	data, err := record.ReadBelow(filepath.Dir(k.path), filepath.Base(k.path))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	var point *cells.Point
	if err == nil {
		point, err = cells.ParsePoint(data)
	}
	if err == nil {
		err = checkPoint(point, k.cell, t, e)
	}
	if err == nil {
		err = t.history.load(t.policy, point.Lagged)
	}
	if err == nil {
		err = t.loadState(point.State)
	}
	if err == nil {
		err = t.loadObjective(point.Objective)
	}
	if err == nil {
		err = t.policy.Load(bytes.NewReader(point.Policy))
	}
	if err != nil {
		t.history.kept = nil
		k.note("%s: %v; the cell starts over", k.path, err)
		return 0, false, errors.Join(t.loadState(nil), t.loadObjective(nil))
	}
	t.generation, t.drawn, t.clock.spent = point.Generation, point.Drawn, point.Spent
	if point.Updates != nil {
		t.updates = *point.Updates
	}
	k.before = time.Duration(point.Seconds * float64(time.Second))
	setFlags(e.endless, point.Endless)
	setFlags(e.endlessKL, point.EndlessKL)
	return point.Step, point.Evaluated, errors.Join(e.boundary.restore(point.Eval), e.law.restore(point.Eval), k.w.trains.restore(point.Train), k.w.evals.restore(point.Eval), k.w.pools.restore(point.Pools))
}

// checkPoint explains why the point cannot be one of the cell.
func checkPoint(r *cells.Point, cell string, t *trainer, e *evaluator) error {
	ended := t.enough(r.Drawn) // steps since then drew no batch and left no policy
	asSteps := func(n, steps int) bool { return n == steps || ended && 0 <= n && n < steps }
	lagged, remembers := min(r.Step, t.Train.Lag), t.Method.Loss.State() != nil
	least := 1
	if r.Evaluated {
		least = 0
	}
	for _, field := range []struct {
		fits  bool
		wrong string
	}{
		{r.Cell == cell, fmt.Sprintf("it is of another cell, %q", r.Cell)},
		{least <= r.Step && r.Step <= t.Steps(), fmt.Sprintf("step: got %d, want 1 to %d", r.Step, t.Steps())},
		{asSteps(r.Generation, r.Step) || t.Method.Protocol.Generations > 0 && r.Generation >= 0, fmt.Sprintf("generation: got %d at step %d", r.Generation, r.Step)},
		{r.Drawn >= 0, fmt.Sprintf("drawn: got %d tokens", r.Drawn)},
		{asSteps(len(r.Lagged), lagged), fmt.Sprintf("sizes: got %d policies that draw rollouts, want %d", len(r.Lagged), lagged)},
		{len(r.Pools) == 0 || t.Eval.Keep > 0, "sizes: it has answers, and the cell records none"},
		{len(r.State) == 0 || t.Method.State() != nil, "state: it has one, and the method remembers nothing"},
		{remembers == (len(r.Objective) > 0), fmt.Sprintf("objective: it has a state: %v, and the method's objective remembers: %v", !remembers, remembers)},
	} {
		if !field.fits {
			return errors.New(field.wrong)
		}
	}
	for _, i := range slices.Concat(r.Endless, r.EndlessKL) {
		if i < 0 || i >= len(e.prompts) {
			return fmt.Errorf("prompt %d: want 0 to %d", i, len(e.prompts)-1)
		}
	}
	return nil
}

func numbersOf(flags []bool) []int {
	out := []int{}
	for i, flag := range flags {
		if flag {
			out = append(out, i)
		}
	}
	return out
}

func setFlags(flags []bool, numbers []int) {
	for _, i := range numbers {
		flags[i] = true
	}
}

// This file saves the memory of an estimator and an objective over steps. Most have no memory.

func (t *trainer) saveState() ([]byte, error) {
	s := t.Method.State()
	if s == nil {
		return nil, nil
	}
	var state bytes.Buffer
	err := s.Save(&state)
	return state.Bytes(), err
}

func (t *trainer) loadState(state []byte) error {
	if s := t.Method.State(); s != nil {
		return s.Load(bytes.NewReader(state))
	}
	return nil
}

func objectiveState(s *loss.State) (json.RawMessage, error) {
	if s == nil {
		return nil, nil
	}
	return json.Marshal(s)
}

func (t *trainer) loadObjective(state json.RawMessage) error {
	if state == nil {
		return t.Method.Loss.SetState(nil)
	}
	s := &loss.State{}
	if err := strictjson.Decode(state, "objective", s); err != nil {
		return err
	}
	return t.Method.Loss.SetState(s)
}
