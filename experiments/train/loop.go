package train

import (
	"context"
	"fmt"

	"modebench/experiments/record"
)

// StopAfter is how many answers may be drawn before a cancelled run notices.
var StopAfter = 2048 // tests want every step

// run trains from beginning to end, and evaluates before, on the way and after. A method
// that does not train is evaluated once. Now and then the observer gets the number of
// steps done. Where an earlier run left a checkpoint, it begins there.
func (t *trainer) run(ctx context.Context, seed int, to sink, observer Observer) error {
	e, err := newEvaluator(&t.Setup, t.policy, seed)
	if err != nil {
		return err
	}
	stopEvery := max(1, StopAfter/(t.Train.Batch*t.Drawn()*t.Train.Candidates))
	first, err := t.checkpointer.resume(t, e)
	if err != nil {
		return err
	}
	observer.GoesOn(first)
	for step := first; ; step++ {
		last := step == t.Steps()
		if step%stopEvery == 0 {
			observer.Reached(step)
			if ctx.Err() != nil {
				t.checkpointer.save(t, e, step)
				return ctx.Err()
			}
			t.checkpointer.saveIfDue(t, e, step)
		}
		if last || step%t.Eval.Every == 0 {
			if err := e.record(step, to); err != nil {
				return fmt.Errorf("step %d: %w", step, err)
			}
		}
		if last {
			return nil
		}
		if err := t.stepAndRecord(step, to); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
}

func (t *trainer) stepAndRecord(step int, to sink) error {
	if step%t.Train.RecordEvery != 0 {
		return t.step(step, nil)
	}
	var rec record.Train
	if err := t.step(step, &rec); err != nil {
		return err
	}
	return to.train(rec)
}
