package train

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"modebench/experiments/cells"
	"modebench/internal/atomicfile"
	"modebench/internal/strictjson"
)

// This file keeps where an unfinished cell stands, so that a run that was interrupted
// or killed goes on from there and ends with the bytes of one that was not. Every draw
// comes from a stream with a name, so a place between two steps is few things: the
// policy, the number of batches drawn, what evaluations have found out, and the records
// so far. It is one file, cells/.resume-<id>, replaced as a whole; like a record it
// depends on the cell and the step alone, so several processes may write and read it.

// A keeper keeps where a cell stands. A nil one keeps nothing, and so does that of a cell
// with a plug-in: a program may remember what it was sent, which is not ours to keep.
type keeper struct {
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

func newKeeper(dir, id string, w *cellWriter, opt *Options) *keeper {
	started := time.Now()
	return &keeper{
		path: filepath.Join(dir, cells.ResumePrefix+id), cell: id, every: opt.Checkpoint, next: started.Add(opt.Checkpoint),
		notes: opt.Notes, w: w, started: started,
	}
}

func (k *keeper) note(format string, args ...any) {
	if k.notes != nil {
		k.notes(strictjson.OneLine(fmt.Sprintf(format, args...)))
	}
}

// costShare bounds what keeping takes of the time: one part in so many.
const costShare = 20

// keepIfDue keeps the point before a step if the last one is old enough.
func (k *keeper) keepIfDue(t *trainer, e *evaluator, step int) {
	if k == nil || k.off || k.every == 0 || step == 0 {
		return
	}
	begun := time.Now()
	if begun.Before(k.next) {
		return
	}
	k.keep(t, e, step)
	end := time.Now()
	k.next = end.Add(max(k.every, costShare*end.Sub(begun)))
}

// keep writes down the point where a step began. That it cannot be is no reason to stop:
// the run can do without, and says so.
func (k *keeper) keep(t *trainer, e *evaluator, step int) {
	if k == nil || k.off || step == 0 && !t.begun.evaluated {
		return
	}
	if err := k.write(t, e, step); err != nil {
		k.note("where %s stands cannot be kept: %v", k.cell, err)
	}
}

func (k *keeper) write(t *trainer, e *evaluator, step int) error {
	point := cells.Point{
		Cell: k.cell, Step: step, Evaluated: t.begun.evaluated, Generation: t.begun.generation,
		Endless: numbersOf(e.endless), Unlisted: numbersOf(e.unlisted),
		Seconds: k.seconds(), Spent: t.clock.spent,
	}
	var err error
	if point.Train, err = k.w.trains.sofar(); err != nil {
		return err
	}
	if point.Eval, err = k.w.evals.sofar(); err != nil {
		return err
	}
	if point.Pools, err = k.w.pools.sofar(); err != nil {
		return err
	}
	var policy bytes.Buffer
	if err := t.policy.Save(&policy); err != nil {
		return err
	}
	point.Policy = policy.Bytes()
	data, err := point.Bytes()
	if err != nil {
		return err
	}
	return atomicfile.Write(k.path, data)
}

// seconds is what the cell has taken.
func (k *keeper) seconds() float64 { return (k.before + time.Since(k.started)).Seconds() }

// resume takes the cell to where it was left, if it was, and returns the step to go on
// with and whether it is evaluated already. A file that does not fit is left alone, and the cell starts over. A reference
// is of the policy before training, so it has to be made before.
func (k *keeper) resume(t *trainer, e *evaluator) (step int, evaluated bool, err error) {
	if k == nil || k.off {
		return 0, false, nil
	}
	data, err := os.ReadFile(k.path)
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
		err = t.policy.Load(bytes.NewReader(point.Policy))
	}
	if err != nil {
		k.note("%s: %v; the cell starts over", k.path, err)
		return 0, false, nil
	}
	t.generation, t.clock.spent = point.Generation, point.Spent
	k.before = time.Duration(point.Seconds * float64(time.Second))
	setFlags(e.endless, point.Endless)
	setFlags(e.unlisted, point.Unlisted)
	return point.Step, point.Evaluated, errors.Join(k.w.trains.put(point.Train), k.w.evals.put(point.Eval), k.w.pools.put(point.Pools))
}

// checkPoint says whether the point is one of the cell.
func checkPoint(r *cells.Point, cell string, t *trainer, e *evaluator) error {
	switch {
	case r.Cell != cell:
		return fmt.Errorf("it is of another cell, %q", r.Cell)
	case r.Step < 1 && !r.Evaluated || r.Step < 0 || r.Step > t.Steps():
		return fmt.Errorf("step: got %d, want 1 to %d", r.Step, t.Steps())
	case r.Generation < 0 || t.Method.Protocol.Generations == 0 && r.Generation != r.Step:
		return fmt.Errorf("generation: got %d at step %d", r.Generation, r.Step)
	}
	if len(r.Pools) > 0 && t.Eval.Keep == 0 {
		return errors.New("sizes: it has answers, and the cell keeps none")
	}
	for _, of := range r.Spent { // as many steps in each phase
		if len(of) != len(r.Spent[0]) {
			return fmt.Errorf("spent: got %d and %d steps", len(r.Spent[0]), len(of))
		}
	}
	for _, i := range slices.Concat(r.Endless, r.Unlisted) {
		if i < 0 || i >= len(e.prompts) {
			return fmt.Errorf("question %d, and there are %d", i, len(e.prompts))
		}
	}
	return nil
}

// numbersOf lists where a flag is set.
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
