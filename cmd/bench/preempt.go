package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
)

// A stopSignal is the signal that a run was stopped by.
type stopSignal struct{ os.Signal }

func (s *stopSignal) Error() string { return s.String() }

// untilStopped is untilSignal for runs, which go on another time: it keeps which signal
// it was, and takes those of schedulers too.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals...)
	go func() {
		select {
		case s := <-signals:
			cancel(&stopSignal{s})
		case <-ctx.Done():
		}
		signal.Stop(signals) // the next one ends the process
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// A preemptedError is a run that was not interrupted by a person: the scheduler takes the
// machine, and is to queue the run again.
type preemptedError struct{ error }

// Unwrap gives the error itself.
func (e *preemptedError) Unwrap() error { return e.error }

// preempted marks the error of a run that a scheduler stopped.
func preempted(ctx context.Context, err error) error {
	var s *stopSignal
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &s) && s.Signal != os.Interrupt {
		return &preemptedError{err}
	}
	return err
}
