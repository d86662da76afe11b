package train

import (
	"context"
	"fmt"

	"modebench/experiments/record"
)

// ReachedAfter is how many answers may be drawn before the observer gets the number of steps,
// and before the cell's state is saved, if a save is due.
var ReachedAfter = 2048 // tests want every step

// run trains from beginning to end, and evaluates before, on the way and after. A method that does
// not train is evaluated once. Now and then the observer gets the number of steps done. Where an
// earlier run left a checkpoint, it begins there. Where the context cuts a step short, it saves the
// state before that step, unless the step has updated the policy already.
func (t *trainer) run(ctx context.Context, seed int, to *cellWriter) error {
	e, err := newEvaluator(ctx, &t.Setup, t.policy, seed)
	if err != nil {
		return err
	}
	e.updates, e.drawn = &t.updates, &t.drawn
	every := max(1, ReachedAfter/(t.Train.Batch*t.Drawn()*t.Train.Candidates))
	first, evaluated, err := t.checkpointer.resume(t, e)
	if err != nil {
		return err
	}
	to.observer.GoesOn(first)
	for step := first; ; step++ {
		t.begun, t.learned = point{t.generation, evaluated, t.updates, t.drawn, t.Method.Loss.State()}, false
		if step%every == 0 {
			to.observer.Reached(step)
			if ctx.Err() == nil {
				t.checkpointer.saveIfDue(t, e, step)
			}
		}
		err := ctx.Err()
		if err == nil {
			err = t.advance(e, step, to)
		}
		evaluated = false
		if err != nil && ctx.Err() != nil {
			if !t.learned {
				t.checkpointer.save(t, e, step)
			}
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
		if step == t.Steps() {
			return nil
		}
	}
}

// advance evaluates the policy, if that is due, and makes a step unless it was the last or the
// tokens to draw are drawn.
func (t *trainer) advance(e *evaluator, step int, to *cellWriter) error {
	last := step == t.Steps()
	if !t.begun.evaluated && (last || step%t.Eval.Every == 0) {
		if err := e.record(step, to); err != nil {
			return err
		}
		t.begun.evaluated = true
	}
	if last || t.enough(t.drawn) {
		return nil
	}
	return t.stepAndRecord(step, to)
}

func (t *trainer) stepAndRecord(step int, to *cellWriter) error {
	if step%t.Train.RecordEvery != 0 {
		return t.step(step, nil)
	}
	var rec record.Train
	if err := t.step(step, &rec); err != nil {
		return err
	}
	return to.trains.write(rec)
}
